"""The request of a figure of kind `cases`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest, Labels, Theory
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Cases(FigureRequest):
    """Means of a metric of each case, for parts of a run side by side.

    metric : the metric of the marks
    parts : parts of a run, side by side; None for the whole
    case : the one case that is shown; None for all
    labels : at the axes, in place of the usual words
    title : in place of the usual title
    theory : models that are shown beside the metric
    """

    kind: ClassVar[str] = "cases"
    summary: ClassVar[str] = (
        "means of a metric with intervals, one group per case, for parts of a run"
    )

    metric: str
    parts: tuple[str, ...] | None = None
    case: str | None = None
    labels: Labels | None = None
    title: str | None = None
    theory: tuple[Theory, ...] | None = None

    @property
    def words(self) -> str:
        return words.metric(self.metric) + words.of_case(self.case)

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return ("cases", *(self.parts or ()), self.metric)
