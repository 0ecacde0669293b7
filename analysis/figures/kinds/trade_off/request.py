"""The request of a figure of kind `trade_off`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign import question
from analysis.campaign.figure_request import FigureRequest, Labels
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class TradeOff(FigureRequest):
    """A metric against another one, one mark per network and an ellipse per case.

    metric : at the vertical axis
    against : the metric at the horizontal axis
    part : the part of a run whose metrics are shown; None for the whole
    over : a case; a second panel shows both metrics divided by those of this case
    panels : a factor, whose values have a panel each, in place of the second panel
    case : the one case that is shown; None for all
    log : the axes with a logarithmic scale, "x", "y", "both" or "none"; None lets the
        values decide
    labels : at the axes, in place of the usual words
    title : in place of the usual title
    """

    kind: ClassVar[str] = "trade_off"
    summary: ClassVar[str] = (
        "a metric against another one, one mark per network and an ellipse per case"
    )

    metric: str
    against: str
    part: str | None = None
    over: str | None = None
    panels: str | None = None
    case: str | None = None
    log: str | None = None
    labels: Labels | None = None
    title: str | None = None

    @property
    def words(self) -> str:
        return (
            f"{question.metric_words(self.metric)} against"
            f" {question.metric_words(self.against)}"
            + words.of_part(self.part)
            + words.by(self.panels)
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return ("trade-off", self.part, self.metric, self.against, self.panels)
