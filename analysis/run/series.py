"""The quantities of one run over time, as lines to draw."""

from collections.abc import Iterator, Mapping, Sequence
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

    Goodput, and a series of a user's own tool, have one line per traffic entry, and
    fairness has one line of all entries that are no background. Other
    quantities have one line per user and path, which is the mean if the user has
    several connections.

    Raises ValueError if the run has no trace or no data of this quantity.
    """
    if quantity == "goodput":
        return reported(run, users)
    if quantity == quantities.FAIRNESS:
        return {"": fairness(run, users)}
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


def spread(
    begin_s: Sequence[float],
    end_s: Sequence[float],
    sizes: Sequence[float],
    step_s: float = 0.1,
) -> Line:
    """The goodput of things of which only the beginning and the end are known.

    begin_s, end_s, sizes : of each in seconds and bytes, shape (n,); the bytes of a
        thing are spread evenly from its beginning to its end
    step_s : the length of the intervals, whose means are returned at their middles

    Returns Mbit/s from the first beginning to the last end.
    """
    begin, end = np.asarray(begin_s, float), np.asarray(end_s, float)
    size = np.asarray(sizes, float)
    first = float(begin.min())
    count = max(1, int(np.ceil((float(end.max()) - first) / step_s - 1e-9)))
    edges = first + step_s * np.arange(count + 1)
    # A thing that came in one moment counts in the interval that ends after it.
    length = np.maximum(end - begin, 1e-9)
    done = np.array(
        [(size * np.clip((edge - begin) / length, 0, 1)).sum() for edge in edges]
    )
    return Line(edges[:-1] + step_s / 2, np.diff(done) * 8 / step_s / 1e6)


def of_stays(title: str, stays: Sequence[tools.Stay | None]) -> tuple[str, Line] | None:
    """The goodput of objects or files, with the title of their entry; None if none
    arrived. The bytes of each are spread from its first to its last."""
    there = [stay for stay in stays if stay]
    if not there:
        return None
    line = spread(
        [stay.first_s for stay in there],
        [stay.end_s for stay in there],
        [stay.bytes for stay in there],
    )
    return title, line


def reported(run: Artefacts, users: Sequence[str]) -> dict[str, Line]:
    """The goodput of each entry whose receiver reports intervals.

    users : the sending hosts to show; all if empty

    A tool says whether a line is per connection or of all connections.

    Raises ValueError if no receiver reports intervals.
    """
    shown = [line for _, line in _by_entry(run, users) if line is not None]
    if not shown:
        raise ValueError("no receiver reports intervals")
    return dict(shown)


def unreported(run: Artefacts, users: Sequence[str]) -> list[str]:
    """The entries whose receivers report no intervals, by their titles."""
    return [title for title, line in _by_entry(run, users) if line is None]


def _by_entry(
    run: Artefacts, users: Sequence[str]
) -> Iterator[tuple[str, tuple[str, Line] | None]]:
    """The title of each entry, with the name and the goodput of its line, if any."""
    for number, entry in enumerate(run.traffic):
        if users and not set(users) & set(entry.sending_hosts):
            continue
        over_time = tools.has(entry, "over_time")
        there = over_time is not None and run.reports[number] is not None
        yield entry.title, over_time(run, number) if there else None


def fairness(run: Artefacts, users: Sequence[str]) -> Line:
    """Jain's index of the goodputs of the entries that are active at a time.

    Background stays out. Entries have a goodput from the first of their intervals to
    the last, and at the times between them the one in proportion. An index needs two.

    Raises ValueError if no two entries are active together.
    """
    background = {entry.title for entry in run.traffic if entry.background}
    found = [
        line
        for name, line in reported(run, users).items()
        if name not in background and len(line.times) > 1
    ]
    if len(found) < 2:
        raise ValueError("fairness needs two entries whose receivers report intervals")
    step_s = max(float(np.median(np.diff(line.times))) for line in found)
    ends = [(line.times[0], line.times[-1]) for line in found]
    times = np.arange(min(a for a, _ in ends), max(b for _, b in ends) + 1e-9, step_s)
    values = np.array(
        [
            np.interp(times, line.times, line.values, left=np.nan, right=np.nan)
            for line in found
        ]
    )
    active = np.isfinite(values).sum(axis=0)
    squares = np.nansum(values**2, axis=0)
    known = (active >= 2) & (squares > 0)
    if not known.any():
        raise ValueError("no two entries send at the same time")
    sums = np.nansum(values, axis=0)[known]
    return Line(times[known], sums**2 / (active[known] * squares[known]))


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
        paths = of_host["path"].nunique()
        for path in sorted(set(of_host["path"].astype(int))):
            rows = of_host[of_host["path"] == path]
            of_line = path_names.of_line(run.job, host, path, len(shown), paths)
            for subflow, values in _by_subflow(rows, kind.column).items():
                name = of_line + (f" ({subflow})" if subflow else "")
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
