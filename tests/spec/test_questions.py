"""The files of questions from forums, and their page."""

from pathlib import Path

import pytest

from mpbench.experiment_files import load
from mpbench.plan import make_plan

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "experiments/questions").glob("*.yaml"))
PAGE = (ROOT / "docs/questions.md").read_text()


def test_there_are_ten_questions_or_more() -> None:
    assert len(FILES) >= 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_question_is_short_and_answered(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= 20
    assert any("https://github.com/" in line for line in lines)
    spec = load(path)
    assert "?" in (spec.description or "") and make_plan(spec, {}).runs
    assert PAGE.count(f"<!-- run: experiments/questions/{path.name} -->") == 1
