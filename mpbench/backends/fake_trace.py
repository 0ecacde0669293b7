"""The trace of a fake run, with windows of one bandwidth-delay product."""

import math
from collections.abc import Sequence

from jobs import Job
from jobs.artefacts import TRACE as COLUMNS
from mpbench.backends.fake_flows import Flow, fake_of

SRTT_US = 40_000


def trace(job: Job, flows: Sequence[Flow]) -> bytes:
    """One connection per traffic entry, with a constant rate while it runs."""
    wiring, every_s = job.wiring, job.trace_s or math.inf
    lines = [",".join(COLUMNS)]
    end_s = max(flow.begin_s + flow.seconds for flow in flows)
    for step in range(int(end_s / every_s) + 1):
        time_s = step * every_s
        for index, (entry, flow) in enumerate(zip(job.traffic, flows, strict=True)):
            on_s = time_s - flow.begin_s
            if not 0 <= on_s <= flow.seconds:
                continue
            if not getattr(fake_of(entry), "TRACED", True):
                continue
            to_of = dict(entry.between[::-1])
            for (host, path), count in flow.path_bytes.items():
                sender = to_of[host] if entry.reverse else host
                remote = f"{wiring.address(to_of[host])}:{entry.port}"
                local = f"{wiring.address(host, path)}:{40000 + index}"
                rate = count / flow.seconds
                cwnd = max(2, int(rate * SRTT_US / 1e6 / flow.payload_bytes))
                ids = f"{index:08x},{path - 1},0"
                windows = f"{cwnd},{cwnd},{SRTT_US},0,{int(rate * on_s)}"
                lines.append(
                    f"{time_s:.6f},{sender},{path},{local},{remote},{ids},{windows}"
                )
    return "".join(f"{line}\n" for line in lines).encode()
