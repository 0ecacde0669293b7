"""Names and numbers in the sentences of an answer."""

from analysis.campaign import question
from analysis.campaign.answer import Answer, Contrast
from analysis.campaign.columns import column_of, plain
from analysis.campaign.sample_sizes import least_values

LEAST = least_values(0.95)
"""The networks that an interval needs."""
SMALLEST_PERCENT = 0.01
NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 12: "twelve"}


def observations(contrast: Contrast) -> str:
    """`network`, or `repetition` where one network was repeated."""
    repeated = contrast.sole and len(contrast.gains) > 1
    return "repetition" if repeated else "network"


def name_of(contrast: Contrast, answer: Answer) -> str:
    """The metric in words, with the traffic entry where several have their own."""
    columns = {c.column for c in answer.contrasts if c.metric == contrast.metric}
    words = question.metric_words(contrast.metric)
    entry = contrast.column.removesuffix(f".{column_of(contrast.metric)}")
    if len(columns) == 1:
        return words
    return (
        plain(contrast.column) if entry == contrast.column else f"{words} of `{entry}`"
    )


def amount(value: float, unit: str) -> str:
    """`12.3 %`: the size of a difference, without its sign; `2270 %` from 1000 on, and
    `under 0.01 %` instead of digits that no measurement has."""
    size = abs(value)
    if unit == "%" and 0 < size < SMALLEST_PERCENT:
        return f"under {SMALLEST_PERCENT:g} %"
    digits = f"{float(f'{size:.3g}'):.0f}" if size >= 999.5 else f"{size:.3g}"
    return f"{digits}{_unit(unit)}"


def raised(value: float, unit: str) -> str:
    """`12.3 % higher`, `4 % lower`: a difference that is not 0."""
    return f"{amount(value, unit)} {'higher' if value > 0 else 'lower'}"


def signed(value: float, unit: str) -> str:
    """`+12.3 %`, `-4 %`, `0 %`."""
    if unit == "%" and abs(value) < SMALLEST_PERCENT:
        return "0 %"
    sign = "+" if value > 0 else "-" if value < 0 else ""
    return f"{sign}{amount(value, unit)}"


def span(low: float, high: float, unit: str) -> str:
    """`9 to 15 % higher`, or `2 % lower to 9 % higher` where the signs differ."""
    if low >= 0 and high > 0:
        return f"{amount(low, '')} to {raised(high, unit)}"
    if high <= 0 and low < 0:
        return f"{amount(high, '')} to {raised(low, unit)}"
    if low == high == 0:
        return f"0 to {amount(0, unit)}"
    return f"{amount(low, unit)} lower to {amount(high, unit)} higher"


def counted(count: int, noun: str) -> str:
    """`1 network`, `12 networks`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""
