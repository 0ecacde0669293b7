"""Sentences on the case that leads all others in a metric."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.campaign import question
from analysis.campaign.answer import Answer, Contrast
from analysis.campaign.comparison import Interval
from analysis.campaign.directions import HIGHER, HIGHEST, LESS, MORE
from analysis.campaign.leaders import Leader
from analysis.campaign.numbers import short
from analysis.report.question_words import (
    LEAST,
    NUMBERS,
    amount,
    name_of,
    observations,
)


def sentences(answer: Answer, found: Mapping[str, Leader]) -> Iterator[str]:
    """Who has the most, or the least, of all cases."""
    for column, leader in found.items():
        contrast = next(c for c in answer.contrasts if c.column == column)
        own = [c for c in answer.contrasts if c.column == column]
        gains = {c.case: short(c.gain.estimate) for c in own}
        best = gains.get(leader.case, short(0))
        alike = [case for case in leader.ahead if gains.get(case, short(0)) == best]
        most = max(len(each.networks) for each in own)
        yield _lead(leader, contrast, name_of(contrast, answer), alike, most)


def _lead(
    leader: Leader, contrast: Contrast, name: str, alike: Sequence[str], most: int
) -> str:
    """One leader in a sentence.

    alike : the other cases whose median differences are the same to three digits
    most : the most networks that any of the comparisons has
    """
    what = f"the {HIGHEST[contrast.good]} {name}"
    few = any(lead.low is None for lead in leader.ahead.values())
    needed = f"an interval needs {NUMBERS[LEAST]} {observations(contrast)}s."
    if few and alike:
        level = question.joined([f"`{case}`" for case in (leader.case, *alike)])
        return (
            f"Of all cases, {level} have {what} in the median, the same to three"
            f" digits; {needed}"
        )
    head = f"Of all cases, `{leader.case}` has {what} in the median"
    if not leader.level:
        nearest = min(leader.ahead.items(), key=lambda pair: pair[1].estimate)
        common = ""
        if leader.networks < most:
            kind = f"{observations(contrast)}s"
            common = f"; in the {leader.networks} {kind} where all cases have it"
        case, lead = nearest
        if contrast.unit == "%" and contrast.baseline == leader.case:
            worse = HIGHER[LESS if contrast.good == MORE else MORE]
            return (
                f"{head}; the next, `{case}`, is {amount(lead.estimate, '%')} {worse}"
                f"{_interval(lead, '%', common)}."
            )
        share = f" of `{contrast.baseline}`" if contrast.unit == "%" else ""
        return (
            f"{head}, {amount(lead.estimate, contrast.unit)}{share} ahead of the next,"
            f" `{case}`{_interval(lead, contrast.unit, common)}."
        )
    if few:
        return f"{head}; {needed}"
    if not leader.behind:
        return f"No case leads in {name}: none can be told apart from the best."
    if len(leader.level) > len(leader.behind):
        behind = question.joined([f"`{case}`" for case in leader.behind])
        verb = "is" if len(leader.behind) == 1 else "are"
        return f"No case leads in {name}; only {behind} {verb} behind."
    level = question.joined([f"`{case}`" for case in (leader.case, *leader.level)])
    return f"Of all cases, {level} have {what}, and cannot be told apart."


def _interval(lead: Interval, unit: str, common: str) -> str:
    """common : the networks that count, if some cases have others too"""
    if lead.low is None or lead.high is None:
        return ""
    low, high = amount(lead.low, ""), amount(lead.high, unit)
    return f" (95 % interval {low} to {high}{common})"
