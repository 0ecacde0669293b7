"""The events of a run's connections, from `events.csv`.

The guest's kernel writes the file (kernel/overlay/net/mptcp/events.c), so runs of the
native backend have none.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from analysis.run.readers.files import read_text
from jobs.artefacts import EVENTS

FILE = "events.csv"
HEAD = ",".join(EVENTS)
MOST_BYTES = 16 << 20
"""A guest writes 20,000 events at most, which take a quarter of this."""
LEFT_OUT = "left_out"
"""The last event of a file with too many: its value is the number of the others."""
_HOST = re.compile(r"[A-Za-z0-9_.-]{0,32}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,47}")
_ENDS = re.compile(r"|\d{1,3}(\.\d{1,3}){3}:\d{1,5}")
_SUBFLOW = re.compile(r"|\d{1,3}:-?\d{1,3}")
_VALUE = re.compile(r"[a-z0-9_=.: ]{0,160}")


@dataclass(frozen=True)
class Event:
    """Something that happened to a connection, at one of its hosts.

    time_s : seconds after the start of the traffic, to the microsecond; negative before
    host : whose kernel wrote it
    connection : number of the traffic entry, from 0; None if not known
    port : the client's port of the connection's first subflow, which tells connections
        of an entry apart at both ends; None if not known
    subflow : ids of the local and the remote address, such as `1:0`; "" for none
    local, remote : ADDRESS:PORT of the subflow, or of the first one; "" if not known
    name : of a kernel's counter, or one of docs/events.md
    value : a number, or pairs such as `error=110 reason=6`
    """

    time_s: float
    host: str
    connection: int | None
    port: int | None
    subflow: str
    local: str
    remote: str
    name: str
    value: str

    @property
    def number(self) -> int:
        """The value as a number; 0 if it is none."""
        return _whole(self.value)

    def get(self, name: str) -> str:
        """The text after `name=` in the value; "" if it does not have it."""
        found = (pair.partition("=") for pair in self.value.split(" "))
        return next((text for key, _, text in found if key == name), "")

    def count(self, name: str) -> int:
        """The number after `name=`; 0 if there is none."""
        return _whole(self.get(name))

    @property
    def ends(self) -> frozenset[str]:
        """Both ends of the subflow: the same at both hosts."""
        return frozenset((self.local, self.remote))

    @property
    def address(self) -> str:
        """The local address without its port."""
        return self.local.rpartition(":")[0]


@dataclass(frozen=True)
class Events:
    """All events of a run, in the order in which they were written.

    left_out : the number of further events, which were not written
    """

    all: tuple[Event, ...] = ()
    left_out: int = 0

    def named(self, *names: str, host: str | None = None) -> Iterator[Event]:
        """The events with one of the names, at one host or at all."""
        return (
            event
            for event in self.all
            if event.name in names and host in (None, event.host)
        )

    def by_port(self, index: int) -> dict[int, list[Event]]:
        """The events of each connection of a traffic entry, by the connection's port.

        index : of the entry
        """
        found: dict[int, list[Event]] = defaultdict(list)
        for event in self.all:
            if event.connection == index and event.port is not None:
                found[event.port].append(event)
        return found

    def count(self, *names: str, host: str | None = None) -> int:
        return sum(1 for _ in self.named(*names, host=host))


def load(artefacts: Path) -> Events | None:
    """The events in a folder of artefacts; None if the run has no such file.

    Raises ValueError, with one line, if the file is damaged.
    """
    path = artefacts / FILE
    if not path.is_file():
        return None
    state = path.stat()
    if state.st_size > MOST_BYTES:
        raise ValueError(f"{FILE}: larger than {MOST_BYTES >> 20} MiB")
    return _read(path.resolve(), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1)
def _read(path: Path, _changed_ns: int, _size: int) -> Events:
    """Read a file. Several parts of a row need the same one, so that it is kept."""
    return parse(read_text(path), FILE)


def parse(text: str, name: str) -> Events:
    """Parse the file's text; `name` is the file's name in error messages.

    A guest that was ended writes no last line, so a line that is cut short is left out.
    """
    head, *lines = text.split("\n")
    if head != HEAD:
        raise ValueError(f"{name}: its first line is not that of a record of events")
    found = tuple(_parsed(lines[:-1], name))
    left_out = sum(event.number for event in found if event.name == LEFT_OUT)
    return Events(tuple(e for e in found if e.name != LEFT_OUT), left_out)


def _parsed(lines: Iterable[str], name: str) -> Iterator[Event]:
    for number, line in enumerate(lines, start=2):
        try:
            yield _event(line)
        except ValueError as error:
            short = line[:60]
            raise ValueError(
                f"{name}: line {number}: {short!r} is no event ({error})"
            ) from error


def _event(line: str) -> Event:
    time, host, connection, port, subflow, local, remote, name, value = line.split(",")
    time_s = float(time)
    if not math.isfinite(time_s):
        raise ValueError("its time is not finite")
    if not _HOST.fullmatch(host):
        raise ValueError("its host is none")
    if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
        raise ValueError("its name or its value is none")
    if not (_ENDS.fullmatch(local) and _ENDS.fullmatch(remote)):
        raise ValueError("an end is no ADDRESS:PORT")
    if not _SUBFLOW.fullmatch(subflow):
        raise ValueError("its subflow is none")
    return Event(
        time_s=time_s,
        host=host,
        connection=_number(connection),
        port=_number(port),
        subflow=subflow,
        local=local,
        remote=remote,
        name=name,
        value=value,
    )


def _number(text: str) -> int | None:
    """A number, None for nothing."""
    if text and not (text.isascii() and text.isdecimal() and len(text) <= 6):
        raise ValueError("a number is none")
    return int(text) if text else None


def _whole(text: str) -> int:
    """The number that a text is; 0 if it is none."""
    return int(text) if text.isascii() and text.isdecimal() else 0
