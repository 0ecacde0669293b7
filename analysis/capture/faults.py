"""What was wrong with a capture file, in words."""

from collections.abc import Iterator

import numpy as np

from analysis.capture.analyse import NANO, Tables
from analysis.capture.frames import clocks_differ

LINKS = "Ethernet, Linux cooked (SLL, SLL2), raw IP, BSD loopback, PPP"
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
    """One line for each file with a fault and for what was left out of it; the file's
    name comes first."""
    lines = []
    for row, name, stream in zip(
        tables.inputs, tables.names, tables.faults, strict=True
    ):
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
            ("fragments", "fragments of IP packets were left out"),
            ("malformed", "malformed packets were left out"),
            ("snapped", "packets are cut before the end of their TCP header"),
            ("elsewhere", "packets were seen again at another interface; left out"),
            ("untracked", "packets were left out for want of memory"),
            ("tunnelled_packets", "packets were read inside tunnels"),
        ):
            if row[field]:
                lines.append(f"{name}: {int(row[field])} {what}")
        lines += [f"{name}: {line}" for line in (*_not_tcp(row), *_steps(row))]
    return lines + _resegmented(tables)


def _not_tcp(row: np.void) -> Iterator[str]:
    kinds = {"udp": "UDP", "not_ip": "no IP", "other": "other protocols"}
    counts = {text: int(row[f"{kind}_packets"]) for kind, text in kinds.items()}
    if total := sum(counts.values()):
        parts = ", ".join(f"{count} {text}" for text, count in counts.items() if count)
        yield f"{total} packets carry no TCP ({parts}) and were left out"


def _steps(row: np.void) -> Iterator[str]:
    if count := int(row["backwards"]):
        longest_s = int(row["backwards_max_ns"]) / NANO
        yield (
            f"the times of {count} packets lie before that of an earlier packet, by "
            f"up to {longest_s:.6f} s: the clock was set back, or packets are out of "
            "order"
        )


def _resegmented(tables: Tables) -> list[str]:
    count = int((tables.directions["resegmented"] > 0).sum())
    if not count:
        return []
    return [
        f"the two capture points show other packets of the same bytes in {count} "
        "directions of subflows (segmentation offload); their losses are those of the "
        "bytes"
    ]


def clocks(tables: Tables) -> list[str]:
    """A line if the clocks of two capture points cannot be right."""
    subflows = int(clocks_differ(tables.directions).sum()) // 2
    if not subflows:
        return []
    return [
        "the clocks of the two points differ by more than the way takes: both "
        f"directions of {subflows} subflows came by at the same one first; their "
        "delays mean nothing, and losses are not known"
    ]


def unreadable(tables: Tables) -> list[str]:
    """The lines of files that gave no packet and whose fault says why."""
    found = []
    lines = faults(tables)
    for row, name in zip(tables.inputs, tables.names, strict=True):
        if row["packets"] == 0 and row["fault"]:
            found += [line for line in lines if line.startswith(f"{name}: ")][:1]
    return found
