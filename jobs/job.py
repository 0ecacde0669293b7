"""The job: everything that determines one run, and how the run is measured."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Literal

import topologies
from jobs import hosts
from jobs.capture import Capture
from jobs.changes import Series
from jobs.ends import Host
from jobs.entries import BY_TOOL, Entry
from jobs.fabric import Fabric
from jobs.guest import USUAL_MIB, Guest
from jobs.links import Link, any_at_sender
from jobs.linux import Linux
from jobs.marks import WRITTEN, Bounds, Key, Length
from jobs.middleboxes import MOST_BOXES, NAT, PROXY, Box
from jobs.network import Network
from jobs.plugins import (
    MOST_PROGRAMS,
    KernelCode,
    KernelName,
    PluginMetric,
    PluginName,
    ProgramName,
    Sha256,
)
from jobs.queues import Queues
from jobs.report import Report
from jobs.spoken import Spoken, spoken
from jobs.transport import Transport
from jobs.values import MOST_ENTRIES, LastingSeconds, Name, Number
from topologies import addresses, networks, translations
from topologies import fabric as fabric_table
from topologies.description import Description, User
from topologies.fabric import Table
from topologies.shaping import Shape
from topologies.wiring import Wiring

FORMAT: Literal[2] = 2
MOST_SEED = 2**63 - 1
MOST_METRICS = 100

Entries = Annotated[tuple[Annotated[Entry, BY_TOOL], ...], Length(1, MOST_ENTRIES)]


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run.

    seed : of the run's randomness
    topology : name of the topology; None for a network of the experiment file alone
    network : the users of a network that a file describes; None for a topology that a
        module of `topologies` has
    fabric : how the fabric forwards packets; None for a network of namespaces
    guest : the machine; None for the usual one
    parameters : value of each parameter of the network by canonical key; None for one
        that is not set
    link_seeds : whether every link draws losses and delays from a seed of its own
    links : every link as the plan resolved it, bottlenecks first
    changes : the changes of links during the run
    middleboxes : what routers do to packets beside forwarding them
    transport : the transport of the case
    host_settings : of single hosts, by name; None for the usual ones
    traffic : the traffic entries
    time_limit_s : virtual time after which the run certainly hangs
    trace_s : interval between the samples of the trace; None for no trace
    queues : when the queues of links are looked at; None for never
    capture : where packets are captured; None for nowhere
    report : how the run is measured; no part of its id
    metrics : a user's own metrics, by name
    kernel : a user's own controllers and schedulers, by name
    linux : the kernel; None for mpbench's own
    programs : a user's own programs, by name: the SHA-256 of each
    files : the SHA-256 of each file that keys of a user's own tools name
    """

    format: Literal[2]
    seed: Annotated[int, Bounds(0, MOST_SEED)]
    topology: Name | None
    network: Network | None = None
    fabric: Fabric | None = None
    guest: Guest | None = None
    parameters: Mapping[str, Number | None]
    links: Annotated[tuple[Link, ...], Length(0, MOST_ENTRIES)]
    link_seeds: bool = False
    changes: Annotated[tuple[Series, ...], Length(1, MOST_ENTRIES)] = ()
    middleboxes: Annotated[tuple[Box, ...], Length(1, MOST_BOXES)] = ()
    transport: Transport
    host_settings: Annotated[Mapping[Name, Host] | None, Key("hosts")] = None
    traffic: Entries
    time_limit_s: LastingSeconds
    trace_s: Annotated[LastingSeconds | None, WRITTEN] = None
    queues: Queues | None = None
    capture: Annotated[Capture | None, WRITTEN] = None
    report: Annotated[Report | None, WRITTEN] = None
    metrics: (
        Annotated[Mapping[PluginName, PluginMetric], Length(0, MOST_METRICS)] | None
    ) = None
    kernel: Annotated[Mapping[KernelName, KernelCode], Length(1, 10)] | None = None
    linux: Linux | None = None
    programs: (
        Annotated[Mapping[ProgramName, Sha256], Length(1, MOST_PROGRAMS)] | None
    ) = None
    files: Annotated[tuple[Sha256, ...], Length(1, MOST_ENTRIES)] = ()

    @cached_property
    def description(self) -> Description:
        """The network as an experiment file sees it.

        Raises KeyError if the job has no network, and no module of `topologies` has
        its topology.
        """
        if self.network is None:
            return topologies.describe(str(self.topology))
        return networks.described(
            self.network.users,
            self.shapes,
            self.topology or topologies.NETWORK,
            self.parameters,
            self.network.wiring,
        )

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """The shape of every link, by the link's name."""
        return {link.name: link for link in self.links}

    @cached_property
    def wiring(self) -> Wiring:
        """The network as nodes and wires."""
        wiring = topologies.wire(self.description, self.shapes)
        if any_at_sender(self.links):
            from topologies import senders  # most jobs have no such link

            wiring = senders.moved(wiring, self.shapes)
        more = {
            host: settings.addresses
            for host, settings in (self.host_settings or {}).items()
            if settings.addresses
        }
        if more:
            wiring = addresses.extended(wiring, self.description, more)
        own = [box.link for box in self.middleboxes if box.kind in (NAT, PROXY)]
        nats = dict.fromkeys(own)  # servers answer to the router's own address
        return translations.routed(wiring, self.description, nats) if nats else wiring

    @cached_property
    def table(self) -> Table:
        """The network for the fabric. Raises ValueError if the fabric cannot have one
        of its links."""
        pairs = dict.fromkeys(pair for entry in self.traffic for pair in entry.between)
        found = topologies.tabulate(
            self.description, self.wiring, self.shapes, list(pairs), self.seed
        )
        settings = self.fabric
        if settings is None:
            return found
        if settings.burst_packets is not None:
            found = fabric_table.with_bursts(found, settings.burst_packets)
        if settings.acks_first:
            found = fabric_table.with_acks_first(found)
        return replace(found, acks_direct=bool(settings.acks_direct))

    @property
    def memory_mib(self) -> int:
        """The memory of the run's guest, MiB."""
        return self.guest.memory_mib if self.guest else USUAL_MIB

    @cached_property
    def users(self) -> tuple[User, ...]:
        """The users of the network; none if no module has the topology any more."""
        try:
            return self.description.users
        except KeyError:
            return ()

    @property
    def phases(self) -> Mapping[str, tuple[float, float]]:
        """Phase name to (start, end), seconds after the beginning of the traffic."""
        return self.report.phases if self.report else {}

    @cached_property
    def transports(self) -> dict[str, Transport]:
        """The transport of each host of the traffic: see `jobs.hosts`."""
        return hosts.transports(self.traffic, self.transport)

    @cached_property
    def backups(self) -> dict[str, set[int]]:
        """The numbers of the paths, from 1, that each host keeps as backups."""
        return hosts.backups(self.users, self.transports)

    def spoken(self, index: int) -> Spoken:
        """The protocols at both ends of the connections of an entry, by its number."""
        return spoken(self.traffic, index, self.host_settings or {}, self.transport)

    def transport_of(self, entry: Entry) -> Transport:
        """The transport of a traffic entry: its own, or else that of the case."""
        return entry.transport or self.transport


def bare(seed: int, time_limit_s: float) -> Job:
    """A job without network and traffic, for a guest that runs another program."""
    transport = Transport(
        protocol="tcp",
        congestion_control="reno",
        scheduler=None,
        path=None,
        path_manager=None,
        sysctls={},
    )
    return Job(
        format=FORMAT,
        seed=seed,
        topology=None,
        parameters={},
        links=(),
        transport=transport,
        traffic=(),
        time_limit_s=time_limit_s,
    )
