"""The report of pingpong in a fake run: the real format with made-up times."""

from typing import Any

from jobs import Entry, Job
from mpbench.backends.fake_flows import Flow
from tools.pingpong.programs.pingpong import COMPLETE
from tools.pingpong.record import PingPong

ROUND_TRIP_NS = 20_000_000
STEP_NS = 1_000
MOST_MADE = 1_000


def reports(job: Job, index: int, _flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, PingPong)
    times_ns = times(entry)
    seconds = sum(times_ns) / 1e9 + (len(times_ns) - 1) * entry.think_s
    return {
        f"traffic-{index}-client.json": {
            "end": COMPLETE,
            "error": "",
            "connected_s": ROUND_TRIP_NS / 1e9,
            "seconds": entry.duration_s or seconds,
            "times_ns": times_ns,
        },
        f"traffic-{index}-server.json": {"answered": len(times_ns), "error": ""},
    }


def connections(_entry: Entry, _flow: Flow) -> int:
    return 1


def times(entry: PingPong) -> list[int]:
    """The time of each exchange: one microsecond more each time, after 20 ms."""
    count = entry.number
    if count is None:
        turn_s = ROUND_TRIP_NS / 1e9 + entry.think_s
        count = max(1, min(MOST_MADE, int((entry.duration_s or 0) / turn_s)))
    return [ROUND_TRIP_NS + number % MOST_MADE * STEP_NS for number in range(count)]
