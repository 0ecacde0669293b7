"""Sentences on what happens where links change, and a table of the phases.

The most important of them is part of the answer that begins the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analysis.campaign import question
from analysis.campaign.answer import BETTER, SAME, UNDECIDED, WORSE, Answer, Contrast
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import plain, unit_of
from analysis.campaign.comparison import Interval
from analysis.campaign.directions import MORE
from analysis.campaign.phase_values import (
    GOODPUT,
    INTERRUPTION,
    PhaseValues,
    phase_values,
)
from analysis.report import turning_words
from analysis.report.markdown import markdown
from analysis.report.question_words import (
    LEAST,
    NUMBERS,
    name_of,
    observations,
    signed,
)
from analysis.words import many

MOST_IN_SUMMARY = 2
MOST_TOLD = 4
"""So many cases are told one by one; of more, the ends. The first paragraph has
fewer."""
INSIDE = {
    BETTER: "better with {}",
    WORSE: "worse with {}",
    SAME: "the same with {}",
    UNDECIDED: "undecided with {}",
}


def values(answer: Answer | None, campaign: Campaign) -> tuple[PhaseValues, ...]:
    """The metrics in all phases; none for links that do not change."""
    return phase_values(campaign, answer) if answer and answer.contrasts else ()


def summary(
    found: Sequence[PhaseValues], answer: Answer | None, campaign: Campaign
) -> str:
    """Sentences on the change: goodput, or else the first metric of the question, and
    the longest time without data in a whole run. Empty if no link changes.
    """
    if answer is None or not found or not campaign.changing:
        return ""
    told: list[str] = []
    shown = [one for one in found if one.column != INTERRUPTION]
    for one in sorted(shown, key=lambda one: one.column != GOODPUT)[:1]:
        told += _at_change(one, answer, campaign)
    for gap in found:
        if gap.column == INTERRUPTION and gap.whole:
            size = _all(gap.whole, unit_of(gap.column), answer)
            told.append(f"the {_name(gap, answer)} in a whole run is {size}.")
    if told and all(one.column != INTERRUPTION for one in found):
        silent = campaign.ok_runs.get(INTERRUPTION)
        if silent is not None and silent.max() == 0:
            told.append("no run has an interval without data.")
    if not told:
        return ""
    names = question.joined([f"`{name}`" for name in campaign.changing])
    verb = "changes" if len(campaign.changing) == 1 else "change"
    first, *rest = told
    more = [f"{one[0].upper()}{one[1:]}" for one in rest]
    return " ".join([f"When {names} {verb}, {first}", *more])


def _at_change(one: PhaseValues, answer: Answer, campaign: Campaign) -> Iterator[str]:
    """A metric in the phase that follows the first, or that the question is about."""
    first, *later = one.medians
    phase = next((p for p in later if _asked_for(p, answer)), later[0])
    span = campaign.phases[phase]
    when = f"`{phase}`{f' ({_time(span)})' if span else ''}"
    unit = unit_of(one.column)
    before = {
        c: replace(each, low=None, high=None) for c, each in one.medians[first].items()
    }
    yield (
        f"{_name(one, answer)} in {when} is {_all(one.medians[phase], unit, answer)};"
        f" in `{first}` it is {_all(before, unit, answer)}."
    )
    if beside := _beside(one.contrasts[phase], answer):
        yield beside.replace(" it is ", f" it is, in `{phase}`, ", 1)


def _all(of_case: Mapping[str, Interval], unit: str, answer: Answer) -> str:
    """As `_each`, but values that are equal stand once."""
    alike = set(of_case.values())
    if len(of_case) > 1 and len(alike) == 1 and _are_all(of_case, answer):
        return f"{_value(alike.pop(), unit, 1.0)} with every case"
    return _each(of_case, unit, 1.0, answer, MOST_IN_SUMMARY)


def _are_all(of_case: Mapping[str, Interval], answer: Answer) -> bool:
    """Whether no case that is compared lacks a value."""
    cases = {case for each in answer.contrasts for case in (each.case, each.baseline)}
    return cases <= of_case.keys()


def _asked_for(phase: str, answer: Answer) -> bool:
    """Whether the question is about a metric in this phase."""
    return any(c.metric.startswith(f"{phase}.") for c in answer.contrasts)


def lines(
    found: Sequence[PhaseValues], answer: Answer | None, campaign: Campaign
) -> Iterator[str]:
    """The sentences and the table; nothing for links that do not change."""
    if answer is None or not found:
        return
    yield _head(campaign, found)
    yield ""
    for one in found:
        for sentences in _of_metric(one, answer):
            yield f"- {sentences}"
    yield ""
    yield from _table(found, answer)
    yield _reading(found, answer)
    yield ""


def _head(campaign: Campaign, found: Sequence[PhaseValues]) -> str:
    """`**What happens when wifi changes?** The phases are before (0 to 4 s) and ...`"""
    names = question.joined([f"`{name}`" for name in campaign.changing])
    verb = "changes" if len(campaign.changing) == 1 else "change"
    phases = dict.fromkeys(phase for one in found for phase in one.medians)
    spans = []
    for phase in phases:
        span = campaign.phases[phase]
        spans.append(f"`{phase}`{f' ({_time(span)})' if span else ''}")
    asked = f"**What happens when {names} {verb}?**"
    varied = any(campaign.phases[phase] is None for phase in phases)
    times = ", whose times differ between networks" if varied else ""
    return f"{asked} The phases are {question.joined(spans)}{times}."


def _time(span: tuple[float, float]) -> str:
    return f"{span[0]:g} to {span[1]:g} s"


def _of_metric(one: PhaseValues, answer: Answer) -> Iterator[str]:
    """The sentences on a metric, phase by phase: beside the first, then beside the
    baseline."""
    name = _name(one, answer)
    first = next(iter(one.medians))
    scaled = one.good == MORE and bool(one.parts)
    unit = unit_of(one.column)
    for phase, of_case in one.medians.items():
        head = f"{name[0].upper()}{name[1:]} in `{phase}`"
        if scaled and phase in one.parts:
            told = f"{head}, in percent of that in `{first}`:"
            told = f"{told} {_each(one.parts[phase], '%', 100.0, answer)}."
        elif one.asked or any(each.estimate > 0 for each in of_case.values()):
            told = f"{head}: {_each(of_case, unit, 1.0, answer)}."
        else:
            continue
        beside = _beside(one.contrasts[phase], answer) if phase != first else ""
        yield f"{told} {beside}".strip()


def _name(one: PhaseValues, answer: Answer) -> str:
    if one.column == INTERRUPTION:
        return "longest time without data"
    known = next((c for c in answer.contrasts if c.column == one.column), None)
    return name_of(known, answer) if known else plain(one.column)


def _each(
    of_case: Mapping[str, Interval],
    unit: str,
    scale: float,
    answer: Answer,
    most: int = MOST_TOLD,
) -> str:
    """`28 % (24 to 31) with a, ...`; of more than `most` cases, the least and the
    most."""
    if len(of_case) <= most:
        return question.joined(
            [f"{_value(one, unit, scale)} with `{c}`" for c, one in of_case.items()]
        )
    ordered = sorted(of_case.items(), key=lambda pair: pair[1].estimate)
    (low_case, low), (high_case, high) = ordered[0], ordered[-1]
    if low.estimate == high.estimate:
        cases = (
            "every case" if _are_all(of_case, answer) else many(len(of_case), "case")
        )
        return f"{_value(low, unit, scale)} with {cases}"
    return (
        f"from {_value(low, unit, scale)} with `{low_case}` to"
        f" {_value(high, unit, scale)} with `{high_case}`"
    )


def _value(one: Interval, unit: str, scale: float) -> str:
    """`28 % (24 to 31)`."""
    text = _number(one.estimate * scale)
    end = f" {unit}" if unit else ""
    if one.low is None or one.high is None or one.low == one.high:
        return f"{text}{end}"
    low, high = _number(one.low * scale), _number(one.high * scale)
    return f"{text}{end} ({low} to {high})"


def _number(value: float) -> str:
    """Three digits, and no exponent."""
    return f"{float(f'{value:.3g}'):.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def _beside(contrasts: Sequence[Contrast], answer: Answer) -> str:
    """Each other case beside the baseline in a phase; empty without intervals."""
    known = [each for each in contrasts if each.gain.low is not None]
    if not known:
        return ""
    named = answer.question.named
    bases = dict.fromkeys(named(each.baseline) for each in known)
    head = f"Beside {question.joined(list(bases))} it is"
    told = []
    for outcome, words in INSIDE.items():
        cases = [f"{named(c.case)}{_size(c)}" for c in known if c.outcome == outcome]
        if len(cases) == len(known) == len(answer.cases) > 1:
            return f"{head} {words.format('every other case')}."
        if cases:
            told.append(words.format(question.joined(cases)))
    return f"{head} {question.joined(told)}."


def _size(contrast: Contrast) -> str:
    if contrast.outcome in (UNDECIDED, SAME):
        return ""
    middle = turning_words.raw(contrast, contrast.gain.estimate)
    return f" ({signed(middle, contrast.unit)})"


def _table(found: Sequence[PhaseValues], answer: Answer) -> Iterator[str]:
    """A row per case, a column per metric and phase."""
    places = [(one, phase) for one in found for phase in one.medians]
    head = ["case", *(f"`{phase}`: {_title(one, answer)}" for one, phase in places)]
    cases = dict.fromkeys(c for one, phase in places for c in one.medians[phase])
    rows = []
    for case in cases:
        cells = [one.medians[phase].get(case) for one, phase in places]
        rows.append([case, *(_value(c, "", 1.0) if c else "" for c in cells)])
    yield from markdown(head, rows, numbers_from=1)


def _title(one: PhaseValues, answer: Answer) -> str:
    unit = unit_of(one.column)
    return f"{_name(one, answer)}{f' [{unit}]' if unit else ''}"


def _reading(found: Sequence[PhaseValues], answer: Answer) -> str:
    kind = observations(answer.contrasts[0])
    intervals = [
        each
        for one in found
        for of_case in one.medians.values()
        for each in of_case.values()
    ]
    if all(each.low is None for each in intervals):
        few = f"An interval needs {NUMBERS[LEAST]} {kind}s."
        return f"Each number is a median over {kind}s. {few}"
    return (
        f"Each number is a median over {kind}s, with its 95 % interval. A delay belongs"
        " to the phase in which its message or request began, and a share to the same"
        f" {kind} in both phases."
    )
