"""The request of a figure of kind `model`."""

from dataclasses import dataclass
from typing import ClassVar

from analysis.campaign.figure_request import FigureRequest
from analysis.figures import words


@dataclass(frozen=True, kw_only=True)
class Model(FigureRequest):
    """Throughput of each path beside LIA's model.

    by : the factor at the horizontal axis
    case : the one case that is shown; None for all
    """

    kind: ClassVar[str] = "model"
    summary: ClassVar[str] = "throughput of each path beside LIA's model"

    by: str
    case: str | None = None

    @property
    def words(self) -> str:
        return (
            "throughput of each path and the model's"
            + words.by(self.by)
            + words.of_case(self.case)
        )

    @property
    def name_parts(self) -> tuple[str | None, ...]:
        return ("model", self.by)
