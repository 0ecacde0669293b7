"""Reader of `changes.csv`: the changes of links that a guest made."""

import math
from dataclasses import dataclass
from pathlib import Path

from analysis.run.readers.files import read_text
from jobs.artefacts import CHANGES

HEAD = ",".join(CHANGES)


@dataclass(frozen=True)
class Change:
    """A change that was made.

    time_s : when it was made, seconds after the start of the traffic
    at_s : when it was due
    link, direction, quantity, value : as in `analysis.run.schedules.Series`
    """

    time_s: float
    at_s: float
    link: str
    direction: str
    quantity: str
    value: float


def read(path: Path) -> tuple[Change, ...]:
    """All changes, in order. Raises ValueError if the file is missing or damaged."""
    return parse(read_text(path), path.name)


def parse(text: str, name: str) -> tuple[Change, ...]:
    """Parse the file's text; `name` is the file's name in error messages."""
    head, *lines = text.split("\n")
    if head != HEAD or not lines or lines[-1]:
        raise ValueError(f"{name}: not a record of changes, or cut short")
    return tuple(_change(line, name) for line in lines[:-1])


def _change(line: str, name: str) -> Change:
    try:
        time_s, at_s, link, direction, quantity, value = line.split(",")
        numbers = [float(number) for number in (time_s, at_s, value)]
        if not all(map(math.isfinite, numbers)):
            raise ValueError("a number is not finite")
    except ValueError as error:
        raise ValueError(f"{name}: {line[:60]!r} is not a change ({error})") from error
    return Change(numbers[0], numbers[1], link, direction, quantity, numbers[2])
