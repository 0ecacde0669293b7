"""The section `middlebox:`: what the routers of a link do beside forwarding packets."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.config import JsonDict

from jobs import middleboxes as record
from jobs.changes import BOTH, DOWN, UP
from jobs.middleboxes import (
    ACTIONS,
    ALL,
    BOTH_WAYS,
    DATA,
    ECN,
    FORGETS,
    FORGETS_DROP,
    GARBLE,
    GARBLED,
    ICMP,
    KINDS,
    LEAST_MSS,
    MOST_BOXES,
    MOST_MSS,
    MOST_OFFSET,
    MOST_TIMEOUT_S,
    OF_OPTIONS,
    PACKETS,
    STATEFUL,
    SUBTYPES,
)
from mpbench.spec.values import Faults, OneOf, Part, Quantity, Whole

OF_SYN = ("mp_capable", "mp_join")
"""The subtypes that a SYN or a SYN/ACK can carry."""
_TIMEOUT = Quantity("s", 1, MOST_TIMEOUT_S)
_TIME = Quantity("s", 0, 86_400)
MOST_SIZE = min(MOST_MSS, MOST_OFFSET)
"""The number of a box has one range in a job, whatever its kind."""
_STATE_SCHEMA: JsonDict = {
    "anyOf": [{"const": True}, {"type": "object"}],
    "examples": [{"timeout": "10 s", "forgets": "drop"}],
}


def _timeout(value: object) -> int:
    """A timeout in whole seconds, as Linux counts them."""
    seconds = _TIMEOUT.check(value)
    if seconds != int(seconds):
        raise ValueError(f"{seconds:g} s is not a whole number of seconds")
    return int(seconds)


def _state(value: object) -> object:
    """The settings of a box with a state, from a mapping or `true`."""
    return {} if value is True else value


class State(Part):
    """The memory of a NAT or a firewall."""

    timeout: Annotated[int, BeforeValidator(_timeout)] | None = Field(
        default=None,
        description="Idle time after which a connection is forgotten; Linux's own, five"
        " days, if not said.",
        json_schema_extra=lambda schema: schema.update(
            {"type": "string", "examples": ["10 s"]}
        ),
    )
    forgets: Annotated[str, OneOf("way to forget", FORGETS)] = Field(
        default=FORGETS_DROP,
        description="Packets of a connection that is not known: drop, or reset.",
    )


class Terminator(Part):
    """A proxy that nobody asked for."""

    accepts: Annotated[str, OneOf("protocol", record.SPEAKS)] = Field(
        default="tcp", description="What it answers users with: tcp or mptcp."
    )
    opens: Annotated[str, OneOf("protocol", record.SPEAKS)] = Field(
        default="tcp", description="What it connects to servers with: tcp or mptcp."
    )


class Box(Part):
    """One middlebox: exactly one of the keys that say what it does, and where."""

    model_config = ConfigDict(populate_by_name=True)

    strip: Annotated[str, OneOf("kind of packet", PACKETS)] | None = Field(
        default=None,
        description="Removes MPTCP's options from these packets: syn, synack, ack (all"
        " that follow), data (with payload) or all.",
    )
    drop: Annotated[str, OneOf("kind of packet", PACKETS)] | None = Field(
        default=None, description="Drops these packets, if they have MPTCP's option."
    )
    garble: Annotated[str, OneOf("kind of packet", PACKETS)] | None = Field(
        default=None,
        description="Overwrites four bytes of MPTCP's option in these packets, which"
        " are a part of a key, a token, a code or an address.",
    )
    rewrite: Annotated[Whole, Field(ge=0, le=MOST_OFFSET)] | None = Field(
        default=None,
        description="Inverts a byte of every payload that is long enough: its place,"
        " from 0. TCP's checksum is repaired.",
    )
    sequence: (
        Annotated[str, OneOf("change of sequence numbers", record.SHIFTS)] | None
    ) = Field(
        default=None,
        description="shift: TCP has other sequence numbers behind the box;"
        " shift_without_sack: blocks of SACK keep the numbers of before.",
    )
    nat: Annotated[State, BeforeValidator(_state)] | None = Field(
        default=None,
        description="Servers see the router's address. true, or {timeout, forgets}.",
        json_schema_extra=_STATE_SCHEMA,
    )
    firewall: Annotated[State, BeforeValidator(_state)] | None = Field(
        default=None,
        description="Passes connections that it knows. true, or {timeout, forgets}.",
        json_schema_extra=_STATE_SCHEMA,
    )
    mss: Annotated[Whole, Field(ge=LEAST_MSS, le=MOST_SIZE)] | None = Field(
        default=None,
        description="Lowers the segment size that SYNs announce to this many bytes.",
    )
    icmp: Annotated[str, OneOf("treatment of ICMP", ACTIONS[ICMP])] | None = Field(
        default=None,
        description="Messages that a packet could not be delivered: drop, or pass."
        " Users do not know the link's mtu beforehand.",
    )
    ecn: Annotated[str, OneOf("mark of ECN", ACTIONS[ECN])] | None = Field(
        default=None,
        description="Marks packets that can be marked: ce, congestion experienced;"
        " bleach, no ECN.",
    )
    proxy: Annotated[Terminator, BeforeValidator(_state)] | None = Field(
        default=None,
        description="Ends connections of users, who are not told, and opens others."
        " true, or {accepts, opens}.",
        json_schema_extra={
            "anyOf": [{"const": True}, {"type": "object"}],
            "examples": [{"accepts": "mptcp", "opens": "tcp"}],
        },
    )
    of: Annotated[str, OneOf("subtype of MPTCP's option", SUBTYPES)] | None = Field(
        default=None,
        description="Of strip, drop and garble: only packets with an option of"
        " MPTCP of this subtype.",
    )
    direction: Annotated[str, OneOf("direction", (UP, DOWN, BOTH))] = Field(
        default=BOTH,
        description="Direction of the packets: up, which is what users send, or down;"
        " both if not said.",
    )
    begin: Annotated[float, _TIME] | None = Field(
        default=None,
        alias="from",
        description="When it begins to act, after the start of the traffic; it acts"
        " from before on if not said.",
    )
    until: Annotated[float, _TIME] | None = Field(
        default=None, description="When it ends to act; never if not said."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults = Faults()
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        if not kinds:
            reason = f"no box; give one of {', '.join(KINDS)}"
            if self.model_fields_set:
                reason += ", in the same braces: {drop: all, from: 2 s}"
            faults.add((), reason)
        elif len(kinds) > 1:
            reason = f"'{kinds[0]}' stands in this box already"
            faults.add((kinds[1],), f"{reason}; make a box of each")
        faults.raise_any()
        self._check_of(faults)
        if self.kind in BOTH_WAYS and self.direction != BOTH:
            reason = f"{self.kind} acts on both directions"
            faults.add(("direction",), f"{reason}; take it away")
        for key, given in (("from", self.begin), ("until", self.until)):
            if self.kind == record.PROXY and given is not None:
                reason = "a proxy acts in the whole run, on all connections"
                faults.add((key,), f"{reason}; take it away")
        if self.until is not None and self.until <= (self.begin or 0.0):
            after = f"'from', {self.begin:g} s" if self.begin else "0 s"
            reason = f"{self.until:g} s is not after {after}"
            faults.add(("until",), f"{reason}; give a later time")
        faults.raise_any()
        return self

    def _check_of(self, faults: Faults) -> None:
        if self.of is None and self.kind != GARBLE:
            return
        if self.kind not in OF_OPTIONS:
            reason = f"only {', '.join(OF_OPTIONS)} look at options"
            faults.add(("of",), f"{reason}; take it away")
            return
        if self.kind == GARBLE and self.of not in GARBLED:
            said = f"not '{self.of}'" if self.of else "the option is missing"
            wrong = ("of",) if self.of else (GARBLE,)
            faults.add(wrong, f"{said}; add 'of: {' or '.join(GARBLED)}'")
            return
        packets = getattr(self, self.kind)
        if packets in (record.SYN, record.SYNACK) and self.of not in OF_SYN:
            known = " or ".join(OF_SYN)
            reason = f"a {packets} has {known} only"
            faults.add(("of",), f"{reason}; write '{self.kind}: {ALL}'")
        elif packets == DATA and self.of == "mp_join":
            reason = "packets with payload have no mp_join"
            faults.add(("of",), f"{reason}; write '{self.kind}: {ALL}'")

    @model_serializer(mode="wrap")
    def _without_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = handler(self)
        return {key: value for key, value in values.items() if value is not None}

    @property
    def kind(self) -> str:
        """The key that says what the box does."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    def job(self, link: str) -> record.Box:
        """The box, in the form of a job. link : at whose routers it stands"""
        kind = self.kind
        value = getattr(self, kind)
        state = value if kind in STATEFUL else None
        return record.Box(
            link=link,
            kind=kind,
            direction=self.direction,
            from_s=self.begin,
            until_s=self.until,
            packets=value if kind in OF_OPTIONS else None,
            subtype=self.of,
            number=value if isinstance(value, int) else None,
            timeout_s=state and state.timeout,
            forgets=state and state.forgets,
            action=_action(kind, value),
        )


def _action(kind: str, value: object) -> str | None:
    """The key `action` of a job, for a box of a kind with this value."""
    if isinstance(value, Terminator):
        return f"{value.accepts}-{value.opens}"
    told = kind in ACTIONS or value == record.WITHOUT_SACK
    return str(value) if told else None


Boxes = Annotated[tuple[Box, ...], Field(max_length=MOST_BOXES)]
Middleboxes = dict[str, Boxes]


def merged(
    usual: Mapping[str, tuple[Box, ...]], own: Mapping[str, tuple[Box, ...]]
) -> dict[str, tuple[Box, ...]]:
    """The boxes of each link in a case, without links that have none.

    usual : of the experiment; own : of the case, which counts more, link by link
    """
    return {link: boxes for link, boxes in ({**usual, **own}).items() if boxes}


def of_job(
    usual: Mapping[str, tuple[Box, ...]], own: Mapping[str, tuple[Box, ...]]
) -> tuple[record.Box, ...]:
    """The boxes of a case as a run's job has them."""
    found = merged(usual, own)
    return tuple(box.job(link) for link in found for box in found[link])
