"""Answers to published statements, as tables of a page."""

import re
from collections.abc import Iterator, Sequence

from analysis.campaign.numbers import short
from analysis.published.answers import Answer, Outcome
from analysis.published.judging import FRAGILE, Judged, Verdict
from analysis.published.publication import Counts, Scored
from analysis.published.statements import Statement
from analysis.report.markdown import markdown

HEAD = ["published", "where", "ours", "95 % interval", "n", "verdict", "chance"]
READING = (
    "results/published/rules.yaml registers the rules, with their dates. The interval"
    " is that of our value, or of its difference from what it is compared with. For two"
    " groups of networks, and for differences network by network, it is that of the"
    " centre of all differences (Hodges and Lehmann), which the rank tests are about;"
    " the difference of the medians can be outside it. `needs 6` says how many"
    " independent values would give an interval, where there are fewer. The chance is"
    " the share of 1,000 designs, drawn with replacement from our networks, that have"
    " the same verdict."
    f" Below {FRAGILE:.0%} the verdict is fragile."
)
_NUMBER = re.compile(r"([A-Z]\.)?\d.*")
"""A figure's number: `3.4a`, `C.1`."""


def lines(statements: Sequence[Statement], scored: Sequence[Scored]) -> Iterator[str]:
    """One table row per statement and configuration, then the other readings."""
    several = len(scored) > 1
    head = [*HEAD[:2], "configuration", *HEAD[2:]] if several else HEAD
    rows = []
    for statement in statements:
        for configuration in scored:
            answer = configuration.answers[statement.id]
            cells = cells_of(answer)
            name = [configuration.configuration.name] if several else []
            rows.append([*cells[:2], *name, *cells[2:]])
    yield from markdown(head, rows)
    yield READING
    yield ""
    readings = list(_readings(statements, scored))
    if readings:
        yield "### Other readings of the text"
        yield ""
        yield from readings
        yield ""


def cells_of(answer: Answer) -> list[str]:
    """A statement's answer as the cells of HEAD."""
    statement = answer.statement
    main = answer.main
    return [
        statement.statement,
        where(statement),
        main.ours,
        interval(main.judged),
        str(main.n or "-"),
        verdict(answer),
        chance(main.judged),
    ]


def where(statement: Statement) -> str:
    """The section, the sentence's number there, page and figure."""
    told = [f"sec. {statement.section}"] if statement.section else []
    number = statement.sentence.rpartition("/")[2]
    told += [f"sentence {number}"] if number else []
    told += [f"p. {statement.page}"] if statement.page else []
    told += [figure(statement.figure)] if statement.figure else []
    return ", ".join(told)


def figure(name: str) -> str:
    """`Fig. 3.4a` for `3.4a`. Other names stay: `Table 1`, `sec. 7.2.7`."""
    return f"Fig. {name}" if _NUMBER.fullmatch(name) else name


def verdict(answer: Answer) -> str:
    """The verdict in words, with what weakens it."""
    if answer.statement.kind == "input":
        return "input"
    shown = outcome_verdict(answer.main)
    if answer.depends:
        shown += ", depends on the reading"
    return shown


def outcome_verdict(outcome: Outcome) -> str:
    """The verdict in words. A criterion may ask for numbers alone, without one."""
    if outcome.judged is None:
        return "not judged" if outcome.n else "not measured"
    name = outcome.judged.verdict.value
    if outcome.judged.verdict is Verdict.DIFFERS:
        name = f"**{name}**"
    return name + (", fragile" if outcome.judged.fragile else "")


def interval(judged: Judged | None) -> str:
    if judged is None or judged.interval is None:
        return f"needs {judged.needs}" if judged and judged.needs else "-"
    low, high = judged.interval
    text = f"{short(low)} to {short(high)}"
    if judged.p is not None:
        shown = f"= {judged.p:.2g}" if judged.p >= 1e-4 else "< 0.0001"
        text += f" (exact test: p {shown})"
    return text


def chance(judged: Judged | None) -> str:
    return "-" if judged is None or judged.chance is None else f"{judged.chance:.0%}"


def _readings(
    statements: Sequence[Statement], scored: Sequence[Scored]
) -> Iterator[str]:
    for statement in statements:
        for index, reading in enumerate(statement.readings):
            told = [
                f"{one.configuration.name}: {outcome.ours}, {outcome_verdict(outcome)}"
                for one in scored
                for outcome in [one.answers[statement.id].readings[index]]
            ]
            yield f"- *{statement.statement}*: {reading.because} {'; '.join(told)}."


def counts(given: Counts, what: str) -> str:
    """The counts in a sentence."""
    text = (
        f"{given.agrees} of {given.all} {what} agree, {given.differs} differ and"
        f" {given.undecided} are undecided"
    )
    if given.open:
        text += f"; {given.open} were not measured"
    agreements, differences = given.fragile
    if agreements or differences:
        text += (
            f". Fragile: {agreements} of the agreements and {differences} of the"
            " differences"
        )
    return text + "."
