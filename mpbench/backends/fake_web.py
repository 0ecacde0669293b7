"""The files of curl and ab in a fake run: real formats with made-up numbers."""

import json
import math
from collections.abc import Mapping
from typing import Any

from mpbench.backends.fake_flows import Flow

TOOLS = ("curl", "ab")
ROUND_TRIP_S = 0.02


def reports(entry: Mapping[str, Any], index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    client = f"traffic-{index}-client"
    files: dict[str, Any] = {f"traffic-{index}-server.log": b""}
    if entry["tool"] == "curl":
        return files | {f"{client}.json": curl(entry, flow)}
    text, percentiles = ab(entry, flow)
    table = f"traffic-{index}-percentiles.csv"
    return files | {f"{client}.txt": text, table: percentiles}


def connections(entry: Mapping[str, Any], flow: Flow) -> int:
    if entry["tool"] == "curl":
        return 1
    if entry["keep_alive"]:
        return int(entry["concurrency"])
    return _requests(entry, flow)


def curl(entry: Mapping[str, Any], flow: Flow) -> bytes:
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


def ab(entry: Mapping[str, Any], flow: Flow) -> tuple[bytes, bytes]:
    """ab's report and percentiles, with the same time for all requests."""
    count = _requests(entry, flow)
    each_ms = 1e3 * flow.seconds * entry["concurrency"] / count
    lines = [
        "This is ApacheBench, Version 0.0 (fake)",
        f"Concurrency Level:      {entry['concurrency']}",
        f"Time taken for tests:   {flow.seconds:.3f} seconds",
        f"Complete requests:      {count}",
        "Failed requests:        0",
        *([f"Keep-Alive requests:    {count}"] if entry["keep_alive"] else []),
        f"HTML transferred:       {count * entry['bytes']} bytes",
    ]
    table = ["Percentage served,Time in ms"]
    table += [f"{percent},{each_ms:.3f}" for percent in range(101)]
    report, percentiles = ("".join(f"{x}\n" for x in part) for part in (lines, table))
    return report.encode(), percentiles.encode()


def _requests(entry: Mapping[str, Any], flow: Flow) -> int:
    if entry["requests"] is not None:
        return int(entry["requests"])
    return max(1, math.floor(flow.bytes / float(entry["bytes"])))
