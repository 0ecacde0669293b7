"""The request of a figure of kind `waterfall`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Waterfall(FigureRequest):
    """The objects of a page over time, one bar each, of single runs.

    case : the one case that is shown; None for all
    users : hosts whose objects are shown; None for all
    point : number of the design point
    repetition : number of the repetition
    title : in place of the usual title
    """

    kind: ClassVar[str] = "waterfall"
    summary: ClassVar[str] = "the objects of a page, or files, over time, one bar each"

    case: str | None = None
    users: tuple[str, ...] | None = None
    point: int = 0
    repetition: int = 0
    title: str | None = None

    @property
    def words(self) -> str:
        return (
            "objects over time" + words.of_users(self.users) + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        parts = words.point_parts(self.point, repetition=self.repetition)
        return ("waterfall", *(self.users or ()), *parts)
