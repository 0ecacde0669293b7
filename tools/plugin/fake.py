"""The numbers of a user's own tool in a fake run: the same for each."""

from collections.abc import Mapping
from typing import Any

from mpbench.backends.base import Job
from mpbench.backends.fake_flows import Flow


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    found = dict.fromkeys(job["traffic"][index]["numbers"], flow.seconds)
    return {
        f"numbers-traffic-{index}.json": {"numbers": found},
        f"traffic-{index}-client.txt": b"",
    }


def connections(_entry: Mapping[str, Any], _flow: Flow) -> int:
    return 2
