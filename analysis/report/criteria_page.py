"""The page that lists every change of a criterion, and the verdict on either side."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.published import criterion as criteria
from analysis.published.answers import NOT_SCORED, Outcome, changed, either_side
from analysis.published.publication import Scored
from analysis.published.statements import Statement
from analysis.report.answers_section import outcome_verdict
from analysis.report.markdown import markdown
from analysis.words import many

REDRAWS = 200
"""Redrawn designs for the verdict before a change; today's verdict has more."""


def lines(
    statements: Sequence[Statement], scored: Sequence[Scored], redraws: int
) -> Iterator[str]:
    """One table row per change and configuration, then what the earlier rule said."""
    yield "# Criteria and their changes"
    yield ""
    yield (
        "The files in `results/published/` register each criterion with its date. Every"
        " later change is listed here. The verdicts before and after it are those of"
        " today's rules on the present results. (Until then: ...) is what the rule in"
        " force until 2026-11-22 says to them. `results/published/ledger.csv` has a"
        " digest of every state. A test refuses a criterion that was changed without an"
        " entry."
    )
    yield ""
    names = [one.configuration.name for one in scored]
    head = ["statement", "date", "commit", "from", "to", "why"]
    rows = []
    for statement, change in changed(tuple(statements)):
        verdicts = []
        for one in scored:
            known = one.answers[statement.id].main
            before, after = either_side(change, one.campaigns, min(redraws, REDRAWS))
            if change.new == criteria.normal(statement.values):
                after = known
            verdicts.append(" → ".join(_told(outcome) for outcome in (before, after)))
        rows.append(
            [
                f"`{statement.id}`",
                change.date,
                change.commit or "-",
                _keys(change.before),
                _keys(change.after),
                change.why,
                *verdicts,
            ]
        )
    yield from markdown([*head, *names], rows)
    yield f"{many(len(rows), 'change')}."
    yield ""
    yield from _earlier(statements, scored)


def _earlier(
    statements: Sequence[Statement], scored: Sequence[Scored]
) -> Iterator[str]:
    """Verdicts on the same results by the rule in force until 2026-11-22."""
    yield "## The rule until 2026-11-22"
    yield ""
    yield (
        "By that rule a statement agreed or not, `insignificant` agreed wherever p was"
        " not below 0.05, and a value within the tolerance agreed. The table counts its"
        " answers to the criteria of today, beside today's verdicts."
    )
    yield ""
    rows = []
    for one in scored:
        for earlier, name in ((True, "yes"), (False, "no")):
            now = [
                answer.verdict
                for statement in statements
                for answer in [one.answers[statement.id]]
                if answer.main.earlier is earlier and answer.verdict is not None
            ]
            counts = [
                sum(verdict.value == word for verdict in now)
                for word in ("agrees", "differs", "undecided")
            ]
            rows.append([one.configuration.name, name, *map(str, counts)])
    head = ["configuration", "until then", "agrees", "differs", "undecided"]
    yield from markdown(head, rows, numbers_from=2)


def _told(outcome: Outcome) -> str:
    """The verdict by today's rules, and by the rule in force until 2026-11-22."""
    if outcome.ours == NOT_SCORED:
        return NOT_SCORED
    if outcome.judged is None and outcome.earlier is None and outcome.n:
        return NOT_SCORED
    earlier = {True: " (until then: yes)", False: " (until then: no)", None: ""}
    return outcome_verdict(outcome) + earlier[outcome.earlier]


def _keys(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key}: {'none' if value is None else value}" for key, value in values.items()
    )
