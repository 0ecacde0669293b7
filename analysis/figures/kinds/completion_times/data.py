"""Completion times of all flows of a design point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.campaign.campaign import Campaign
from analysis.figures import palette, scales
from analysis.figures.data import check_distinct, point_rows
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.completion_times.request import CompletionTimes
from analysis.run import artefacts, tools
from analysis.run.artefacts import Artefacts
from analysis.run.flow_times import completion_s
from analysis.run.number_columns import words


@dataclass(frozen=True, kw_only=True)
class CompletionData(PageText):
    """Times of the flows of each case, at least one of which completed; or samples of
    a user's own tool.

    curves : a time in s per flow, None for a flow that did not complete; or samples
    numbers : the number of each case, for its colour
    log : the axes with a logarithmic scale
    label : of the values
    what : the things whose part is shown
    """

    curves: Mapping[str, Sequence[float | None]]
    numbers: Mapping[str, int]
    log: str | None
    label: str = "completion time [s]"
    what: str = "flows"


def data(request: CompletionTimes, campaign: Campaign) -> CompletionData:
    """One curve per case: the part of all flows of a point that completed in a time.

    All repetitions of the point count. Flows that did not complete count in the whole,
    so their curve ends below 1. `users` selects flows by the hosts that open them.
    """
    rows, folder = point_rows(campaign, request.point, request.case)
    curves: dict[str, list[float | None]] = {}
    for case, run_id in zip(rows["case"], rows["id"], strict=True):
        run = _run(folder / str(run_id))
        found = _samples(run, request) if request.samples else _times(run, request)
        curves.setdefault(str(case), []).extend(found)
    curves = {case: values for case, values in curves.items() if values}
    if all(value is None for values in curves.values() for value in values):
        what = request.samples or "flow"
        raise UndrawableError(f"no {what} of point {request.point} completed")
    check_distinct(len(curves), "curves")
    known = (value for values in curves.values() for value in values)
    times = [value for value in known if value is not None]
    log = scales.log_axes(request.log, times, ())
    numbers = palette.case_numbers(campaign.runs["case"])
    if request.samples:
        name, unit = words(request.samples)
        return CompletionData(
            curves=curves,
            numbers=numbers,
            log=log,
            label=f"{name} [{unit}]" if unit else name,
            what="samples",
            note=f"The figure shows all samples of point {request.point}.",
        )
    return CompletionData(
        curves=curves,
        numbers=numbers,
        log=log,
        note=_note(curves, request.point),
    )


def _run(folder: Path) -> Artefacts:
    """A run's artefacts; raises UndrawableError if they cannot be read."""
    try:
        return artefacts.load(folder)
    except (OSError, ValueError) as error:
        raise UndrawableError(f"{folder.name}: {error}") from error


def _samples(run: Artefacts, request: CompletionTimes) -> list[float | None]:
    """The samples of users' own tools under the name that the request has."""
    found: list[float | None] = []
    for entry, report in zip(run.traffic, run.reports, strict=True):
        samples = tools.has(entry, "samples")
        shown = not request.users or set(entry.sources) & set(request.users)
        if samples is not None and report is not None and shown:
            values = samples(entry, report).get(request.samples)
            found += [] if values is None else [float(value) for value in values]
    return found


def _times(run: Artefacts, request: CompletionTimes) -> list[float | None]:
    """The completion times of a run's flows that have a size."""
    return [
        completion_s(flow)
        for entry, report in zip(run.traffic, run.reports, strict=True)
        if entry.flow_bytes is not None
        and report is not None
        and (not request.users or set(entry.sources) & set(request.users))
        for flow in report.flows
    ]


def _note(curves: dict[str, list[float | None]], point: int) -> str:
    note = f"The figure shows all flows of point {point}."
    late = {case: sum(time is None for time in times) for case, times in curves.items()}
    unfinished = [f"{count} of {case}" for case, count in late.items() if count]
    if unfinished:
        note += f" Flows that did not complete: {', '.join(unfinished)}."
    return note
