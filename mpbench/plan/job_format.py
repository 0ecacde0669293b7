"""The format of a job: what `job.json` holds, as a schema.

The planner checks every job that it makes with this schema, and whoever reads a job
from a file checks it with the same schema. A job from a stranger can therefore ask
for nothing that an experiment file cannot ask for. A key that the schema does not
know is refused, so a new key of the job needs a field here.

`docs/experiment-file.md` describes the format key by key.
"""

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator

import topologies
from analysis.run import patterns
from analysis.run.number_columns import NUMBER_UNITS
from mpbench.guest_memory import LEAST_MIB, MOST_MIB
from mpbench.plan import capture_places, change_format
from mpbench.plan.job_flows import Flows
from mpbench.plan.job_parts import (
    Entry,
    LastingSeconds,
    Name,
    Number,
    Part,
    Paths,
    Seconds,
    Size,
    Transport,
)
from mpbench.plan.link_format import Link
from mpbench.spec import builtin
from mpbench.spec.command import ENDS, MOST_NUMBERS, TAKEN, words
from mpbench.spec.plugin_format import MOST_KEYS
from mpbench.spec.plugins import Code, KernelName, NumberName, PluginName
from mpbench.spec.plugins import Numbers as PluginNumbers
from mpbench.spec.vocabulary import READ_MODES
from topologies import Description, User, fabric, families, networks, templates
from topologies.fabric import CHOICES, LIMITS, MOST_BURST_PACKETS
from topologies.shaping import Shape, from_json

FORMAT = 2
MOST_SEED = 2**63 - 1
MOST_ENTRIES = 1000
MOST_METRICS = 100
MOST_TIMES = 2000
ROUNDING = 1e-6
"""Values are rounded to so much, which may take one past the end of its range."""


def _readable(pattern: str) -> str:
    patterns.compiled(pattern)
    return pattern


class Iperf3(Entry):
    tool: Literal["iperf3"]
    duration_s: LastingSeconds | None
    bytes: Size | None
    reverse: bool
    parallel: Annotated[int, Field(ge=1, le=128)]
    interval_s: LastingSeconds
    read: Literal[READ_MODES]  # type: ignore[valid-type]
    read_bytes: Annotated[int, Field(ge=1, le=1 << 20)]

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if (self.duration_s is None) == (self.bytes is None):
            raise ValueError("needs either duration_s or bytes")
        return self


class Curl(Entry):
    tool: Literal["curl"]
    duration_s: None
    bytes: Size
    reverse: Literal[True]
    timeout_s: LastingSeconds | None


class Ab(Entry):
    tool: Literal["ab"]
    duration_s: LastingSeconds | None
    requests: Annotated[int, Field(ge=1, le=1_000_000)] | None
    bytes: Size
    reverse: Literal[True]
    concurrency: Annotated[int, Field(ge=1, le=1000)]
    keep_alive: bool
    timeout_s: LastingSeconds

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        if (self.duration_s is None) == (self.requests is None):
            raise ValueError("needs either duration_s or requests")
        return self


class Cbr(Entry):
    tool: Literal["cbr"]
    duration_s: LastingSeconds
    bytes: None
    reverse: Literal[False]
    rate_mbps: Annotated[float, Field(gt=0, le=10_000)]
    burst_s: LastingSeconds | None
    pause_s: LastingSeconds | None
    over: Literal["connection"] | None = None


class Numbers(Part):
    """What is read from the output of a program."""

    pattern: Annotated[str, AfterValidator(_readable)]
    units: dict[str, Literal[NUMBER_UNITS]]  # type: ignore[valid-type]
    take: Literal[TAKEN]  # type: ignore[valid-type]
    of: Literal[ENDS]  # type: ignore[valid-type]

    @model_validator(mode="after")
    def _each_group_has_a_unit(self) -> Self:
        if set(patterns.names(self.pattern)) != set(self.units):
            raise ValueError("units: needs one unit per group of the pattern")
        return self


class Command(Entry):
    tool: Literal["command"]
    duration_s: LastingSeconds
    bytes: None
    reverse: bool
    client: Annotated[list[str], AfterValidator(words)]
    server: Annotated[list[str], AfterValidator(words)] | None
    ready: Literal["port", "udp_port", "line", "nothing"] | None
    ready_line: Annotated[str, Field(min_length=1, max_length=200)] | None
    numbers: Annotated[list[Numbers], Field(max_length=MOST_NUMBERS)]


class Plugin(Entry):
    """Traffic of a user's own tool, with the text that the guest runs."""

    tool: Literal["plugin"]
    plugin: PluginName
    code: Code
    numbers: PluginNumbers
    duration_s: LastingSeconds
    bytes: None
    reverse: bool
    values: Annotated[
        dict[NumberName, Number | Annotated[str, Field(max_length=1000)]],
        Field(max_length=MOST_KEYS),
    ]


class PluginMetric(Part):
    """A user's own metric, with the text that the guest runs."""

    code: Code
    numbers: PluginNumbers


