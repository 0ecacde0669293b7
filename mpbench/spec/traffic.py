"""Traffic: the keys that every entry has."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)
from pydantic.config import JsonDict

from analysis.campaign.directions import Direction
from jobs.sockets import PROTOCOLS, Sockets
from mpbench.spec import via as proxies
from mpbench.spec.cases import Case
from mpbench.spec.expected import Expectation
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.traffic_patterns import HOSTS, NAMES
from mpbench.spec.user_sets import SERVERS, USERS
from mpbench.spec.values import (
    Faults,
    Name,
    OneOf,
    Part,
    Quantity,
    Whole,
    context,
)
from mpbench.spec.via import Via, via_schema
from mpbench.spec.vocabulary import READ_MODES
from topologies import Description

DAY_S = 86_400.0
Json = dict[str, Any]


class Read(Part):
    """The way in which the receiving program is woken.

    This changes the speed of a run, and the shares of the paths by up to 6 %, so it is
    part of the experiment.
    """

    mode: Annotated[str, OneOf("way of reading", READ_MODES)] = Field(
        default="coalesced",
        description="coalesced: once `size` has arrived; packet: by every packet.",
    )
    size: Annotated[float, Quantity("bytes", 1, 1 << 20)] | None = Field(
        default=None,
        description="How much wakes a coalesced reader; 16 KiB if not said.",
    )

    @model_validator(mode="after")
    def _size_fits_mode(self) -> Self:
        if self.mode == "packet" and self.size is not None:
            faults = Faults()
            faults.add(("size",), "read by packet has no size; take it away")
            faults.raise_any()
        return self

    @property
    def wake_bytes(self) -> int:
        """Low-water mark of the receiving socket, in bytes, if its window is four times
        as large or more."""
        if self.mode == "packet":
            return 1
        return 16 * 1024 if self.size is None else int(self.size)


def as_read(value: object) -> object:
    return {"mode": value} if isinstance(value, str) else value


def read_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a bare mode will do."""
    mapping = schema.pop("$ref", None)
    schema["anyOf"] = [{"$ref": mapping}, {"enum": [*READ_MODES]}]


BACKGROUND = "background"
ROLES = ("measured", BACKGROUND)


class Start(Part):
    """When a transfer begins, after the beginning of the traffic.

    Either a time, or a range from which every run draws a time by its seed.
    """

    earliest: Annotated[float, Quantity("s", 0, DAY_S)] = Field(
        default=0.0, alias="min", description="Earliest time."
    )
    latest: Annotated[float, Quantity("s", 0, DAY_S)] = Field(
        default=0.0, alias="max", description="Latest time."
    )

    @classmethod
    def at(cls, time_s: float) -> Self:
        """A start at exactly this time."""
        return cls.model_validate({"min": f"{time_s!r} s", "max": f"{time_s!r} s"})

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.earliest > self.latest:
            faults = Faults()
            reason = f"min {self.earliest:g} s is above max {self.latest:g} s"
            faults.add(("min",), f"{reason}; exchange them")
            faults.raise_any()
        return self


def _start(value: object) -> object:
    return value if isinstance(value, dict) else {"min": value, "max": value}


