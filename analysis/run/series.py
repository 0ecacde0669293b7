"""The quantities of one run over time, as lines to draw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.run import path_names, quantities, tools
from analysis.run.artefacts import Artefacts
from analysis.run.readers import trace

FILE = "trace.csv"


@dataclass(frozen=True)
class Line:
    """One line of a figure over time.

    times : seconds after the beginning of the traffic, shape (n,), rising
    values : shape (n,), in the unit that `analysis.run.quantities` gives
    """

    times: np.ndarray
    values: np.ndarray


def lines(
    run: Artefacts, artefacts: Path, quantity: str, users: Sequence[str]
) -> dict[str, Line]:
    """The lines of a quantity by name.

    artefacts : folder of the run's artefacts
    quantity : as `analysis.run.quantities.of` knows it
    users : the sending hosts to show; all if empty

    Goodput, and a series of a user's own tool, have one line per traffic entry. Other
    quantities have one line per user and path, which is the mean if the user has
    several connections.

    Raises ValueError if the run has no trace or no data of this quantity.
    """
    if quantity == "goodput":
        return reported(run, users)
    if quantities.is_own(quantity):
        return _own(run, quantity, users)
    if not run.job.trace_s:
        raise ValueError("there is no trace")
    return _traced(run, artefacts, quantity, users)


def average(line: Line, seconds: float | None) -> Line:
    """The means of a line over consecutive windows of equal length.

    seconds : length of a window; None returns the line as it is

    Each mean is at the middle of its window.
    """
    if seconds is None or not len(line.times):
        return line
    window = np.floor(line.times / seconds).astype(int)
    means = pd.Series(line.values).groupby(window).mean()
    times = (means.index.to_numpy(float) + 0.5) * seconds
    return Line(times, means.to_numpy(float))


def reported(run: Artefacts, users: Sequence[str]) -> dict[str, Line]:
    """The goodput of each entry whose receiver reports intervals.

    users : the sending hosts to show; all if empty

    A tool says whether a line is per connection or of all connections.

    Raises ValueError if no receiver reports intervals.
    """
    lines_by_name = {}
    for number, entry in enumerate(run.traffic):
        if users and not set(users) & set(entry.sending_hosts):
            continue
        over_time = tools.has(entry, "over_time")
        if over_time is not None and run.reports[number] is not None:
            shown = over_time(run, number)
            if shown is not None:
                lines_by_name[shown[0]] = shown[1]
    if not lines_by_name:
        raise ValueError("no receiver reports intervals")
    return lines_by_name


def _own(run: Artefacts, quantity: str, users: Sequence[str]) -> dict[str, Line]:
    """A series of users' own tools, for each entry that has it."""
    found = {}
    for entry, report in zip(run.traffic, run.reports, strict=True):
        if users and not set(users) & set(entry.sending_hosts):
            continue
        series = tools.has(entry, "series")
        if series is not None and report is not None:
            line = series(entry, report).get(quantity)
            if line is not None and len(line.times):
                found[entry.title] = line
    if not found:
        raise ValueError(f"no tool gives {quantity}")
    return found


def _traced(
    run: Artefacts, artefacts: Path, quantity: str, users: Sequence[str]
) -> dict[str, Line]:
    """A quantity of the trace, for each user and path."""
    frame = trace.data(trace.read(artefacts / FILE))
    every = (host for entry in run.traffic for host in entry.sending_hosts)
    hosts = list(dict.fromkeys(every))
    shown = [host for host in hosts if not users or host in users]
    kind = quantities.QUANTITIES[quantity]
    lines_by_name = {}
    for host in shown:
        of_host = frame[frame["host"] == host].dropna(subset=[kind.column])
        several_paths = of_host["path"].nunique() > 1
        for path in sorted(set(of_host["path"].astype(int))):
            rows = of_host[of_host["path"] == path]
            words = [host] if len(shown) > 1 or not several_paths else []
            words += [path_names.words(run.job, host, path)] if several_paths else []
            for subflow, values in _by_subflow(rows, kind.column).items():
                name = ", ".join(words) + (f" ({subflow})" if subflow else "")
                lines_by_name[name] = Line(
                    times=values.index.to_numpy(float),
                    values=values.to_numpy(float) * kind.scale,
                )
    if not lines_by_name:
        raise ValueError(f"no subflow has {kind.words}")
    return lines_by_name


def _by_subflow(rows: pd.DataFrame, column: str) -> Mapping[str, pd.Series]:
    """A column over time, from the rows of one user and path.

    With a single connection, each of its subflows is a series of its own, numbered if
    there are several. With several connections, there is one series: their mean.
    """
    connections = rows["connection"].nunique()
    if connections > 1:
        name = f"mean of {connections}"
        return {name: rows.groupby("time_s")[column].mean()}
    ends = rows.groupby(["local", "remote"], sort=False)
    subflows = [subflow.set_index("time_s")[column] for _, subflow in ends]
    if len(subflows) == 1:
        return {"": subflows[0]}
    return {str(number): values for number, values in enumerate(subflows, start=1)}
