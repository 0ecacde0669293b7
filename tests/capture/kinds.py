"""The captures below captured/, and what tshark and the kernel said of them."""

import functools
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from analysis.capture.analyse import EVENTS, Settings, Tables, analyse
from analysis.capture.frames import Frames, frames
from tests.capture.make import FIELDS

CAPTURED = Path(__file__).parent / "captured"
KINDS = sorted(path.name for path in CAPTURED.iterdir())
ENDS = ("client", "server")
EACH = [(kind, end) for kind in KINDS for end in ENDS]


def path(kind: str, end: str) -> Path:
    return CAPTURED / kind / f"{end}.pcap.zst"


def raw(kind: str, end: str) -> bytes:
    """The capture, unpacked."""
    with pa.CompressedInputStream(pa.OSFile(str(path(kind, end))), "zstd") as stream:
        content: bytes = stream.read()
    return content


@functools.cache
def tables(kind: str, end: str) -> Tables:
    settings = Settings(interval_s=0.05, events=tuple(EVENTS))
    return analyse([path(kind, end)], settings=settings)


@functools.cache
def seen(kind: str, end: str) -> Frames:
    return frames(tables(kind, end))


def counters(kind: str, end: str) -> Counter[str]:
    """The kernel's, without those that are 0."""
    return Counter(json.loads((CAPTURED / kind / f"nstat-{end}.json").read_text()))


def said(kind: str, end: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((CAPTURED / kind / f"{end}.json").read_text())
    return report


Way = tuple[str, int, str, int]
"""Address and port of the sender, and of the receiver."""


@dataclass
class Told:
    """tshark's report on one way of a subflow."""

    counts: Counter[str] = field(default_factory=Counter)
    rtts_ns: list[int] = field(default_factory=list)
    in_flight: int = 0
    sacks: bool = False
    stream: str = ""
    mptcp: str = ""


ANALYSIS = "tcp.analysis."
AGAIN = ("retransmission", "fast_retransmission", "spurious_retransmission")
COUNTED = ("duplicate_ack", "zero_window", "keep_alive", "lost_segment")


@functools.cache
def told(kind: str, end: str) -> dict[Way, Told]:
    """tshark's account, by way."""
    packed = pa.OSFile(str(CAPTURED / kind / f"{end}.tsv.zst"))
    text = pa.CompressedInputStream(packed, "zstd").read().decode()
    found: dict[Way, Told] = defaultdict(Told)
    for line in text.splitlines():
        value = dict(zip(FIELDS, line.split("\t"), strict=True))
        source = value["ip.src"] or value["ipv6.src"]
        target = value["ip.dst"] or value["ipv6.dst"]
        ports = int(value["tcp.srcport"]), int(value["tcp.dstport"])
        one = found[source, ports[0], target, ports[1]]
        one.stream, one.mptcp = value["tcp.stream"], value["mptcp.stream"]
        _count(one.counts, value)
        one.sacks |= bool(value["tcp.options.sack_le"])
        if value[f"{ANALYSIS}bytes_in_flight"]:
            bytes_ = int(value[f"{ANALYSIS}bytes_in_flight"])
            one.in_flight = max(one.in_flight, bytes_)
        if value[f"{ANALYSIS}ack_rtt"]:
            acked = found[target, ports[1], source, ports[0]]
            acked.rtts_ns.append(round(float(value[f"{ANALYSIS}ack_rtt"]) * 1e9))
    return dict(found)


def _count(counts: Counter[str], value: dict[str, str]) -> None:
    length = int(value["tcp.len"] or 0)
    counts["packets"] += 1
    counts["frame_bytes"] += int(value["frame.len"])
    counts["payload_bytes"] += length
    counts["payload_packets"] += length > 0
    flags = int(value["tcp.flags"], 16)
    for bit, name in ((1, "fins"), (2, "syns"), (4, "resets")):
        counts[name] += bool(flags & bit)
    counts["again"] += any(value[ANALYSIS + n] for n in (*AGAIN, "out_of_order"))
    for name in COUNTED:
        counts[name] += bool(value[ANALYSIS + name])
    subtypes = value["tcp.options.mptcp.subtype"].split(",")
    for subtype in filter(None, subtypes):
        counts[f"subtype {subtype}"] += 1
    counts["data_fins"] += "1" in value["tcp.options.mptcp.datafin.flag"]
    counts["data_acks"] += bool(value["tcp.options.mptcp.rawdataack"])
    # The field is MP_FAIL's number, too.
    numbers = [*filter(None, value["tcp.options.mptcp.rawdataseqno"].split(","))]
    counts["mappings"] += len(numbers) - subtypes.count("6")
