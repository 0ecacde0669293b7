"""The files of curl in a fake run: real formats with made-up numbers."""

import json
import math
from typing import Any

from jobs import Entry, Job
from mpbench.backends.fake_flows import Flow
from tools.curl.record import Curl

ROUND_TRIP_S = 0.02


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, Curl)
    text = report(entry, flow)
    return {f"traffic-{index}-server.log": b"", f"traffic-{index}-client.json": text}


def connections(_entry: Entry, _flow: Flow) -> int:
    return 1


def report(entry: Curl, flow: Flow) -> bytes:
    """curl's `--write-out %{json}`: the whole file, unless the timeout comes first."""
    total_s = 2 * ROUND_TRIP_S + flow.seconds
    timeout_s = entry.timeout_s or math.inf
    late = total_s > timeout_s
    share = timeout_s / total_s if late else 1.0
    report = {
        "curl_version": "libcurl/0.0.0-fake",
        "errormsg": "Operation timed out" if late else None,
        "exitcode": 28 if late else 0,
        "http_code": 200,
        "num_connects": 1,
        "size_download": int(entry.bytes * share),
        "time_connect": ROUND_TRIP_S,
        "time_starttransfer": 2 * ROUND_TRIP_S,
        "time_total": round(total_s * share, 6),
    }
    return (json.dumps(report) + "\n").encode()
