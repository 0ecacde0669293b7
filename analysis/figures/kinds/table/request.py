"""The request of a figure of kind `table`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Table(FigureRequest):
    """Medians and quartiles of a metric, one row per case.

    metric : the metric of the cells
    part : the part of a run whose metric is shown; None for the whole
    by : the factor whose values are columns
    case : the one case that is shown; None for all
    """

    kind: ClassVar[str] = "table"
    summary: ClassVar[str] = "medians and quartiles of a metric, one row per case"
    formats: ClassVar[tuple[str, ...] | None] = ("pdf",)

    metric: str
    part: str | None = None
    by: str | None = None
    case: str | None = None

    @property
    def words(self) -> str:
        return (
            f"medians of {words.metric(self.metric)}"
            + words.of_part(self.part)
            + words.by(self.by)
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return ("table", self.part, self.metric, self.by)
