"""A publication that is compared with campaigns, and the contents of its page."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.published import sentences as published_sentences
from analysis.published.publication import Configuration, Matrix, Scored, Sheet
from analysis.published.sentences import Sentence
from analysis.published.statements import Statement
from analysis.report.figures_section import Outcome


@dataclass(frozen=True)
class Publication:
    """A publication that is compared with campaigns.

    source : the publication, for headings
    file : the file that says all this, as the index names it
    sheets : its pages
    configurations : the sets of campaigns that are judged
    matrix : which parts of a configuration are compared, if any
    findings : Markdown for the head of the index
    """

    source: str
    file: str
    sheets: Sequence[Sheet]
    statements: Sequence[Statement]
    configurations: Sequence[Configuration] = (Configuration("upstream"),)
    matrix: Matrix | None = None
    findings: str = ""

    def of(self, sheet: Sheet) -> list[Statement]:
        """The statements of a page."""
        return [one for one in self.statements if sheet.has(one.figure)]

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences, each with its statements of all pages."""
        return published_sentences.sentences(self.statements)

    def sentences_of(self, statements: Sequence[Statement]) -> tuple[Sentence, ...]:
        """The whole sentences that some statements belong to."""
        counted = filter(published_sentences.counted, statements)
        named = {published_sentences.of(one) for one in counted}
        return tuple(one for one in self.sentences if one.id in named)


@dataclass(frozen=True)
class Reproduced:
    """The contents of a page. missing : names of campaigns without results"""

    sheet: Sheet
    figures: tuple[Outcome, ...]
    statements: tuple[Statement, ...]
    missing: tuple[str, ...]


def has_results(made: Reproduced, scored: Sequence[Scored]) -> bool:
    """Whether there is anything for the page to show."""
    measured = any(
        one.answers[statement.id].main.n
        for one in scored
        for statement in made.statements
    )
    compared = any(
        cell.n for one in scored for cell in one.cells.get(made.sheet.name, ())
    )
    return bool(made.figures) or measured or compared