class KernelCode(Part):
    """A user's own controller or scheduler, linked into the run's kernel."""

    code: Code


AnyEntry = Iperf3 | Curl | Ab | Cbr | Command | Flows | Plugin


class Capture(Part):
    """Where packets are captured, and whether whole."""

    interfaces: Annotated[list[Name], Field(min_length=1, max_length=MOST_ENTRIES)]
    full: bool


class Report(Part):
    """How the run is measured; no part of its id."""

    names: list[Name | None] | None
    phases: dict[Name, Annotated[list[Seconds], Field(min_length=2, max_length=2)]]


class NetworkUser(Part):
    """A host that opens connections, and its paths, each a list of links."""

    host: Name
    server: Name
    paths: Annotated[
        list[Annotated[list[Name], Field(max_length=MOST_ENTRIES)]],
        Field(min_length=1, max_length=networks.MOST_PATHS),
    ]
    count: Annotated[str, Field(max_length=100)] | None
    backups: Paths | None = None

    @model_validator(mode="after")
    def _count_is_its_own(self) -> Self:
        if self.count not in (None, f"{self.host}.users"):
            raise ValueError("count is neither null nor the host's")
        return self


class Network(Part):
    """A network that the experiment file describes; its links stand under `links`."""

    users: Annotated[
        list[NetworkUser], Field(min_length=1, max_length=networks.MOST_USERS)
    ]
    wiring: dict[str, Any] | None = None


class Fabric(Part):
    """How the fabric of the guest's kernel forwards packets."""

    choose: Literal[CHOICES]  # type: ignore[valid-type]
    limit: Literal[LIMITS] | None = None  # type: ignore[valid-type]
    burst_packets: Annotated[int, Field(ge=0, le=MOST_BURST_PACKETS)] | None = None
    acks_first: Literal[True] | None = None
    acks_direct: Literal[True] | None = None


class Guest(Part):
    """The machine that the run's guest is, where it is not the usual one."""

    memory_mib: Annotated[int, Field(ge=LEAST_MIB, le=MOST_MIB)]


Times = Annotated[list[Seconds], Field(min_length=1, max_length=MOST_TIMES)]


class Queues(Part):
    """When the queues of links are looked at."""

    every_s: LastingSeconds | None = None
    at_s: Times | None = None

    @model_validator(mode="after")
    def _one_way_in_order(self) -> Self:
        if (self.every_s is None) == (self.at_s is None):
            raise ValueError("needs either every_s or at_s")
        if self.at_s and any(b <= a for a, b in pairwise(self.at_s)):
            raise ValueError("at_s: not in ascending order")
        return self


