"""The events of a fake run: what connections do that have no trouble."""

from collections.abc import Iterator, Sequence

from jobs import Job
from jobs.artefacts import EVENTS
from mpbench.backends.fake_flows import Flow

CLIENT_PORT = 40_000


def events(job: Job, flows: Sequence[Flow]) -> bytes:
    """One connection per traffic entry, with a subflow on each of its paths."""
    found = sorted(
        (
            line
            for index, flow in enumerate(flows)
            for line in _of_entry(job, index, flow)
        ),
        key=lambda line: line[0],
    )
    lines = [",".join(EVENTS), *(f"{time_s:.6f},{rest}" for time_s, rest in found)]
    return "".join(f"{line}\n" for line in lines).encode()


def _of_entry(job: Job, index: int, flow: Flow) -> Iterator[tuple[float, str]]:
    """Each event's time, and its line after the time."""
    entry, wiring = job.traffic[index], job.wiring
    is_mptcp = job.transport_of(entry).is_mptcp
    server_of = dict(entry.between[::-1])
    end_s = flow.begin_s + flow.seconds
    for (host, path), count in flow.path_bytes.items():
        server = server_of[host]
        local = f"{wiring.address(host, path)}:{CLIENT_PORT + index}"
        remote = f"{wiring.entrance(server)}:{entry.port}"
        ids = f"{path - 1}:0" if is_mptcp else ""
        where = f"{host},{index},{CLIENT_PORT + index},{ids},{local},{remote}"
        there = f"{server},{index},{CLIENT_PORT + index},{ids},{remote},{local}"
        first = not is_mptcp or path == 1
        opened = "created" if is_mptcp else "tcp_connect"
        yield flow.begin_s, f"{where},{opened if first else 'MPJoinSynTx'},"
        if not first:
            yield flow.begin_s, f"{where},sub_established,"
            yield flow.begin_s, f"{there},sub_established,"
        sent, received = (0, count) if entry.reverse else (count, 0)
        yield end_s, f"{where},tcp_closed,acked={sent} received={received}"
