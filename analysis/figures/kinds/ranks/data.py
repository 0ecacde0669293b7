"""Values of single flows, or of single links, of a network, in order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import RANKED
from analysis.figures import palette, scales
from analysis.figures.data import check_distinct, point_rows
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.ranks.request import Ranks
from analysis.run import artefacts, metrics
from analysis.run.artefacts import Artefacts
from analysis.run.connections import Flow
from analysis.run.flow_times import completion_s
from analysis.run.observed_links import Direction, read_back

LABELS = {
    "flow_goodput": ("flows", "goodput of the flow [Mbit/s]"),
    "loss_probability": ("links and directions", "loss [% of packets]"),
}


@dataclass(frozen=True, kw_only=True)
class RanksData(PageText):
    """The values of each case, rising.

    labels : of the ranks and of the values
    numbers : the number of each case, for its colour
    log : the axes with a logarithmic scale
    """

    curves: Mapping[str, Sequence[float]]
    labels: tuple[str, str]
    numbers: Mapping[str, int]
    log: str | None


def data(request: Ranks, campaign: Campaign) -> RanksData:
    """One curve per case: the values of all flows, or of all links, from the least on.

    All repetitions of the point count. The horizontal axis is the rank over the number
    of values, because cases can have different numbers. `users` selects flows by the
    hosts that open them.
    """
    if request.metric not in RANKED:
        raise UndrawableError(f"ranks of {' and '.join(RANKED)} alone can be drawn")
    rows, folder = point_rows(campaign, request.point, request.case)
    curves: dict[str, list[float]] = {}
    for case, run_id in zip(rows["case"], rows["id"], strict=True):
        values = _values(folder / str(run_id), request)
        curves.setdefault(str(case), []).extend(values)
    curves = {case: sorted(values) for case, values in curves.items() if values}
    what, words = LABELS[request.metric]
    if not curves:
        raise UndrawableError(f"point {request.point} has no {what}")
    check_distinct(len(curves), "curves")
    return RanksData(
        curves=curves,
        labels=(f"rank [% of {what}]", words),
        numbers=palette.case_numbers(campaign.runs["case"]),
        log=scales.log_axes(request.log, (), chain(*curves.values())),
        note=_note(curves, request),
    )


def _values(folder: Path, request: Ranks) -> list[float]:
    try:
        run = artefacts.load(folder)
        return list(_OF[request.metric](run, request))
    except (OSError, ValueError) as error:
        raise UndrawableError(f"{folder.name}: {error}") from error


def _goodputs_mbps(run: Artefacts, request: Ranks) -> list[float]:
    """Of every flow: a size over its completion time, or else bytes over its own time.
    A flow with a size that did not complete has 0."""
    return [
        _goodput_mbps(flow)
        for entry, report in zip(run.traffic, run.reports, strict=True)
        if entry.flows is not None
        and report is not None
        and (not request.users or set(entry.sources) & set(request.users))
        for flow in report.flows
    ]


def _goodput_mbps(flow: Flow) -> float:
    if flow.size is None:
        seconds, moved = flow.ended_s - flow.start_s, flow.received_bytes
    else:
        seconds, moved = completion_s(flow) or 0.0, flow.size
    return metrics.goodput_mbps(moved, seconds) if seconds else 0.0


def _losses_percent(run: Artefacts, _: Ranks) -> list[float]:
    """Of every link and direction that packets reached."""
    ends = [replace(end, link=str(at)) for at, end in enumerate(run.outcome.links)]
    links = read_back(ends, run.qdiscs)
    found = map(_loss, (way for one in links for way in (one.forward, one.backward)))
    return [100 * loss for loss in found if loss is not None]


def _loss(way: Direction) -> float | None:
    """The share of the packets that reached the link and were lost there, 0-1."""
    dropped = way.queue_drops + way.other_drops
    return dropped / (dropped + way.packets) if dropped + way.packets else None


_OF: Mapping[str, Callable[[Artefacts, Ranks], Sequence[float]]] = {
    "flow_goodput": _goodputs_mbps,
    "loss_probability": _losses_percent,
}


def _note(curves: Mapping[str, Sequence[float]], request: Ranks) -> str:
    what, _ = LABELS[request.metric]
    counts = {len(values) for values in curves.values()}
    number = f": {counts.pop()} values per case" if len(counts) == 1 else ""
    return (
        f"The figure shows all {what} of point {request.point} in all repetitions, "
        f"over whole runs{number}."
    )
