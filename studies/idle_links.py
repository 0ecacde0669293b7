"""Load of a data centre's links between two times of a run, and the windows.

    python -m studies.idle_links RUN...

RUN is the folder of a run of studies/causes/fattree-idle*.yaml, below `runs/` of
its results. The entries `links1`, `links2`, ... print /proc/lab_fabric at known times,
and the entries `sockets1`, ... print `ss -tinmOH`. For every two times the script
prints, by class and direction of links: the mean use (bytes over capacity, headers and
acknowledgements included), the least and the greatest, dropped packets, and the mean
queue in full packets. Of the links of hosts, only those of hosts that send count in the
direction up.

Of sockets it prints the sum of a connection's windows, what is in flight, and what
waits unsent, in packets. Of a trace it prints how much the windows of connections grew
in intervals without a retransmission, and what LIA's formula (RFC 6356) says of the
same.
"""

import csv
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from topologies.families import centre
from topologies.shaping import FRAME_BYTES

Row = Mapping[str, int]
SEGMENT_BYTES = 1424
"""Of MPTCP's data in a full packet, at most."""
SETTLED_S = 1.5
"""The growth of windows counts from here on."""


@dataclass(frozen=True)
class Use:
    """Packets that one direction of a link carried between two times.

    share : bytes over what the capacity allows
    drops : packets that found the queue full
    queue : mean length over time, full packets
    """

    share: float
    drops: int
    queue: float


def table(text: str) -> list[Row]:
    """The counters of all links, as /proc/lab_fabric prints them."""
    head, *lines = text.splitlines()
    names = head.split()
    return [dict(zip(names, map(int, line.split()), strict=True)) for line in lines]


def used(before: Row, after: Row, seconds: float) -> Use:
    waited = (after["waited_2^10ns"] - before["waited_2^10ns"]) * 1024e-9
    return Use(
        (after["bytes"] - before["bytes"]) * 8 / seconds / after["bps"],
        after["full"] - before["full"],
        waited / seconds / FRAME_BYTES,
    )


def classes(job: Mapping[str, Any]) -> list[str]:
    """The class and direction of each link, empty for what does not count."""
    senders = {
        here
        for entry in job["traffic"]
        if entry["tool"] == "flows"
        for here, _ in entry.get("pairs") or [(entry["from"], entry["to"])]
    }
    made = centre(job["topology"])
    found = []
    for name, near, _ in made.wires:
        idle = near in made.ports and near not in senders
        found += ["" if idle else f"{name}.up", f"{name}.down"]
    return found


def outputs(
    folder: Path, job: Mapping[str, Any], begin: str
) -> list[tuple[float, str]]:
    """When the entries whose names begin so started, and what they printed."""
    return [
        (
            job["traffic"][number]["start_s"],
            (folder / "artefacts" / f"traffic-{number}-client.txt").read_text(),
        )
        for number, name in enumerate(job["report"]["names"])
        if name.startswith(begin)
    ]


def link_lines(folder: Path, job: Mapping[str, Any]) -> Iterator[str]:
    read = [(at_s, table(text)) for at_s, text in outputs(folder, job, "links")]
    for (from_s, before), (to_s, after) in pairwise(read):
        found: dict[str, list[Use]] = defaultdict(list)
        for name, one, two in zip(classes(job), before, after, strict=True):
            found[name].append(used(one, two, to_s - from_s))
        for name, uses in found.items():
            if name:
                yield f"{from_s:g} to {to_s:g} s, {name}: {summary(uses)}"


def summary(uses: Sequence[Use]) -> str:
    shares = [use.share for use in uses]
    queue = sum(use.queue for use in uses) / len(uses)
    return (
        f"used {sum(shares) / len(uses):.3f} [{min(shares):.2f}, {max(shares):.2f}],"
        f" {sum(use.drops for use in uses)} drops, queue {queue:.1f}"
    )


def socket_lines(folder: Path, job: Mapping[str, Any]) -> Iterator[str]:
    for at_s, text in outputs(folder, job, "sockets"):
        sums = dict.fromkeys(("cwnd", "unacked", "notsent"), 0)
        for line in text.splitlines():
            for key in sums if "bytes_sent" in line else ():
                found = re.search(rf"\b{key}:(\d+)", line)
                sums[key] += int(found[1]) if found else 0
        unsent = sums["notsent"] / SEGMENT_BYTES
        yield (
            f"{at_s:g} s: windows {sums['cwnd']}, in flight {sums['unacked']},"
            f" unsent {unsent:.0f} packets"
        )


def growth_lines(folder: Path) -> Iterator[str]:
    file = folder / "artefacts" / "trace.csv"
    if not file.exists():
        return
    states: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    with file.open() as lines:
        for row in csv.DictReader(lines):
            if row["token"] and float(row["time_s"]) > SETTLED_S:
                states[row["token"]][row["time_s"]].append(row)  # type: ignore[arg-type]
    grown, said, seconds = 0.0, 0.0, 0.0
    for times in states.values():
        for (from_s, one), (to_s, two) in pairwise(times.items()):
            if sum_of(one, "retransmissions") != sum_of(two, "retransmissions"):
                continue
            if len(one) != len(two) or not sum_of(one, "bytes_acked"):
                continue
            length_s = float(to_s) - float(from_s)
            seconds += length_s
            grown += sum_of(two, "cwnd") - sum_of(one, "cwnd")
            said += length_s * lia_growth_per_s(
                [(float(row["cwnd"]), float(row["srtt_us"]) / 1e6) for row in one]
            )
    if seconds:
        yield (
            f"windows grew by {grown / seconds:.1f} packets per second and connection,"
            f" LIA's formula says {said / seconds:.1f} ({seconds:.0f} s in all)"
        )


def sum_of(rows: Sequence[Mapping[str, Any]], key: str) -> int:
    return sum(int(row[key]) for row in rows)


def lia_growth_per_s(subflows: Sequence[tuple[float, float]]) -> float:
    """Growth of the sum of the windows under LIA, in packets per second.

    subflows : window in packets, round-trip time in seconds; if all are acknowledged
    RFC 6356, sec. 3
    """
    total = sum(window for window, _ in subflows)
    best = max(window / rtt**2 for window, rtt in subflows)
    alpha = total * best / sum(window / rtt for window, rtt in subflows) ** 2
    return sum(min(alpha / total, 1 / w) * w / rtt for w, rtt in subflows)


def main() -> int:
    for name in sys.argv[1:]:
        folder = Path(name)
        job = json.loads((folder / "job.json").read_text())
        print(f"{folder.name}: {job['topology']}, {job['transport']}")
        for line in (
            *link_lines(folder, job),
            *socket_lines(folder, job),
            *growth_lines(folder),
        ):
            print(f"  {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
