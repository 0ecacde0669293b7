"""The kinds of figures. A new kind is a line here and a file in `kinds/`.

The file `kinds/NAME.py` has one function:

draw(request, campaign, target) -> DrawnFigure
    Draw the figure from the campaign's runs and save it at the target. Raises
    UndrawableError, in words for the page, if the campaign lacks what it takes.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.campaign.campaign import Campaign
    from analysis.campaign.figure_request import FigureRequest
    from analysis.figures.drawn_figure import DrawnFigure
    from analysis.figures.style import Target


@dataclass(frozen=True)
class Kind:
    """One kind of figure.

    name : as experiment files write it
    summary : what it shows, for documentation
    title : the title, in which {metric} and {quantities} are filled in
    needs, may : the keys of a request that it needs, and those that it may have
    prefix : the beginning of its files' names
    against : the words between title and criterion
    """

    name: str
    summary: str
    title: str
    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    prefix: str = ""
    against: str = "against"

    def draw(
        self, request: "FigureRequest", campaign: "Campaign", target: "Target"
    ) -> "DrawnFigure":
        """See the head of this file. Drawing libraries are loaded here, not before."""
        module: Any = importlib.import_module(f"analysis.figures.kinds.{self.name}")
        figure: DrawnFigure = module.draw(request, campaign, target)
        return figure


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "goodput",
            "bars for every design point, MPTCP beside TCP on each path, stacked",
            "goodput of each design point",
            may=("case",),
            prefix="goodput",
        ),
        Kind(
            "histogram",
            "histograms of the factors' values",
            "factors of the design",
            may=("factors", "batches"),
            prefix="factors",
        ),
        Kind(
            "box",
            "boxes of a metric, one per batch of a criterion",
            "{metric}",
            needs=("metric", "criterion"),
            may=("part", "batches", "by", "case"),
        ),
        Kind(
            "cdf",
            "cumulative distributions of a metric, split by the sign of a difference",
            "distribution of {metric}",
            needs=("metric",),
            may=("part", "criterion", "by", "case"),
            prefix="cdf",
            against="by the sign of",
        ),
        Kind(
            "completion_times",
            "cumulative distributions of the completion times of all flows of a point",
            "completion times of flows",
            may=("case", "users", "point", "log", "title"),
            prefix="completion-times",
        ),
        Kind(
            "ranks",
            "the goodput of all flows, or the loss of all links, of a point in order",
            "{metric} by rank",
            needs=("metric",),
            may=("case", "users", "point", "log", "title"),
            prefix="ranks",
        ),
        Kind(
            "groups",
            "boxes of a metric side by side, in groups by a factor or a criterion",
            "{metric}",
            needs=("metric",),
            may=("part", "by", "criterion", "batches", "case"),
            prefix="groups",
        ),
        Kind(
            "line",
            "means of a metric with intervals against a factor, one line per case",
            "{metric}",
            needs=("metric", "by"),
            may=("part", "panels", "case", "log", "labels", "title", "theory"),
            prefix="line",
        ),
        Kind(
            "scatter",
            "a metric against a criterion or a factor, one mark per network",
            "{metric}",
            needs=("metric",),
            may=("part", "by", "criterion", "case", "log", "labels", "title", "theory"),
            prefix="scatter",
        ),
        Kind(
            "cases",
            "means of a metric with intervals, one group per case, for parts of a run",
            "{metric}",
            needs=("metric",),
            may=("parts", "case", "labels", "title", "theory"),
            prefix="cases",
        ),
        Kind(
            "table",
            "medians and quartiles of a metric, one row per case",
            "medians of {metric}",
            needs=("metric",),
            may=("part", "by", "case"),
            prefix="table",
        ),
        Kind(
            "ratios",
            "a metric of each case over that of one case, network by network",
            "{metric} of each case over",
            needs=("metric", "over"),
            may=("part", "case"),
            prefix="ratios",
        ),
        Kind(
            "model",
            "throughput of each path beside LIA's model",
            "throughput of each path and the model's",
            needs=("by",),
            may=("case",),
            prefix="model",
        ),
        Kind(
            "over_time",
            "what single runs did over time",
            "{quantities} over time",
            needs=("quantities",),
            may=(
                *("case", "users", "span", "average", "point", "repetition"),
                "theory",
            ),
            prefix="over-time",
        ),
    )
}
"""Every kind by its name, in the order of the documentation."""
