"""The sections of an experiment file: keys, types and what each is for."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    BeforeValidator,
    Field,
    ValidationInfo,
    model_validator,
)
from pydantic.config import JsonDict

from analysis.campaign.figure_request import FigureRequest
from mpbench.spec import fabric as fabrics
from mpbench.spec import (
    topology_names,
)
from mpbench.spec.cases import Case
from mpbench.spec.changes import Changes
from mpbench.spec.compare import Compare, with_metrics
from mpbench.spec.design import Design
from mpbench.spec.ends import Hosts
from mpbench.spec.entries import Entries
from mpbench.spec.factors import Parameters
from mpbench.spec.guest import Guest
from mpbench.spec.job_keys import ToJob
from mpbench.spec.kernels import Kernels
from mpbench.spec.link_traits import LinkTraits, without_value
from mpbench.spec.middleboxes import Middleboxes
from mpbench.spec.networks import Network
from mpbench.spec.own_metrics import MetricName
from mpbench.spec.phases import Phases, spans, usual_names
from mpbench.spec.plugin_format import PROGRAMS, SUFFIXES
from mpbench.spec.plugins import Plugins
from mpbench.spec.repetitions import OnRepetitions, Repetitions
from mpbench.spec.repetitions import schema as repetitions_schema
from mpbench.spec.traffic import DAY_S
from mpbench.spec.values import (
    Late,
    Name,
    Part,
    Quantity,
    Whole,
    context,
)

if TYPE_CHECKING:
    from mpbench.spec.figures import Figure

    Figures = tuple[Figure, ...]
else:
    Figures = Annotated[tuple[Any, ...], Late(lambda: _figures())]

RTT_TRACE_S = 0.1


def _topology(value: object, info: ValidationInfo) -> object:
    if value is None:
        return None
    return topology_names.check(value, context(info).topologies)


def _figures() -> Any:
    from mpbench.spec.figures import Figure

    return tuple[Figure, ...]


def _plugins_schema(schema: JsonDict) -> None:
    """In the JSON Schema: the names of files and folders."""
    text: JsonDict = {"type": "string"}
    named: JsonDict = {"anyOf": [text, {"type": "array", "items": text}]}
    schema.clear()
    schema |= {
        "type": "object",
        "properties": {
            "stored": {"type": "object"},
            **{kind: dict(named) for kind in SUFFIXES},
            PROGRAMS: {"type": "object", "additionalProperties": dict(text)},
        },
        "additionalProperties": False,
    }


class Sections(Part):
    """The keys of an experiment file, each valid by itself, with all defaults."""

    include: str | tuple[str, ...] | None = Field(
        default=None,
        exclude=True,
        description="Files with parts of this one, relative to it.",
    )
    name: Name = Field(description="Of the experiment, and of its results' folder.")
    source: str | None = Field(
        default=None, description="What it reproduces: paper, table, figure."
    )
    description: str | None = Field(default=None, description="What it is for.")
    plugins: Plugins = Field(
        default=Plugins(),
        description="Files with code of one's own, by kind, relative to this one, and"
        " programs by name.",
        json_schema_extra=_plugins_schema,
    )
    topology: Annotated[str, BeforeValidator(_topology)] | None = Field(
        default=None, description="The network, if it is one of mpbench's."
    )
    network: Network | None = Field(
        default=None, description="The network, described here: links and users."
    )
    fabric: fabrics.OnFabric = Field(
        default=None,
        description="Whether the guest's kernel forwards packets by a table, without"
        " routers; cheaper, with slightly other queues.",
        json_schema_extra=fabrics.switch_schema,
    )
    guest: Guest = Field(
        default=Guest(), description="The machine that a guest is: its memory."
    )
    kernels: Kernels = Field(
        default={},
        description="Kernels other than mpbench's own, for cases: stock Linux, patches,"
        " options.",
    )
    parameters: Parameters = Field(
        default={}, description="Parameters of the topology that differ from default."
    )
    changes: Changes = Field(
        default={},
        description="Links that change during a run, by name; `access1..3` for three.",
    )
    links: dict[str, Annotated[LinkTraits, BeforeValidator(without_value)]] = Field(
        default={},
        description="Queue disciplines and impairments of the topology's links.",
    )
    link_seeds: Annotated[bool, ToJob("link_seeds")] = Field(
        default=False,
        description="Whether every link draws losses and delays from a seed of its own,"
        " which is the same under every kernel.",
    )
    design: Design | None = Field(
        default=None, description="What varies; a single point if not said."
    )
    cases: dict[Name, Case] = Field(
        min_length=1, description="The transports to compare, by name."
    )
    compare: Compare | None = Field(
        default=None,
        description="The question: the baseline, and what is better than it.",
    )
    hosts: Hosts = Field(
        default={},
        description="Settings of single hosts, by name: addresses, MPTCP, sysctls,"
        " limits and endpoints.",
    )
    middlebox: Middleboxes = Field(
        default={},
        description="Boxes of a link's routers that change or drop packets, by link.",
    )
    traffic: Entries = Field(description="What flows, all of it in every run.")
    repetitions: OnRepetitions = Field(
        default=Repetitions(count=1),
        description="Runs of each point and case, seeds apart; a number, or a mapping"
        " that says how their networks differ too.",
        json_schema_extra=repetitions_schema,
    )
    seed: Whole = Field(default=1, ge=0, description="Of all that is random.")
    time_limit: Annotated[float, Quantity("s", 1, 30 * DAY_S)] | None = Field(
        default=None,
        description="Virtual time after which a run is given up; ample if not said.",
    )
    phases: Phases = Field(
        default={}, description="Parts of a run that are measured by themselves too."
    )
    trace: Annotated[float, Quantity("s", 0.001, 3600, usual="ms")] | None = Field(
        default=None,
        description="How often the windows of all subflows are noted; never if not"
        " said.",
    )
    capture: tuple[Name, ...] = Field(
        default=(),
        description="Interfaces whose packets are captured and analysed, headers only.",
    )
    metrics: tuple[Annotated[str, MetricName()], ...] = Field(
        default=("goodput",), description="What the report is about."
    )
    figures: Figures = Field(default=(), description="What it draws.")
    expect: str | None = Field(
        default=None, description="File of published values to set beside ours."
    )

    @model_validator(mode="before")
    @classmethod
    def _with_compared_metrics(cls, values: Any) -> Any:
        return with_metrics(values)

    @property
    def requests(self) -> tuple[FigureRequest, ...]:
        """The figures, each as the record of its kind."""
        return tuple(figure.request for figure in self.figures)

    @property
    def phase_names(self) -> tuple[str, ...]:
        """The names of the phases: of the file, or those that follow from changes."""
        if self.phases or self.known_end_s is None:
            return tuple(self.phases)
        return usual_names(self.changes)

    @property
    def phase_spans(self) -> dict[str, tuple[float, float] | None]:
        """Start and end of each phase in seconds, in order; None where runs differ."""
        begin_s = min(entry.start.earliest for entry in self.traffic)
        return spans(self.phases, self.changes, begin_s, self.known_end_s)

    @property
    def known_end_s(self) -> float | None:
        """When all traffic has ended, if every start is the earliest; None if that is
        not known beforehand."""
        if any(getattr(entry, "duration", None) is None for entry in self.traffic):
            return None
        return max(
            entry.end_s - entry.start.latest + entry.start.earliest
            for entry in self.traffic
        )

    @property
    def trace_interval(self) -> float | None:
        """Interval at which windows are noted, in seconds; None for never.

        The round-trip time is known of traces only, so that the metric brings one.
        """
        if self.trace is None and "smoothed_rtt" in self.metrics:
            return RTT_TRACE_S
        return self.trace
