"""The request of a figure of kind `over_time`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest, Span, Theory
from analysis.figures import words
from analysis.run import quantities


@dataclass(frozen=True, kw_only=True)
class OverTime(FigureRequest):
    """Quantities of single runs over time.

    quantities : names that analysis.run.quantities.of knows, a panel each
    case : the one case that is shown; None for all
    users : hosts whose data are shown; None for all
    span : the time that is shown; None for all of it
    events : kinds of events that are marked (`analysis.run.marks`); None for all
    average : length in s of the stretches whose means are shown; None for no mean
    point : number of the design point
    repetition : number of the repetition
    theory : models that are shown beside the quantities
    """

    kind: ClassVar[str] = "over_time"
    summary: ClassVar[str] = "what single runs did over time"

    quantities: tuple[str, ...]
    case: str | None = None
    users: tuple[str, ...] | None = None
    span: Span | None = None
    events: tuple[str, ...] | None = None
    average: float | None = None
    point: int = 0
    repetition: int = 0
    theory: tuple[Theory, ...] | None = None

    @property
    def words(self) -> str:
        shown = words.listed([quantities.of(name).words for name in self.quantities])
        return (
            f"{shown} over time"
            + words.of_users(self.users)
            + (f", point {self.point}" if self.point else "")
            + (f", repetition {self.repetition}" if self.repetition else "")
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return (
            "over-time",
            *self.quantities,
            *(self.users or ()),
            *words.point_parts(self.point, repetition=self.repetition),
        )
