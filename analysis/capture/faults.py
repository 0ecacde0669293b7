"""Faults of a capture file, in words."""

from collections.abc import Iterator

import numpy as np

from analysis.capture.analyse import NANO, Read, Tables
from analysis.words import many

LINKS = (
    "Ethernet, Linux cooked (SLL, SLL2), raw IP, BSD loopback, 802.11 (radiotap, PPI), "
    "PPP, HDLC, PKTAP, NFLOG, PFLOG and others that docs/captures.md lists"
)
_TEXTS = (
    "",
    "is empty",
    "is no capture: pcap and pcapng are known, plain or packed with gzip or zstd",
    "has version {value} of its format, which is not known",
    f"has link type {{value}}, which is not known; known are {LINKS}",
    "is cut short after byte {offset}; what comes before it counts",
    "is damaged at byte {offset} (a length of {value}); what comes before it counts",
    "is damaged at byte {offset} (block type {value}); what comes before it counts",
    "is damaged at byte {offset} (interface {value}); what comes before it counts",
)


def faults(tables: Tables) -> list[str]:
    """One line for each file with a fault and for what was left out of it, the file's
    name first; and one if the two capture points show other packets."""
    count = int((tables.directions["resegmented"] > 0).sum())
    return of_files(tables) + resegmented(count)


def of_files(read: Tables | Read) -> list[str]:
    """The lines of `faults` that belong to files."""
    lines = []
    for row, name, stream in zip(read.inputs, read.names, read.faults, strict=True):
        if stream:
            lines.append(f"{name}: {stream}; what comes before it counts")
        elif row["fault"]:
            text = _TEXTS[int(row["fault"])].format(
                value=int(row["fault_value"]), offset=int(row["fault_offset"])
            )
            lines.append(f"{name}: {text}")
        for field, what in (
            ("untimed", "packets without a time were left out"),
            ("unknown_link_packets", "packets of unknown link types were left out"),
            ("reassembled", "packets were put together from fragments"),
            (
                "fragments",
                "fragments of IP packets were left out: others are missing, or overlap",
            ),
            (
                "dropped_fragments",
                "fragments were left out because more waited than are kept",
            ),
            ("malformed", "malformed packets were left out"),
            ("snapped", "packets are cut before the end of their TCP header"),
            (
                "overlong",
                "packets are shorter than their IP header says; what is missing "
                "on the wire does not count",
            ),
            ("elsewhere", "packets were seen again at another interface; left out"),
            ("untracked", "packets were left out because memory ran out"),
            ("tunnelled_packets", "packets were read inside tunnels"),
        ):
            if row[field]:
                lines.append(f"{name}: {int(row[field])} {what}")
        lines += [f"{name}: {line}" for line in (*_not_tcp(row), *_steps(row))]
    return lines


def _not_tcp(row: np.void) -> Iterator[str]:
    kinds = {
        "udp": "UDP",
        "not_ip": "no IP",
        "encrypted": "encrypted",
        "other": "other protocols",
    }
    counts = {text: int(row[f"{kind}_packets"]) for kind, text in kinds.items()}
    if total := sum(counts.values()):
        parts = ", ".join(f"{count} {text}" for text, count in counts.items() if count)
        yield f"{many(total, 'packet')} without TCP ({parts}) left out"


def without_tcp(inputs: np.ndarray) -> str:
    """Words for files that hold no packet, or none of TCP; empty for others.

    inputs : a row per file, as `Read` has them
    """
    packets = int(inputs["packets"].sum())
    if not packets:
        return "no packet"
    if inputs["tcp_packets"].sum():
        return ""
    return f"{many(packets, 'packet')}, none of TCP"


def _steps(row: np.void) -> Iterator[str]:
    if count := int(row["backwards"]):
        longest_s = int(row["backwards_max_ns"]) / NANO
        yield (
            f"the times of {many(count, 'packet')} lie before that of an earlier"
            f" packet, by up to {longest_s:.6f} s: the clock was set back, or packets"
            " are out of order"
        )


def resegmented(count: int) -> list[str]:
    """count : directions of subflows whose packets differ at the two points"""
    if not count:
        return []
    return [
        f"the two capture points show other packets of the same bytes in {count} "
        "directions of subflows (segmentation offload); their losses are those of the "
        "bytes"
    ]


def disagreeing(subflows: int) -> list[str]:
    """subflows : of which each point showed one direction before the other point did"""
    if not subflows:
        return []
    return [
        "the clocks of the two capture points differ by more than the packets take "
        f"from one to the other: both directions of {subflows} subflows passed the "
        "same point first. Their delays mean nothing, and their losses are not known"
    ]


def of_memory(read: Tables | Read, memory_bytes: int) -> list[str]:
    """Lines about what the memory was too small for."""
    lines = []
    if read.retired_early:
        lines.append(
            f"the memory of {memory_bytes >> 20} MiB was used up, so "
            f"{read.retired_early} open connections that had been silent the longest "
            "count as ended; packets of theirs that come later count as another "
            "connection. --memory allows more"
        )
    if read.short_of_memory:
        lines.append(
            f"{memory_bytes >> 20} MiB were not enough for all that is kept of the "
            "connections; some are incomplete. --memory allows more"
        )
    return lines


def unreadable(read: Tables | Read) -> list[str]:
    """The lines of files that gave no packet and whose fault says why."""
    unread = []
    lines = of_files(read)
    for row, name in zip(read.inputs, read.names, strict=True):
        if row["packets"] == 0 and row["fault"]:
            unread += [line for line in lines if line.startswith(f"{name}: ")][:1]
    return unread
