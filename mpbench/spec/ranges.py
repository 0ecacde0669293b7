"""Ranges of names: `access1..3` stands for three names, `A..E` for five."""

import re

MOST_NAMES = 1000
"""Names that a range may stand for."""

_RANGE = re.compile(r"(?P<head>[A-Za-z_][A-Za-z0-9_]*?)(?P<low>[0-9]+)\.\.(?P<high>.*)")
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])")


def names(text: str) -> list[str]:
    """The names that a text stands for: one, unless it is a range.

    A range goes down if its first number is the larger one. Raises ValueError, in one
    line, for a text with `..` that is no range.
    """
    if ".." not in text:
        return [text]
    letters = _LETTERS.fullmatch(text)
    if letters:
        low, high = (ord(letter) for letter in letters.groups())
        if letters[1].isupper() != letters[2].isupper():
            raise ValueError(f"'{text}' mixes capital and small letters")
        return [chr(number) for number in _between(low, high)]
    match = _RANGE.fullmatch(text)
    if match is None or not re.fullmatch("[0-9]{1,6}", match["high"]):
        raise ValueError(f"'{text[:60]}' is not a range such as access1..3 or A..E")
    if any(len(end) > 1 and end[0] == "0" for end in (match["low"], match["high"])):
        raise ValueError(f"'{text}': numbers of a range do not begin with 0")
    if len(match["low"]) > 6 or abs(int(match["low"]) - int(match["high"])) >= (
        MOST_NAMES
    ):
        raise ValueError(f"'{text[:60]}' is more than {MOST_NAMES} names; give fewer")
    ends = int(match["low"]), int(match["high"])
    return [f"{match['head']}{number}" for number in _between(*ends)]


def _between(low: int, high: int) -> range:
    """All numbers from one to another, ends included, up or down."""
    step = 1 if low <= high else -1
    return range(low, high + step, step)
