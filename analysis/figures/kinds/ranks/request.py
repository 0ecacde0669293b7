"""The request of a figure of kind `ranks`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Ranks(FigureRequest):
    """Single flows or links of a point in the order of a metric, by rank.

    metric : one of RANKED
    case : the one case that is shown; None for all
    users : hosts whose flows are shown; None for all
    point : number of the design point
    log : the axes with a logarithmic scale, "x", "y" or "both"
    title : in place of the usual title
    """

    kind: ClassVar[str] = "ranks"
    summary: ClassVar[str] = (
        "the goodput of all flows, or the loss of all links, of a point in order"
    )

    metric: str
    case: str | None = None
    users: tuple[str, ...] | None = None
    point: int = 0
    log: str | None = None
    title: str | None = None

    @property
    def words(self) -> str:
        return (
            f"{words.metric(self.metric)} by rank"
            + words.of_users(self.users)
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return (
            "ranks",
            *(self.users or ()),
            self.metric,
            *words.point_parts(self.point, self.log),
        )
