"""Whole jobs from the few keys that a test is about."""

from collections.abc import Mapping
from typing import Any

from jobs import FORMAT, Job, load
from jobs.vocabulary import NDIFFPORTS, PATH_MANAGERS

TOPOLOGY = "of_a_test"
"""A name that no topology has, so that the parts of a job need not fit a network."""
EVERY_ENTRY = {"from": "client", "to": "server", "start_s": 0.0, "duration_s": None}
OF_TOOL: Mapping[str, Mapping[str, Any]] = {
    "iperf3": {
        "port": 5201,
        "bytes": None,
        "reverse": False,
        "parallel": 1,
        "interval_s": 1.0,
        "read": "coalesced",
        "read_bytes": 16384,
    },
    "cbr": {
        "port": 7001,
        "bytes": None,
        "reverse": False,
        "rate_mbps": 1.0,
        "burst_s": None,
        "pause_s": None,
    },
    "curl": {"port": 80, "reverse": True, "timeout_s": None},
    "ab": {"port": 80, "reverse": True, "requests": None, "timeout_s": 30.0},
}


def document(given: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of a job, with what `given` leaves out."""
    return {
        "seed": 1,
        "topology": TOPOLOGY,
        "parameters": {},
        "time_limit_s": 60.0,
        **given,
        "format": FORMAT,
        "transport": transport(given["transport"]),
        "links": [
            {"loss_percent": 0.0, "jitter_ms": 0.0, "tclink": False, **link}
            for link in given.get("links", ())
        ],
        "traffic": [
            {**EVERY_ENTRY, **OF_TOOL.get(entry["tool"], {}), **entry}
            for entry in given["traffic"]
        ],
    }


def whole(given: Mapping[str, Any]) -> Job:
    """The job, with what `given` leaves out."""
    return load(document(given))


def transport(given: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of a transport, with what `given` leaves out."""
    mptcp = given["protocol"] == "mptcp"
    usual = next(name for name in PATH_MANAGERS if name != NDIFFPORTS)
    return {
        "congestion_control": "cubic",
        "scheduler": "default" if mptcp else None,
        "path": None,
        "path_manager": usual if mptcp else None,
        "sysctls": {},
        **given,
    }
