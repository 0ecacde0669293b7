"""The request of a figure of kind `completion_times`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest
from analysis.figures import words
from analysis.run.number_columns import words as samples_words


@dataclass(frozen=True, kw_only=True)
class CompletionTimes(FigureRequest):
    """Cumulative distributions of the completion times of all flows of a point.

    case : the one case that is shown; None for all
    users : hosts whose flows are shown; None for all
    samples : samples of a user's own tool that are shown in place of the times of
        flows, as `TOOL.NAME_UNIT`
    point : number of the design point
    log : the axes with a logarithmic scale, "x", "y" or "both"
    title : in place of the usual title
    """

    kind: ClassVar[str] = "completion_times"
    summary: ClassVar[str] = (
        "cumulative distributions of the completion times of all flows of a point"
    )

    case: str | None = None
    users: tuple[str, ...] | None = None
    samples: str | None = None
    point: int = 0
    log: str | None = None
    title: str | None = None

    @property
    def words(self) -> str:
        return (
            (
                f"distribution of {samples_words(self.samples)[0]}"
                if self.samples
                else "completion times of flows"
            )
            + words.of_users(self.users)
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return (
            "completion-times",
            self.samples,
            *(self.users or ()),
            *words.point_parts(self.point, self.log),
        )
