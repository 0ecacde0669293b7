"""Characters that change the direction of text reach no terminal."""

from pathlib import Path

import pytest

from mpbench.engine.verdict import one_line
from mpbench.errors import UserError, printable
from mpbench.spec.document import parse
from tests.calls import Command

from .folders import changed, first_run, forge, make

TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def test_messages_and_reasons_have_none() -> None:
    shown = "?" * len(TURNS)
    assert printable(f"a{TURNS}b\u200d\u2010") == f"a{shown}b\u200d\u2010"
    assert printable("a\nb\tc") == "a\nb\tc"
    assert not set(one_line(f"a {TURNS} b")) & set(TURNS)


@pytest.mark.parametrize("turn", TURNS)
def test_an_experiment_file_has_none(turn: str) -> None:
    with pytest.raises(UserError) as told:
        parse(f"name: a\ndescription: x{turn}y\n", "f.yaml")
    words = f"the character U+{ord(turn):04X} cannot be used; remove it"
    assert str(told.value) == f"f.yaml:2: {words}"


def test_a_row_from_a_stranger_has_none(command: Command, tmp_path: Path) -> None:
    results = make(command, tmp_path)
    run = first_run(results)
    forge(run, "row.json", changed(run.row, reason="\u202eko"))
    done = command("report", results, "--out", tmp_path / "page")
    assert done.status == 0, done.err
    assert not set(done.err + done.out) & set(TURNS)
    assert (
        f"Damaged, and left out: `runs/{run.root.name}` (row.json: reason" in done.err
    )
