"""Cases: the transports that an experiment compares."""

import re
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from mpbench.spec.known import (
    CONGESTION_CONTROLS,
    PATH_MANAGERS,
    PROTOCOLS,
    RESERVED_SYSCTLS,
    SCHEDULERS,
)
from mpbench.spec.values import (
    Faults,
    Name,
    OneOf,
    Part,
    Whole,
    check_each,
    context,
)

_SYSCTL = re.compile(r"net(\.[A-Za-z0-9_-]+)+")


def _sysctls(value: object) -> object:
    """Names checked, values as text."""
    return check_each(value, _sysctl) if isinstance(value, dict) else value


def _sysctl(name: str, value: object) -> str:
    if name in RESERVED_SYSCTLS:
        raise ValueError(f"has a key of its own; write '{RESERVED_SYSCTLS[name]}:'")
    if not _SYSCTL.fullmatch(name):
        raise ValueError("not a network sysctl; write e.g. net.ipv4.tcp_sack")
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"'{value}' is neither text nor a whole number")
    return str(value)


class Case(Part):
    """One transport: protocol, congestion control, and what goes with them."""

    protocol: Annotated[str, OneOf("protocol", PROTOCOLS)] = Field(
        description="Multipath TCP over all paths, or TCP over one of them."
    )
    congestion_control: Annotated[
        str, OneOf("congestion control", CONGESTION_CONTROLS)
    ] = Field(description="Congestion control of every subflow.")
    scheduler: Annotated[str, OneOf("scheduler", SCHEDULERS)] | None = Field(
        default=None,
        description="Packet scheduler of MPTCP; the kernel's own if not said.",
    )
    path: Whole | None = Field(
        default=None,
        ge=1,
        description="The path that a TCP takes, from 1; not where there is only one.",
    )
    path_manager: Annotated[str, OneOf("path manager", PATH_MANAGERS)] | None = Field(
        default=None,
        description="Which subflows MPTCP opens; fullmesh if not said.",
    )
    sysctls: Annotated[dict[str, str | int], BeforeValidator(_sysctls)] = Field(
        default={},
        description="Other network sysctls of the end hosts, by full name.",
    )
    capture: tuple[Name, ...] | None = Field(
        default=None,
        description="Interfaces whose packets are captured and analysed; the "
        "experiment's if not said.",
    )

    @model_validator(mode="after")
    def _fits_protocol(self, info: ValidationInfo) -> Self:
        faults = Faults()
        if self.protocol == "mptcp":
            if self.path is not None:
                faults.add(("path",), "mptcp takes all paths; only tcp takes one")
        else:
            for key in ("scheduler", "path_manager"):
                if getattr(self, key) is not None:
                    faults.add((key,), "only mptcp has one; take it away")
            self._check_path(faults, info)
        faults.raise_any()
        return self

    def _check_path(self, faults: Faults, info: ValidationInfo) -> None:
        topology = context(info).topology
        users = topology.users if topology else ()
        if self.path is None and all(len(user.paths) > 1 for user in users):
            faults.add(("path",), "missing; which path does this tcp take? e.g. 1")
        elif topology and self.path is not None and self.path > topology.paths:
            paths = ", ".join(str(p + 1) for p in range(topology.paths))
            faults.add(
                ("path",),
                f"there is no path {self.path}; {topology.name} has paths {paths}",
            )
