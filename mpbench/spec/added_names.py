"""Controllers and schedulers that kernels of the file add, with patches or options."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from mpbench.spec.messages import shortened
from mpbench.spec.values import Part
from mpbench.spec.vocabulary import CONGESTION_CONTROLS, SCHEDULERS

MOST_NAMES = 50
NAME = re.compile(r"[a-z][a-z0-9_]{0,14}")
"""Linux keeps 15 characters of a name."""
KEYS = {"congestion_control": "controllers", "scheduler": "schedulers"}
"""The key of a case, and the key below `adds` with names for it."""
KNOWN = {"controllers": CONGESTION_CONTROLS, "schedulers": SCHEDULERS}


def _name(value: str) -> str:
    if not NAME.fullmatch(value):
        reason = f"'{shortened(value)}' is no name in Linux"
        raise ValueError(f"{reason}; up to 15 small letters, digits and '_' work")
    return value


class Adds(Part):
    """Names that a kernel has beside those that mpbench knows."""

    controllers: tuple[Annotated[str, AfterValidator(_name)], ...] = Field(
        default=(), max_length=MOST_NAMES, description="Congestion controllers of TCP."
    )
    schedulers: tuple[Annotated[str, AfterValidator(_name)], ...] = Field(
        default=(), max_length=MOST_NAMES, description="Packet schedulers of MPTCP."
    )

    def names(self, key: str) -> tuple[str, ...]:
        """The names below a key. key : `controllers` or `schedulers`"""
        return self.controllers if key == "controllers" else self.schedulers


def given(kernels: Any, key: str) -> tuple[str, ...]:
    """The names that all kernels of a file add; none of those that are faulty.

    kernels : the section as the file gives it
    key : `controllers` or `schedulers`
    """
    found: dict[str, None] = {}
    for kernel in kernels.values() if isinstance(kernels, dict) else ():
        raw = kernel.get("adds") if isinstance(kernel, dict) else None
        try:
            adds = Adds.model_validate(raw) if isinstance(raw, dict) else Adds()
        except ValidationError:
            continue
        found |= dict.fromkeys(adds.names(key))
    return tuple(found)
