"""The request of a figure of kind `line`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest, Labels, Theory
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Line(FigureRequest):
    """Means of a metric against a factor, one line per case.

    metric : the metric of the lines
    by : the factor at the horizontal axis
    part : the part of a run whose metric is shown; None for the whole
    panels : another factor, whose values have a panel each
    case : the one case that is shown; None for all
    log : the axes with a logarithmic scale, "x", "y" or "both"
    labels : at the axes, in place of the usual words
    title : in place of the usual title
    theory : models that are shown beside the metric
    """

    kind: ClassVar[str] = "line"
    summary: ClassVar[str] = (
        "means of a metric with intervals against a factor, one line per case"
    )

    metric: str
    by: str
    part: str | None = None
    panels: str | None = None
    case: str | None = None
    log: str | None = None
    labels: Labels | None = None
    title: str | None = None
    theory: tuple[Theory, ...] | None = None

    @property
    def words(self) -> str:
        return (
            words.metric(self.metric)
            + words.of_part(self.part)
            + words.by(self.by)
            + (f" and {words.spaced(self.panels)}" if self.panels else "")
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return (
            "line",
            self.part,
            self.metric,
            self.by,
            *(("panels", self.panels) if self.panels else ()),
            *(("log", self.log) if self.log else ()),
        )
