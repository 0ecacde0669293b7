"""The key `via` of a traffic entry: proxies that end its connections on the way."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Protocol

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict

from mpbench.spec import placed_proxies
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, OneOf, Part
from tools.proxy.record import PROTOCOLS
from topologies import Description, networks

MOST_PROXIES = 8
CLIENT = placed_proxies.CLIENT


class Proxy(Part):
    """A proxy: a host, and what its program speaks on either side."""

    host: str = Field(description="The host on which the proxy runs.")
    accepts: Annotated[str, OneOf("protocol", PROTOCOLS)] | None = Field(
        default=None,
        description="What it listens with: mptcp or tcp; by default as the case says.",
    )
    opens: Annotated[str, OneOf("protocol", PROTOCOLS)] | None = Field(
        default=None,
        description="What it connects with: mptcp or tcp; by default as the case says.",
    )
    at: Annotated[str, OneOf("end", placed_proxies.ENDS)] | None = Field(
        default=None,
        description="For a host that the network does not have: client, a router"
        " before the client's paths, or server, a host behind them.",
    )


def _proxies(value: object) -> object:
    """A list of proxies, from a list or a single one; a name alone will do."""
    listed = value if isinstance(value, list | tuple) else [value]
    if not listed or len(listed) > MOST_PROXIES:
        reason = f"{len(listed)} proxies; expected 1 to {MOST_PROXIES}"
        raise ValueError(f"{reason}, such as 'via: router'")
    return [{"host": one} if isinstance(one, str) else one for one in listed]


def via_schema(schema: JsonDict) -> None:
    """In the JSON Schema: a name, a mapping, or a list of these."""
    listed = schema["anyOf"]
    assert isinstance(listed, list)
    array = listed[0]
    assert isinstance(array, dict)
    one: list[Any] = [{"type": "string"}, array["items"]]
    schema["anyOf"] = [*one, {"type": "array", "items": {"anyOf": one}, "minItems": 1}]


Via = Annotated[tuple[Proxy, ...], BeforeValidator(_proxies)]


class Way(Protocol):
    """A traffic entry, as far as proxies need to know it."""

    @property
    def source(self) -> str: ...
    @property
    def destination(self) -> str: ...
    @property
    def via(self) -> tuple[Proxy, ...] | None: ...
    @property
    def many(self) -> bool: ...
    @property
    def without_connection(self) -> bool: ...
    @property
    def own_control(self) -> bool: ...


def legs(entry: Way) -> tuple[tuple[str, str], ...]:
    """The pairs (from, to) of hosts between which there are connections."""
    hosts = [entry.source, *(one.host for one in entry.via or ()), entry.destination]
    return tuple(pairwise(hosts))


def check_kind(entry: Way, faults: Faults) -> None:
    """Adds a fault for proxies that cannot pass on what the entry sends."""
    if entry.via and (entry.many or entry.without_connection or entry.own_control):
        kind = "datagrams" if entry.without_connection else "connections of drawn flows"
        faults.add(("via",), f"proxies do not pass on {kind}; take 'via' away")


def check(entry: Way, topology: Description, faults: Faults) -> None:
    """Adds a fault for each proxy that cannot stand where the entry has it."""
    before = [entry.source]
    ends = [proxy.at for proxy in entry.via or ()]
    for number, end in enumerate(ends):
        if end == CLIENT and any(one != CLIENT for one in ends[:number]):
            reason = "a proxy at the client comes first; list it before the others"
            faults.add(("via", number), reason)
            return
    for number, proxy in enumerate(entry.via or ()):
        place = ("via", number)
        reason = _misplaced(entry, number, topology)
        if reason := reason or _fault(proxy.host, before, entry, topology):
            faults.add(place, reason)
            return
        before.append(proxy.host)
    if entry.destination in before[1:]:
        reason = f"a proxy in a loop: {' to '.join([*before, entry.destination])}"
        faults.add(("to",), f"{reason}; name the host behind the last proxy")
    elif entry.destination in topology.hosts and entry.source in topology.initiators:
        end = topology.user(before[-1]).server
        if entry.destination != end:
            faults.add(("to",), unreachable(before[-1], entry.destination, topology))


def _misplaced(entry: Way, number: int, topology: Description) -> str:
    """Reason why a proxy cannot have the end that it asks for; empty if it can."""
    proxies = entry.via or ()
    proxy = proxies[number]
    if proxy.at is None:
        return ""
    if not placed_proxies.possible(topology):
        return f"{topology.name} has no place for a proxy; use two_path, or 'network'"
    if not networks.NAME.fullmatch(proxy.host):
        reason = f"'{shortened(proxy.host)}' cannot be a name"
        return f"{reason}; use up to 30 letters, digits and '_'"
    if proxy.host in topology.hosts and not placed_proxies.stands(
        topology, proxy.host, proxy.at, entry.destination
    ):
        return f"'{proxy.host}' is a host of the network; take 'at' away"
    return ""


def _fault(host: str, before: Sequence[str], entry: Way, topology: Description) -> str:
    """Reason why a proxy cannot stand on a host; empty if it can.

    before : the hosts that the data has passed until there
    """
    if host in before:
        return f"a proxy in a loop: {' to '.join([*before, host])}; name each host once"
    if host not in topology.hosts:
        known = topology.relays
        hint = nearest(shortened(host), known) if known else _how()
        return f"{topology.name} has no host '{shortened(host)}'; {hint}"
    if host not in topology.relays:
        return f"'{host}' has no paths to go on from there; {_how()}"
    if before[-1] in topology.initiators:
        there = topology.user(before[-1]).server
        if there != host:
            return f"{before[-1]} reaches {there} only; {_how()}"
    return ""


def _how() -> str:
    return (
        "write 'via: {host: router, at: client}' for one before the client's paths, or"
        " 'at: server' for one behind them; or make it a user that is another's 'to'"
    )


def unreachable(source: str, destination: str, topology: Description) -> str:
    """Reason why a host cannot open connections to another one."""
    server = topology.user(source).server
    reason = f"{source} reaches {server} only"
    way = [server]
    while way[-1] in topology.relays and len(way) <= MOST_PROXIES:
        way.append(topology.user(way[-1]).server)
        if way[-1] == destination:
            proxies = ", ".join(way[:-1])
            words = proxies if len(way) == 2 else f"[{proxies}]"
            return f"{reason}; write 'via: {words}'"
    return reason