class Job(Part):
    """One run."""

    format: Literal[2]
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)]
    topology: Name | None
    network: Network | None = None
    fabric: Fabric | None = None
    guest: Guest | None = None
    parameters: dict[str, Number | None]
    links: Annotated[list[Link], Field(max_length=MOST_ENTRIES)]
    changes: Annotated[
        list[change_format.Series], Field(min_length=1, max_length=MOST_ENTRIES)
    ] = Field(default_factory=list)
    transport: Transport
    traffic: Annotated[
        list[Annotated[AnyEntry, Field(discriminator="tool")]],
        Field(min_length=1, max_length=MOST_ENTRIES),
    ]
    time_limit_s: LastingSeconds
    trace_s: LastingSeconds | None = None
    queues: Queues | None = None
    capture: Capture | None = None
    report: Report | None = None
    metrics: (
        Annotated[dict[PluginName, PluginMetric], Field(max_length=MOST_METRICS)] | None
    ) = None

    kernel: (
        Annotated[dict[KernelName, KernelCode], Field(min_length=1, max_length=10)]
        | None
    ) = None

    @model_validator(mode="after")
    def _fits_its_topology(self) -> Self:
        if self.topology is not None and not builtin.known(self.topology):
            known = ", ".join(builtin.names())
            raise ValueError(f"no topology {self.topology!r}; known: {known}")
        if self.topology is None and self.network is None:
            raise ValueError("neither a topology nor a network")
        if self.topology in topologies.names() and self.network is not None:
            raise ValueError(f"{self.topology} has no network of its own")
        self._check_network()
        self._check_parameters()
        self._check_links()
        self._check_fabric()
        self._check_hosts()
        if self.capture:
            self._check_interfaces(self.capture.interfaces)
        names = self.report.names if self.report else None
        if names is not None and len(names) != len(self.traffic):
            raise ValueError("report.names: needs one name per traffic entry")
        return self

    @cached_property
    def description(self) -> Description:
        links = [link.model_dump() for link in self.links]
        if self.network is None:
            return builtin.describe(str(self.topology))
        network = self.network.model_dump()
        job = {"topology": self.topology, "network": network, "links": links}
        return topologies.describe_job({**job, "parameters": self.parameters})

    def _check_network(self) -> None:
        if self.network is None:
            return
        users, links = self.description.users, [link.name for link in self.links]
        for place, reason in networks.faults(users, links):
            at = ".".join(str(part) for part in place)
            raise ValueError(f"network: {at}: {reason}")
        if self.network.wiring is not None:
            templates.check(self.network.wiring, self.description)

    def _check_parameters(self) -> None:
        known = {p.key: p for p in self.description.parameters}
        for key in self.parameters.keys() ^ known.keys():
            fault = "is missing" if key in known else "is unknown"
            raise ValueError(f"parameters: {key[:60]!r} {fault}")
        for key, value in self.parameters.items():
            parameter = known[key]
            if value is None:
                if parameter.default is not None:
                    raise ValueError(f"parameters: {key} needs a number")
                continue
            low, high = parameter.minimum - ROUNDING, parameter.maximum + ROUNDING
            if not low <= value <= high:
                limits = f"{parameter.minimum:g} to {parameter.maximum:g}"
                raise ValueError(f"parameters: {key} is {value:g}, outside {limits}")
            if parameter.integer and value != int(value):
                raise ValueError(f"parameters: {key} is {value:g}, not a whole number")

    def _check_links(self) -> None:
        names = [link.name for link in self.links]
        wanted = self.description.all_links
        if sorted(names) != sorted(wanted):
            has = ", ".join(wanted)
            raise ValueError(f"links: {self.description.name} has the links {has}")
        if self.changes and any(link.tclink for link in self.links):
            raise ValueError("changes: links made as TCLink's cannot change")
        bottlenecks = self.description.links
        change_format.check(self.changes, wanted, bottlenecks)

    def _check_fabric(self) -> None:
        shapes = from_json([link.model_dump() for link in self.links])
        if self.description.mesh and self.fabric is None:
            raise ValueError(f"fabric: {self.topology} needs it")
        if self.fabric is not None and (reason := fabric.fault(shapes)):
            raise ValueError(f"fabric: {reason}")
        if self.fabric is not None and self.fabric.acks_first:
            self._check_acks_first(shapes)
        direct = self.fabric is not None and self.fabric.acks_direct
        if direct and (not self.description.mesh or self.fabric.acks_first):  # type: ignore[union-attr]
            raise ValueError("fabric: acks_direct is for data centres, alone")
        for one in self.changes if self.fabric else ():
            if one.quantity != "capacity_mbps":
                raise ValueError(f"fabric: {one.quantity} of its links cannot change")
            if not any(one.values) and one.at_s[0] == 0:
                raise ValueError("fabric: a link needs a capacity at some time")

    def _check_acks_first(self, shapes: Mapping[str, Shape]) -> None:
        if not self.description.mesh or self.fabric.burst_packets:  # type: ignore[union-attr]
            raise ValueError("fabric: acks_first is for data centres without buckets")
        own = families.centre(self.description.name).host_classes
        for name in own:
            if shapes[name].jitter_ms:
                raise ValueError(
                    f"fabric: acks: {name} has jitter; 'acks: first' works without it"
                )
        if changed := {one.link for one in self.changes} & {*own}:
            raise ValueError(
                f"fabric: acks: {min(changed)} changes; 'acks: first' works on links"
                " that stay as they are"
            )

    def _check_hosts(self) -> None:
        users = {u.host: u for u in self.description.users}
        for index, entry in enumerate(self.traffic):
            listed = getattr(entry, "pairs", None)
            for here, there in listed or [[entry.source, entry.destination]]:
                if not self._reaches(users, here, there):
                    raise ValueError(
                        f"traffic[{index}]: {self.description.name} has no user"
                        f" {here!r} of a server {there!r}"
                    )
            if self.description.mesh and getattr(entry, "counts", None) is not None:
                raise ValueError(f"traffic[{index}]: counts: its users have no server")
            path = (entry.transport or self.transport).path
            path = max(getattr(entry, "paths", None) or [path or 0])
            for here in dict.fromkeys(pair[0] for pair in listed or [[entry.source]]):
                if path > len(users[here].paths):
                    raise ValueError(f"traffic[{index}]: {here} has no path {path}")

    def _reaches(self, users: Mapping[str, User], here: str, there: str) -> bool:
        if here not in users:
            return False
        if self.description.mesh:
            return there in users and there != here
        return users[here].server == there

    def _check_interfaces(self, wanted: list[str]) -> None:
        shapes = from_json([link.model_dump() for link in self.links])
        wiring = topologies.wire(self.description, shapes)
        on_fabric = self.fabric is not None
        present = capture_places.names(self.description, wiring, shapes, on_fabric)
        for name in wanted:
            if name not in present:
                raise ValueError(f"capture: no interface {name!r}")


def completed(job: Mapping[str, Any]) -> dict[str, Any]:
    """A job with its network, which earlier versions of mpbench did not write."""
    topology = job["topology"]
    if job.get("network") is not None or builtin.network_of(topology) is None:
        return dict(job)
    return {**job, "network": networks.to_json(builtin.describe(topology))}


def check(job: Mapping[str, Any]) -> None:
    """Raises ValueError, in one line, if `job` is not a job of this format."""
    try:
        Job.model_validate(dict(job))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part)[:40] for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{place}: {reason}" if place else reason) from None
