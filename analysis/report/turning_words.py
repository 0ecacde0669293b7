"""Sentences on the factor that decides between two cases, and where it turns round."""

from collections.abc import Iterator

from analysis.campaign import answer as answers
from analysis.campaign import question, turning
from analysis.campaign.answer import BETTER, SAME, UNDECIDED, WORSE, Answer, Contrast
from analysis.campaign.columns import plain, unit_of
from analysis.campaign.comparison import Interval
from analysis.campaign.directions import LESS
from analysis.campaign.numbers import bytes_text, short
from analysis.campaign.turning import Side, Split
from analysis.report.question_words import NUMBERS, counted, raised, span

OPPOSITE = {BETTER, WORSE}
MOST_TURNS = 3
"""So many sentences on where it turns round has the first paragraph."""


def raw(contrast: Contrast, gain: float) -> float:
    """A difference as it is, more above 0, of one that is better above 0."""
    return (-gain if contrast.good == LESS else gain) + 0.0


def raw_ends(contrast: Contrast, gain: Interval) -> tuple[float, float]:
    """The ends of an interval in the same way."""
    ends = [raw(contrast, end) for end in (gain.low or 0.0, gain.high or 0.0)]
    return min(ends), max(ends)


def sentences(contrast: Contrast, answer: Answer) -> Iterator[str]:
    """The factor that decides and the two sides; nothing if none was found."""
    split = contrast.turn
    if split is None:
        return
    margin = _margin(contrast, answer)
    outcomes = {answers.judged(s.gain, margin) for s in (split.low, split.high)}
    factor = _factor(split.factor)
    head = f"It depends on {factor}"
    if outcomes >= OPPOSITE:
        head = f"It turns round with {factor}"
    sides = [_side(contrast, split, high, margin) for high in (True, False)]
    yield f"{head}: {'; '.join(sides)}.{_sure(split)}"
    for high, side in ((True, split.high), (False, split.low)):
        if side.split is not None:
            inner = [_side(contrast, side.split, h, margin) for h in (True, False)]
            within = _condition(split, high)
            yield (
                f"{within[0].upper()}{within[1:]}, it depends on"
                f" {_factor(side.split.factor)} too: {'; '.join(inner)}."
            )


def summary(answer: Answer) -> Iterator[str]:
    """One sentence per comparison whose outcome is another one on each side.

    Of many, the first are told, and the rest is counted.
    """
    told = list(_turns(answer))
    yield from told[:MOST_TURNS]
    if len(told) > MOST_TURNS:
        more = counted(len(told) - MOST_TURNS, "further comparison")
        yield f"The outcome of {more} depends on a factor too."


def _turns(answer: Answer) -> Iterator[str]:
    for contrast in answer.contrasts:
        split = contrast.turn
        if split is None:
            continue
        margin = _margin(contrast, answer)
        high, low = (answers.judged(s.gain, margin) for s in (split.high, split.low))
        if high == low:
            continue
        words = question.metric_words(contrast.metric)
        above, below = _condition(split, True), _condition(split, False)
        yield (
            f"In {words}, `{contrast.case}` is {_told(high)} {above}, and"
            f" {_told(low)} {below}."
        )


def _told(outcome: answers.Outcome) -> str:
    return "the same" if outcome == SAME else outcome


def _margin(contrast: Contrast, answer: Answer) -> float:
    """The difference that counts as none, in the unit of the gains."""
    return answer.question.equal_within_percent if contrast.unit == "%" else 0.0


def without(answer: Answer) -> str:
    """A sentence on the comparisons for which no factor was found that decides."""
    rest = [each for each in answer.contrasts if each.turn is None and not each.sole]
    searched = [each for each in rest if each.searched]
    if searched:
        which = "any comparison"
        if len(rest) < len(answer.contrasts):
            which = "any other comparison"
        elif len(rest) == 1:
            which = "this comparison"
        least = min(len(each.gains) for each in searched)
        return (
            f"No factor of the design was found to decide {which}, as far as"
            f" {counted(least, 'network')} can show."
        )
    if rest:
        return (
            "Whether a factor of the design decides was not looked for: it needs"
            f" {NUMBERS[2 * turning.LEAST_SIDE]} networks with different values."
        )
    return ""


def _side(contrast: Contrast, split: Split, high: bool, margin: float) -> str:
    """The difference on one side of a split."""
    side: Side = split.high if high else split.low
    count = len(side.gains)
    middle = raw(contrast, side.gain.estimate)
    outcome = answers.judged(side.gain, margin)
    ends = raw_ends(contrast, side.gain)
    interval = f"{span(*ends, contrast.unit)}, {counted(count, 'network')}"
    where = _condition(split, high)
    if outcome == UNDECIDED:
        return f"{where}, undecided ({interval})"
    if outcome == SAME:
        return f"{where}, the same within {margin:g} % ({interval})"
    return f"{where}, {outcome}, {raised(middle, contrast.unit)} ({interval})"


def _condition(split: Split, high: bool) -> str:
    """`where path 1 delay is above 20 ms`; of a word, where it is that word."""
    factor = _factor(split.factor)
    if isinstance(split.at, str):
        return f"where {factor} is {'' if high else 'not '}{split.at}"
    number = _value(split.factor, split.at)
    return f"where {factor} is {'above' if high else 'at most'} {number}"


def _factor(column: str) -> str:
    return plain(column)


def _sure(split: Split) -> str:
    """The certainty of the factor and of its value, by redraws of the networks."""
    percent = round(100 * split.chosen)
    known = f" In {percent} % of redraws of the networks the same factor decides"
    if split.between is None or split.between[0] == split.between[1]:
        return f"{known}."
    low, high = split.between
    least, unit = _value(split.factor, low), unit_of(split.factor)
    if unit != "bytes":  # which have a unit by their size
        least = least.removesuffix(f" {unit}")
    return (
        f"{known}, and in 95 % of these its value lies between {least} and"
        f" {_value(split.factor, high)}."
    )


def _value(column: str, value: float) -> str:
    """A factor's value with its unit: `20 ms`, `16 MB`."""
    unit = unit_of(column)
    if unit == "bytes":
        return bytes_text(value)
    return f"{short(value)} {unit}" if unit else short(value)
