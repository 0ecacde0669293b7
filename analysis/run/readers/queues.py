"""Reader of `queue-samples.csv` and `queue-waits.csv`: what waited in queues."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from analysis.run.readers.files import read_text

SAMPLES, WAITS = "queue-samples.csv", "queue-waits.csv"
Place = tuple[str, str]
"""The (node, interface) that has a queue."""


@dataclass(frozen=True)
class QueueRecord:
    """Numbers about queues at known times.

    sums : whether they are sums so far over packets of bytes and waiting time, in byte
        seconds; else the bytes that wait
    times_s : seconds after the start of the traffic, ascending
    values : of each queue, one number per time
    """

    sums: bool
    times_s: tuple[float, ...]
    values: Mapping[Place, tuple[float, ...]]

    def mean_bytes(self, place: Place, start_s: float, end_s: float) -> float | None:
        """The mean of the bytes that wait in a queue between two times.

        Of sums, it is what the packets that arrive between the times wait, over the
        time. The last number stands for an end that comes later. None if less than half
        of the time was recorded, or the queue is not known.
        """
        values = self.values.get(place)
        if values is None:
            return None
        if self.sums:
            return self._mean_of_sums(values, start_s, end_s)
        inside = [
            value
            for time_s, value in zip(self.times_s, values, strict=True)
            if start_s <= time_s < end_s
        ]
        long_enough = self.times_s and self.times_s[-1] >= (start_s + end_s) / 2
        return sum(inside) / len(inside) if inside and long_enough else None

    def _mean_of_sums(
        self, values: tuple[float, ...], start_s: float, end_s: float
    ) -> float | None:
        later = [i for i, at_s in enumerate(self.times_s) if at_s >= start_s]
        if not later:
            return None
        first = later[0]
        ends = [i for i in later if self.times_s[i] >= end_s]
        last = ends[0] if ends else later[-1]
        took_s = self.times_s[last] - self.times_s[first]
        if took_s < (end_s - start_s) / 2:
            return None
        return (values[last] - values[first]) / took_s


def read(path: Path) -> QueueRecord:
    """All numbers of a file. Raises ValueError if it is missing or damaged."""
    return parse(read_text(path), path.name)


def parse(text: str, name: str) -> QueueRecord:
    """Parse the file's text; `name`, the file's own, says what its numbers are."""
    head, *lines = text.split("\n")
    first, *places = head.split(",")
    if first != "time_s" or not lines or lines[-1]:
        raise ValueError(f"{name}: not a record of queues, or cut short")
    rows = [_row(line, len(places), name) for line in lines[:-1]]
    times_s = tuple(row[0] for row in rows)
    if any(b < a for a, b in pairwise(times_s)):
        raise ValueError(f"{name}: times are not in order")
    return QueueRecord(
        name == WAITS,
        times_s,
        {
            _place(place, name): tuple(row[number] for row in rows)
            for number, place in enumerate(places, start=1)
        },
    )


def _row(line: str, places: int, name: str) -> list[float]:
    try:
        numbers = [float(word) for word in line.split(",")]
    except ValueError as error:
        raise ValueError(f"{name}: {line[:60]!r} is not a row ({error})") from error
    if len(numbers) != places + 1 or not all(map(math.isfinite, numbers)):
        raise ValueError(f"{name}: {line[:60]!r} is not a row of {places + 1} numbers")
    return numbers


def _place(text: str, name: str) -> Place:
    node, colon, interface = text.partition(":")
    if not colon:
        raise ValueError(f"{name}: {text[:60]!r} is not NODE:INTERFACE")
    return node, interface
