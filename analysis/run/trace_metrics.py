"""Metrics of congestion windows over time, from a run's trace."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

from analysis.run.job import Job, Traffic

FILE = "trace.csv"
STEADY_PART = 0.5
"""The last part of a phase, whose mean window is what a subflow comes to."""
ONE_SIDED = 0.9
"""Of the window of all paths, that makes a user one of a single path."""


def columns(artefacts: Path, job: Job) -> dict[str, Any]:
    """Of each phase, and each path of a named entry that has its host for itself:

    PHASE.NAME.path<i>.cwnd : mean window in the second half of the phase, segments,
        of the mean of the path's subflows
    PHASE.NAME.path<i>.rise_s : time from the start of the phase to when that mean
        is first reached (Peng et al. 2016, Table V, with the mean after the change
        for "the average congestion window"); 0 where it was there already
    PHASE.NAME.path<i>.cwnd_is_1 : part of the phase in which the window of the path's
        subflow is a single segment

    and of an entry with several paths

    PHASE.NAME.one_sided : part of the phase in which one path has at least nine tenths
        of the window of all paths

    Nothing without a trace. Raises ValueError if the trace cannot be read.
    """
    if not job.trace_s or not job.phases:
        return {}
    from analysis.run.readers import trace

    frame = trace.data(trace.read(artefacts / FILE))
    found: dict[str, Any] = {}
    for entry in job.traffic:
        alone = sum(entry.source == each.source for each in job.traffic) == 1
        if entry.name is None or not alone:
            continue
        for phase, (start_s, end_s) in job.phases.items():
            mine = _of(frame, entry, start_s, end_s)
            for path, windows in mine.groupby("path"):
                name = f"{phase}.{entry.name}.path{path}"
                found |= _one(name, windows, start_s, end_s)
            if mine["path"].nunique() > 1:
                found[f"{phase}.{entry.name}.one_sided"] = _one_sided(mine)
    return found


def _one_sided(windows: "pd.DataFrame") -> float:
    by_path = windows.pivot_table(
        index="time_s", columns="path", values="cwnd", aggfunc="sum", fill_value=0
    )
    parts = by_path.max(axis=1) / by_path.sum(axis=1)
    return float((parts >= ONE_SIDED).mean())


def _of(
    frame: "pd.DataFrame", entry: Traffic, start_s: float, end_s: float
) -> "pd.DataFrame":
    inside = (frame["time_s"] >= start_s) & (frame["time_s"] < end_s)
    return frame[inside & (frame["host"] == entry.sending_host)]


def _one(
    name: str, windows: "pd.DataFrame", start_s: float, end_s: float
) -> dict[str, float | None]:
    over_time = windows.groupby("time_s")["cwnd"].mean()
    late = over_time[over_time.index >= end_s - STEADY_PART * (end_s - start_s)]
    single = {f"{name}.cwnd_is_1": float((over_time <= 1).mean())}
    if late.empty:
        return {f"{name}.cwnd": None, f"{name}.rise_s": None, **single}
    mean = float(late.mean())
    above = over_time[over_time >= mean]
    return {
        f"{name}.cwnd": mean,
        f"{name}.rise_s": max(0.0, float(above.index[0]) - start_s),
        **single,
    }
