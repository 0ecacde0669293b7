"""The request of a figure of kind `scatter`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import Criterion, FigureRequest, Labels, Theory
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Scatter(FigureRequest):
    """A metric against a criterion or a factor, one mark per network.

    metric : the metric of the marks
    part : the part of a run whose metric is shown; None for the whole
    by : the factor at the horizontal axis
    criterion : the criterion at the horizontal axis, in place of a factor
    panels : a factor, whose values have a panel each
    case : the one case that is shown; None for all
    log : the axes with a logarithmic scale, "x", "y" or "both"
    labels : at the axes, in place of the usual words
    title : in place of the usual title
    theory : models that are shown beside the metric
    """

    kind: ClassVar[str] = "scatter"
    summary: ClassVar[str] = (
        "a metric against a criterion or a factor, one mark per network"
    )

    metric: str
    part: str | None = None
    by: str | None = None
    criterion: Criterion | None = None
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
            + words.sorted_by(self.criterion)
            + words.by(self.by)
            + (f" and {words.spaced(self.panels)}" if self.panels else "")
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return (
            "scatter",
            self.part,
            self.metric,
            *words.criterion_parts(self.criterion, self.by, self.log),
            *(("panels", self.panels) if self.panels else ()),
        )
