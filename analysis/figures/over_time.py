"""Figures of single runs over time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from analysis.figures import timelines
from analysis.figures.drawn import Drawn, title
from analysis.figures.labels import label
from analysis.figures.request import UndrawableError, Wanted
from analysis.figures.style import Target
from analysis.run import artefacts, series
from analysis.run.artefacts import Artefacts
from analysis.run.quantities import QUANTITIES


def draw(
    wanted: Wanted,
    good: pd.DataFrame,
    factors: Sequence[str],
    folder: Path | None,
    target: Target,
) -> Drawn:
    """The runs of one point and repetition, a case beside another.

    good : rows of the table that are ok; factors : columns that the design varies
    folder : with a folder a run, by its id
    """
    if folder is None:
        raise UndrawableError("the runs' own files are not there")
    place = (good["point"] == wanted.point) & (good["repetition"] == wanted.repetition)
    rows = good[place]
    if wanted.case is not None:
        rows = rows[rows["case"] == wanted.case]
    where = f"point {wanted.point}, repetition {wanted.repetition}"
    if rows.empty:
        raise UndrawableError(f"no run of {where} is ok")
    panels: list[timelines.Panel] = []
    for case, name in zip(rows["case"], rows["id"], strict=True):
        try:
            run = artefacts.load(folder / str(name))
            panels += _panels(wanted, str(case), run, folder / str(name) / "artefacts")
        except (OSError, ValueError) as error:
            raise UndrawableError(f"{case}, {where}: {error}") from error
    end_s = max(float(line.times[-1]) for p in panels for line in p.lines.values())
    span = wanted.span or (0.0, end_s)
    phases = _within(run.job.phases, span)
    timelines.draw(panels, phases, span, target)
    at = ", ".join(f"{label(name)} {_digits(rows[name].iloc[0])}" for name in factors)
    note = f"Of {where}{f' ({at})' if at else ''}."
    if wanted.average_s:
        note += f" Means over {wanted.average_s:g} s."
    if phases:
        note += f" Shaded: {_named(phases)}."
    return Drawn(title(wanted), target.name, note)


def _panels(
    wanted: Wanted, case: str, run: Artefacts, folder: Path
) -> list[timelines.Panel]:
    if wanted.usual and len(run.job.traffic) == 1 and not run.job.phases:
        raise ValueError("one user and no phase")
    found = []
    for quantity in wanted.quantities:
        lines = series.lines(run, folder, quantity, wanted.users)
        averaged = {
            name: series.average(line, wanted.average_s) for name, line in lines.items()
        }
        axis = QUANTITIES[quantity].label
        found.append(timelines.Panel(case, quantity, axis, averaged))
    return found


def _within(
    phases: Mapping[str, tuple[float, float]], span: tuple[float, float]
) -> dict[str, tuple[float, float]]:
    """Those that part of the time shown is in, and part is not."""
    return {
        name: (start, end)
        for name, (start, end) in phases.items()
        if start < span[1] and end > span[0] and (start > span[0] or end < span[1])
    }


def _digits(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _named(phases: Mapping[str, tuple[float, float]]) -> str:
    return ", ".join(f"{name} from {a:g} to {b:g} s" for name, (a, b) in phases.items())
