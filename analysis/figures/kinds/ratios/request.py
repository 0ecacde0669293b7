"""The request of a figure of kind `ratios`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Ratios(FigureRequest):
    """A metric of each case over that of one case, network by network.

    metric : the metric that is divided
    over : the case whose values the others are divided by
    part : the part of a run whose metric is shown; None for the whole
    case : the one case that is shown; None for all
    """

    kind: ClassVar[str] = "ratios"
    summary: ClassVar[str] = (
        "a metric of each case over that of one case, network by network"
    )
    formats: ClassVar[tuple[str, ...] | None] = ()

    metric: str
    over: str
    part: str | None = None
    case: str | None = None

    @property
    def words(self) -> str:
        return (
            f"{words.metric(self.metric)} of each case over {self.over}"
            + words.of_part(self.part)
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return ("ratios", self.part, self.metric, "over", self.over)
