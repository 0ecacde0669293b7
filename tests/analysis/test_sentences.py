"""Sentences of a publication: their statements, verdicts and ages."""

from dataclasses import replace
from pathlib import Path

import pytest

from analysis.published import ages, criterion, ledger, sentences, statements
from analysis.published.judging import Verdict
from analysis.published.statements import Statement
from analysis.report import verdicts_table
from analysis.report.verdicts_table import Row

PUBLISHED = Path(__file__).parents[2] / "results/published"
AGREES, DIFFERS, UNDECIDED = Verdict.AGREES, Verdict.DIFFERS, Verdict.UNDECIDED


def said(
    name: str, sentence: str = "", age: str = "", relation: str = "="
) -> Statement:
    values = {"statistic": "median", "metric": "goodput_mbps", "value": 1}
    found = criterion.parse({**values, "relation": relation})
    return Statement(name, "2", "", "", name, found, sentence=sentence, age=age)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((AGREES, AGREES), AGREES),
        ((AGREES, DIFFERS), DIFFERS),
        ((UNDECIDED, DIFFERS, None), DIFFERS),
        ((AGREES, UNDECIDED), UNDECIDED),
        ((AGREES, None, UNDECIDED), None),
        ((), None),
    ],
)
def test_a_sentence_agrees_only_if_all_of_it_does(
    given: tuple[Verdict | None, ...], wanted: Verdict | None
) -> None:
    assert sentences.verdict(given) is wanted


def test_statements_of_a_sentence_stand_together() -> None:
    one, two, alone = said("a", "2/1"), said("b", "2/1"), said("c")
    design = replace(said("d", "2/2"), kind="input")
    told = said("e", "2/3", relation="")
    found = sentences.sentences((one, alone, two, design, told))
    assert [(s.id, s.statements) for s in found] == [
        ("2/1", (one, two)),
        ("c", (alone,)),
    ]


def test_a_sentence_is_as_old_as_its_youngest_criterion() -> None:
    def age(*given: str) -> str:
        return ages.weakest(given)

    assert age("before", "after", "changed") == "after"
    assert age("before", "changed") == "changed"
    assert age("before", "before") == "before"
    assert age("before", "") == "" and age() == ""


def test_every_registered_statement_has_a_sentence_and_every_line_an_age() -> None:
    known = ages.read(PUBLISHED)
    names = set()
    for path in ledger.files_of_statements(PUBLISHED):
        for one in statements.read(path):
            assert one.sentence and "/" in one.sentence, one.id
            assert one.age == known.get(f"{path.stem}/{one.id}", "")
            names.add(f"{path.stem}/{one.id}")
    assert set(known) <= names


def test_one_text_is_one_sentence() -> None:
    for path in ledger.files_of_statements(PUBLISHED):
        found: dict[str, set[str]] = {}
        for one in statements.read(path):
            found.setdefault(" ".join(one.text.split()), set()).add(one.sentence)
        assert all(len(given) == 1 for given in found.values()), path


def test_ages_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    assert ages.read(tmp_path) == {}
    path = tmp_path / ages.NAME
    path.write_text("criterion,age\n")
    with pytest.raises(ValueError, match=r"ages.csv:1: columns must be criterion,age,"):
        ages.read(tmp_path)
    path.write_text("criterion,age,since,result\na/b,old,1,2\n")
    with pytest.raises(ValueError, match=r"ages.csv:2: age 'old'; has before, changed"):
        ages.read(tmp_path)


def test_a_sentence_cannot_move_without_a_trace() -> None:
    one = replace(said("a", "2/1"), registered="2026-11-21")
    states = list(ledger.of_statement("x", one))
    assert [(s.date, s.id) for s in states] == [
        ("2026-11-21", "x/a"),
        (ledger.SENTENCES, "x/a/sentence"),
    ]
    lines = ledger.extended((), states)
    moved = ledger.of_statement("x", replace(one, sentence="2/2"))
    with pytest.raises(ValueError, match="x/a/sentence: the criterion of"):
        ledger.missing(lines, moved)


def test_a_table_of_verdicts_comes_back_as_it_was(tmp_path: Path) -> None:
    row = Row("statement", "a", "2/1", "2", "3a", "before", "", "up", "agrees", "")
    more = verdicts_table.elsewhere("Table 1", (None, Verdict.DIFFERS), "up")
    verdicts_table.write(tmp_path, [row, *more])
    path = tmp_path / verdicts_table.NAME
    assert verdicts_table.read(path) == [row, *more]
    assert [one.verdict for one in more] == ["not measured", "differs"]
    path.write_text(path.read_text().replace("agrees", "maybe"))
    with pytest.raises(ValueError, match=r"verdicts.csv:2: kind must be statement"):
        verdicts_table.read(path)
    path.write_text("a,b\n")
    with pytest.raises(ValueError, match="columns must be kind,id,sentence"):
        verdicts_table.read(path)
    verdicts_table.write(tmp_path, [])
    assert not path.exists()
