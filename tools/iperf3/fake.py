"""The reports of iperf3 in a fake run: real formats with made-up numbers."""

import math
from typing import Any

from jobs import Job
from mpbench.backends.fake_flows import Flow
from tools.iperf3.record import Iperf3

BLOCK_BYTES = 131072


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    ends = ("client", "server")
    return {
        f"traffic-{index}-{end}.json": report(job, index, flow, end) for end in ends
    }


def connections(entry: Iperf3, _flow: Flow) -> int:
    """Those with data and a control connection."""
    return 1 + entry.parallel


def report(job: Job, index: int, each: Flow, end: str) -> dict[str, Any]:
    """The output of `iperf3 --json` at one end; the client's has both ends' sums."""
    entry = job.traffic[index]
    assert isinstance(entry, Iperf3)
    interval_s = float(entry.interval_s)
    sends = (end == "client") != entry.reverse
    count = max(1, math.ceil(each.seconds / interval_s - 1e-9))
    edges = [min(step * interval_s, each.seconds) for step in range(count + 1)]
    marks = [int(each.bytes * edge / each.seconds) for edge in edges]
    intervals = [
        _slot(edges[step], edges[step + 1], marks[step + 1] - marks[step], sends)
        for step in range(count)
    ]
    whole = _slot(0.0, each.seconds, each.bytes, sends)
    sent = {**whole, "retransmits": each.retransmits} if sends else whole
    protocol = {
        "protocol": "TCP",
        "num_streams": entry.parallel,
        "blksize": BLOCK_BYTES,
        "duration": entry.duration_s or 0,
        "bytes": entry.bytes or 0,
        "reverse": int(entry.reverse),
    }
    return {
        "start": {"version": "iperf 3.12", "test_start": protocol},
        "intervals": [{"streams": [slot], "sum": slot} for slot in intervals],
        "end": {
            "streams": [{"sender": sent, "receiver": whole}],
            "sum_sent": sent,
            "sum_received": whole,
            "sender_tcp_congestion": job.transport.congestion_control,
        },
    }


def _slot(begin_s: float, end_s: float, count: int, sender: bool) -> dict[str, Any]:
    seconds = end_s - begin_s
    return {
        "start": round(begin_s, 6),
        "end": round(end_s, 6),
        "seconds": round(seconds, 6),
        "bytes": count,
        "bits_per_second": count * 8 / seconds if seconds else 0.0,
        "omitted": False,
        "sender": sender,
    }
