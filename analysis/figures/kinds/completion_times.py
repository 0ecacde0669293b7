"""Cumulative distributions of the completion times of all flows of single networks."""

from pathlib import Path

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import style
from analysis.figures.data import ok_runs
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.titles import title
from analysis.run import artefacts
from analysis.run.connections import Flow
from analysis.run.flow_times import completion_s

HEIGHT_INCHES = 2.8


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One curve per case: the part of all flows of a point that completed in a time.

    All repetitions of the point count. Flows that did not complete count in the whole,
    so their curve ends below 1. `users` selects flows by the hosts that open them.
    """
    runs = ok_runs(campaign)
    if campaign.folder is None:
        raise UndrawableError("the runs' own files are not there")
    rows = runs[runs["point"] == request.point]
    if request.case is not None:
        rows = rows[rows["case"] == request.case]
    curves: dict[str, list[Flow]] = {}
    for case, run_id in zip(rows["case"], rows["id"], strict=True):
        flows = _flows(campaign.folder / str(run_id), request)
        curves.setdefault(str(case), []).extend(flows)
    curves = {case: flows for case, flows in curves.items() if flows}
    if not any(completion_s(flow) for flows in curves.values() for flow in flows):
        raise UndrawableError(f"no flow of point {request.point} completed")
    if len(curves) > style.MOST_SERIES:
        reason = f"{len(curves)} curves, of which only {style.MOST_SERIES} can look"
        raise UndrawableError(f"{reason} different; name a case")
    _plot(curves, request, style.case_numbers(campaign.runs["case"]), target)
    return DrawnFigure(title(request), target.name, _note(curves, request.point))


def _flows(folder: Path, request: FigureRequest) -> list[Flow]:
    """The flows of a run that have a size; raises UndrawableError if it has none."""
    try:
        run = artefacts.load(folder)
    except (OSError, ValueError) as error:
        raise UndrawableError(f"{folder.name}: {error}") from error
    return [
        flow
        for entry, report in zip(run.job.traffic, run.reports, strict=True)
        if entry.flow_bytes is not None
        and (not request.users or set(entry.sources) & set(request.users))
        for flow in report.flows
    ]


def _note(curves: dict[str, list[Flow]], point: int) -> str:
    note = f"The figure shows all flows of point {point}."
    late = {
        case: sum(completion_s(flow) is None for flow in flows)
        for case, flows in curves.items()
    }
    unfinished = [f"{count} of {case}" for case, count in late.items() if count]
    if unfinished:
        note += f" Flows that did not complete: {', '.join(unfinished)}."
    return note


def _plot(
    curves: dict[str, list[Flow]],
    request: FigureRequest,
    numbers: dict[str, int],
    target: style.Target,
) -> None:
    with style.styled(target.look):
        figure, axes = style.panels(1)
        axis = axes[0]
        for case, flows in curves.items():
            times = pd.Series([completion_s(flow) for flow in flows], dtype=float)
            steps = np.sort(times.dropna().to_numpy())
            shares = np.arange(1, len(steps) + 1) / len(flows)
            axis.step(
                steps,
                shares,
                where="post",
                color=style.colour(numbers[case]),
                ls=style.dash(numbers[case], len(numbers)),
                lw=1.5,
                label=f"{case} (n = {len(flows)})",
            )
        if request.log in ("x", "both"):
            axis.set_xscale("log")
        else:
            axis.set_xlim(left=0)
        axis.set_ylim(0, 1.02)
        axis.set_xlabel("completion time [s]")
        axis.set_ylabel("part of the flows")
        style.size_single(figure, axis, HEIGHT_INCHES, target.look)
        style.save(figure, target)
