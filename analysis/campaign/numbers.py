"""How pages and figures write the numbers of a table."""

import pandas as pd


def digits(value: float) -> str:
    """The number with three significant digits. A last digit of 0 is kept."""
    return f"{value:#.3g}".removesuffix(".")


def quartiles(values: pd.Series) -> str:
    """`median (first to third quartile)`, or a dash where every value is missing."""
    known = values.dropna().astype(float)
    if known.empty:
        return "-"
    low, middle, high = known.quantile([0.25, 0.5, 0.75])
    return f"{digits(middle)} ({digits(low)} to {digits(high)})"


def is_number(frame: pd.DataFrame, column: str) -> bool:
    """Whether the table has the column and the column holds numbers."""
    return column in frame.columns and pd.api.types.is_numeric_dtype(frame[column])
