"""Metrics of congestion windows over time, from a run's trace."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

from analysis.asked import Asked, Traffic

FILE = "trace.csv"
STEADY_PART = 0.5
"""The last part of a phase, whose mean window is what a subflow comes to."""


def columns(artefacts: Path, asked: Asked) -> dict[str, Any]:
    """Of each phase, and each path of a named entry that has its host for itself:

    PHASE.NAME.path<i>.cwnd : mean window in the second half of the phase, segments,
        of the mean of the path's subflows
    PHASE.NAME.path<i>.rise_s : time from the start of the phase to when that mean
        is first reached (Peng et al. 2016, Table V, with the mean after the change
        for "the average congestion window"); 0 where it was there already

    Nothing without a trace. Raises ValueError if the trace cannot be read.
    """
    if not asked.trace_s or not asked.phases:
        return {}
    from analysis.readers import trace

    frame = trace.data(trace.read(artefacts / FILE))
    found: dict[str, Any] = {}
    for entry in asked.traffic:
        alone = sum(entry.source == each.source for each in asked.traffic) == 1
        if entry.name is None or not alone:
            continue
        for phase, (start_s, end_s) in asked.phases.items():
            mine = _of(frame, entry, start_s, end_s)
            for path, windows in mine.groupby("path"):
                name = f"{phase}.{entry.name}.path{path}"
                found |= _one(name, windows, start_s, end_s)
    return found


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
    if late.empty:
        return {f"{name}.cwnd": None, f"{name}.rise_s": None}
    mean = float(late.mean())
    above = over_time[over_time >= mean]
    return {
        f"{name}.cwnd": mean,
        f"{name}.rise_s": max(0.0, float(above.index[0]) - start_s),
    }
