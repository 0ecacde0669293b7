"""The request of a figure of kind `heat_map`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest, Labels
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class HeatMap(FigureRequest):
    """The median of a metric over two factors, one map per case.

    metric : the metric of the cells
    by : the factor at the horizontal axis
    versus : the factor at the vertical axis
    batches : ranges of a factor that has more values than fit into a map
    part : the part of a run whose metric is shown; None for the whole
    over : a case; the maps show the difference from it in the same network
    case : the one case that is shown; None for all
    labels : at the axes, in place of the usual words
    title : in place of the usual title
    """

    kind: ClassVar[str] = "heat_map"
    summary: ClassVar[str] = "the median of a metric over two factors, one map per case"

    metric: str
    by: str
    versus: str
    batches: int = 5
    part: str | None = None
    over: str | None = None
    case: str | None = None
    labels: Labels | None = None
    title: str | None = None

    @property
    def words(self) -> str:
        return (
            words.metric(self.metric)
            + words.of_part(self.part)
            + (f", difference from {self.over}," if self.over else "")
            + words.by(self.by)
            + f" and {words.spaced(self.versus)}"
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        over = f"over-{self.over}" if self.over else None
        return ("heat-map", self.part, self.metric, self.by, self.versus, over)
