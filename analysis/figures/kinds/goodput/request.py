"""The request of a figure of kind `goodput`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Goodput(FigureRequest):
    """Goodput of each design point: MPTCP beside TCP on every path, stacked.

    case : the one case of MPTCP that is shown; None for all
    """

    kind: ClassVar[str] = "goodput"
    summary: ClassVar[str] = (
        "bars for every design point, MPTCP beside TCP on each path, stacked"
    )

    case: str | None = None

    @property
    def words(self) -> str:
        return "goodput of each design point" + words.of_case(self.case)

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return ("goodput",)
