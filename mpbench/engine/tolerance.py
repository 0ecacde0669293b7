"""Numbers that two executions of a run in QEMU need not share, and by how much.

A machine in QEMU is interrupted after a number of instructions that may differ by some
when the host is busy. So some readings of its clock differ by a fraction of a
microsecond, and so does what is made of them: the share of a CPU that iperf3 tells its
other end, with as many digits as the number has. The list is complete: every other
number, word and file must be the same.
"""

import fnmatch
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Entries = Mapping[str, Mapping[str, Any]]
CONSOLE = "console.log"
STAMP = re.compile(r"^\[ *(\d+\.\d{6})\] ", re.M)
"""The time of a line of the kernel's on CONSOLE."""
LONGEST_BYTES = 16 << 20


@dataclass(frozen=True)
class Listed:
    """Numbers that may differ.

    files : a pattern of names of files
    keys : of the numbers
    most : the largest difference, in the unit of the number
    clock : whether they are readings of a clock in seconds, finer than the difference
    """

    files: str
    keys: tuple[str, ...]
    most: float
    clock: bool = False


TIMES = ("end_s", "start_s", "virtual_s", "longest_s", "lost_s", "traffic_s")
SHARES = ("host_total", "host_user", "host_system")
FAR_SHARES = ("remote_total", "remote_user", "remote_system")
LISTED = (
    Listed("outcome.json", TIMES, 1e-6, clock=True),
    Listed(CONSOLE, ("stamp",), 2e-6),
    Listed("traffic-*.json", (*SHARES, *FAR_SHARES), 1e-3),
    Listed("link-end.json", ("rx_bytes", "tx_bytes"), 64),
    Listed("qdisc-end.json", ("bytes",), 64),
    Listed("qdisc-end.json", ("overlimits",), 64),
    Listed("nstat-*.json", ("IpExtInOctets", "IpExtOutOctets"), 64),
)
"""Of shares, in percent: digits that are of no use. Of bytes: the length of those
digits, in iperf3's messages. Of `overlimits`: how often a queue was looked at."""


@dataclass(frozen=True)
class Numbers:
    """The listed numbers that differ.

    files : in how many files
    most_ns : the largest difference of a reading of a clock
    """

    count: int = 0
    files: int = 0
    most_ns: float = 0.0

    def __add__(self, other: "Numbers") -> "Numbers":
        most_ns = max(self.most_ns, other.most_ns)
        return Numbers(self.count + other.count, self.files + other.files, most_ns)

    @property
    def words(self) -> str:
        """A remark for the user; empty if none differs."""
        if not self.count:
            return ""
        numbers = "1 number" if self.count == 1 else f"{self.count} numbers"
        return (
            f"but for {numbers} of those that may differ in QEMU; the clock's by"
            f" {self.most_ns:.0f} ns at most"
        )


NONE = Numbers()


class OtherError(Exception):
    """Two files that differ in more than listed numbers."""


def without(
    before: Entries, now: Entries, folders: tuple[Path, Path]
) -> tuple[dict[str, dict[str, Any]], Numbers]:
    """The files `now`, with those taken for equal that differ in listed numbers alone.

    before, now : the entries of two executions' manifests, by name
    folders : with the files of both
    """
    entries, found = {name: dict(entry) for name, entry in now.items()}, NONE
    for name in before.keys() & now.keys():
        if before[name]["sha256"] == now[name]["sha256"]:
            continue
        try:
            found += numbers(name, folders[0] / name, folders[1] / name)
        except OtherError:
            continue
        entries[name] = dict(before[name])
    return entries, found


def numbers(name: str, before: Path, now: Path) -> Numbers:
    """The listed numbers that differ between two files of a name.

    Raises OtherError if anything else differs.
    """
    listed = [one for one in LISTED if fnmatch.fnmatchcase(name, one.files)]
    if not listed:
        raise OtherError(f"{name}: has no listed numbers")
    try:
        texts = _text(before), _text(now)
        if name == CONSOLE:
            pairs = _stamps(*texts)
        else:
            pairs = _values(json.loads(texts[0]), json.loads(texts[1]), "")
        found = [_listed(listed, *pair) for pair in pairs]
    except (OSError, ValueError, RecursionError) as error:
        raise OtherError(f"{name}: {error}") from None
    return sum(found, NONE) + Numbers(files=1)


def _text(file: Path) -> str:
    if file.stat().st_size > LONGEST_BYTES:
        raise ValueError(f"longer than {LONGEST_BYTES >> 20} MiB")
    return file.read_text()


def _values(before: Any, now: Any, key: str) -> Iterator[tuple[str, Any, Any]]:
    """The values of JSON that differ, each with its key."""
    if isinstance(before, dict) and isinstance(now, dict):
        if list(before) != list(now):
            raise ValueError(f"{key}: other keys")
        for name in before:
            yield from _values(before[name], now[name], name)
    elif isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            raise ValueError(f"{key}: of another length")
        for one, other in zip(before, now, strict=True):
            yield from _values(one, other, key)
    elif before != now or type(before) is not type(now):
        yield key, before, now


def _stamps(before: str, now: str) -> Iterator[tuple[str, Any, Any]]:
    """The times of the kernel's lines that differ."""
    if STAMP.sub("", before) != STAMP.sub("", now):
        raise ValueError("other lines")
    for one, other in zip(STAMP.findall(before), STAMP.findall(now), strict=True):
        if one != other:
            yield "stamp", float(one), float(other)


def _listed(listed: list[Listed], key: str, before: Any, now: Any) -> Numbers:
    """A number that differs. Raises ValueError if it may not, or not by so much."""
    for one in listed:
        if key in one.keys and _is_number(before) and _is_number(now):
            by = abs(before - now)
            if math.isfinite(by) and by <= one.most * (1 + 1e-9):
                return Numbers(count=1, most_ns=1e9 * by if one.clock else 0.0)
    raise ValueError(f"{key}: {before!r} and {now!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
