"""What was wrong with a capture file, in words."""

from analysis.capture.analyse import Tables
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
    """One line for each file with a fault, its name first."""
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
            ("fragments", "fragments of IP packets were left out"),
            ("malformed", "malformed packets were left out"),
            ("snapped", "packets are cut before the end of their TCP header"),
            ("elsewhere", "packets were seen again at another interface; left out"),
            ("untracked", "packets had no room in memory"),
        ):
            if row[field]:
                lines.append(f"{name}: {int(row[field])} {what}")
    return lines


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
