"""The events of the kernel's own selftests of the path manager.

Each case stands for one of upstream's mptcp_join.sh, with the same endpoints and
limits. Its events are those that the scripts wait for at either end, in this order.
"""

from pathlib import Path
from typing import Any

import pytest

from analysis.run import events
from mpbench.backends.base import Bounds
from tests.virtual.lab import Lab, job_of

MONITOR = {
    "created": "CREATED",
    "established": "ESTABLISHED",
    "AddAddr": "ANNOUNCED",
    "removed": "REMOVED",
    "sub_established": "SUB_ESTABLISHED",
    "sub_closed": "SUB_CLOSED",
    "sub_priority": "SUB_PRIORITY",
    "closed": "CLOSED",
}
"""Names in the monitor, by the name of the event in `events.csv`."""
SIGNAL = {
    "addresses": {"path2": "10.250.0.2"},
    "endpoints": [{"link": "path2", "flags": "signal"}],
}
ACCEPTS = {"endpoints": [], "limits": {"subflows": 1, "add_addr_accepted": 1}}
SUBFLOW = {"endpoints": [{"link": "path2", "flags": "subflow"}]}
TRAFFIC = {
    "tool": "pingpong",
    "from": "client",
    "to": "server",
    "size": ["50 B", "500 B"],
    "think": "100 ms",
    "number": 20,
}
CASES: dict[str, tuple[dict[str, Any], str, str]] = {
    "signal address": (
        {"server": SIGNAL, "client": ACCEPTS},
        "ANNOUNCED SUB_ESTABLISHED",
        "SUB_ESTABLISHED",
    ),
    "remove single address": (
        {
            "server": {**SIGNAL, "at": {"1 s": {"endpoints": {"path2": "none"}}}},
            "client": ACCEPTS,
        },
        "ANNOUNCED SUB_ESTABLISHED REMOVED SUB_CLOSED",
        "SUB_ESTABLISHED SUB_CLOSED",
    ),
    "single subflow, switch to backup": (
        {
            "client": {
                **SUBFLOW,
                "at": {"1 s": {"endpoints": {"path2": ["subflow", "backup"]}}},
            }
        },
        "SUB_ESTABLISHED",
        "SUB_ESTABLISHED SUB_PRIORITY",
    ),
    "single subflow, limited by client": (
        {"client": {**SUBFLOW, "limits": {"subflows": 0}}},
        "",
        "",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_events_are_those_of_upstreams_test(tmp_path: Path, name: str) -> None:
    hosts, client, server = CASES[name]
    job = job_of(
        tmp_path,
        topology="two_path",
        hosts=hosts,
        cases={"only": {"protocol": "mptcp", "congestion_control": "cubic"}},
        traffic=[TRAFFIC],
    )
    bounds = Bounds(job["time_limit_s"], wall_s=120.0, silence_s=60.0)
    ended, artefacts = Lab(tmp_path).execute(job, bounds)
    assert ended.status == "finished", ended.reason
    noted = events.load(artefacts)
    assert noted is not None
    for host, between in (("client", client), ("server", server)):
        seen = [
            MONITOR[event.name]
            for event in noted.all
            if event.host == host and event.name in MONITOR
        ]
        assert seen == ["CREATED", "ESTABLISHED", *between.split(), "CLOSED"]
