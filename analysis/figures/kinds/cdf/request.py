"""The request of a figure of kind `cdf`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import Criterion, FigureRequest
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Cdf(FigureRequest):
    """Cumulative distributions of a metric.

    metric : the metric of the curves
    part : the part of a run whose metric is shown; None for the whole
    criterion : the difference whose sign splits the runs
    by : the factor whose values have a panel each
    case : the one case that is shown; None for all
    """

    kind: ClassVar[str] = "cdf"
    summary: ClassVar[str] = (
        "cumulative distributions of a metric, split by the sign of a difference"
    )

    metric: str
    part: str | None = None
    criterion: Criterion | None = None
    by: str | None = None
    case: str | None = None

    @property
    def words(self) -> str:
        return (
            "distribution of "
            + words.metric(self.metric)
            + words.of_part(self.part)
            + words.sorted_by(self.criterion, "by the sign of")
            + words.by(self.by)
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return (
            "cdf",
            self.part,
            self.metric,
            *words.criterion_parts(self.criterion, self.by),
        )
