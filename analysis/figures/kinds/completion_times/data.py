"""Completion times of all flows of a design point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.campaign.campaign import Campaign
from analysis.figures import palette
from analysis.figures.data import check_distinct, point_rows
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.completion_times.request import CompletionTimes
from analysis.run import artefacts
from analysis.run.connections import Flow
from analysis.run.flow_times import completion_s


@dataclass(frozen=True, kw_only=True)
class CompletionData(PageText):
    """The flows of each case, at least one of which completed.

    numbers : the number of each case, for its colour
    log : the axes with a logarithmic scale
    """

    curves: Mapping[str, Sequence[Flow]]
    numbers: Mapping[str, int]
    log: str | None


def data(request: CompletionTimes, campaign: Campaign) -> CompletionData:
    """One curve per case: the part of all flows of a point that completed in a time.

    All repetitions of the point count. Flows that did not complete count in the whole,
    so their curve ends below 1. `users` selects flows by the hosts that open them.
    """
    rows, folder = point_rows(campaign, request.point, request.case)
    curves: dict[str, list[Flow]] = {}
    for case, run_id in zip(rows["case"], rows["id"], strict=True):
        flows = _flows(folder / str(run_id), request)
        curves.setdefault(str(case), []).extend(flows)
    curves = {case: flows for case, flows in curves.items() if flows}
    if not any(completion_s(flow) for flows in curves.values() for flow in flows):
        raise UndrawableError(f"no flow of point {request.point} completed")
    check_distinct(len(curves), "curves")
    return CompletionData(
        curves=curves,
        numbers=palette.case_numbers(campaign.runs["case"]),
        log=request.log,
        note=_note(curves, request.point),
    )


def _flows(folder: Path, request: CompletionTimes) -> list[Flow]:
    """The flows of a run that have a size; raises UndrawableError if it has none."""
    try:
        run = artefacts.load(folder)
    except (OSError, ValueError) as error:
        raise UndrawableError(f"{folder.name}: {error}") from error
    return [
        flow
        for entry, report in zip(run.traffic, run.reports, strict=True)
        if entry.flow_bytes is not None
        and report is not None
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
