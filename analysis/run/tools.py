"""The results of traffic entries: the functions of `results.py` in a tool's folder.

read(folder, index, entry)
    reads the tool's reports about traffic entry number `index` from a run's artefacts;
    raises ValueError, with one line, if they cannot be read
flow(entry, report)
    the bytes that the receiver read, and the time in which it read them; None if the
    tool does not say
part(entry, report, start_s, end_s)
    the same for a part of the time after the entry's start; its `seconds` are those in
    which the entry was active. None if it never was, or if the tool does not say
columns(entry, report)
    the columns of the run's row that only this tool measures
wrong(entry, report)
    the reasons why the traffic was not what the job asked for
lasted(entry, report)
    the number of connections that the entry opened, and how long they lasted
allowed(entry)
    the exit statuses of the tool's client that do not mean a failure
explain(folder, name)
    why the process `name` failed, in its own words

A report is None if an entry did not end well, as its job provokes, and cannot be
measured: `of` then gives functions that say so.

A tool may have more, which `has` looks for:

BULK
    True if its connections send as fast as they can until they are told to end, and if
    the receiver reports what it read interval by interval
ENDED
    True if its server goes on until it is ended, so that its exit status says nothing
PROCESS
    the name of the one process that the tool has for all its entries
over_time(run, index)
    the name and the line of what the receiver of an entry read over time; None if it
    does not say
part_columns(entry, report, start_s, end_s)
    the columns of what began in a part of the time after the entry's start, such as
    requests or messages: those of `columns` that say something of a part
larger_files(entry)
    what to do about a file that reached the entry's limit
silent(entry)
    True if the tool does not say what arrived, whatever the report
series(entry, report), samples(entry, report)
    lines over time, and lists of values, that the tool has by itself, by the names of
    columns
stays(entry, report)
    the objects or files that an entry loaded, in the order of its list; None for one
    that did not arrive
intervals(entry, report, slack_s)
    the receiver's intervals that end within the entry's duration or this much later, of
    BULK entries
longest_rtt_ms(entry, report)
    the longest round-trip time that the sender saw; None if it does not know
excess_s(entry, client_s)
    how much longer the client ran than the entry's duration
connected_s(entry, events)
    when the receiver had all connections with data, seconds after the start of the
    traffic; None if the entry's events do not tell
round_trip_s(entry, report)
    the round trip at the end of the transfer; None if it is not known
error_of(folder, index, end)
    the error that an end reports although its exit status is 0; "" for none
salvage(folder, index, entry)
    the report of an entry that did not end well, as far as it goes; raises ValueError.
    Without it, `read` is tried
ending(entry, report)
    how an entry ended whose processes did not fail, in a word of
    `analysis.run.outcomes.endings`, and the tool's own error
connected(entry, report)
    the number of connections that were established, and when the first of them was, in
    seconds after the beginning of the traffic; None for what is not known
receiver_file(index, entry), drawn(path, entry)
    the name of the receiver's report, and the intervals in it
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from analysis.run import metrics
from analysis.run.traffic import Traffic
from tools import part


@dataclass(frozen=True)
class Flow:
    """Data that the receiver of one traffic entry read.

    seconds : the time in which it read all bytes
    bytes : the sum over all streams
    stream_bytes : bytes of each parallel stream; empty if there are no streams
    """

    seconds: float
    bytes: float
    stream_bytes: tuple[float, ...]

    @property
    def goodput_mbps(self) -> float:
        """Mean goodput in 10^6 bit/s. Raises ValueError if no time passed."""
        return metrics.goodput_mbps(self.bytes, self.seconds)


@dataclass(frozen=True)
class Lasted:
    """The connections of one traffic entry.

    connections : number of connections, those without data included
    seconds : each of them existed at least this long
    each : the time and the number of subflows of each connection, where the tool knows
        them; empty otherwise
    """

    connections: int
    seconds: float
    each: tuple[tuple[float, int], ...] = ()

    def longer_than(self, seconds: float) -> int:
        """The number of connections that certainly existed longer than that."""
        if self.each:
            return sum(lasted_s > seconds for lasted_s, _ in self.each)
        return self.connections if self.seconds > seconds else 0


@dataclass(frozen=True)
class Stay:
    """The times of an object or a file, in seconds after the beginning of the traffic.

    ready_s : when it could be requested, or sent
    first_s, end_s : when its first and its last byte arrived
    bytes : its size
    """

    ready_s: float
    first_s: float
    end_s: float
    bytes: float


class Tool(Protocol):
    """The functions of a tool's file, as the head of this file describes them."""

    def read(self, folder: Path, index: int, entry: Traffic[Any]) -> Any: ...
    def flow(self, entry: Traffic[Any], report: Any) -> Flow | None: ...
    def part(
        self, entry: Traffic[Any], report: Any, start_s: float, end_s: float
    ) -> Flow | None: ...
    def columns(self, entry: Traffic[Any], report: Any) -> Mapping[str, Any]: ...
    def wrong(self, entry: Traffic[Any], report: Any) -> Iterator[str]: ...
    def lasted(self, entry: Traffic[Any], report: Any) -> Lasted: ...
    def allowed(self, entry: Traffic[Any]) -> tuple[int, ...]: ...
    def explain(self, folder: Path, name: str) -> str: ...


@cache
def tool(name: str) -> Tool:
    """The functions for a tool. Raises ValueError for an unknown tool."""
    module: Tool = part(name, "results")
    return module


class Unreported:
    """The functions for an entry that left no report which can be measured."""

    def read(self, folder: Path, index: int, _entry: Traffic[Any]) -> Any:
        raise ValueError(f"traffic {index}: no report in {folder.name}")

    def flow(self, _entry: Traffic[Any], _report: Any) -> Flow | None:
        return None

    def part(
        self, _entry: Traffic[Any], _report: Any, _start_s: float, _end_s: float
    ) -> Flow | None:
        return None

    def columns(self, _entry: Traffic[Any], _report: Any) -> Mapping[str, Any]:
        return {}

    def wrong(self, _entry: Traffic[Any], _report: Any) -> Iterator[str]:
        yield from ()

    def lasted(self, _entry: Traffic[Any], _report: Any) -> Lasted:
        return Lasted(0, 0.0)

    def allowed(self, _entry: Traffic[Any]) -> tuple[int, ...]:
        return ()

    def explain(self, _folder: Path, _name: str) -> str:
        return ""


def of(entry: Traffic[Any], report: Any) -> Tool:
    """The functions for an entry with this report; None is no report."""
    return Unreported() if report is None else tool(entry.tool)


def has(entry: Traffic[Any], name: str) -> Any:
    """Optional function of an entry's tool; None if the tool has none."""
    return getattr(tool(entry.tool), name, None)
