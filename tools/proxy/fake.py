"""The report of a proxy in a fake run: it passes on what its entry carries."""

from typing import Any

from jobs import Job
from mpbench.backends.fake_flows import Flow, connections_of
from tools.proxy.record import Proxy

WAIT_S = 0.02


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, Proxy)
    count = connections_of(job, entry, flow)
    return {
        f"traffic-{index}-server.json": {
            "accepted": count,
            "opened": count,
            "failed": 0,
            "up_bytes": 0 if entry.reverse else flow.bytes,
            "down_bytes": flow.bytes if entry.reverse else 0,
            "most_held_bytes": 1 << 16,
            "waits_s": [WAIT_S] * count,
            "lasted_s": [flow.seconds] * count,
            "error": "",
        },
    }
