"""Goodput, windows, rates and the like of single runs over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import label
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import style, theory_lines
from analysis.figures.data import ok_runs
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.theory_over_time import Expected
from analysis.figures.titles import title
from analysis.run import artefacts, capacity_lines, fair_shares, series
from analysis.run.artefacts import Artefacts
from analysis.run.capacity_lines import Outage
from analysis.run.job import read_job
from analysis.run.quantities import QUANTITIES
from analysis.run.schedules import Steps
from analysis.run.series import Line

PANEL_INCHES = (4.4, 1.9)
SIDE_BY_SIDE = 2
"""The most cases that stand side by side; of more cases, each has a row."""
SHADES = ("#EDEDED", "#DCDCDC")
OUTAGE = "#F9DDD0"
MOST_OUTAGES = 6
"""Outages that the note below a figure names."""
LINE_WIDTH = 0.8
CAPACITY, FAIR = "capacity", "fair share"
CAPACITY_DASHES = (0, (4, 2))


@dataclass(frozen=True)
class Panel:
    """One quantity of one case.

    label : of the ordinate
    lines : lines by name
    bounds : what a line could have over time, by the line's name
    bound : what this is, `capacity` or `fair share`
    outages : when a link has no capacity
    theory : what models say about the lines
    """

    case: str
    quantity: str
    label: str
    lines: Mapping[str, Line]
    bounds: Mapping[str, Steps]
    bound: str
    outages: Sequence[Outage]
    theory: Sequence[Expected]


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """The runs of one point and repetition, one case beside another."""
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
        case: theory_lines.of_case(request, campaign, case)
        for case in map(str, rows["case"])
    }
    theory_lines.check(request, list(theory.values()))
    panels: list[Panel] = []
    for case, run_id in zip(rows["case"].map(str), rows["id"], strict=True):
        run_folder = campaign.folder / str(run_id)
        try:
            run = artefacts.load(run_folder)
            expected = theory[case].by_quantity
            panels += _panels(request, case, run, run_folder / "artefacts", expected)
        except (OSError, ValueError) as error:
            raise UndrawableError(f"{case}, {where}: {error}") from error
    end_s = max(float(line.times[-1]) for p in panels for line in p.lines.values())
    span = (request.span.start, request.span.end) if request.span else (0.0, end_s)
    phases = _partly_within(run.job.phases, span)
    _plot(request, panels, phases, span, target)
    factors = ", ".join(
        f"{label(name)} {_value(rows[name].iloc[0])}" for name in campaign.factors
    )
    note = f"The figure shows {where}{f' ({factors})' if factors else ''}."
    if request.average:
        note += f" The values are means over {request.average:g} s."
    if phases:
        note += f" The shaded phases are {_named(phases)}."
    note += _outages(panels, span) + theory_lines.note(theory)
    return DrawnFigure(title(request), target.name, note)


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


def tells_much(campaign: Campaign) -> bool:
    """Whether a figure over time tells more than the goodput: several users or phases.

    A campaign whose runs' files are missing tells nothing over time.
    """
    runs = campaign.ok_runs
    if campaign.folder is None or runs.empty:
        return False
    try:
        job = read_job(campaign.folder / str(runs["id"].iloc[0]) / "job.json")
    except (OSError, ValueError):
        return False
    return len(job.traffic) > 1 or bool(job.phases)


def _panels(
    request: FigureRequest,
    case: str,
    run: Artefacts,
    folder: Path,
    theory: Mapping[str, Sequence[Expected]],
) -> list[Panel]:
    panels = []
    for quantity in request.quantities or ():
        lines = series.lines(run, folder, quantity, request.users or ())
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
                QUANTITIES[quantity].label,
                averaged,
                bounds,
                bound,
                capacity_lines.outages(run, until_s),
                theory.get(quantity, ()),
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


def _plot(
    request: FigureRequest,
    panels: Sequence[Panel],
    phases: Mapping[str, tuple[float, float]],
    span: tuple[float, float],
    target: style.Target,
) -> None:
    """Quantities below one another, and up to two cases side by side.

    Of more cases each has a row; of a single quantity, two stand in a row.

    panels : at least one; every case has the same quantities in the same order
    phases : start and end in s of what is shaded and named
    span : start and end in s of what is shown
    """
    cases = list(dict.fromkeys(panel.case for panel in panels))
    quantities = list(dict.fromkeys(panel.quantity for panel in panels))
    beside = len(cases) <= SIDE_BY_SIDE and not target.look.narrow
    if target.look.narrow:
        order, columns = panels, 1
    elif beside:
        order = [p for q in quantities for p in panels if p.quantity == q]
        columns = len(cases)
    else:
        order, columns = panels, len(quantities) if len(quantities) > 1 else 2
    rows = -(-len(order) // columns)
    names = dict.fromkeys(name for panel in panels for name in panel.lines)
    numbers = {name: number for number, name in enumerate(names)}
    models = list(dict.fromkeys(each.words for each in request.theory or ()))
    with style.styled(target.look):
        width, height = PANEL_INCHES
        figure = Figure(
            figsize=(width * columns, height * rows + 0.4), layout="constrained"
        )
        axes = list(figure.subplots(rows, columns, squeeze=False, sharex=True).flat)
        _share(axes, order)
        for place, (axis, panel) in enumerate(zip(axes, order, strict=False)):
            _panel(axis, panel, phases, span, numbers)
            theory_lines.draw(
                axis,
                panel.theory,
                list(panel.lines),
                models,
                span,
                lambda name: style.colour(numbers[name]),
            )
            if len(cases) > 1 and (place < columns or not beside):
                axis.set_title(panel.case, loc="left")
            if place + columns >= len(order):
                axis.set_xlabel("time [s]")
                axis.tick_params(labelbottom=True)
        for axis in axes[len(order) :]:
            axis.set_visible(False)
        _from_zero(axes, order)
        _legend(figure, models)
        style.save(figure, target)


def _share(axes: Sequence[Axes], order: Sequence[Panel]) -> None:
    """One ordinate for each quantity."""
    first: dict[str, Axes] = {}
    for axis, panel in zip(axes, order, strict=False):
        if panel.quantity in first:
            axis.sharey(first[panel.quantity])
        first.setdefault(panel.quantity, axis)


def _from_zero(axes: Sequence[Axes], order: Sequence[Panel]) -> None:
    """Once all is drawn, which the upper end of a shared ordinate goes by."""
    below = {
        panel.quantity
        for panel in order
        if any((line.values < 0).any() for line in panel.lines.values())
    }
    for axis, panel in zip(axes, order, strict=False):
        if panel.theory:  # whose highest level would cross the phases' names
            axis.margins(y=0.15)
        if panel.quantity not in below:
            axis.set_ylim(bottom=0)


def _panel(
    axis: Axes,
    panel: Panel,
    phases: Mapping[str, tuple[float, float]],
    span: tuple[float, float],
    numbers: Mapping[str, int],
) -> None:
    """numbers : the number of each line in the figure: one name has one colour."""
    axis.set_xlim(*span)
    for outage in panel.outages:
        axis.axvspan(outage.begin_s, outage.end_s, color=OUTAGE, lw=0, zorder=0.5)
    for number, (name, (start, end)) in enumerate(phases.items()):
        axis.axvspan(start, end, color=SHADES[number % len(SHADES)], lw=0, zorder=0)
        middle = (max(start, span[0]) + min(end, span[1])) / 2
        if span[0] < middle < span[1] and len(phases) > 1:
            axis.annotate(
                name,
                (middle, 1),
                xycoords=("data", "axes fraction"),
                ha="center",
                va="top",
                color="#606060",
                fontsize="small",
            )
    for name, line in panel.lines.items():
        inside = (line.times >= span[0]) & (line.times <= span[1])
        axis.plot(
            line.times[inside],
            line.values[inside],
            color=style.colour(numbers[name]),
            ls=style.DASHES[numbers[name] // len(style.SERIES) % len(style.DASHES)],
            lw=LINE_WIDTH,
            label=name,
        )
    for name, steps in panel.bounds.items():
        owner = next((line for line in panel.lines if _belongs(line, name)), None)
        if owner is not None:
            times = [time for time, _ in steps] + [max(span[1], steps[-1][0])]
            values = [value for _, value in steps] + [steps[-1][1]]
            axis.step(
                times,
                values,
                where="post",
                color=style.colour(numbers[owner]),
                ls=CAPACITY_DASHES,
                lw=LINE_WIDTH,
                alpha=0.8,
            )
    if panel.bounds:  # one entry of the legend for all of them
        axis.plot([], [], color=style.GREY, ls=CAPACITY_DASHES, label=panel.bound)
    axis.set_ylabel(panel.label)


def _belongs(line: str, name: str) -> bool:
    """Whether a line is of the path or entry `name`, perhaps of one of its subflows."""
    return line == name or line.startswith(f"{name} (")


def _legend(figure: Figure, last: Sequence[str]) -> None:
    """last : the names that stand at the end"""
    named: dict[str, Artist] = {}
    for axis in figure.axes:
        handles, names = axis.get_legend_handles_labels()
        named |= dict(zip(names, handles, strict=True))
    named |= {name: named.pop(name) for name in last if name in named}
    if len(named) > 1 or last:
        width = float(figure.get_size_inches()[0])
        columns = style.legend_columns(list(named), width - 0.4)
        legend = figure.legend(
            list(named.values()),
            list(named),
            loc="outside upper left",
            ncols=columns,
            frameon=False,
        )
        height = style.LEGEND_ROW_INCHES * -(-len(named) // columns)
        figure.set_size_inches(width, figure.get_size_inches()[1] + height)
        for handle in legend.get_lines():
            handle.set_linewidth(2)
