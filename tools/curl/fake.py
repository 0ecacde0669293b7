"""The files of curl in a fake run: real formats with made-up numbers."""

import json
from collections.abc import Mapping
from typing import Any

from mpbench.backends.base import Job
from mpbench.backends.fake_flows import Flow

ROUND_TRIP_S = 0.02


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    text = report(job["traffic"][index], flow)
    return {f"traffic-{index}-server.log": b"", f"traffic-{index}-client.json": text}


def connections(_entry: Mapping[str, Any], _flow: Flow) -> int:
    return 1


def report(entry: Mapping[str, Any], flow: Flow) -> bytes:
    """curl's `--write-out %{json}`: the whole file, unless the timeout comes first."""
    total_s = 2 * ROUND_TRIP_S + flow.seconds
    late = entry["timeout_s"] is not None and total_s > entry["timeout_s"]
    share = entry["timeout_s"] / total_s if late else 1.0
    report = {
        "curl_version": "libcurl/0.0.0-fake",
        "errormsg": "Operation timed out" if late else None,
        "exitcode": 28 if late else 0,
        "http_code": 200,
        "num_connects": 1,
        "size_download": int(entry["bytes"] * share),
        "time_connect": ROUND_TRIP_S,
        "time_starttransfer": 2 * ROUND_TRIP_S,
        "time_total": round(total_s * share, 6),
    }
    return (json.dumps(report) + "\n").encode()
