"""Reader of `host-changes.csv`: the changes of hosts that a guest made."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

from analysis.run.readers.files import read_text
from jobs.artefacts import HOST_CHANGES

NAME = "host-changes.csv"
HEAD = ",".join(HOST_CHANGES)
_WORDS = re.compile(r"[A-Za-z0-9_.:;()/ -]{1,200}")


@dataclass(frozen=True)
class HostChange:
    """A change that was made.

    time_s : when it was made, seconds after the start of the traffic
    at_s : when it was due
    host, link : whose address it is about
    state : flags of an endpoint or `none`, `present` or `absent`, or the command to a
        path manager in user space and what became of it
    """

    time_s: float
    at_s: float
    host: str
    link: str
    state: str


def read(path: Path) -> tuple[HostChange, ...]:
    """All changes, in order. Raises ValueError if the file is missing or damaged."""
    return parse(read_text(path), path.name)


def parse(text: str, name: str) -> tuple[HostChange, ...]:
    """Parse the file's text; `name` is the file's name in error messages."""
    head, *lines = text.split("\n")
    if head != HEAD or not lines or lines[-1]:
        raise ValueError(f"{name}: not a record of changes of hosts, or cut short")
    return tuple(_change(line, name) for line in lines[:-1])


def _change(line: str, name: str) -> HostChange:
    try:
        time_s, at_s, host, link, state = line.split(",")
        times = float(time_s), float(at_s)
        if not all(map(math.isfinite, times)):
            raise ValueError("a time is not finite")
        if not all(_WORDS.fullmatch(words) for words in (host, link, state)):
            raise ValueError("its words are none")
    except ValueError as error:
        raise ValueError(f"{name}: {line[:60]!r} is not a change ({error})") from error
    return HostChange(*times, host, link, state)
