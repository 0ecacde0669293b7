"""Marks in the annotations of records: what a value may be, beside its type.

A mark stands in `Annotated[type, mark]`. `jobs.reading` refuses values that a mark
excludes, and `jobs.schema` states the mark in the JSON Schema.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bounds:
    """The range of a number. None for an end that is not bounded.

    least, most : ends that are included
    above, below : ends that are excluded
    """

    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None

    def fault(self, value: float) -> str:
        """Reason why a number is outside; empty if it is within."""
        if self.least is not None and not value >= self.least:
            return f"Input should be greater than or equal to {self.least:.17g}"
        if self.above is not None and not value > self.above:
            return f"Input should be greater than {self.above:.17g}"
        if self.most is not None and not value <= self.most:
            return f"Input should be less than or equal to {self.most:.17g}"
        if self.below is not None and not value < self.below:
            return f"Input should be less than {self.below:.17g}"
        return ""


@dataclass(frozen=True)
class Length:
    """The number of items of a list or mapping, or of characters of a text."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class Matching:
    """A text that a pattern matches as a whole. what : the words of a refusal"""

    pattern: re.Pattern[str]
    what: str

    def __call__(self, value: str) -> None:
        if not self.pattern.fullmatch(value):
            raise ValueError(f"{value[:40]!r} is not {self.what}")


@dataclass(frozen=True)
class Among:
    """A text that is one of several."""

    words: tuple[str, ...]

    def __call__(self, value: str) -> None:
        if value not in self.words:
            raise ValueError(f"Input should be {one_of([*map(repr, self.words)])}")


def one_of(words: Sequence[str]) -> str:
    """`a, b or c`"""
    return " or ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


@dataclass(frozen=True)
class Checked:
    """A function that raises ValueError, in one line, for a value that cannot be."""

    function: Callable[[Any], object]

    def __call__(self, value: object) -> None:
        self.function(value)


@dataclass(frozen=True)
class Tagged:
    """The key of a union of records that says which of them it is."""

    key: str


@dataclass(frozen=True, eq=False)
class Registered:
    """The key of a record that says which of the registered ones it is.

    records : by the value of the key; looked up when a value is read
    """

    key: str
    records: Mapping[str, type]


@dataclass(frozen=True)
class Made:
    """A class that makes its value from a mapping itself.

    function : from the mapping to the value; raises ValueError for what cannot be.
        The value has a method `to_json` that makes the mapping again.
    """

    function: Callable[[Any], Any]


@dataclass(frozen=True)
class Key:
    """The key of a field in JSON, where it is a word of Python's."""

    key: str


@dataclass(frozen=True)
class Written:
    """Marks a field that may be missing in JSON, but that is always written there."""


WRITTEN = Written()
