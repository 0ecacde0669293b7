"""Network topologies, one a file.

A topology is a file here with a `DESCRIPTION` (what it is, for those who write
experiments) and a function `wire` from its parameters to its network; no list
names it. Only `topologies.network` needs Mininet, and nothing else needs more
than the standard library.
"""

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from topologies.description import Description, User
from topologies.parameters import Parameter
from topologies.wiring import Wiring

__all__ = ["Description", "Parameter", "User", "describe", "names", "wire"]

_PARTS = ("chains", "description", "network", "parameters", "shaping", "wiring")
"""Files that are no topology."""


@cache
def names() -> tuple[str, ...]:
    """The topologies that there are, sorted."""
    files = (file.stem for file in Path(__file__).parent.glob("[a-z]*.py"))
    return tuple(sorted(set(files) - set(_PARTS)))


def describe(name: str) -> Description:
    """The description of a topology.

    Raises KeyError for a name that is not one of `names()`.
    """
    found: Description = _module(name).DESCRIPTION
    return found


def wire(name: str, parameters: Mapping[str, float | None]) -> Wiring:
    """The network of a topology.

    parameters : by canonical key; those that are missing count as 0
    """
    found: Wiring = _module(name).wire(parameters)
    return found


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f"topologies.{name}")
    except ModuleNotFoundError:
        raise KeyError(name) from None
