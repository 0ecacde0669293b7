"""The numbers of a user's own tool in a fake run: the same for each."""

from typing import Any

from jobs import Entry, Job
from mpbench.backends.fake_flows import Flow
from tools.plugin.record import Plugin


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, Plugin)
    found = dict.fromkeys(entry.numbers, flow.seconds)
    return {
        f"numbers-traffic-{index}.json": {"numbers": found},
        f"traffic-{index}-client.txt": b"",
    }


def connections(_entry: Entry, _flow: Flow) -> int:
    return 2
