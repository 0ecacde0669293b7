"""What came of each traffic entry: one file a tool, all with the same functions.

read(folder, index)
    the tool's own report of traffic entry `index`, from a run's artefacts; ValueError,
    one line, if there is none
flow(entry, report)
    what the receiver read, and in which time
part(entry, report, start_s, end_s)
    the same for a part of the time after the entry's start; `seconds` is what of it
    the entry was on. None if it never was, or if nobody knows
columns(entry, report)
    what only this tool measures, for the run's row
wrong(entry, report)
    why it is not what was asked, reason by reason
lasted(entry, report)
    for how long its connections lived, to be judged by
allowed(entry)
    exit statuses of its client that tell of no failure
explain(folder, name)
    why a program of it failed, in its own words
"""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from analysis.run import metrics
from analysis.run.job import Traffic

TOOLS = ("iperf3", "curl", "ab", "cbr")


@dataclass(frozen=True)
class Flow:
    """What the receiver of one traffic entry read.

    seconds : in which it was read
    stream_bytes : of each parallel stream
    """

    seconds: float
    bytes: float
    stream_bytes: tuple[float, ...]

    @property
    def goodput_mbps(self) -> float:
        return metrics.goodput_mbps(self.bytes, self.seconds)


@dataclass(frozen=True)
class Lasted:
    """The connections of one traffic entry.

    connections : that were to carry its data, or that it needed beside
    seconds : that each of them lived at least
    """

    connections: int
    seconds: float


class Tool(Protocol):
    """The functions of a tool's file, see above."""

    def read(self, folder: Path, index: int) -> Any: ...
    def flow(self, entry: Traffic, report: Any) -> Flow: ...
    def part(
        self, entry: Traffic, report: Any, start_s: float, end_s: float
    ) -> Flow | None: ...
    def columns(self, entry: Traffic, report: Any) -> Mapping[str, Any]: ...
    def wrong(self, entry: Traffic, report: Any) -> Iterator[str]: ...
    def lasted(self, entry: Traffic, report: Any) -> Lasted: ...
    def allowed(self, entry: Traffic) -> tuple[int, ...]: ...
    def explain(self, folder: Path, name: str) -> str: ...


def tool(name: str) -> Tool:
    """Raises ValueError for one that there is no reader for."""
    if name not in TOOLS:
        raise ValueError(f"no reader for tool {name!r}; has {', '.join(TOOLS)}")
    module: Any = importlib.import_module(f"analysis.run.tools.{name}")
    return module
