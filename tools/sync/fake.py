"""The report of a sync in a fake run: the real format with made-up times."""

from typing import Any

from jobs import Entry, Job
from mpbench.backends.fake_flows import Flow
from tools.sync.programs.sync import COMPLETE
from tools.sync.record import Sync

ROUND_TRIP_NS = 20_000_000


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, Sync)
    times = copied(entry, flow.seconds)
    count = entry.connections_at_a_time
    return {
        f"traffic-{index}-client.json": {
            "end": COMPLETE,
            "error": "",
            "seconds": times[-1][2] / 1e9,
            "connections": [[0, ROUND_TRIP_NS] for _ in range(count)],
            "files": times,
        },
        f"traffic-{index}-server.json": {"accepted": count},
    }


def connections(entry: Entry, _flow: Flow) -> int:
    assert isinstance(entry, Sync)
    return entry.connections_at_a_time


def copied(entry: Sync, seconds: float) -> list[list[int]]:
    """The times of each file: one after another over a link that is never idle."""
    times, free_ns = [], ROUND_TRIP_NS
    for size in entry.sizes:
        first_ns = free_ns + ROUND_TRIP_NS // 2
        end_ns = first_ns + round(1e9 * seconds * size / entry.bytes)
        times.append([free_ns, first_ns, end_ns])
        free_ns = end_ns
    return times
