"""The report of a player in a fake run: the real buffer over a link of one rate."""

from typing import Any

from jobs import Entry, Job
from mpbench.backends.fake_flows import Flow
from tools.video.programs import rules
from tools.video.programs.video import COMPLETE, Buffer
from tools.video.record import Video

ROUND_TRIP_NS = 20_000_000


def reports(job: Job, index: int, flow: Flow) -> dict[str, Any]:
    """The content of each file of one traffic entry, by its name."""
    entry = job.traffic[index]
    assert isinstance(entry, Video)
    return {
        f"traffic-{index}-client.json": played(entry, 8e-6 * flow.bytes / flow.seconds),
        f"traffic-{index}-server.json": {"answered": entry.chunks},
    }


def connections(_entry: Entry, _flow: Flow) -> int:
    return 1


def played(entry: Video, path_mbps: float) -> dict[str, Any]:
    """The report of a player to which all chunks come at one rate."""
    buffer, chunks, number, now_ns = Buffer(entry.resume_s), [], 0, ROUND_TRIP_NS
    for index in range(entry.chunks):
        wait_s = buffer.level_s + entry.chunk_s - entry.buffer_s
        if buffer.playing and wait_s > 0:
            now_ns += round(wait_s * 1e9)
        buffer.drain(now_ns)
        asked_ns, before_s = now_ns, buffer.level_s
        if entry.rule == "rate":
            number = rules.rate_based(entry.rates_mbps, [path_mbps] * index)
        else:
            most_s = entry.buffer_s - entry.chunk_s
            number = rules.buffer_based(entry.rates_mbps, number, before_s, most_s)
        sent_s = entry.rates_mbps[number] * entry.chunk_s / path_mbps
        now_ns += ROUND_TRIP_NS + round(sent_s * 1e9)
        buffer.add(entry.chunk_s, now_ns, index == entry.chunks - 1)
        chunks.append([number, asked_ns, now_ns, before_s, buffer.level_s])
    return {
        "end": COMPLETE,
        "error": "",
        "seconds": now_ns / 1e9 + buffer.level_s,
        "connected_ns": ROUND_TRIP_NS,
        "start_ns": buffer.start_ns,
        "stalls": buffer.stalls,
        "chunks": chunks,
    }
