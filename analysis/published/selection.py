"""The selection of runs that a published statement is about."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_CONDITION = re.compile(r"(\S+?)\s*(<=|>=|!=|<|>|=)\s*(\S+)")


@dataclass(frozen=True)
class Selection:
    """Runs of a campaign that meet conditions.

    campaign : the campaign's name; "" for the campaign at hand
    conditions : a column, an operator, and a number or a word each
    """

    campaign: str = ""
    conditions: tuple[tuple[str, str, str], ...] = ()

    @property
    def cases(self) -> tuple[str, ...]:
        return tuple(v for c, how, v in self.conditions if (c, how) == ("case", "="))

    def of(self, runs: pd.DataFrame) -> pd.DataFrame:
        """The runs that meet all conditions; raises KeyError for a missing column."""
        for column, how, text in self.conditions:
            values = runs[column]
            right: object = text
            if pd.api.types.is_numeric_dtype(values):
                right = float(text)
            runs = runs[OPERATORS[how](values, right).fillna(False).astype(bool)]
        return runs


def read(text: str) -> Selection:
    """Read `bulk-low-bdp; case=lia; delay_difference_ms<0`.

    A campaign's name may come first; the rest are conditions. Raises ValueError for a
    part that is neither.
    """
    campaign = ""
    conditions = []
    for part in filter(None, map(str.strip, text.split(";"))):
        if found := _CONDITION.fullmatch(part):
            conditions.append((found[1], found[2], found[3]))
        elif re.fullmatch(r"[\w.-]+", part) and not campaign:
            campaign = part
        else:
            raise ValueError(f"{part!r} is no condition; write column<1 or column=word")
    return Selection(campaign, tuple(conditions))
