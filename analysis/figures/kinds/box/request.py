"""The request of a figure of kind `box`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import Criterion, FigureRequest
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Box(FigureRequest):
    """Boxes of a metric, one per batch of a criterion.

    metric : the metric of the boxes
    criterion : sorts the runs into batches
    part : the part of a run whose metric is shown; None for the whole
    batches : number of batches, 1 to 1000
    by : the factor whose values have a panel each
    case : the one case that is shown; None for all
    """

    kind: ClassVar[str] = "box"
    summary: ClassVar[str] = "boxes of a metric, one per batch of a criterion"

    metric: str
    criterion: Criterion
    part: str | None = None
    batches: int = 5
    by: str | None = None
    case: str | None = None

    @property
    def words(self) -> str:
        return (
            words.metric(self.metric)
            + words.of_part(self.part)
            + words.sorted_by(self.criterion)
            + words.by(self.by)
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return (
            self.part,
            self.metric,
            self.criterion.factor,
            self.by,
            "signed" if self.criterion.signed else None,
        )
