"""The section `plugins:` once its files have been read: what an experiment brings."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from analysis.campaign.directions import WORDS, Direction
from analysis.run import patterns
from jobs import Transport
from jobs import plugins as record
from jobs.vocabulary import NUMBER_UNITS
from mpbench.spec import knobs, own_topology, sysctls
from mpbench.spec.plugin_format import MOST_BYTES, MOST_KEYS, MOST_PROGRAM_BYTES, NAME
from mpbench.spec.values import Faults, OneOf, Part
from mpbench.spec.vocabulary import CONGESTION_CONTROLS, SCHEDULERS, TOOLS
from topologies import Description

KERNEL = (*CONGESTION_CONTROLS, *SCHEDULERS)
RESERVED = {"tools": (*TOOLS, "plugin"), "controllers": KERNEL, "schedulers": KERNEL}
"""Names that plug-ins cannot have; those of topologies are checked with their files."""


def _kernel_name(value: str) -> str:
    if value in KERNEL:
        raise ValueError(f"'{value}' is the name of one of mpbench's")
    return _plugin_name(value)


def _plugin_name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise ValueError(f"'{value[:40]}' is not the name of a plug-in")
    return value


def _number_name(value: str) -> str:
    if not patterns.NAME.fullmatch(value):
        raise ValueError(f"'{value[:40]}' is not the name of a number")
    return value


def _program_name(value: str) -> str:
    if not record.PROGRAM_NAME.fullmatch(value):
        raise ValueError(f"'{value[:40]}' is not the name of a program")
    return value


MOST_LIBRARIES = 256
ProgramName = Annotated[str, AfterValidator(_program_name)]
PluginName = Annotated[str, AfterValidator(_plugin_name)]
NumberName = Annotated[str, AfterValidator(_number_name)]
KernelName = Annotated[str, AfterValidator(_kernel_name)]
Code = Annotated[str, Field(max_length=MOST_BYTES)]
Numbers = Annotated[
    dict[NumberName, Annotated[str, OneOf("unit", NUMBER_UNITS)]],
    Field(max_length=MOST_KEYS),
]

Good = Annotated[
    dict[NumberName, Annotated[Direction, OneOf("direction", WORDS)]],
    Field(max_length=MOST_KEYS),
]
"""The direction in which a number is good, for numbers that have one."""


Topology = Annotated[dict[str, Any], own_topology.Checked()]


class Tool(Part):
    """A tool's text, the unit of each key of its entries and of each number, the
    directions in which numbers are good, and what its reader returns beside numbers:
    what arrived, lists of values, and lists of values with times."""

    code: Code
    keys: dict[NumberName, str] = Field(default={}, max_length=MOST_KEYS)
    numbers: Numbers = Field(default={})
    good: Good = Field(default={})
    received: bool = False
    samples: Numbers = Field(default={})
    series: Numbers = Field(default={})


class Metric(Part):
    """A metric's text, the unit of each of its numbers, and the directions in which
    they are good."""

    code: Code
    numbers: Numbers
    good: Good = Field(default={})


class Controller(Part):
    """The text of a controller or scheduler in C."""

    code: Code


class Program(Part):
    """A program by its hash, and the libraries and C library that it needs."""

    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    bytes: Annotated[int, Field(ge=0, le=MOST_PROGRAM_BYTES)]
    libraries: tuple[Annotated[str, Field(max_length=255)], ...] = Field(
        default=(), max_length=MOST_LIBRARIES
    )
    glibc: Annotated[str, Field(pattern=r"^[0-9]{1,6}(\.[0-9]{1,6}){0,5}$")] | None = (
        None
    )


class Stored(Part):
    """All plug-ins by name. Topologies are descriptions, without any code."""

    topologies: dict[PluginName, Topology] = Field(default={})
    tools: dict[PluginName, Tool] = Field(default={})
    metrics: dict[PluginName, Metric] = Field(default={})
    controllers: dict[PluginName, Controller] = Field(default={})
    schedulers: dict[PluginName, Controller] = Field(default={})
    programs: dict[ProgramName, Program] = Field(
        default={}, max_length=record.MOST_PROGRAMS
    )

    def knobs(self) -> Mapping[str, Mapping[str, Mapping[str, knobs.Knob]]]:
        """The parameters of controllers and schedulers, by the case's key and name."""
        return {
            kind: {name: knobs.own(kind, name, one.code) for name, one in of.items()}
            for kind, of in (
                ("congestion_control", self.controllers),
                ("scheduler", self.schedulers),
            )
        }

    @model_validator(mode="after")
    def _parameters_can_be_read(self) -> Self:
        faults = Faults()
        for kind, key in (
            ("controllers", "congestion_control"),
            ("schedulers", "scheduler"),
        ):
            for name, one in getattr(self, kind).items():
                try:
                    parameters = knobs.own(key, name, one.code).values()
                except ValueError as error:
                    faults.add((kind, name), f"line {error}")
                    continue
                for knob in parameters:
                    if knob.own and sysctls.can_be_set(knob.sysctl):
                        reason = f"{knob.sysctl} exists already"
                        faults.add((kind, name), f"{reason}; rename the parameter")
        faults.raise_any()
        return self

    @model_validator(mode="after")
    def _no_name_of_mpbench(self) -> Self:
        faults = Faults()
        for kind, names in RESERVED.items():
            for name in getattr(self, kind):
                if name in names:
                    reason = f"'{name}' is the name of one of mpbench's"
                    faults.add((kind, name), f"{reason}; rename it")
        faults.raise_any()
        return self


class Plugins(Part):
    """The section. In the file of a user it names files, which `load` replaces by what
    they hold."""

    stored: Stored = Stored()

    def metrics(self) -> dict[str, record.PluginMetric] | None:
        """The metrics, as every run's job holds them; None if there are none."""
        found = self.stored.metrics
        return {
            name: record.PluginMetric(code=one.code, numbers=one.numbers)
            for name, one in sorted(found.items())
        } or None

    def programs(self, named: Iterable[str]) -> dict[str, str] | None:
        """The SHA-256 of each program among these words, as a job holds them; None if
        there is none."""
        found = self.stored.programs
        used = {name: found[name].sha256 for name in named if name in found}
        return dict(sorted(used.items())) or None

    def kernel(
        self, transports: Iterable[Transport]
    ) -> dict[str, record.KernelCode] | None:
        """The controllers and schedulers that transports use, as a job holds them;
        None if they use none."""
        used = {}
        for transport in transports:
            for name, known in (
                (transport.congestion_control, self.stored.controllers),
                (transport.scheduler or "", self.stored.schedulers),
            ):
                if name in known:
                    used[name] = record.KernelCode(code=known[name].code)
        return dict(sorted(used.items())) or None

    def description(self, name: str | None) -> Description | None:
        """The description of a topology; None if no plug-in has the name."""
        found = self.stored.topologies.get(name or "")
        return None if found is None else own_topology.description(str(name), found)
