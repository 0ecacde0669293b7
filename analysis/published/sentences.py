"""Sentences of a publication: which statements each has, and their common verdict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.published import ages
from analysis.published.judging import Verdict
from analysis.published.statements import Statement


@dataclass(frozen=True)
class Sentence:
    """A sentence and its statements, in the order of the files.

    id : the section and a number, such as `5.2.2/3`; of a statement whose file names
        no sentence, the statement's own id
    """

    id: str
    statements: tuple[Statement, ...]

    @property
    def age(self) -> str:
        """The weakest of its statements' ages; "" if one is not known."""
        return ages.weakest(statement.age for statement in self.statements)


def of(statement: Statement) -> str:
    """The id of a statement's sentence."""
    return statement.sentence or statement.id


def counted(statement: Statement) -> bool:
    """Whether a statement counts: it is no input of the design, and is scored."""
    return statement.kind != "input" and statement.criterion.scored


def sentences(statements: Iterable[Statement]) -> tuple[Sentence, ...]:
    """The sentences of the statements that count."""
    found: dict[str, list[Statement]] = {}
    for statement in filter(counted, statements):
        found.setdefault(of(statement), []).append(statement)
    return tuple(Sentence(key, tuple(group)) for key, group in found.items())


def verdict(verdicts: Sequence[Verdict | None]) -> Verdict | None:
    """The verdict on a sentence, from those on its statements.

    It differs if one of them differs, and agrees only if all agree. Otherwise it is
    not measured (None) if one of them is not, and undecided if all are measured.
    """
    if Verdict.DIFFERS in verdicts:
        return Verdict.DIFFERS
    if None in verdicts or not verdicts:
        return None
    if Verdict.UNDECIDED in verdicts:
        return Verdict.UNDECIDED
    return Verdict.AGREES
