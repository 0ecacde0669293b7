"""Relays: TCP connections of traffic tools, carried by a case's program over QUIC.

    client's host                                   server's host
    tool --TCP--> relay ==QUIC over all paths==> relay --TCP--> tool's server

The tools notice nothing. They connect from their own address to the server's address
and port; a rule of the client's host for this port delivers such packets to the relay
there. The relay at the server connects from the tool's address and port, and a rule
brings back what the server answers.
"""

from collections.abc import Iterator, Sequence

from jobs import Entry, Job, Transport
from jobs.entries import Pair
from jobs.plugins import PROGRAMS
from jobs.relays import relayed
from tools.processes import Process
from tools.web import HOME
from topologies.wiring import Wiring

PREFERENCE = 100
"""Of rules: after those of the host's own addresses, before those of its paths."""
TABLE = 1000
"""Number of the routing table of the first entry."""
READY = "ready"
KEYS, QLOG = "SSLKEYLOGFILE", "QLOGDIR"
"""Environment variables as other programs of QUIC know them."""
FILE_BYTES = 256 << 20
"""The largest file that an endpoint can write where it logs."""


def ends(job: Job) -> Iterator[tuple[int, Entry, Transport, Pair]]:
    """The entries with relays: number, entry, transport, and each pair of hosts."""
    for index, entry in enumerate(job.traffic):
        transport = job.transport_of(entry)
        if relayed(entry, transport):
            for pair in dict.fromkeys(entry.connected):
                yield index, entry, transport, pair


def lines(job: Job, wiring: Wiring) -> dict[str, list[str]]:
    """Lines for `ip -batch` on each host that has a relay."""
    found: dict[str, list[str]] = {}
    for index, entry, transport, (here, there) in ends(job):
        table, port = TABLE + index, entry.port
        server, source = wiring.entrance(there), wiring.address(here, transport.path)
        rule = f"rule add pref {PREFERENCE}"
        route = f"route add local {server} dev lo src {source} table {table}"
        to = f"{rule} to {server} ipproto tcp dport {port} table {table}"
        found.setdefault(here, []).extend((route, to))
        back = f"{rule} from {server} ipproto tcp sport {port} table {table}"
        default = f"route add local default dev lo table {table}"
        known = found.setdefault(there, [])
        known += [line for line in (default, back) if line not in known]
    return found


def processes(job: Job, wiring: Wiring) -> Iterator[Process]:
    """The relays of all entries."""
    address = wiring.address
    seen: set[str] = set()
    for index, entry, transport, (here, there) in ends(job):
        place = f"{wiring.entrance(there)}:{entry.port}"
        numbers = [transport.path or 1]
        if not transport.one_path:
            numbers = list(range(1, len(wiring.ports[here]) + 1))
        sources = ",".join(address(here, number) for number in numbers)
        server = ["server", "--listen", place, "--relay", place]
        client = ["client", "--connect", place, "--from", sources, "--relay", place]
        if transport.scheduler:
            client += ["--scheduler", transport.scheduler]
        several = "" if len(entry.connected) == 1 else f"-{here}"
        for name, host, words in (
            (f"relay-server{f'-{there}' if several else ''}", there, server),
            (f"relay-client{several}", here, client),
        ):
            if name not in seen:
                yield _process(f"traffic-{index}-{name}", host, transport, words)
            seen.add(name)
        seen = {name for name in seen if several}


def _process(
    name: str, host: str, transport: Transport, words: Sequence[str]
) -> Process:
    folder = f"{HOME}/{name}"
    program = f"{PROGRAMS}/{transport.program}"
    control = ("--control", transport.congestion_control)
    return Process(
        name=name,
        host=host,
        argv=(*logging(transport, folder), program, *words, *control, "--out", folder),
        role="server",
        output=f"{name}.txt",
        says=READY,
        lasting=True,
        most_bytes=FILE_BYTES,
        files=((f"{folder}/.made", ""),),
        leaves=((folder, name),),
    )


def logging(transport: Transport, folder: str) -> tuple[str, ...]:
    """The beginning of a command whose program logs what the transport asks for."""
    words = []
    if transport.keys:
        words.append(f"{KEYS}={folder}/keys.log")
    if transport.qlog:
        words.append(f"{QLOG}={folder}")
    return ("env", *words) if words else ()
