"""Traffic of several users of a network: `from: users`, or a list of their hosts.

A user of a network reaches only its own server. So an entry of several users flows
between the host of each user and that user's server, and `assign` says which user opens
which connection.
"""

from typing import Protocol

from mpbench.spec import ranges
from mpbench.spec.messages import MOST_FAULTS, shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.traffic_patterns import HOSTS, NAMES
from mpbench.spec.values import Faults
from topologies import Description, families

USERS = "users"
"""Value of `from` where all users of a network send."""
SERVERS = "servers"
"""Value of `to` where each user sends to its own server."""
EACH = "each"
ASSIGNMENTS = {EACH: None, "random": "random", "in turn": "in_turn"}
"""Ways in which connections are assigned to users, and their names in a job."""
SEPARATOR = ", "
MOST_NAMES = 1000


class Ends(Protocol):
    """The keys of an entry that say between which hosts it flows."""

    @property
    def source(self) -> str: ...

    @property
    def destination(self) -> str: ...

    @property
    def assign(self) -> str | None: ...


def read_source(value: object) -> object:
    """The text of `from`. The names of a list are joined with commas."""
    if not isinstance(value, list):
        return value
    if not value:
        raise ValueError(f"empty; name hosts, such as [phone1, phone2], or '{USERS}'")
    for name in value:
        if not isinstance(name, str) or "," in name:
            reason = f"'{shortened(name)}' is not the name of a host"
            raise ValueError(f"{reason}; write names, such as [phone1, phone2]")
    return SEPARATOR.join(value)


def is_list(source: str) -> bool:
    """Whether the text of `from` names hosts by a list or a range."""
    return "," in source or ".." in source


def label(source: str) -> str:
    """Name in the table of an entry that has no name of its own."""
    return USERS if is_list(source) else source


def applies(entry: Ends, topology: Description) -> bool:
    """Whether an entry is between all users and their servers, and not between hosts.

    `users` and `servers` are such words only where no host has that name.
    """
    hosts = topology.hosts
    return (
        entry.assign is not None
        or is_list(entry.source)
        or (entry.source == USERS and USERS not in hosts)
        or (entry.destination == SERVERS and SERVERS not in hosts)
    )


def members(source: str, topology: Description) -> tuple[str, ...]:
    """The hosts that `from` names, in its order; all users' for `users`.

    Raises ValueError, in one line, for a text that is no range of names.
    """
    if source == USERS and USERS not in topology.hosts:
        return topology.initiators
    found: list[str] = []
    for word in source.split(","):
        found += ranges.names(word.strip())
        if len(found) > MOST_NAMES:
            raise ValueError(f"more than {MOST_NAMES} names; write '{USERS}' for all")
    return tuple(found)


def check(entry: Ends, topology: Description) -> Faults:
    """Check the hosts of an entry of several users."""
    faults = Faults()
    if topology.mesh:
        reason = f"every host of {topology.name} reaches every other one; write"
        reason += f" 'from: {HOSTS}' and a pattern, such as 'to: {NAMES[0]}'"
        if entry.assign is None:
            faults.add(("from",), reason)
        else:
            faults.add(("assign",), f"{reason}, without 'assign'")
        return faults
    try:
        hosts = members(entry.source, topology)
    except ValueError as error:
        faults.add(("from",), str(error))
        return faults
    for number, host in enumerate(hosts):
        reason = _fault(host, topology)
        if host in hosts[:number]:
            reason = f"'{shortened(host)}' stands there twice; name each user once"
        if reason and len(faults.found) < MOST_FAULTS:
            faults.add(("from",), reason)
    known = [host for host in hosts if host in topology.initiators]
    reason = _destination_fault(entry.destination, known, topology)
    if reason:
        faults.add(("to",), reason)
    return faults


def _fault(host: str, topology: Description) -> str:
    """Reason why a host cannot open connections; empty if it can."""
    known = topology.initiators
    if host in known:
        return ""
    if host not in topology.hosts:
        return f"no user '{shortened(host)}' in {topology.name}; {nearest(host, known)}"
    return (
        f"'{host}' opens no connections in {topology.name}; name users, such as"
        f" {known[0]}, and write 'reverse: true' for data the other way"
    )


def _destination_fault(name: str, hosts: list[str], topology: Description) -> str:
    """Reason why users cannot send to a destination; empty if they can."""
    if name == SERVERS and SERVERS not in topology.hosts:
        return ""
    if name in topology.hosts:
        for host in hosts:
            server = topology.user(host).server
            if server != name:
                return f"{host} reaches {server} only; write 'to: {SERVERS}'"
        return ""
    if name in NAMES:
        return pattern_fault(name, topology)
    return f"no host '{shortened(name)}'; {nearest(name, (SERVERS, *topology.hosts))}"


def pattern_fault(name: str, topology: Description) -> str:
    """Reason why there is no pattern in a network whose users have a server each."""
    return (
        f"'{name}' needs hosts that reach one another, and a user of {topology.name}"
        f" reaches its own server only; write 'from: {USERS}, to: {SERVERS}', or take a"
        f" data centre, such as {families.EXAMPLES[-2]}"
    )
