"""Tables in Markdown."""

from collections.abc import Iterator, Sequence

import pandas as pd


def markdown(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int | None = None
) -> Iterator[str]:
    """The lines of a table, and the empty line after it.

    numbers_from : columns from here on are set to the right; None for none
    """
    right = len(head) if numbers_from is None else numbers_from
    rule = ["---" if i < right else "---:" for i in range(len(head))]
    for cells in (head, rule, *rows):
        yield "| " + " | ".join(_cell(cell) for cell in cells) + " |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def quartiles(values: pd.Series) -> str:
    """`median (first to third quartile)`; a dash where nothing is known."""
    known = values.dropna().astype(float)
    if known.empty:
        return "-"
    low, middle, high = known.quantile([0.25, 0.5, 0.75])
    return f"{digits(middle)} ({digits(low)} to {digits(high)})"


def digits(value: float) -> str:
    """Three digits that count, the last of them even if it is 0."""
    return f"{value:#.3g}".removesuffix(".")
