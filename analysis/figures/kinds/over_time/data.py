"""Goodput, windows, rates and the like of single runs over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label
from analysis.figures.data import ok_runs
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.over_time import theory as over_theory
from analysis.figures.kinds.over_time.request import OverTime
from analysis.figures.theory_over_time import Expected
from analysis.run import (
    artefacts,
    capacity_lines,
    fair_shares,
    marks,
    quantities,
    series,
)
from analysis.run.artefacts import Artefacts
from analysis.run.capacity_lines import Outage
from analysis.run.explain import facts
from analysis.run.marks import Mark
from analysis.run.readers import job as job_file
from analysis.run.schedules import Steps
from analysis.run.series import Line

MOST_OUTAGES = 6
"""Outages that the note below a figure names."""
MOST_MARKS = 6
"""Events that the note names."""
CAPACITY, FAIR = "capacity", "fair share"


@dataclass(frozen=True)
class Panel:
    """One quantity of one case.

    label : of the ordinate
    lines : lines by name
    bounds : what a line could have over time, by the line's name
    bound : what this is, `capacity` or `fair share`
    outages : when a link has no capacity
    theory : what models say about the lines
    missing : why there are no lines; empty where there are
    marks : events of the connections, in the order of time
    silent : traffic entries that have no line, because their tools report none
    """

    case: str
    quantity: str
    label: str
    lines: Mapping[str, Line]
    bounds: Mapping[str, Steps]
    bound: str
    outages: Sequence[Outage]
    theory: Sequence[Expected]
    marks: Sequence[Mark] = ()
    missing: str = ""
    silent: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class OverTimeData(PageText):
    """The panels of a figure.

    panels : at least one; every case has the same quantities in the same order
    phases : start and end in s of what is shaded and named
    span : start and end in s of what is shown
    models : names of the models in the request's order
    """

    panels: Sequence[Panel]
    phases: Mapping[str, tuple[float, float]]
    span: tuple[float, float]
    models: Sequence[str]


def data(request: OverTime, campaign: Campaign) -> OverTimeData:
    """The runs of one point and repetition, one panel per case and quantity."""
    runs = ok_runs(campaign)
    if campaign.folder is None:
        raise UndrawableError("the runs' own files are not there")
    selected = (runs["point"] == request.point) & (
        runs["repetition"] == request.repetition
    )
    rows = runs[selected]
    if request.case is not None:
        rows = rows[rows["case"] == request.case]
    where = f"point {request.point}, repetition {request.repetition}"
    if rows.empty:
        raise UndrawableError(f"no run of {where} is ok")
    theory = {
        case: over_theory.of_case(request, campaign, case)
        for case in map(str, rows["case"])
    }
    over_theory.check(request, list(theory.values()))
    panels: list[Panel] = []
    for case, run_id in zip(rows["case"].map(str), rows["id"], strict=True):
        run_folder = campaign.folder / str(run_id)
        try:
            run = artefacts.load(run_folder)
            expected = theory[case].by_quantity
            panels += _panels(request, case, run, run_folder / "artefacts", expected)
        except (OSError, ValueError) as error:
            raise UndrawableError(f"{case}, {where}: {error}") from error
    panels, absent = _found(panels, request, where)
    end_s = max(float(line.times[-1]) for p in panels for line in p.lines.values())
    span = (request.span.start, request.span.end) if request.span else (0.0, end_s)
    phases = _partly_within(run.job.phases, span)
    factors = ", ".join(
        f"{label(name)} {_value(rows[name].iloc[0])}" for name in campaign.factors
    )
    note = f"The figure shows {where}{f' ({factors})' if factors else ''}."
    if request.average:
        note += f" The values are means over {request.average:g} s."
    if phases:
        note += f" The shaded phases are {_named(phases)}."
    note += (
        absent
        + _without_lines(panels)
        + _silent(panels)
        + _outages(panels, span)
        + _marked(panels, span)
        + over_theory.note(theory)
    )
    return OverTimeData(
        panels=panels,
        phases=phases,
        span=span,
        models=list(dict.fromkeys(each.words for each in request.theory or ())),
        note=note,
        runs=tuple(zip(rows["case"].map(str), rows["id"].map(str), strict=True)),
    )


def _found(
    panels: Sequence[Panel], request: OverTime, where: str
) -> tuple[list[Panel], str]:
    """The panels of the quantities that some case has, and sentences on the others.

    Raises UndrawableError if no case has any of them.
    """
    if all(panel.missing for panel in panels):
        cases = ", ".join(dict.fromkeys(panel.case for panel in panels))
        reasons = ", and ".join(dict.fromkeys(panel.missing for panel in panels))
        raise UndrawableError(f"{cases}, {where}: {reasons}")
    there = {panel.quantity for panel in panels if not panel.missing}
    absent = ""
    for quantity in dict.fromkeys(request.quantities):
        if quantity not in there:
            reason = next(p.missing for p in panels if p.quantity == quantity)
            absent += f" No panel shows {quantities.of(quantity).words}: {reason}."
    return [panel for panel in panels if panel.quantity in there], absent


def _without_lines(panels: Sequence[Panel]) -> str:
    """Sentences on the panels that are empty, one per reason; empty if none is."""
    cases: dict[str, list[str]] = {}
    for panel in panels:
        if panel.missing:
            cases.setdefault(panel.missing, []).append(panel.case)
    return "".join(
        f" No line for {', '.join(named)}: {reason}." for reason, named in cases.items()
    )


def _silent(panels: Sequence[Panel]) -> str:
    """A sentence on the traffic entries without a line; empty if there are none."""
    names = dict.fromkeys(name for panel in panels for name in panel.silent)
    if not names:
        return ""
    what = "its tool reports" if len(names) == 1 else "their tools report"
    return f" {', '.join(names)}: no line, because {what} no goodput over time."


def _outages(panels: Sequence[Panel], span: tuple[float, float]) -> str:
    """A sentence on the outages within the time shown; empty if there are none."""
    every = dict.fromkeys(outage for panel in panels for outage in panel.outages)
    shown = [o for o in every if o.begin_s < span[1] and o.end_s > span[0]]
    if not shown:
        return ""
    named = [f"{o.link} from {o.begin_s:g} to {o.end_s:g} s" for o in shown]
    more = len(named) - MOST_OUTAGES
    if more > 0:
        named[MOST_OUTAGES:] = [f"{more} more"]
    return f" The reddish stretches are outages: {', '.join(named)}."


def _marked(panels: Sequence[Panel], span: tuple[float, float]) -> str:
    """A sentence on the marks within the time shown; empty if there are none."""
    cases = dict.fromkeys(panel.case for panel in panels)
    first = {panel.case: panel for panel in reversed(panels)}
    named = [
        f"{mark.kind} at {mark.time_s:.1f} s ({mark.what}"
        f"{f', {case}' if len(cases) > 1 else ''})"
        for case in cases
        for mark in first[case].marks
        if span[0] <= mark.time_s <= span[1]
    ]
    if not named:
        return ""
    more = len(named) - MOST_MARKS
    if more > 0:
        named[MOST_MARKS:] = [f"{more} more"]
    return f" The marks are events: {', '.join(named)}."


def tells_much(campaign: Campaign) -> bool:
    """Whether a figure over time tells more than the goodput: several users or phases.

    A campaign whose runs' files are missing tells nothing over time.
    """
    runs = campaign.ok_runs
    if campaign.folder is None or runs.empty:
        return False
    try:
        job = job_file.read(campaign.folder / str(runs["id"].iloc[0]) / "job.json")
    except (OSError, ValueError):
        return False
    return len(job.traffic) > 1 or bool(job.phases)


def _panels(
    request: OverTime,
    case: str,
    run: Artefacts,
    folder: Path,
    theory: Mapping[str, Sequence[Expected]],
) -> list[Panel]:
    panels = []
    marked = marks.chosen(marks.marks(facts.load(folder.parent)), request.events)
    silent = series.unreported(run, request.users or ())
    for quantity in request.quantities:
        try:
            lines = series.lines(run, folder, quantity, request.users or ())
        except ValueError as error:  # other cases may have what this one lacks
            named = quantities.of(quantity).label
            panels.append(
                Panel(case, quantity, named, {}, {}, "", (), (), (), str(error))
            )
            continue
        averaged = {
            name: series.average(line, request.average) for name, line in lines.items()
        }
        until_s = max(float(line.times[-1]) for line in lines.values())
        bounds = capacity_lines.steps(run, quantity, request.users or (), until_s)
        bound = CAPACITY
        if quantity == "goodput" and not bounds:
            bounds, bound = dict(fair_shares.steps_of(run)), FAIR
        panels.append(
            Panel(
                case,
                quantity,
                quantities.of(quantity).label,
                averaged,
                bounds,
                bound,
                capacity_lines.outages(run, until_s),
                theory.get(quantity, ()),
                marked,
                silent=silent if quantity == "goodput" else (),
            )
        )
    return panels


def _partly_within(
    phases: Mapping[str, tuple[float, float]], span: tuple[float, float]
) -> dict[str, tuple[float, float]]:
    """The phases that cover a part of the time shown, and not all of it."""
    return {
        name: (start, end)
        for name, (start, end) in phases.items()
        if start < span[1] and end > span[0] and (start > span[0] or end < span[1])
    }


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _named(phases: Mapping[str, tuple[float, float]]) -> str:
    return ", ".join(f"{name} from {a:g} to {b:g} s" for name, (a, b) in phases.items())
