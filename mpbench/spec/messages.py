"""Messages of a bounded length, whatever an experiment file holds."""

from collections.abc import Sequence

MOST_FAULTS = 50
"""A message lists at most this many faults."""

MOST_CHARACTERS = 1200
"""A longer line loses its middle."""


def shortened(value: object, most: int = 80) -> str:
    """A value as a message quotes it: on one line, and cut if it is long."""
    try:
        text = str(value)
    except ValueError:  # Python prints no integer of more than 4,300 digits
        return "a number of thousands of digits"
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 3]}..."


def listing(lines: Sequence[str], found: int | None = None) -> str:
    """The first faults, one per line, and how many more there are.

    found : how many faults there are, if `lines` does not hold all of them
    """
    shown = [_line(line) for line in lines[:MOST_FAULTS]]
    more = (len(lines) if found is None else found) - len(shown)
    if more > 0:
        shown.append(f"... and {more} more; put these right first")
    return "\n".join(shown)


def _line(text: str) -> str:
    half = MOST_CHARACTERS // 2
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:half]} ... {text[-half:]}"


def not_a_list(value: object) -> str:
    """Advice where a file has `value` in place of a list."""
    if isinstance(value, dict):
        return "expected a list; begin each entry with '- '"
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return f"expected a list; write [{shortened(value)}]"
    return "expected a list, such as [a, b]"
