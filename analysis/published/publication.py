"""Pages of a publication: its figures drawn from campaigns, its statements answered."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from analysis.campaign import table
from analysis.figures import drawings
from analysis.figures.drawn import Drawn, title
from analysis.figures.request import UndrawableError, Wanted
from analysis.figures.style import Target
from analysis.published.resampling import odds
from analysis.published.selection import Selection
from analysis.published.statements import Answer, Statement, answer
from analysis.published.statistics import SIGNIFICANCE


@dataclass(frozen=True)
class Campaign:
    """name : of the experiment
    runs : the tidy table (analysis.campaign.table)
    factors : columns that the design varies
    figures : what the experiment asks for
    made : how the results came about; state : what is missing or damaged
    """

    name: str
    runs: pd.DataFrame
    factors: tuple[str, ...]
    figures: tuple[Wanted, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)
    state: tuple[str, ...] = ()

    @property
    def mptcp(self) -> pd.DataFrame:
        """The runs that statements are of."""
        good = table.ok(self.runs)
        return good[good["protocol"] == "mptcp"] if len(good) else good


@dataclass(frozen=True)
class Cause:
    """Why ours differs from a statement, and the runs that show it.

    rows : of another campaign, in which the supposed cause is put back or taken away;
        the statement is answered from these too; None where nothing was run
    against : likewise for what it is set against; None for the statement's own
    metric : that the statement is asked of there; "" for its own
    chance : whether to ask if the difference is more than the choice of points makes
    """

    text: str
    rows: Selection | None = None
    against: Selection | None = None
    metric: str = ""
    chance: bool = False


@dataclass(frozen=True)
class Sheet:
    """One page.

    figure : `3.3`, for Figs 3.3, 3.3a, 3.3b ...; or a table's name, `Table C.1`
    link : a page that there is already, relative to the index
    """

    name: str
    title: str
    where: str
    figure: str = ""
    campaigns: tuple[str, ...] = ()
    link: str = ""
    notes: str = ""

    def has(self, figure: str) -> bool:
        """Whether a published figure, `3.3a` or `Table C.1`, is on the page."""
        if not self.figure or not figure:
            return False
        return bool(re.fullmatch(re.escape(self.figure) + "[a-z]?", figure))


@dataclass(frozen=True)
class Panel:
    """A figure of a sheet: drawn, or why it is not.

    name : of the published figure
    """

    campaign: str
    wanted: Wanted
    drawn: Drawn | str

    @property
    def name(self) -> str:
        return _published(self.wanted)


@dataclass(frozen=True)
class Answered:
    """A statement's answer, and the same of the runs of its cause.

    cause, tested : None where there is none
    odds : that points drawn again say what is published; None where nobody asked
    """

    given: Answer
    cause: Cause | None = None
    tested: Answer | None = None
    odds: float | None = None

    @property
    def explained(self) -> bool:
        """Whether there is a cause, and the runs that test it, if it has any, agree;
        or chance is one."""
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
        """Whether the cause has runs that would test it, and they are not there."""
        return (
            self.cause is not None
            and self.cause.rows is not None
            and self.tested is None
        )


@dataclass(frozen=True)
class Reproduced:
    """What a sheet shows. missing : campaigns without results"""

    sheet: Sheet
    panels: tuple[Panel, ...]
    answers: tuple[Answered, ...]
    missing: tuple[str, ...]

    @property
    def agreeing(self) -> int:
        return sum(each.given.agrees is True for each in self.answers)

    @property
    def differing(self) -> tuple[Answered, ...]:
        return tuple(each for each in self.answers if each.given.agrees is False)


def reproduce(
    sheet: Sheet,
    campaigns: Mapping[str, Campaign],
    statements: Sequence[Statement],
    causes: Mapping[str, Cause],
    target: Target,
) -> Reproduced:
    """Draw a sheet's figures and answer its statements.

    target : of the figures; each has a name of its own below it
    """
    there = [campaigns[name] for name in sheet.campaigns if name in campaigns]
    taken: set[str] = set()
    panels = tuple(p for each in there for p in _panels(sheet, each, target, taken))
    answers = tuple(
        _answered(each, campaigns, causes.get(each.id))
        for each in statements
        if sheet.has(each.figure) and each.rows.campaign in campaigns
    )
    missing = tuple(name for name in sheet.campaigns if name not in campaigns)
    return Reproduced(sheet, panels, answers, missing)


def _panels(
    sheet: Sheet, campaign: Campaign, target: Target, taken: set[str]
) -> list[Panel]:
    """taken : names of files of the sheet; more come in"""
    found = []
    for wanted in campaign.figures:
        published = _published(wanted)
        if not sheet.has(published):
            continue
        stem = re.sub(r"\W+", "-", published.lower()).strip("-")
        stem = name = stem if stem.startswith("table") else f"figure-{stem}"
        number = 2
        while name in taken:
            name, number = f"{stem}-{number}", number + 1
        taken.add(name)
        place = replace(target, name=name)
        try:
            drawn: Drawn | str = drawings.draw(
                wanted, campaign.runs, campaign.factors, place
            )
        except UndrawableError as error:
            drawn = f"{title(wanted)}: {error}"
        found.append(Panel(campaign.name, wanted, drawn))
    return found


def _published(wanted: Wanted) -> str:
    return wanted.after.removeprefix("thesis ").removeprefix("Fig. ")


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
    return answer(statement, *_asked(statement, campaigns))


def _odds(statement: Statement, campaigns: Mapping[str, Campaign]) -> float:
    generator = np.random.default_rng(0)
    return odds(statement, *_asked(statement, campaigns), generator)


def _asked(
    statement: Statement, campaigns: Mapping[str, Campaign]
) -> tuple[pd.DataFrame, tuple[str, ...], pd.DataFrame | None]:
    """The rows that are asked, the factors that are numbers, and the other rows."""
    mine = campaigns[statement.rows.campaign]
    name = statement.against.campaign if statement.against else ""
    others = campaigns[name].mptcp if name else None
    numeric = tuple(f for f in mine.factors if _is_number(mine.runs, f))
    return mine.mptcp, numeric, others


def _is_number(frame: pd.DataFrame, name: str) -> bool:
    return name in frame.columns and pd.api.types.is_numeric_dtype(frame[name])
