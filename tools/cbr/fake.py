"""The counts of constant bit rate traffic in a fake run."""

import math
from typing import Any

from jobs import Job
from mpbench.backends.fake_flows import Flow
from tools.cbr.programs.messages import SEGMENT_BYTES
from tools.cbr.record import Cbr

TRACED = False


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry, ends = job.traffic[index], ("client", "server")
    assert isinstance(entry, Cbr)
    return {f"traffic-{index}-{end}.json": counts(entry, flow) for end in ends}


def connections(entry: Cbr, _flow: Flow) -> int:
    return 1 if entry.over_connection else 2


def counts(entry: Cbr, each: Flow) -> dict[str, Any]:
    """The counts of both ends of constant bit rate traffic."""
    if entry.over_connection:
        return _messages(entry, each)
    packets = math.ceil(each.bytes / (entry.size_bytes or each.payload_bytes))
    return {
        "packets": packets,
        "bytes": each.bytes,
        "bytes_inside": each.bytes,
        "seconds": each.seconds,
    }


def _messages(entry: Cbr, each: Flow) -> dict[str, Any]:
    """Output of both ends of a connection at a constant rate, in one."""
    count = math.ceil(each.seconds)
    late_ms = {name: 10.0 + place for place, name in enumerate(("p50", "p95", "p99"))}
    messages = each.bytes // (entry.size_bytes or SEGMENT_BYTES)
    step_us = 1e6 * each.seconds / max(messages, 1)
    return {
        "messages": messages,
        "bytes": each.bytes,
        "seconds": each.seconds,
        "interval_s": 1.0,
        "intervals": [each.bytes // count] * count + [0],
        "delay_ms": {"mean": 10.5, **late_ms, "max": 20.0},
        "connected_s": 0.02,
        "due_us": [round(number * step_us) for number in range(messages)],
        "late_us": [10_000 + number % 11 * 1000 for number in range(messages)],
    }
