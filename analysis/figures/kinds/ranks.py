"""Single flows, or single links, of a network in the order of a metric, by rank."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import RANKED, FigureRequest
from analysis.figures import style
from analysis.figures.data import ok_runs
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.titles import title
from analysis.run import artefacts, metrics
from analysis.run.artefacts import Artefacts
from analysis.run.connections import Flow
from analysis.run.flow_times import completion_s
from analysis.run.observed_links import Direction, read_back

HEIGHT_INCHES = 2.8
LABELS = {
    "flow_goodput": ("flows", "goodput of the flow [Mbit/s]"),
    "loss_probability": ("links and directions", "loss [% of packets]"),
}


def draw(
    request: FigureRequest, campaign: Campaign, target: style.Target
) -> DrawnFigure:
    """One curve per case: the values of all flows, or of all links, from the least on.

    All repetitions of the point count. The horizontal axis is the rank over the number
    of values, because cases can have different numbers. `users` selects flows by the
    hosts that open them.
    """
    if request.metric not in RANKED:
        raise UndrawableError(f"ranks of {' and '.join(RANKED)} alone can be drawn")
    if campaign.folder is None:
        raise UndrawableError("the runs' own files are not there")
    runs = ok_runs(campaign)
    rows = runs[runs["point"] == request.point]
    if request.case is not None:
        rows = rows[rows["case"] == request.case]
    curves: dict[str, list[float]] = {}
    for case, run_id in zip(rows["case"], rows["id"], strict=True):
        values = _values(campaign.folder / str(run_id), request)
        curves.setdefault(str(case), []).extend(values)
    curves = {case: sorted(values) for case, values in curves.items() if values}
    if not curves:
        what, _ = LABELS[request.metric]
        raise UndrawableError(f"point {request.point} has no {what}")
    if len(curves) > style.MOST_SERIES:
        reason = f"{len(curves)} curves, of which only {style.MOST_SERIES} can look"
        raise UndrawableError(f"{reason} different; name a case")
    _plot(curves, request, style.case_numbers(campaign.runs["case"]), target)
    return DrawnFigure(title(request), target.name, _note(curves, request))


def _values(folder: Path, request: FigureRequest) -> list[float]:
    try:
        run = artefacts.load(folder)
        return list(_OF[request.metric or ""](run, request))
    except (OSError, ValueError) as error:
        raise UndrawableError(f"{folder.name}: {error}") from error


def _goodputs_mbps(run: Artefacts, request: FigureRequest) -> list[float]:
    """Of every flow: a size over its completion time, or else bytes over its own time.
    A flow with a size that did not complete has 0."""
    return [
        _goodput_mbps(flow)
        for entry, report in zip(run.job.traffic, run.reports, strict=True)
        if entry.flows is not None
        and (not request.users or set(entry.sources) & set(request.users))
        for flow in report.flows
    ]


def _goodput_mbps(flow: Flow) -> float:
    if flow.size is None:
        seconds, moved = flow.ended_s - flow.start_s, flow.received_bytes
    else:
        seconds, moved = completion_s(flow) or 0.0, flow.size
    return metrics.goodput_mbps(moved, seconds) if seconds else 0.0


def _losses_percent(run: Artefacts, _: FigureRequest) -> list[float]:
    """Of every link and direction that packets reached."""
    ends = [replace(end, link=str(at)) for at, end in enumerate(run.outcome.links)]
    links = read_back(ends, run.qdiscs)
    found = map(_loss, (way for one in links for way in (one.forward, one.backward)))
    return [100 * loss for loss in found if loss is not None]


def _loss(way: Direction) -> float | None:
    """The share of the packets that reached the link and were lost there, 0-1."""
    dropped = way.queue_drops + way.other_drops
    return dropped / (dropped + way.packets) if dropped + way.packets else None


_OF: Mapping[str, Callable[[Artefacts, FigureRequest], Sequence[float]]] = {
    "flow_goodput": _goodputs_mbps,
    "loss_probability": _losses_percent,
}


def _note(curves: Mapping[str, Sequence[float]], request: FigureRequest) -> str:
    what, _ = LABELS[request.metric or ""]
    counts = {len(values) for values in curves.values()}
    number = f": {counts.pop()} values per case" if len(counts) == 1 else ""
    return (
        f"The figure shows all {what} of point {request.point} in all repetitions, "
        f"over whole runs{number}."
    )


def _plot(
    curves: Mapping[str, Sequence[float]],
    request: FigureRequest,
    numbers: dict[str, int],
    target: style.Target,
) -> None:
    what, words = LABELS[request.metric or ""]
    with style.styled(target.look):
        figure, axes = style.panels(1)
        axis = axes[0]
        for case, values in curves.items():
            ranks = 100 * np.arange(1, len(values) + 1) / len(values)
            axis.step(
                ranks,
                values,
                where="pre",
                color=style.colour(numbers[case]),
                ls=style.dash(numbers[case], len(numbers)),
                lw=1.5,
                label=f"{case} (n = {len(values)})",
            )
        if request.log in ("y", "both"):
            axis.set_yscale("log")
        else:
            axis.set_ylim(bottom=0)
        if request.log in ("x", "both"):
            axis.set_xscale("log")
        else:
            axis.set_xlim(0, 100)
        axis.set_xlabel(f"rank [% of {what}]")
        axis.set_ylabel(words)
        style.size_single(figure, axis, HEIGHT_INCHES, target.look)
        style.save(figure, target)
