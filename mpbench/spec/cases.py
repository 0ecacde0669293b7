"""Cases: the transports that an experiment compares."""

from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    model_serializer,
    model_validator,
)
from pydantic.config import JsonDict

from jobs.protocol import Spoken
from mpbench.endpoints.recipes import CONTROLS
from mpbench.endpoints.recipes import NAMES as IN_BOX
from mpbench.spec import knobs
from mpbench.spec.checked_sysctls import checked_sysctls
from mpbench.spec.ends import Hosts
from mpbench.spec.fabric import gathering
from mpbench.spec.messages import shortened
from mpbench.spec.middleboxes import Middleboxes
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import (
    Faults,
    Name,
    OneOf,
    Part,
    Switch,
    context,
)
from mpbench.spec.vocabulary import (
    CONGESTION_CONTROLS,
    LEAST_SUBFLOWS,
    OF_LINUX,
    PATH_MANAGERS,
    PROTOCOLS,
    QUIC,
    SCHEDULERS,
)
from mpbench.spec.with_params import OneOfWithParams, WithParams

COUPLED = frozenset(CONGESTION_CONTROLS) - OF_LINUX
"""Controllers of the overlay, whose names no program of a user's may have."""

MOST_SUBFLOWS = 9
"""The first subflow, and as many as the guest allows in addition."""

NDIFFPORTS_SUBFLOWS = 2
"""Subflows of `ndiffports` if the file gives no number."""

SHORTEST, HIGHEST = "shortest", "highest"
BY_LENGTH = (SHORTEST, HIGHEST)
"""Value of `path` where each TCP takes a path with the fewest links."""


def _backups(value: object) -> object:
    """The numbers of paths, in order, from one number or a list."""
    numbers = [value] if isinstance(value, int) else value
    if not isinstance(numbers, list | tuple) or not all(map(_is_path, numbers)):
        reason = f"'{shortened(value)}' is not the number of a path"
        raise ValueError(f"{reason}; write e.g. backup: 2, or backup: [2, 3]")
    return tuple(sorted(set(numbers)))


