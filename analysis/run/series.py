"""What one run did over time, as lines to draw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.run.artefacts import Artefacts
from analysis.run.flow_phase_metrics import began_s
from analysis.run.quantities import QUANTITIES
from analysis.run.readers import trace
from analysis.run.readers.iperf3 import Interval

FILE = "trace.csv"
SLACK = 0.05
"""The part of an interval below which a rest at the end says nothing of the rate."""


@dataclass(frozen=True)
class Line:
    """times : s after the beginning of the traffic; values : at these, in the unit of
    analysis.run.quantities

    place : of the user and path among all, so that a line looks alike everywhere
    """

    times: np.ndarray
    values: np.ndarray
    place: tuple[int, int] = field(default=(0, 0))


def lines(
    run: Artefacts, artefacts: Path, quantity: str, users: Sequence[str]
) -> dict[str, Line]:
    """By name, a line a traffic entry (of goodput), or a line a user and path.

    users : hosts that send; all if empty
    Where several connections of a user take a path, their mean.
    Raises ValueError if what it takes is not there.
    """
    if quantity == "goodput":
        return _reported(run, users)
    if not run.job.trace_s:
        raise ValueError("there is no trace")
    return _traced(run, artefacts, quantity, users)


def average(line: Line, seconds: float | None) -> Line:
    """Means over even stretches of so many seconds, at the middles of these."""
    if seconds is None or not len(line.times):
        return line
    stretch = np.floor(line.times / seconds).astype(int)
    means = pd.Series(line.values).groupby(stretch).mean()
    times = (means.index.to_numpy(float) + 0.5) * seconds
    return Line(times, means.to_numpy(float), line.place)


def _reported(run: Artefacts, users: Sequence[str]) -> dict[str, Line]:
    found = {}
    for number, (entry, report) in enumerate(
        zip(run.job.traffic, run.reports, strict=True)
    ):
        if entry.tool != "iperf3" or (users and entry.sending_host not in users):
            continue
        slack_s = SLACK * entry.interval_s
        within = report.of(entry.receiver).window(entry.duration_s, slack_s)
        whole = [each for each in within if each.end_s - each.start_s > slack_s]
        name = entry.name or f"{entry.source} to {entry.destination}"
        name += f" (mean of {entry.parallel})" if entry.parallel > 1 else ""
        start_s = began_s(run, number)
        found[name] = Line(
            np.array([start_s + (each.start_s + each.end_s) / 2 for each in whole]),
            np.array([_rate(each) / entry.parallel for each in whole]),
            (number, 0),
        )
    if not found:
        raise ValueError("no receiver reports intervals")
    return found


def _rate(interval: Interval) -> float:
    return 8e-6 * interval.bytes / (interval.end_s - interval.start_s)


def _traced(
    run: Artefacts, artefacts: Path, quantity: str, users: Sequence[str]
) -> dict[str, Line]:
    frame = trace.data(trace.read(artefacts / FILE))
    hosts = list(dict.fromkeys(each.sending_host for each in run.job.traffic))
    shown = [host for host in hosts if not users or host in users]
    what = QUANTITIES[quantity]
    found = {}
    for host in shown:
        mine = frame[frame["host"] == host].dropna(subset=[what.column])
        several_paths = mine["path"].nunique() > 1
        for path in sorted(set(mine["path"].astype(int))):
            rows = mine[mine["path"] == path]
            words = [host] if len(shown) > 1 or not several_paths else []
            words += [f"path {path}"] if several_paths else []
            for name, values in _by_subflow(rows, what.column).items():
                place = (hosts.index(host), path - 1)
                key = ", ".join(words) + (f" ({name})" if name else "")
                times = values.index.to_numpy(float)
                found[key] = Line(times, values.to_numpy(float) * what.scale, place)
    if not found:
        raise ValueError(f"no subflow has {what.words}")
    return found


def _by_subflow(rows: pd.DataFrame, column: str) -> Mapping[str, pd.Series]:
    """Of one user and path: each subflow of a single connection by itself, of several
    connections their mean."""
    connections = rows["connection"].nunique()
    if connections > 1:
        name = f"mean of {connections}"
        return {name: rows.groupby("time_s")[column].mean()}
    ends = rows.groupby(["local", "remote"], sort=False)
    series = [each.set_index("time_s")[column] for _, each in ends]
    if len(series) == 1:
        return {"": series[0]}
    return {str(number): each for number, each in enumerate(series, start=1)}