def _start_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a bare time will do."""
    mapping = schema.pop("$ref", None)
    schema["anyOf"] = [{"$ref": mapping}, {"type": "string"}, {"const": 0}]


def _one_host(value: object) -> object:
    """Anything but a list."""
    if isinstance(value, list):
        raise ValueError("expected one host; 'from' of 'tool: flows' can be several")
    return value


def _nothing_varied_required(schema: JsonDict) -> None:
    """In the JSON Schema: what the design may give, an entry need not say."""
    schema["required"] = ["tool", "from", "to"]


class Entry(Part):
    """The keys that the entries of all tools have.

    first_port : default port of the first entry's server; the next entry's server gets
        the next port
    later : keys of the tool that a released mpbench did not have, with their defaults:
        a file without them keeps its hash (`Spec.digest`)
    plain_bulk : whether it is bulk data alone, which a program of QUIC can send itself
    by_address : whether its server knows connections by the client's address
    """

    model_config = ConfigDict(json_schema_extra=_nothing_varied_required)
    first_port: ClassVar[int]
    later: ClassVar[Mapping[str, Any]] = {}
    plain_bulk: ClassVar[bool] = False
    by_address: ClassVar[bool] = False

    tool: str = Field(description="The program that sends.")
    source: Annotated[str, BeforeValidator(_one_host)] = Field(
        alias="from", description="The host that opens connections."
    )
    destination: Annotated[str, BeforeValidator(_one_host)] = Field(
        alias="to", description="The host that it opens them to."
    )
    name: Name | None = Field(
        default=None, description="What the table calls it; its host, if not said."
    )
    role: Annotated[str, OneOf("role", ROLES)] = Field(
        default=ROLES[0],
        description="`background` traffic stays out of goodput, fairness and completion"
        " of the run; it has its own columns.",
    )
    start: Annotated[Start, BeforeValidator(_start)] = Field(
        default=Start(),
        description="When to start, after the beginning of the traffic: a time, or"
        " {min, max}, to draw it from.",
        json_schema_extra=_start_schema,
    )
    transport: Case | None = Field(
        default=None,
        description="A transport of its own, as under `cases`, the same in all"
        " cases; the case's if not said.",
    )
    expect: Expectation | None = Field(
        default=None,
        description="What is to become of its connections: {mptcp, subflows,"
        " completes}. A run in which it does not is invalid.",
    )
    port: Annotated[Whole, Field(ge=1, le=65535)] | None = Field(
        default=None, description="Port of the server; free ones in turn if not said."
    )
    via: Via | None = Field(
        default=None,
        description="Proxies that end its connections on the way, in their order:"
        " hosts, or {host, accepts, opens}.",
        json_schema_extra=via_schema,
    )

    accepts: Annotated[str, OneOf("protocol", PROTOCOLS)] | None = Field(
        default=None,
        description="What its server listens with in cases of MPTCP: mptcp or tcp;"
        " as the host says if not said.",
    )
    opens: Annotated[str, OneOf("protocol", PROTOCOLS)] | None = Field(
        default=None,
        description="What its client connects with in cases of MPTCP: mptcp or tcp;"
        " as the host says if not said.",
    )

    @model_validator(mode="after")
    def _consistent(self, info: ValidationInfo) -> Self:
        faults = Faults()
        self._check(faults)
        self._check_sockets(faults)
        proxies.check_kind(self, faults)
        self._check_hosts(faults, info)
        faults.raise_any()
        return self

    def _check(self, faults: Faults) -> None:
        """Checks everything except the hosts; each tool has its own."""

    def _check_sockets(self, faults: Faults) -> None:
        for key in ("accepts", "opens"):
            if getattr(self, key) is None:
                continue
            if self.without_connection:
                reason = f"{self.tool} sends datagrams, without a connection"
                faults.add((key,), f"{reason}; take it away")
            elif self.own_control:
                reason = "its connections have the protocol of their transport"
                faults.add((key,), f"{reason}; give it 'transport' instead")

    @property
    def many(self) -> bool:
        """Whether it is between many hosts, by a pattern."""
        return False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the numbers that a program of the user's own gives."""
        return ()

    @property
    def series(self) -> tuple[str, ...]:
        """Its own lines over time, as figures name them."""
        return ()

    @property
    def samples(self) -> tuple[str, ...]:
        """Its own lists of values, as figures name them."""
        return ()

    @property
    def good(self) -> Mapping[str, Direction]:
        """The directions in which these numbers are good, by their columns."""
        return {}

    @property
    def per_user(self) -> tuple[int, int]:
        """Connections that a user opens at a time, and the number that the tool can
        open."""
        return 1, 1

    @property
    def measures(self) -> frozenset[str]:
        """Measures of the entry, of the words in `analysis.run.needs`."""
        return frozenset()

    @property
    def commands(self) -> dict[str, str]:
        """The program at each end that the user names, by the end's key."""
        return {}

    @property
    def named_programs(self) -> tuple[str, ...]:
        """Words that may name programs of the user's own."""
        return ()

    @property
    def named_files(self) -> tuple[str, ...]:
        """The SHA-256 of each file that it names."""
        return ()

    @property
    def own_code(self) -> bool:
        """Whether it executes a program that the user chose."""
        return False

    @property
    def own_control(self) -> bool:
        """Whether each connection sets its own protocol and congestion control."""
        return False

    @property
    def without_connection(self) -> bool:
        """Whether it sends datagrams alone."""
        return False

    @property
    def of_rest(self) -> bool:
        """Whether its senders are those that another entry leaves."""
        return False

    def is_rest_of(self, _other: "Entry") -> bool:
        """Whether its senders are those that this other entry leaves."""
        return False

    @property
    def label(self) -> str:
        """Name in the table if it has no name."""
        return self.source

    def ends(self, topology: Description | None) -> tuple[tuple[str, str], ...]:
        """The pairs (from, to) of hosts, as far as the file alone says them.

        topology : None if the file names no known one
        """
        return proxies.legs(self)

    @property
    def end_s(self) -> float:
        """When the entry certainly still sends, as far as the file gives it."""
        return self.start.latest

    def of_design(self, key: str, value: float | int) -> object:
        """The value of a key that a design varies, from a number in its unit."""
        return Start.at(float(value)) if key == "start" else value

    @property
    def sockets(self) -> Sockets | None:
        """The protocols of its programs, in the form of a job; None if not said."""
        if self.accepts is None and self.opens is None:
            return None
        return Sockets(accepts=self.accepts, opens=self.opens)

    def job(self, port: int) -> Json:
        """The entry of a run's job, with all defaults written out."""
        return {
            "tool": self.tool,
            "from": self.source,
            "to": self.destination,
            "start_s": self.start.earliest,
            "port": port,
        }

    def _check_hosts(self, faults: Faults, info: ValidationInfo) -> None:
        topology = context(info).topology
        if topology is None:
            return
        for key, host in (("from", self.source), ("to", self.destination)):
            if host not in topology.hosts:
                hint = nearest(host, topology.hosts)
                if topology.mesh and host in (HOSTS, *NAMES):
                    hint = "patterns need 'tool: flows' and 'from: hosts'"
                elif host in (USERS, SERVERS):
                    hint = "several users need 'tool: flows', 'from: users' and"
                    hint += " 'to: servers'"
                reason = f"{topology.name} has no host '{shortened(host)}'"
                faults.add((key,), f"{reason}; {hint}")
        if self.source == self.destination:
            faults.add(("to",), f"'{self.destination}' is where it comes from")
        elif self.source in topology.hosts and self.source not in topology.initiators:
            initiators = " or ".join(topology.initiators)
            faults.add(
                ("from",),
                f"only {initiators} can open connections in {topology.name}; write"
                " 'reverse: true' for data the other way",
            )
        elif topology.mesh:
            return
        elif self.source in topology.initiators and self.destination in topology.hosts:
            proxies.check(self, topology, faults)
