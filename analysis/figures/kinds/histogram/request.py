"""The request of a figure of kind `histogram`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest


@dataclass(frozen=True, kw_only=True)
class Histogram(FigureRequest):
    """Histograms of the factors' values.

    factors : the factors that are shown; None for all
    batches : number of bars of each, 1 to 1000
    """

    kind: ClassVar[str] = "histogram"
    summary: ClassVar[str] = "histograms of the factors' values"

    factors: tuple[str, ...] | None = None
    batches: int = 5

    @property
    def words(self) -> str:
        return "factors of the design"

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return ("factors",)
