"""The objects that tools loaded in single runs, with their times."""

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.campaign.campaign import Campaign
from analysis.figures.data import point_rows
from analysis.figures.drawn_figure import PageText, UndrawableError
from analysis.figures.kinds.waterfall.request import Waterfall
from analysis.run import artefacts, tools
from analysis.run.artefacts import Artefacts
from analysis.run.tools import Stay

READING = (
    "Each bar is an object, in the order of the list. Its light part is the wait for a"
    " connection and for the first byte, and its dark part the time in which its bytes"
    " arrived. An object that did not arrive has none."
)


@dataclass(frozen=True, kw_only=True)
class WaterfallData(PageText):
    """stays : by case the objects in the order of the list; None for one that did not
    arrive"""

    stays: Mapping[str, tuple[Stay | None, ...]]


def data(request: Waterfall, campaign: Campaign) -> WaterfallData:
    """The objects of the runs of one point and repetition, one panel per case."""
    rows, folder = point_rows(campaign, request.point, request.case)
    rows = rows[rows["repetition"] == request.repetition]
    found = {}
    for case, run_id in zip(rows["case"], rows["id"], strict=True):
        try:
            run = artefacts.load(folder / str(run_id))
        except (OSError, ValueError) as error:
            raise UndrawableError(f"{run_id}: {error}") from error
        if stays := _stays(run, request):
            found[str(case)] = stays
    where = f"point {request.point}, repetition {request.repetition}"
    if not any(stay for stays in found.values() for stay in stays):
        raise UndrawableError(f"no tool of {where} loads objects; page and sync do")
    missing = [
        f"{stays.count(None)} of {len(stays)} of {case}"
        for case, stays in found.items()
        if None in stays
    ]
    late = f" Objects that did not arrive: {', '.join(missing)}." if missing else ""
    return WaterfallData(
        stays=found,
        note=f"The figure shows {where}.{late}",
        reading=READING,
        runs=tuple(zip(rows["case"].map(str), rows["id"].map(str), strict=True)),
    )


def _stays(run: Artefacts, request: Waterfall) -> tuple[Stay | None, ...]:
    found: list[Stay | None] = []
    for entry, report in zip(run.traffic, run.reports, strict=True):
        stays = tools.has(entry, "stays")
        shown = not request.users or set(entry.sources) & set(request.users)
        if stays is not None and report is not None and shown:
            found += stays(entry, report)
    return tuple(found)
