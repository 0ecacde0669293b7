"""Values of JSON files that guests and programs wrote, each checked for its type.

A stranger may have written the file. Each function raises ValueError, with one line,
for a value that is not what it says.
"""

import math
from collections.abc import Mapping
from typing import Any

MOST_DIGITS = 20
MOST_COUNT = 2**64 - 1
"""The greatest number that a counter of Linux can have."""


def integer(text: str) -> int:
    """The integer in JSON, for `json.loads`."""
    if len(text) <= MOST_DIGITS + 1 and abs(value := int(text)) <= MOST_COUNT:
        return value
    raise ValueError("a number of more than 64 bits")


def decimal(text: str) -> float:
    """The number with a fraction or an exponent in JSON, for `json.loads`."""
    if math.isfinite(value := float(text)):
        return value
    raise ValueError(f"{text[:40]} is too large for a number")


def constant(word: str) -> Any:
    """NaN and Infinity, for `json.loads`: neither is JSON."""
    raise ValueError(f"{word} is not a number")


def whole(value: object) -> int:
    """A whole number; some programs write it with a fraction of 0."""
    if type(value) is float and value.is_integer() and abs(value) <= MOST_COUNT:
        return int(value)
    if type(value) is not int:
        raise ValueError(f"{shown(value)} is not a whole number")
    return value


def count(value: object) -> int:
    """A whole number, 0 or more."""
    if (found := whole(value)) < 0:
        raise ValueError(f"{found} is negative")
    return found


def real(value: object) -> float:
    """A finite number."""
    if type(value) not in (int, float) or not math.isfinite(value):  # type: ignore[arg-type]
        raise ValueError(f"{shown(value)} is not a number")
    return float(value)  # type: ignore[arg-type]


def time(value: object) -> float:
    """A finite number, 0 or more."""
    try:
        found = real(value)
    except ValueError as error:
        raise ValueError(f"{shown(value)} is not a time") from error
    if found < 0:
        raise ValueError(f"{found} is not a time")
    return found


def real_or_none(value: object) -> float | None:
    return None if value is None else real(value)


def text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not text")
    return value


def text_or_none(value: object) -> str | None:
    return None if value is None else text(value)


def listed(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{shown(value)} is not a list")
    return value


def mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{shown(value)} is not an object")
    return value


def shown(value: object) -> str:
    """A value in a message, without the content of what can be long."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return repr(value)[:40]
