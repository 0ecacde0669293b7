"""Text of the numbers in pages and figures."""

import numpy as np
import pandas as pd


def digits(value: float) -> str:
    """The number with three significant digits. A last digit of 0 is kept.

    Only a number from a million on, or below 0.0001, has an exponent.
    """
    text = f"{value:#.3g}".removesuffix(".")
    return f"{float(text):.0f}" if "e" in text and 1 <= abs(value) < 1e6 else text


def short(value: float, figures: int = 3, sign: str = "") -> str:
    """The number with significant digits, and without zeros at its end.

    figures : up to 6; sign : `+` writes it before positive numbers, too

    Only a number from a million on, or below 0.0001, has an exponent. No zero has a
    minus, which differences of equal numbers can leave.
    """
    return f"{float(f'{value:.{figures}g}') + 0.0:{sign}.6g}"


def bytes_text(number: float) -> str:
    """Bytes with three significant digits: 65536 are 65.5 kB."""
    for step, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if abs(number) >= step:
            return f"{short(number / step)} {name}"
    return f"{short(number)} B"


def quartiles(values: pd.Series) -> str:
    """`median (first to third quartile)`, or a dash where every value is missing.

    A single value stands alone: it has no quartiles.
    """
    known = values.dropna().astype(float)
    if known.empty:
        return "-"
    if len(known) == 1:
        return digits(known.iloc[0])
    low, middle, high = known.quantile([0.25, 0.5, 0.75])
    return f"{digits(middle)} ({digits(low)} to {digits(high)})"


def weighted_quartiles(values: pd.Series, weights: pd.Series) -> str:
    """As `quartiles`, but a value counts as much as its weight says.

    values, weights : shape (n,); weights are at least 0

    A quantile q is the least value at or below which lies a share of q of the weight,
    on a line through the middles of the weights, so that equal weights give nearly
    the plain quartiles. Values that are missing or have no weight take no part.
    """
    known = values.notna() & (weights > 0)
    if not known.any():
        return "-"
    order = values[known].astype(float).argsort(kind="stable")
    sorted_values = values[known].astype(float).to_numpy()[order]
    sorted_weights = weights[known].to_numpy()[order]
    middles = (sorted_weights.cumsum() - sorted_weights / 2) / sorted_weights.sum()
    low, middle, high = np.interp([0.25, 0.5, 0.75], middles, sorted_values)
    return f"{digits(middle)} ({digits(low)} to {digits(high)})"


def is_number(frame: pd.DataFrame, column: str) -> bool:
    """Whether the table has the column and the column holds numbers."""
    return column in frame.columns and pd.api.types.is_numeric_dtype(frame[column])
