"""Facts of a run that are made by hand: events of a client with two paths to a server.

Path 1 carries 10 Mbit/s and path 2 carries 20, each with 10 ms of delay in both
directions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from analysis.run import traffic as entries
from analysis.run.events import Event, Events
from analysis.run.explain.facts import Facts
from analysis.run.explain.subflows import connections
from analysis.run.readers import job as job_file
from analysis.run.readers.changes import Change
from analysis.run.readers.counters import Counters
from analysis.run.readers.outcome import UserPath
from tests.parts import part

part("iperf3", "record")  # the captured job has such an entry
CAPTURED = Path(__file__).parents[1] / "captured/events"
JOB = job_file.read(CAPTURED / "well-mptcp-cubic/job.json")
SERVER = "10.2.0.2:5201"
ADDRESSES = ("10.0.1.2", "10.0.2.2", "10.0.3.2")
LINKS = tuple(
    replace(JOB.links[0], name=f"path{n}", capacity_mbps=10.0 * n, delay_ms=10.0)
    for n in (1, 2, 3)
)
IPERF3: Any = JOB.traffic[0]


def event(
    time_s: float,
    name: str,
    value: str = "",
    *,
    host: str = "client",
    path: int = 1,
    port: int = 40000,
    entry: int = 0,
) -> Event:
    """An event of a connection, at a subflow of one path.

    port : of the client's first subflow, which tells connections apart
    """
    here = f"{ADDRESSES[path - 1]}:{port + 1000 * (path - 1)}"
    ends = (SERVER, here) if host == "server" else (here, SERVER)
    return Event(time_s, host, entry, port, "", *ends, name, value)


def opened(time_s: float, port: int = 40000, *paths: int, **more: Any) -> list[Event]:
    """A connection of MPTCP over path 1 that is established at once, with subflows on
    further paths that join."""
    found = [
        event(time_s, name, port=port, host=host, **more)
        for host in ("client", "server")
        for name in ("MPCapableSYNTX", "created", "established")
        if host == "client" or name != "MPCapableSYNTX"
    ]
    for path in paths:
        found += [
            event(time_s, "MPJoinSynTx", path=path, port=port, **more),
            event(
                time_s, "sub_established", host="server", path=path, port=port, **more
            ),
        ]
    return found


def facts(
    *events: Event,
    links: Sequence[Any] = LINKS[:2],
    traffic: Sequence[Any] = (IPERF3,),
    row: Mapping[str, Any] | None = None,
    changes: Sequence[Change] = (),
    counters: Mapping[str, Mapping[str, int]] | None = None,
    users: Mapping[str, tuple[UserPath, ...]] | None = None,
    protocol: str = "mptcp",
    noted: bool = True,
    **job: Any,
) -> Facts:
    """The facts of a run. events : in any order; noted : whether there is a record

    job : fields of the job; `transport` has fields of the case's transport
    """
    case = replace(JOB.transport, protocol=protocol, **job.pop("transport", {}))
    own = replace(
        JOB, links=tuple(links), traffic=tuple(traffic), transport=case, **job
    )
    record = Events(tuple(sorted(events, key=lambda each: each.time_s)))
    of_job = entries.of_job(own)
    return Facts(
        job=own,
        row={"verdict": "ok", **(row or {})},
        counters={host: Counters(values) for host, values in (counters or {}).items()},
        events=record if noted else None,
        users=users
        or {
            "client": tuple(
                UserPath((link.name,), f"client-eth{n}", ADDRESSES[n - 1])
                for n, link in enumerate(links, start=1)
            )
        },
        changes=tuple(changes),
        connections=connections(record, of_job) if noted else (),
    )


def down(link: str, start_s: float, end_s: float | None = None) -> list[Change]:
    """A link that is down for some time, or to the end."""
    times = ((start_s, 0.0),) if end_s is None else ((start_s, 0.0), (end_s, 1.0))
    return [Change(at, at, link, "both", "up", value) for at, value in times]


def sentences(rule: Any, own: Facts) -> list[str]:
    """The sentences of one rule."""
    return [finding.sentence for finding in rule(own)]
