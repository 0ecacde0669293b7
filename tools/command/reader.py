"""Reader of what any program prints: the numbers that its entry's patterns find."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.run import patterns
from analysis.run.readers import outcome
from tools.command.record import Numbers

MOST_BYTES = 16 << 20
"""Bytes of an output that are read; no program of an entry can write more."""
MOST_LINE_CHARACTERS = 10_000
"""A longer line is cut."""


@dataclass(frozen=True)
class Report:
    """The values that were read.

    numbers : group to its number; None for a group that no line has
    units : group to its unit, as the experiment file states it
    seconds : how long the client ran
    """

    numbers: Mapping[str, float | None]
    units: Mapping[str, str]
    seconds: float


def read(folder: Path, index: int, wanted: Sequence[Numbers]) -> Report:
    """Read the outputs of one traffic entry.

    wanted : the numbers that the entry asks for

    Raises ValueError, with one line, if a file is missing or a pattern cannot be read.
    """
    name = f"traffic-{index}"
    lines: dict[str, list[str]] = {}
    for end in dict.fromkeys(each.of for each in wanted):
        lines[end] = _lines(folder / f"{name}-{end}.txt")
    numbers: dict[str, float | None] = {}
    units: dict[str, str] = {}
    for each in wanted:
        numbers |= found(lines[each.of], each.pattern, each.take)
        units |= each.units
    return Report(numbers, units, _seconds(folder, f"{name}-client"))


def found(
    lines: Sequence[str], pattern: str, take: str = "last"
) -> dict[str, float | None]:
    """The number of each group of a pattern; None if no line matches.

    A line counts once, with its first match. A group that took no part in it, or whose
    text is no finite number, does not count.

    take : `last`, `first`, `mean`, `sum`, `least` or `greatest` of all lines
    """
    compiled = patterns.compiled(pattern)
    numbers: dict[str, list[float]] = {name: [] for name in patterns.names(pattern)}
    for line in lines:
        match = compiled.search(line)
        for name, text in match.groupdict().items() if match else ():
            number = _number(text)
            if number is not None:
                numbers[name].append(number)
    return {name: _taken(values, take) for name, values in numbers.items()}


def _taken(values: Sequence[float], take: str) -> float | None:
    if not values:
        return None
    match take:
        case "last":
            return values[-1]
        case "first":
            return values[0]
        case "mean":
            return math.fsum(values) / len(values)
        case "sum":
            return math.fsum(values)
        case "least":
            return min(values)
        case "greatest":
            return max(values)
    raise ValueError(f"no way to take numbers is called {take!r}")


def _number(text: str | None) -> float | None:
    try:
        number = float((text or "").replace(",", ""))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES)
    except FileNotFoundError as error:
        raise ValueError(f"{path.name}: missing") from error
    text = content.decode("utf-8", errors="replace").replace("\r", "\n")
    return [line[:MOST_LINE_CHARACTERS] for line in text.split("\n") if line]


def _seconds(folder: Path, process: str) -> float:
    for each in outcome.read(folder / "outcome.json").processes:
        if each.name == process and each.start_s is not None and each.end_s is not None:
            return each.end_s - each.start_s
    raise ValueError(f"{process}: its times are missing")
