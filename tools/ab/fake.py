"""The files of ab in a fake run: real formats with made-up numbers."""

import math
from typing import Any

from jobs import Job
from mpbench.backends.fake_flows import Flow
from tools.ab.record import Ab


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, Ab)
    text, percentiles = report(entry, flow)
    return {
        f"traffic-{index}-server.log": b"",
        f"traffic-{index}-client.txt": text,
        f"traffic-{index}-percentiles.csv": percentiles,
    }


def connections(entry: Ab, flow: Flow) -> int:
    if entry.keep_alive:
        return entry.concurrency
    return _requests(entry, flow)


def report(entry: Ab, flow: Flow) -> tuple[bytes, bytes]:
    """ab's report and percentiles, with the same time for all requests."""
    count = _requests(entry, flow)
    each_ms = 1e3 * flow.seconds * entry.concurrency / count
    lines = [
        "This is ApacheBench, Version 0.0 (fake)",
        f"Concurrency Level:      {entry.concurrency}",
        f"Time taken for tests:   {flow.seconds:.3f} seconds",
        f"Complete requests:      {count}",
        "Failed requests:        0",
        *([f"Keep-Alive requests:    {count}"] if entry.keep_alive else []),
        f"HTML transferred:       {count * entry.bytes} bytes",
    ]
    table = ["Percentage served,Time in ms"]
    table += [f"{percent},{each_ms:.3f}" for percent in range(101)]
    report, percentiles = ("".join(f"{x}\n" for x in part) for part in (lines, table))
    return report.encode(), percentiles.encode()


def _requests(entry: Ab, flow: Flow) -> int:
    if entry.requests is not None:
        return entry.requests
    return max(1, math.floor(flow.bytes / float(entry.bytes)))
