"""Statements of a publication, and the answers of campaigns in several
configurations."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analysis.campaign.campaign import Campaign
from analysis.published import cells, sentences
from analysis.published.answers import Answer, answer
from analysis.published.cells import Cell, Compared
from analysis.published.judging import REDRAWS, Verdict
from analysis.published.sentences import Sentence
from analysis.published.statements import Statement

Campaigns = Mapping[str, Campaign]


@dataclass(frozen=True)
class Sheet:
    """The contents of one page about a publication.

    name : of the page's file, without suffix
    where : the figure or table and its page in print
    figure : `3.3`, for Figs 3.3, 3.3a, 3.3b ...; or a table's name, `Table C.1`
    campaigns : names of the campaigns that its figures are drawn from
    link : an existing page to link to, relative to the index
    cells : the table's cells, which are compared with the first campaign
    elsewhere : number of cells that another command compares
    judged : the verdicts of that command, on the campaigns of the configuration whose
        campaigns have the names in the statements; none if it has no page yet
    notes : Markdown for the foot of the page
    """

    name: str
    title: str
    where: str
    figure: str = ""
    campaigns: tuple[str, ...] = ()
    link: str = ""
    cells: tuple[Cell, ...] = ()
    elsewhere: int = 0
    judged: tuple[Verdict, ...] = ()
    notes: str = ""

    def has(self, figure: str) -> bool:
        """Whether the published figure `3.3a` or `Table C.1` belongs on the page."""
        if not self.figure or not figure:
            return False
        return bool(re.fullmatch(re.escape(self.figure) + "[a-z]?", figure))


@dataclass(frozen=True)
class Configuration:
    """A set of campaigns that share everything that is not in their experiment files.

    suffix : what the names of its campaigns end in, after the name in the statements
    replaced : campaigns by the name in the statements, instead of a suffix
    text : what it is, for the pages
    exploration : whether it is a setting that nobody had. It is not counted
    """

    name: str
    suffix: str = ""
    replaced: Mapping[str, str] | None = None
    text: str = ""
    exploration: bool = False

    def campaigns(self, results: Campaigns, known: Sequence[str]) -> Campaigns:
        """The configuration's campaigns among the results, by the statements' names."""
        if self.replaced is not None:
            names = dict(self.replaced)
        else:
            names = {name: f"{name}{self.suffix}" for name in known}
        return {
            name: results[given] for name, given in names.items() if given in results
        }


@dataclass(frozen=True)
class Matrix:
    """Which configurations are compared to see which part explains what.

    configuration : the name of the configuration that parts are taken out of
    baseline : the name of the configuration without any of the parts
    prefix : what stands between a campaign's name and the part that is left out
    control : the suffix of the same configuration with fresh seeds
    unaffected : by part, the campaigns in which it changes nothing. They need not be
        executed without it
    """

    configuration: str
    baseline: str
    prefix: str
    control: str
    unaffected: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def parts(self, results: Campaigns, known: Sequence[str]) -> tuple[str, ...]:
        """The parts that some campaign among the results was run without."""
        names = "|".join(map(re.escape, known))
        pattern = re.compile(rf"(?:{names}){re.escape(self.prefix)}(.+)")
        matches = (pattern.fullmatch(name) for name in results)
        return tuple(sorted({match[1] for match in matches if match}))

    def without(self, part: str) -> Configuration:
        return Configuration(part, f"{self.prefix}{part}")

    def campaigns_without(
        self, part: str, results: Campaigns, known: Sequence[str], whole: Campaigns
    ) -> Campaigns:
        """The campaigns without a part, by the statements' names.

        whole : those of the configuration. One that the part does not affect, and that
            was not executed without it, stands for itself
        """
        spared = self.unaffected.get(part, ())
        same = {name: whole[name] for name in spared if name in whole}
        return same | dict(self.without(part).campaigns(results, known))


@dataclass(frozen=True)
class Scored:
    """A configuration's answers.

    answers : by the statement's id
    cells : by the sheet's name
    elsewhere : verdicts by the sheet's name on cells that another command compares;
        None if nothing was compared with a cell
    """

    configuration: Configuration
    campaigns: Campaigns
    answers: Mapping[str, Answer]
    cells: Mapping[str, tuple[Compared, ...]]
    elsewhere: Mapping[str, tuple[Verdict | None, ...]] = field(default_factory=dict)

    def sentence(self, one: Sentence) -> Verdict | None:
        """The verdict on a sentence; None if it is not measured."""
        return sentences.verdict([self.answers[s.id].verdict for s in one.statements])

    def sentence_counts(self, given: Sequence[Sentence]) -> "Counts":
        """The verdicts on sentences. None of them is called fragile."""
        return Counts.of([self.sentence(one) for one in given], [False] * len(given))

    def counts(self, statements: Sequence[Statement]) -> "Counts":
        """The verdicts on these statements, without inputs of the design.

        Statements whose criterion asks for numbers alone are left out too.
        """
        given = [
            self.answers[statement.id]
            for statement in filter(sentences.counted, statements)
        ]
        return Counts.of([one.verdict for one in given], [one.fragile for one in given])

    def cell_counts(self, names: Sequence[str] | None = None) -> "Counts":
        """The verdicts on the cells of these sheets, or of all."""
        given = [
            compared
            for name, group in self.cells.items()
            if names is None or name in names
            for compared in group
        ]
        more = [
            verdict
            for name, group in self.elsewhere.items()
            if names is None or name in names
            for verdict in group
        ]
        return Counts.of(
            [*(one.verdict for one in given), *more],
            [*(one.fragile for one in given), *[False] * len(more)],
        )


@dataclass(frozen=True)
class Counts:
    """Number of verdicts of each kind.

    fragile : how many of the agreements, and how many of the differences, are fragile
    open : how many were not measured
    """

    agrees: int
    differs: int
    undecided: int
    open: int
    fragile: tuple[int, int]

    @classmethod
    def of(
        cls, verdicts: Sequence[Verdict | None], fragile: Sequence[bool]
    ) -> "Counts":
        pairs = list(zip(verdicts, fragile, strict=True))
        return cls(
            agrees=verdicts.count(Verdict.AGREES),
            differs=verdicts.count(Verdict.DIFFERS),
            undecided=verdicts.count(Verdict.UNDECIDED),
            open=verdicts.count(None),
            fragile=(
                pairs.count((Verdict.AGREES, True)),
                pairs.count((Verdict.DIFFERS, True)),
            ),
        )

    @property
    def all(self) -> int:
        return self.agrees + self.differs + self.undecided + self.open


def named_campaigns(
    statements: Sequence[Statement], sheets: Sequence[Sheet]
) -> tuple[str, ...]:
    """The names of campaigns that statements and sheets know, in their order."""
    names = [name for sheet in sheets for name in sheet.campaigns]
    names += [
        name
        for statement in statements
        for name in sorted(statement.criterion.sets.campaigns())
    ]
    return tuple(dict.fromkeys(names))


def score(
    configuration: Configuration,
    results: Campaigns,
    statements: Sequence[Statement],
    sheets: Sequence[Sheet],
    redraws: int = REDRAWS,
) -> Scored:
    """Answer every statement and compare every cell in one configuration."""
    campaigns = configuration.campaigns(results, named_campaigns(statements, sheets))
    return Scored(
        configuration,
        campaigns,
        {
            statement.id: answer(statement, campaigns, redraws)
            for statement in statements
        },
        compared(sheets, campaigns, redraws),
        {
            sheet.name: _elsewhere(sheet, configuration)
            for sheet in sheets
            if sheet.elsewhere
        },
    )


def _elsewhere(
    sheet: Sheet, configuration: Configuration
) -> tuple[Verdict | None, ...]:
    """The verdicts on the cells of a sheet that another command compares."""
    plain = not configuration.suffix and not configuration.replaced
    judged = sheet.judged if plain else ()
    return (*judged, *[None] * (sheet.elsewhere - len(judged)))


def compared(
    sheets: Sequence[Sheet], campaigns: Campaigns, redraws: int = REDRAWS
) -> dict[str, tuple[Compared, ...]]:
    """Every cell beside its value in the campaigns, by the sheet's name.

    campaigns : by the name in the sheets
    redraws : of the runs, for a verdict's chance; 0 for verdicts without one
    """
    return {
        sheet.name: tuple(_compared(sheet, campaigns, redraws))
        for sheet in sheets
        if sheet.cells
    }


def _compared(sheet: Sheet, campaigns: Campaigns, redraws: int) -> Iterator[Compared]:
    name = sheet.campaigns[0]
    for cell in sheet.cells:
        if name in campaigns:
            yield cells.compare(cell, campaigns[name].ok_runs, redraws)
        else:
            yield Compared(cell, None, None, 0, f"no results of {name}")