def _is_path(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1


def _path(value: object) -> object:
    """The number of a path, or one of BY_LENGTH."""
    if value is None or value in BY_LENGTH:
        return value
    if not isinstance(value, int) or isinstance(value, bool):
        reason = f"'{shortened(value)}' is not the number of a path"
        raise ValueError(f"{reason}; write e.g. 1, or '{SHORTEST}' in a data centre")
    if value < 1:
        raise ValueError(f"{value} is below 1, the least value that works")
    return value


_NUMBER: JsonDict = {"type": "integer", "minimum": 1}
_PATH_SCHEMA: JsonDict = {"anyOf": [_NUMBER, {"enum": [*BY_LENGTH]}]}
_BACKUP_SCHEMA: JsonDict = {"anyOf": [_NUMBER, {"type": "array", "items": _NUMBER}]}


class Case(Spoken, Part):
    """One transport: protocol, congestion control, scheduler and their settings."""

    protocol: Annotated[str, OneOf("protocol", PROTOCOLS)] = Field(
        description="Multipath TCP over all paths, or TCP over one of them; or QUIC by"
        " a program of one's own, over all paths or one."
    )
    congestion_control: Annotated[
        WithParams,
        OneOfWithParams(
            "congestion control", "congestion_control", CONGESTION_CONTROLS
        ),
    ] = Field(
        description="Congestion control of every subflow: a name, or {name, ...}."
    )
    program: str | None = Field(
        default=None,
        max_length=100,
        description="Of mpquic and quic: the program that speaks it, of `plugins`.",
    )
    scheduler: (
        Annotated[WithParams, OneOfWithParams("scheduler", "scheduler", SCHEDULERS)]
        | None
    ) = Field(
        default=None,
        description="Packet scheduler of MPTCP; the kernel's own if not said.",
    )
    path: Annotated[int | str, BeforeValidator(_path)] | None = Field(
        default=None,
        description="The path that a TCP takes, from 1; not where there is only one."
        " In a data centre also 'shortest', or 'highest', the shortest from the last"
        " of the host's ports that begin one.",
        json_schema_extra=_PATH_SCHEMA,
    )
    path_manager: (
        Annotated[
            WithParams, OneOfWithParams("path manager", "path_manager", PATH_MANAGERS)
        ]
        | None
    ) = Field(
        default=None,
        description="Which subflows MPTCP opens; fullmesh if not said.",
    )
    backup: Annotated[tuple[int, ...], BeforeValidator(_backups)] | None = Field(
        default=None,
        description="Numbers of the paths that MPTCP uses only when no other works;"
        " as the network has them if not said.",
        json_schema_extra=_BACKUP_SCHEMA,
    )
    sysctls: Annotated[dict[str, str | int], BeforeValidator(checked_sysctls)] = Field(
        default={},
        description="Other network sysctls of the end hosts, by full name.",
    )
    keys: Switch = Field(
        default=False,
        description="Of mpquic and quic: whether the keys of connections are kept, and"
        " whole packets in captures, so that Wireshark decrypts them.",
    )
    qlog: Switch = Field(
        default=False,
        description="Of mpquic and quic: whether the program's qlog is kept.",
    )
    gather: Annotated[float | None, BeforeValidator(gathering)] = Field(
        default=None,
        description="Of mpquic and quic: how long packets of bulk data gather before"
        " the program reads them, up to 10 ms; each wakes it if nothing is given.",
    )
    kernel: Name | None = Field(
        default=None,
        description="The kernel, a name of `kernels`; mpbench's own if not said.",
    )
    hosts: Hosts = Field(
        default={},
        description="Settings of single hosts in this case, as in the section `hosts`.",
    )
    middlebox: Middleboxes = Field(
        default={},
        description="Boxes of links in this case, as in the section `middlebox`.",
    )
    capture: tuple[Name, ...] | None = Field(
        default=None,
        description="Interfaces whose packets are captured and analysed; the "
        "experiment's if not said.",
    )

    @model_validator(mode="after")
    def _fits_protocol(self, info: ValidationInfo) -> Self:
        faults = Faults()
        self._check_program(faults, info)
        if self.protocol == "mptcp":
            if self.path is not None:
                faults.add(("path",), "mptcp takes all paths; only tcp takes one")
            self._check_subflows(faults, info)
            if self.backup and self.subflows(0):
                reason = "without effect on ndiffports, which uses one path"
                faults.add(("backup",), f"{reason}; take one of them away")
        elif self.protocol == "mpquic":
            if self.path is not None:
                faults.add(("path",), "mpquic takes all paths; only quic takes one")
            for key in ("path_manager", "backup"):
                if getattr(self, key) is not None:
                    faults.add((key,), "only mptcp has one; take it away")
            topology = context(info).topology
            users = topology.users if topology else ()
            if users and all(len(user.paths) == 1 for user in users):
                reason = f"{topology.name if topology else ''} has one path"
                faults.add(("protocol",), f"{reason}; write protocol: quic")
        else:
            for key in ("scheduler", "path_manager", "backup"):
                if getattr(self, key) is not None:
                    faults.add((key,), "only mptcp has one; take it away")
            self._check_path(faults, info)
            if self.path in BY_LENGTH and self.is_quic:
                faults.add(("path",), "quic takes a path by its number, e.g. 1")
            for key in () if self.is_quic else self._without_effect():
                reason = "without effect on tcp, which has one subflow; take it away"
                faults.add(("congestion_control", key), reason)
        known_kernels = context(info).kernels
        if self.kernel is not None and self.kernel not in known_kernels:
            reason = f"no kernel '{shortened(self.kernel)}' in `kernels`"
            faults.add(("kernel",), f"{reason}; {nearest(self.kernel, known_kernels)}")
        for kind in ("congestion_control", "scheduler"):
            given = getattr(self, kind)
            if given is not None and not self.is_quic:
                values = dict(given.values)
                found = knobs.without_effect(kind, given.name, values)
                for key, reason in found.items():
                    faults.add((kind, key), reason)
        faults.raise_any()
        return self

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A key that a file does not have does not enter the hash of its content."""
        values: dict[str, Any] = handler(self)
        for key in ("backup", "kernel", "program"):
            if getattr(self, key) is None:
                values.pop(key, None)
        for key in ("gather", "hosts", "keys", "middlebox", "qlog"):
            if not getattr(self, key):
                values.pop(key, None)
        return values

    @property
    def number(self) -> int | None:
        """The number of the path that a TCP takes; None if no number is given."""
        return self.path if isinstance(self.path, int) else None

    @property
    def shortest(self) -> bool:
        """Whether each TCP takes a path with the fewest links."""
        return self.path in BY_LENGTH

    @property
    def highest(self) -> bool:
        """Whether it takes the last of these paths, and none that is drawn."""
        return self.path == HIGHEST

    def _check_program(self, faults: Faults, info: ValidationInfo) -> None:
        known = context(info).programs
        if not self.is_quic:
            if self.program is not None:
                faults.add(("program",), f"{self.protocol} is the kernel's; remove it")
            for key in ("gather", "keys", "qlog"):
                if getattr(self, key):
                    faults.add((key,), "only mpquic and quic have this; take it away")
        elif self.program is None:
            hint = f"write e.g. program: {IN_BOX[-1]}, or a name of `plugins.programs`"
            faults.add(("program",), f"missing; {self.protocol} needs one; {hint}")
        elif self.program not in known:
            names = (*known, *(name for name in IN_BOX if name not in known))
            hint = nearest(shortened(self.program), names)
            reason = f"no program '{shortened(self.program)}' in the box or in plugins"
            faults.add(("program",), f"{reason}; {hint}")
        else:
            self._check_choices(faults)

    def _check_choices(self, faults: Faults) -> None:
        """Whether an endpoint of the box knows the names that it is to use, and whether
        one of a user's is to use its own.
        """
        known = CONTROLS.get(self.program or "", ())
        control = self.congestion_control.name
        if known and control not in known:
            reason = f"{self.program} has no '{control}'; {nearest(control, known)}"
            faults.add(("congestion_control",), reason)
        elif control in COUPLED:
            reason = (
                f"'{control}' is MPTCP's, in the kernel; a program has controllers of"
            )
            faults.add(("congestion_control",), f"{reason} its own, under other names")
        if known and self.scheduler is not None:
            reason = f"{self.program} has no choice of schedulers; take it away"
            faults.add(("scheduler",), reason)

    def _without_effect(self) -> list[str]:
        """Parameters that have no effect on a single subflow."""
        known = self.congestion_control.knobs("congestion_control")
        return [
            key for key, _ in self.congestion_control.values if not known[key].alone
        ]

    @property
    def parameter_sysctls(self) -> dict[str, str]:
        """The sysctls that set the parameters of the names in this case."""
        result = self.congestion_control.sysctls("congestion_control")
        if self.scheduler:
            result |= self.scheduler.sysctls("scheduler")
        if self.path_manager and self.path_manager.name == "ndiffports":
            least = (("subflows", self.subflows(1)),)
            result |= WithParams("ndiffports", least).sysctls("path_manager")
        return result

    def subflows(self, paths: int) -> int:
        """Number of subflows of each connection on a network of `paths` paths."""
        if self.path_manager is None or self.path_manager.name != "ndiffports":
            return paths
        return int(self.path_manager.get("subflows", NDIFFPORTS_SUBFLOWS))

    @property
    def least_subflows(self) -> int:
        """The number of subflows that the scheduler needs."""
        name = self.scheduler.name if self.scheduler else "default"
        return LEAST_SUBFLOWS.get(name, 1)

    def lacks_subflows(self, paths: int, where: str) -> str:
        """Fault of the scheduler on so many paths; empty if there is none."""
        subflows, least = self.subflows(paths), self.least_subflows
        if self.scheduler is None or subflows >= least:
            return ""
        reason = f"{self.scheduler.name} needs {least} subflows, {where} has {subflows}"
        hint = f"write 'path_manager: {{name: ndiffports, subflows: {least}}}'"
        return f"{reason}; {hint} or another scheduler"

    def _check_subflows(self, faults: Faults, info: ValidationInfo) -> None:
        topology = context(info).topology
        if topology is None:
            return
        subflows = self.subflows(topology.paths)
        reason = self.lacks_subflows(topology.paths, topology.name)
        if reason:
            faults.add(("scheduler",), reason)
        if subflows > MOST_SUBFLOWS:
            reason = f"{topology.name} has {subflows} paths; mptcp takes"
            faults.add(("protocol",), f"{reason} {MOST_SUBFLOWS} at most")

    def _check_path(self, faults: Faults, info: ValidationInfo) -> None:
        topology = context(info).topology
        users = topology.users if topology else ()
        if self.path is None and all(len(user.paths) > 1 for user in users):
            faults.add(("path",), "missing; which path does this tcp take? e.g. 1")
        elif topology and self.shortest and not topology.mesh:
            reason = f"{topology.name} is no data centre"
            faults.add(("path",), f"{reason}; write the number of a path, e.g. 1")
        elif topology and (self.number or 0) > topology.paths:
            paths = ", ".join(str(p + 1) for p in range(topology.paths))
            faults.add(
                ("path",),
                f"there is no path {self.path}; {topology.name} has paths {paths}",
            )


def names_of_the_kernel() -> JsonDict:
    """In the JSON Schema: a case whose controller and scheduler are mpbench's, or that
    a program of QUIC knows."""
    names: JsonDict = {
        key: {"anyOf": [{"enum": [*known]}, _mapping(known)]}
        for key, known in (
            ("congestion_control", CONGESTION_CONTROLS),
            ("scheduler", SCHEDULERS),
        )
    }
    quic: JsonDict = {"properties": {"protocol": {"enum": [*QUIC]}}}
    quic["required"] = ["protocol"]
    return {"if": {"not": quic}, "then": {"properties": names}}


def _mapping(known: Sequence[str]) -> JsonDict:
    return {"type": "object", "properties": {"name": {"enum": [*known]}}}
