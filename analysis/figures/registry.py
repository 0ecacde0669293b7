"""The kinds of figures. A new kind is a line here and a folder in `kinds/`.

The folder `kinds/NAME/` has three files:

request.py  the record of a request, with the keys of this kind alone
data.py     data(request, campaign): the values of the figure, and the text beside it
drawing.py  draw(data, look): the picture of these values; a table of text has none

`data` and `draw` raise UndrawableError, in words for the page, if the campaign lacks
what the figure needs. The records alone check experiment files, so a record loads
neither a table nor a drawing library.
"""

import importlib
from collections.abc import Iterator, Mapping

from analysis.campaign.figure_request import FigureRequest

NAMES = (
    "goodput",
    "histogram",
    "box",
    "cdf",
    "completion_times",
    "ranks",
    "groups",
    "line",
    "scatter",
    "trade_off",
    "heat_map",
    "cases",
    "table",
    "ratios",
    "model",
    "over_time",
    "waterfall",
)
"""The kinds, in the order of the documentation."""


class Kinds(Mapping[str, type[FigureRequest]]):
    """The record of each kind, which is loaded when it is asked for."""

    def __getitem__(self, name: str) -> type[FigureRequest]:
        if name not in NAMES:
            raise KeyError(name)
        module = importlib.import_module(f"{__package__}.kinds.{name}.request")
        return next(
            record
            for record in vars(module).values()
            if isinstance(record, type)
            and issubclass(record, FigureRequest)
            and getattr(record, "kind", None) == name
        )

    def __contains__(self, name: object) -> bool:
        return name in NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


KINDS: Mapping[str, type[FigureRequest]] = Kinds()
"""The record of each kind by the kind's name, in the order of the documentation."""
