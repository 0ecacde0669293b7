"""The answer to the experiment's question, in sentences: how a page begins."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.campaign import leaders, question, turning
from analysis.campaign.answer import (
    BETTER,
    MOST_MORE,
    SAME,
    UNDECIDED,
    WORSE,
    Answer,
    Contrast,
)
from analysis.campaign.answer import Outcome as Judged
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import plain
from analysis.campaign.comparison import RESAMPLES
from analysis.figures.drawn_figure import DrawnFigure
from analysis.figures.kinds.trade_off.request import TradeOff
from analysis.report import leading_words, turning_words, unfinished_words
from analysis.report.figures_section import Outcome
from analysis.report.question_words import (
    LEAST,
    NUMBERS,
    counted,
    name_of,
    observations,
    raised,
    signed,
    span,
)

OUTCOMES: tuple[Judged, ...] = (BETTER, SAME, UNDECIDED, WORSE)
MOST_TOLD = 5
"""So many cases are told one by one where no interval decides."""
MOST_ONE_BY_ONE = 4
"""Of more other cases, the first paragraph has a sentence per metric."""
LEAST_TOGETHER = 3
"""Of fewer contrasts without an interval, each tells its own remedy."""
HEADS: Mapping[Judged, str] = {
    BETTER: "better than {} in {}",
    SAME: "the same as {} in {}",
    UNDECIDED: "undecided against {} in {}",
    WORSE: "worse than {} in {}",
}

SHORT: Mapping[Judged, str] = {
    BETTER: "better",
    SAME: "the same",
    UNDECIDED: "undecided",
    WORSE: "worse",
}


def figure(answer: Answer | None) -> TradeOff | None:
    """The picture beside an answer: its first metric against the second.

    There is none if one of them has a column per traffic entry: a picture of one entry
    would not be the answer.
    """
    metrics = list(dict.fromkeys(c.metric for c in answer.contrasts)) if answer else []
    if answer is None or len(metrics) < 2:
        return None
    first, second = metrics[:2]
    if len({c.column for c in answer.contrasts if c.metric in (first, second)}) > 2:
        return None
    return TradeOff(metric=first, against=second, over=answer.question.baseline)


def picture(outcome: Outcome, suffix: str) -> Iterator[str]:
    """The picture with the words on how to read it; nothing if it was not drawn."""
    drawn = outcome.drawn
    if isinstance(drawn, DrawnFigure):
        yield f"![{outcome.title}]({drawn.name}.{suffix})"
        yield ""
        yield " ".join(filter(None, [f"{outcome.title}.", drawn.note, drawn.reading]))
        yield ""


def lines(
    answer: Answer | None,
    campaign: Campaign,
    beside: Sequence[str],
    at_change: str = "",
) -> Iterator[str]:
    """The section; nothing without an answer.

    beside : lines of the picture beside it, which stands behind the first paragraph
    at_change : a sentence of that paragraph on links that change; empty without them
    """
    if answer is None:
        return
    cases = list(map(str, campaign.runs["case"].unique()))
    asked = answer.question.sentence(cases, "`")
    yield f"**{asked[0].upper()}{asked[1:]}**"
    yield ""
    if not answer.contrasts:
        yield "This cannot be answered:"
        yield ""
        yield from (f"- {reason}." for reason in answer.left_out)
        yield ""
        return
    summed = [
        *_summary(answer),
        *_averaged(answer),
        *([at_change] if at_change else []),
    ]
    yield " ".join([*summed, *unfinished_words.sentence(campaign.runs)])
    yield ""
    yield from beside
    open_together = _open_together(answer)
    for column in answer.columns:
        of_column = [each for each in answer.contrasts if each.column == column]
        name = name_of(of_column[0], answer)
        yield f"{name[0].upper()}{name[1:]}:"
        yield ""
        for contrast in of_column:
            turns = turning_words.sentences(contrast, answer)
            told = _detail(contrast, answer, alone=not open_together)
            yield f"- {' '.join([told, *turns])}"
        yield ""
    if open_together:
        yield open_together
        yield ""
    if without := turning_words.without(answer):
        yield without
        yield ""
    yield from (f"- Not compared: {reason}." for reason in answer.left_out)
    if answer.left_out:
        yield ""
    yield " ".join(_reading(answer))
    yield ""


def _summary(answer: Answer) -> Iterator[str]:
    """Who leads in all; one sentence per case, the undecided together; who leads.

    Of many cases there is one sentence per metric.
    """
    found = leaders.leaders(answer)
    if len(found) == len(answer.columns):
        yield from _overall(leaders.best_in_all(found), len(found))
    by_case: dict[str, list[Contrast]] = {}
    for each in answer.contrasts:
        by_case.setdefault(each.case, []).append(each)
    rank = {outcome: place for place, outcome in enumerate(OUTCOMES)}
    order = sorted(by_case, key=lambda case: [rank[c.outcome] for c in by_case[case]])
    named = answer.question.named
    open_cases: dict[tuple[str, ...], list[str]] = {}
    if all(each.gain.low is None for each in answer.contrasts):
        yield _measured(by_case, answer)
        yield from leading_words.sentences(answer, found)
        return
    if len(by_case) > MOST_ONE_BY_ONE and _one_baseline(answer):
        yield from (_of_metric(column, answer) for column in answer.columns)
        yield from leading_words.sentences(answer, found)
        yield from turning_words.summary(answer)
        return
    for case in order:
        contrasts = by_case[case]
        base = named(contrasts[0].baseline)
        if all(each.outcome == UNDECIDED for each in contrasts):
            names = (base, *(name_of(each, answer) for each in contrasts))
            open_cases.setdefault(names, []).append(named(case))
            continue
        told: list[str] = []
        for outcome in dict.fromkeys(each.outcome for each in contrasts):
            metrics = [
                f"{name_of(each, answer)}{_number(each)}"
                for each in contrasts
                if each.outcome == outcome
            ]
            place = (base,) if not told else ()
            told.append(_head(HEADS[outcome], *place, question.joined(metrics)))
        yield _capital(f"{named(case)} is {', '.join(told)}.")
    for (base, *metric_names), cases in open_cases.items():
        verb = "are" if len(cases) > 1 else "is"
        head = _head(HEADS[UNDECIDED], base, question.joined(metric_names))
        yield _capital(f"{question.joined(cases)} {verb} {head}.")
    yield from leading_words.sentences(answer, found)
    yield from turning_words.summary(answer)


def _averaged(answer: Answer) -> Iterator[str]:
    """That the values of a listed factor are no networks."""
    told = [
        f"{counted(count, 'value')} of {plain(name)}"
        for name, count in answer.averaged.items()
    ]
    if told:
        yield (
            "Each network counts once, with the mean of its differences over the"
            f" {question.joined(told)}."
        )


def _one_baseline(answer: Answer) -> bool:
    return len({each.baseline for each in answer.contrasts}) == 1


def _of_metric(column: str, answer: Answer) -> str:
    """`In goodput, b (+5 %) and c (+3 %) are better than a, and d is undecided.`"""
    named = answer.question.named
    contrasts = [each for each in answer.contrasts if each.column == column]
    told: list[str] = []
    for outcome in OUTCOMES:
        of_outcome = [each for each in contrasts if each.outcome == outcome]
        if not of_outcome:
            continue
        ordered = sorted(of_outcome, key=lambda c: -c.gain.estimate)
        cases = [
            named(each.case) + ("" if outcome == SAME else _median(each))
            for each in ordered
        ]
        words = f"{question.joined(cases)} {'is' if len(cases) == 1 else 'are'}"
        if len(cases) == len(contrasts) and outcome in (SAME, UNDECIDED):
            words = "all other cases are"
        head = HEADS[outcome].partition(" in ")[0].format(named(contrasts[0].baseline))
        told.append(f"{words} {head if not told else SHORT[outcome]}")
    return f"In {name_of(contrasts[0], answer)}, {'; '.join(told)}."


def _overall(best: Sequence[str] | None, count: int) -> Iterator[str]:
    """The case to take where all metrics count, or that there is none."""
    if best is None:
        return
    every = "both metrics" if count == 2 else f"all {NUMBERS.get(count, count)} metrics"
    if not best:
        yield f"No case is among the best in {every}: choose by the one that counts."
        return
    names = question.joined([f"`{case}`" for case in best])
    if len(best) == 1:
        yield f"{names} is the only case among the best in {every}."
    else:
        yield f"{names} are among the best in {every}."


def _measured(by_case: Mapping[str, list[Contrast]], answer: Answer) -> str:
    """The differences where so few networks decide nothing beyond themselves.

    Of many cases only the ends are told; the lines below have each.
    """
    named = answer.question.named
    first = next(iter(by_case.values()))[0]
    alone = _one_baseline(answer)
    beside = f", beside {named(first.baseline)}" if alone else ""
    if len(by_case) > MOST_TOLD and beside:
        told = [_ends(column, answer) for column in answer.columns]
    else:
        told = []
        for case, contrasts in by_case.items():
            sizes = question.joined(
                [f"{_size(each, answer)}{_mixed(each)}" for each in contrasts]
            )
            other = "" if beside else f" beside {named(contrasts[0].baseline)}"
            told.append(f"{named(case)} has {sizes}{other}")
    each = "them" if len(first.gains) > 1 else "it"
    kind = observations(first)
    return (
        f"{_capital(_where(first))}{beside}{':' if beside else ','} {'; '.join(told)}."
        f" What holds beyond {each} is undecided: an interval needs {NUMBERS[LEAST]}"
        f" {kind}s."
    )


def _mixed(contrast: Contrast) -> str:
    """` (better in 1 of 3)`, where a median alone hides that it turns round."""
    if not (contrast.ahead and contrast.behind):
        return ""
    return f" ({_count(contrast)})"


def _ends(column: str, answer: Answer) -> str:
    """`goodput from 5 % lower (b) to 8 % higher (c)`."""
    contrasts = sorted((c for c in answer.contrasts if c.column == column), key=_raw)
    sizes = []
    if not _raw(contrasts[0]) and not _raw(contrasts[-1]):
        return f"the same {name_of(contrasts[0], answer)}"
    for each in (contrasts[0], contrasts[-1]):
        size = raised(_raw(each), each.unit) if _raw(each) else "the same"
        sizes.append(f"{size} ({answer.question.named(each.case)})")
    return f"{name_of(contrasts[0], answer)} from {sizes[0]} to {sizes[1]}"


def _size(contrast: Contrast, answer: Answer) -> str:
    """`12 % higher goodput`, or `the same goodput`."""
    name, middle = name_of(contrast, answer), _raw(contrast)
    if middle == 0:
        return f"the same {name}"
    return f"{raised(middle, contrast.unit)} {name}"


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _head(text: str, *words: str) -> str:
    """`better than lia in goodput`, and further outcomes without the baseline."""
    if len(words) == 2:
        return text.format(*words)
    return text.partition(" ")[0].replace("the", "the same") + f" in {words[0]}"


def _number(contrast: Contrast) -> str:
    """` (+12 %; 95 % interval +9 to +15 %; in 9 of 10 networks)`, or the median alone
    of what is the same; nothing where no interval decides."""
    if contrast.outcome in (UNDECIDED, SAME):
        return _median(contrast)
    low, high = turning_words.raw_ends(contrast, contrast.gain)
    ends = f"{signed(low, '')} to {signed(high, contrast.unit)}"
    count = len(contrast.gains)
    number = contrast.ahead if contrast.outcome == BETTER else contrast.behind
    part = f"all {count}" if number == count else f"{number} of {count}"
    where = f"in {part} {observations(contrast)}s"
    middle = signed(_raw(contrast), contrast.unit)
    return f" ({middle}; 95 % interval {ends}; {where})"


def _median(contrast: Contrast) -> str:
    """` (+12 %)`; nothing where no interval decides."""
    if contrast.outcome == UNDECIDED:
        return ""
    return f" ({signed(_raw(contrast), contrast.unit)})"


def _raw(contrast: Contrast) -> float:
    """The median difference as it is, more above 0."""
    return turning_words.raw(contrast, contrast.gain.estimate)


def _detail(contrast: Contrast, answer: Answer, alone: bool = True) -> str:
    """One contrast in a sentence or two.

    alone : whether to say why there is no interval, and the remedy
    """
    named, unit = answer.question.named, contrast.unit
    gain, base = contrast.gain, named(contrast.baseline)
    than = "than" if _raw(contrast) else "as"
    size = f"{_size(contrast, answer)} {than} {base}"
    head = _capital(f"{named(contrast.case)} has {size} {_where(contrast)}")
    if gain.low is None or gain.high is None:
        reason = _too_few(contrast, answer) if alone else f"{_counted(contrast)}."
        return f"{head}. {reason}"
    between = f"95 % interval {span(*turning_words.raw_ends(contrast, gain), unit)}"
    head = f"{head} ({between}), {_count(contrast)}"
    if contrast.outcome == SAME:
        margin = answer.question.equal_within_percent
        within = f" within {margin:g} %" if unit == "%" else ""
        return f"{head}: the same{within}."
    if contrast.outcome == UNDECIDED:
        return f"{head}: undecided. {_further(contrast, answer)}"
    return f"{head}: {contrast.outcome}."


def _where(contrast: Contrast) -> str:
    count = len(contrast.gains)
    if contrast.sole:
        if count == 1:
            return "in the one network of this experiment"
        return f"in the median of {counted(count, 'repetition')} of the one network"
    return f"in the median of {counted(count, 'network')}"


def _count(contrast: Contrast) -> str:
    count = len(contrast.gains)
    side, number = "better", contrast.ahead
    if contrast.behind > contrast.ahead:
        side, number = "worse", contrast.behind
    if contrast.ahead == contrast.behind == 0:
        return f"and no difference in any of {count}"
    if number == count == 2:
        return f"{side} in both"
    return f"{side} in {'all' if number == count else f'{number} of'} {count}"


def _counted(contrast: Contrast) -> str:
    """`_count` at the beginning of a sentence."""
    return _count(contrast).removeprefix("and ").capitalize()


def _open_together(answer: Answer) -> str:
    """The reason why none of several contrasts has an interval, and the remedy, once
    for all; empty where each has its own."""
    few = [c for c in answer.contrasts if c.gain.low is None and _can_grow(c)]
    if len(few) < LEAST_TOGETHER or len(few) < len(answer.contrasts):
        return ""
    if len({(observations(c), len(c.gains) if c.sole else 0) for c in few}) > 1:
        return ""
    least, *_, most = sorted(few, key=lambda contrast: contrast.more or 0)
    remedy = _further(most, answer)
    if least.more != most.more:
        remedy = f"{least.more} to {remedy}"
    needed = f"an interval needs {NUMBERS[LEAST]} {observations(most)}s"
    return f"All of this is undecided: {needed}. {remedy}"


def _can_grow(contrast: Contrast) -> bool:
    """Whether more of the same observations would give an interval."""
    return not contrast.sole or len(contrast.gains) > 1


def _too_few(contrast: Contrast, answer: Answer) -> str:
    """The reason why there is no interval, and the remedy."""
    kind = "repetition" if contrast.sole else "network"
    if contrast.sole and len(contrast.gains) == 1:
        return (
            "One network says nothing about others, and identical repetitions are one"
            f" observation: undecided. An interval needs {NUMBERS[LEAST]} networks."
        )
    return (
        f"{_counted(contrast)}. Undecided: an interval needs"
        f" {NUMBERS[LEAST]} {kind}s. {_further(contrast, answer)}"
    )


def _further(contrast: Contrast, answer: Answer) -> str:
    """The number of networks that would probably decide, and the way to get them."""
    kind = "repetition" if contrast.sole else "network"
    if contrast.more is None:
        return f"It would take more than {MOST_MORE} further {kind}s to decide."
    head = f"{counted(contrast.more, f'more {kind}')} would probably decide"
    asked = answer.question
    if contrast.sole:
        return f"{head}: give `repetitions: {len(contrast.gains) + contrast.more}`."
    if asked.points is None:
        return f"{head}: give the factors more values."
    if asked.grown:
        total = asked.points + contrast.more
        return f"{head}: `mpbench run FILE --points {total}` keeps the runs so far."
    return f"{head}: `mpbench run FILE --points +{contrast.more}`."


def _reading(answer: Answer) -> Iterator[str]:
    count = len(answer.contrasts)
    yield (
        "Each difference is one of two cases in the same network, with repetitions"
        " averaged; the intervals are bootstrap intervals (BCa,"
        f" {RESAMPLES} resamples) of their median."
    )
    if answer.question.unpaired:
        yield (
            "Links draw losses or delays, and two kernels may draw others: differences"
            " between kernels are those of unpaired runs. `link_seeds: true` in the"
            " experiment file pairs them."
        )
    margin = answer.question.equal_within_percent
    yield (
        "Better and worse mean that the whole interval lies on one side of 0, the same"
        f" that it lies within {margin:g} %. An interval that does neither decides"
        " nothing; it never shows that two cases are equal."
    )
    if count > 1:
        yield (
            f"The {count} intervals are not joint: each misses the true median in one"
            " of twenty campaigns."
        )
    if leaders.leaders(answer):
        yield (
            "The case that leads is picked by these same networks, so its lead looks"
            " larger than it is."
        )
    if any(each.turn for each in answer.contrasts):
        percent = 100 * turning.SIGNIFICANCE / count
        yield (
            "A factor is named if no more than"
            f" {percent:.2g} % of {turning.shuffles(count)} shufflings of the networks"
            " give as clear a split by any factor."
        )
    yield "`compare` in the experiment file asks another question of the same runs."
