"""Sentences of a publication and the verdicts on them, as tables of a page."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.published import ages
from analysis.published.judging import Verdict
from analysis.published.publication import Counts, Scored
from analysis.published.sentences import Sentence
from analysis.report.markdown import markdown

RULE = (
    "A sentence agrees only if all of its statements agree, and differs if one of them"
    " differs."
)
AGES = {
    ages.BEFORE: "before the first result",
    ages.CHANGED: "before, and changed later",
    ages.AFTER: "after the first result",
    "": "not known",
}
Verdicts = Mapping[str, Verdict | None]
"""The verdict on each sentence by the sentence's id; None if it is not measured."""


def verdicts(
    sentences: Sequence[Sentence], scored: Sequence[Scored]
) -> dict[str, Verdicts]:
    """The verdict on each sentence by its id, by configuration."""
    return {
        one.configuration.name: {
            sentence.id: one.sentence(sentence) for sentence in sentences
        }
        for one in scored
    }


def table(
    sentences: Sequence[Sentence], verdicts: Mapping[str, Verdicts]
) -> Iterator[str]:
    """One table row per sentence, and a column per configuration.

    There is no table if the statements name no sentence.

    verdicts : by the configuration's name
    """
    if not any(one.statements[0].sentence for one in sentences):
        return
    several = len(verdicts) > 1
    head = ["sentence", "statements", "criteria registered"]
    head += [name if several else "verdict" for name in verdicts]
    yield from markdown(
        head,
        [
            [
                where(sentence),
                str(len(sentence.statements)),
                AGES[sentence.age],
                *(shown(one[sentence.id]) for one in verdicts.values()),
            ]
            for sentence in sentences
        ],
    )
    yield RULE
    yield ""


def where(sentence: Sentence) -> str:
    """Section, number and page of a sentence; its words if the file names none."""
    first = sentence.statements[0]
    if not first.sentence:
        return first.statement
    section, _, number = first.sentence.rpartition("/")
    told = [f"sec. {section}" if section[:1] in "0123456789IVX" else section]
    told += [f"sentence {number}"]
    told += [f"p. {first.page}"] if first.page else []
    return ", ".join(told)


def shown(verdict: Verdict | None) -> str:
    """A verdict in words."""
    if verdict is None:
        return "not measured"
    return f"**{verdict.value}**" if verdict is Verdict.DIFFERS else verdict.value


def by_age(
    sentences: Sequence[Sentence], verdicts: Mapping[str, Verdicts]
) -> Iterator[str]:
    """One table row per age of the criteria, and a column per configuration."""
    rows = []
    for age, words in AGES.items():
        of_age = [one for one in sentences if one.age == age]
        if of_age:
            counts = [counted(of_age, one) for one in verdicts.values()]
            rows.append([words, str(len(of_age)), *(triple(one) for one in counts)])
    yield from markdown(["criteria registered", "sentences", *verdicts], rows)
    yield (
        "The numbers are those that agree, differ and are undecided. A sentence is as"
        " old as the youngest of its criteria. `results/published/ages.csv` has each"
        " criterion's commit and that of the first result."
    )
    yield ""


def counted(sentences: Sequence[Sentence], verdicts: Verdicts) -> Counts:
    """The verdicts on some sentences."""
    return Counts.of([verdicts[one.id] for one in sentences], [False] * len(sentences))


def triple(counts: Counts) -> str:
    """`2 / 1 / 0`: what agrees, differs and is undecided; and what is not measured."""
    told = f"{counts.agrees} / {counts.differs} / {counts.undecided}"
    return told + (f" ({counts.open} not measured)" if counts.open else "")


def line(sentences: Sequence[Sentence], verdicts: Verdicts) -> str:
    """The counts of sentences, as a line."""
    counts = counted(sentences, verdicts)
    text = (
        f"{counts.agrees} of {counts.all} sentences agree, {counts.differs}"
        f" differ and {counts.undecided} are undecided"
    )
    return text + (f"; {counts.open} were not measured." if counts.open else ".")
