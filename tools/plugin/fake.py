"""The numbers of a user's own tool in a fake run: the same for each."""

from collections.abc import Iterator
from typing import Any

from jobs import Entry, Job
from mpbench.backends.fake_flows import Flow
from tools.plugin.record import Plugin

STEPS = 20


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, Plugin)
    found = dict.fromkeys(entry.numbers, flow.seconds)
    lists: dict[str, Any] = {
        "received": [[each, each_bytes] for each, each_bytes in _received(flow)]
        if entry.received
        else None,
        "samples": {name: [flow.seconds, 2 * flow.seconds] for name in entry.samples},
        "series": {
            name: [[flow.begin_s, 0.0], [flow.begin_s + flow.seconds, flow.seconds]]
            for name in entry.series
        },
    }
    return {
        **({f"lists-traffic-{index}.json": lists} if entry.lists else {}),
        f"numbers-traffic-{index}.json": {"numbers": found},
        f"traffic-{index}-client.txt": b"",
    }


def _received(flow: Flow) -> Iterator[tuple[float, int]]:
    """Times and bytes of arrivals, in steps of equal size."""
    for number in range(1, STEPS + 1):
        count = flow.bytes * number // STEPS - flow.bytes * (number - 1) // STEPS
        yield round(flow.begin_s + flow.seconds * number / STEPS, 9), count


def connections(_entry: Entry, _flow: Flow) -> int:
    return 2
