"""What a publication says, and what campaigns answer: statements and causes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.numbers import is_number
from analysis.published.resampling import odds
from analysis.published.selection import Selection
from analysis.published.statements import Answer, Statement, answer
from analysis.published.statistics import SIGNIFICANCE


@dataclass(frozen=True)
class Cause:
    """Why our runs differ from a statement, and the runs that test this.

    rows : runs of another campaign, in which the supposed cause is put back or taken
        away. The statement is answered from these too; None where nothing was run
    against : the runs that `rows` are compared with; None for the statement's own
    metric : the metric that the statement is answered with there; "" for its own
    chance : whether to ask how often resampled design points give the published
        answer
    """

    text: str
    rows: Selection | None = None
    against: Selection | None = None
    metric: str = ""
    chance: bool = False


@dataclass(frozen=True)
class Sheet:
    """What one page about a publication is to show.

    name : of the page's file, without suffix
    where : the figure or table and its page in print
    figure : `3.3`, for Figs 3.3, 3.3a, 3.3b ...; or a table's name, `Table C.1`
    campaigns : names of the campaigns that its figures are drawn from
    link : an existing page to link to instead, relative to the index
    notes : Markdown for the foot of the page
    """

    name: str
    title: str
    where: str
    figure: str = ""
    campaigns: tuple[str, ...] = ()
    link: str = ""
    notes: str = ""

    def has(self, figure: str) -> bool:
        """Whether the published figure `3.3a` or `Table C.1` belongs on the page."""
        if not self.figure or not figure:
            return False
        return bool(re.fullmatch(re.escape(self.figure) + "[a-z]?", figure))


@dataclass(frozen=True)
class Answered:
    """A statement's answer, and the answer from the runs that test its cause.

    tested : the answer from the cause's runs; None where there are none
    odds : the part of resampled designs that give the published answer; None where
        nobody asked
    """

    given: Answer
    cause: Cause | None = None
    tested: Answer | None = None
    odds: float | None = None

    @property
    def explained(self) -> bool:
        """Whether a cause is known, and the runs that test it, if any, agree.

        A difference that is within chance counts as explained.
        """
        if self.cause is None or self.untested:
            return False
        if self.by_chance:
            return True
        if self.tested is not None:
            return self.tested.agrees is True
        return self.odds is None

    @property
    def by_chance(self) -> bool:
        return self.odds is not None and self.odds >= SIGNIFICANCE

    @property
    def untested(self) -> bool:
        """Whether the runs that would test the cause are not there."""
        return (
            self.cause is not None
            and self.cause.rows is not None
            and self.tested is None
        )


def answer_statements(
    sheet: Sheet,
    campaigns: Mapping[str, Campaign],
    statements: Sequence[Statement],
    causes: Mapping[str, Cause],
) -> tuple[Answered, ...]:
    """Answer the statements of a page whose campaigns are there.

    campaigns : by name; causes : by the statement's id
    """
    return tuple(
        _answered(statement, campaigns, causes.get(statement.id))
        for statement in statements
        if sheet.has(statement.figure) and statement.rows.campaign in campaigns
    )


def _answered(
    statement: Statement, campaigns: Mapping[str, Campaign], cause: Cause | None
) -> Answered:
    given = _answer(statement, campaigns)
    if given.agrees is not False or cause is None:
        return Answered(given)
    likely = _odds(statement, campaigns) if cause.chance else None
    if cause.rows is None or cause.rows.campaign not in campaigns:
        return Answered(given, cause, odds=likely)
    against = statement.against if cause.against is None else cause.against
    metric = cause.metric or statement.metric
    other = replace(statement, rows=cause.rows, against=against, metric=metric)
    return Answered(given, cause, _answer(other, campaigns), likely)


def _answer(statement: Statement, campaigns: Mapping[str, Campaign]) -> Answer:
    name = statement.against.campaign if statement.against else ""
    if name and name not in campaigns:
        return Answer(statement, f"not measured: no results of {name}", 0, None)
    return answer(statement, *_arguments(statement, campaigns))


def _odds(statement: Statement, campaigns: Mapping[str, Campaign]) -> float:
    generator = np.random.default_rng(0)
    return odds(statement, *_arguments(statement, campaigns), generator)


def _arguments(
    statement: Statement, campaigns: Mapping[str, Campaign]
) -> tuple[pd.DataFrame, tuple[str, ...], pd.DataFrame | None]:
    """The runs, the factors that are numbers, and the runs to compare with."""
    campaign = campaigns[statement.rows.campaign]
    name = statement.against.campaign if statement.against else ""
    others = campaigns[name].mptcp_runs if name else None
    numeric = tuple(f for f in campaign.factors if is_number(campaign.runs, f))
    return campaign.mptcp_runs, numeric, others
