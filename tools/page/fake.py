"""The report of a page in a fake run: the real format with made-up times."""

from typing import Any

from jobs import Entry, Job
from mpbench.backends.fake_flows import Flow
from tools.page.programs.page import COMPLETE
from tools.page.record import Page, in_turn

ROUND_TRIP_NS = 20_000_000


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, Page)
    times = loaded(entry, flow.seconds)
    end_ns = max(end for *_, end in times)
    count = min(entry.connections_at_a_time, len(times))
    return {
        f"traffic-{index}-client.json": {
            "end": COMPLETE,
            "error": "",
            "seconds": end_ns / 1e9,
            "connections": [[0, 0, ROUND_TRIP_NS] for _ in range(count)],
            "objects": times,
        },
        f"traffic-{index}-server.json": {"accepted": count},
    }


def connections(entry: Entry, _flow: Flow) -> int:
    assert isinstance(entry, Page)
    return min(entry.connections_at_a_time, len(entry.objects))


def loaded(entry: Page, seconds: float) -> list[list[int]]:
    """The times of each object: one after another over a link that is never idle, once
    all that it waits for is there."""
    times = [[0, 0, 0, 0] for _ in entry.objects]
    free_ns = ROUND_TRIP_NS
    for number in in_turn([each.after for each in entry.objects]) or ():
        one = entry.objects[number]
        before = max((times[other][3] for other in one.after), default=0)
        ready_ns = before + round(one.wait_s * 1e9)
        asked_ns = max(ready_ns, free_ns)
        first_ns = asked_ns + ROUND_TRIP_NS
        free_ns = first_ns + round(1e9 * seconds * one.bytes / entry.bytes)
        times[number] = [ready_ns, asked_ns, first_ns, free_ns]
    return times
