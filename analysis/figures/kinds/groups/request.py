"""The request of a figure of kind `groups`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import Criterion, FigureRequest
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Groups(FigureRequest):
    """Boxes of a metric side by side, in groups by a factor or a criterion.

    metric : the metric of the boxes
    part : the part of a run whose metric is shown; None for the whole
    by : the factor whose values are groups
    criterion : sorts the runs into batches, which are the groups, or with `by` the
        boxes of a group
    batches : number of batches, 1 to 1000
    case : the one case that is shown; None for all
    """

    kind: ClassVar[str] = "groups"
    summary: ClassVar[str] = (
        "boxes of a metric side by side, in groups by a factor or a criterion"
    )

    metric: str
    part: str | None = None
    by: str | None = None
    criterion: Criterion | None = None
    batches: int = 5
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
            "groups",
            self.part,
            self.metric,
            *words.criterion_parts(self.criterion, self.by),
        )
