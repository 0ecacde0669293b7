"""The prose linter: what it takes for prose, and what its rules catch."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
import yaml

PROSE = Path(__file__).parents[1] / ".ci" / "prose"
RULES = yaml.safe_load((PROSE / "rules.yml").read_text())["rules"]
SOURCE = '''\
"""Read the rows of a table."""

KEY = "no prose"


def read(name):
    # A comment with `code` in it.
    raise ValueError(f"{name}: no such table in here")
'''
KEPT = """\
\"\"\"Read the rows of a table.\"\"\"





    # A comment with        in it.
                     f"      : no such table in here"
"""


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check", PROSE / "check.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def faults(text: str) -> list[str]:
    """Advice to a writer for each match in `text`."""
    return [
        rule["expected"]
        for rule in RULES
        if re.search(rule["pattern"].strip("/"), text)
    ]


def test_comments_docstrings_and_messages_keep_their_place(
    check: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "read.py"
    path.write_text(SOURCE)
    lines = [line.rstrip() for line in check.prose(path).splitlines()]
    assert lines == [line.rstrip() for line in KEPT.splitlines()]


def test_comments_of_c(check: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "read.c"
    path.write_text("int rows; /* one row\n a run */ int a; // a line\n")
    assert check.prose(path).split() == [
        "/*",
        "one",
        "row",
        "a",
        "run",
        "*/",
        "//",
        "a",
        "line",
    ]
    assert check.prose(path).index("a run") == path.read_text().index("a run")


@pytest.mark.parametrize(
    "text",
    [
        "One row a run.",
        "It takes 300,000 packets a second.",
        "one guest a CPU",
        "A run is failed where its tool left nothing.",
        "A scheduler wants two subflows.",
        "The room next to this one.",
        "It is computed anew.",
    ],
)
def test_a_rule_catches(text: str) -> None:
    assert len(faults(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "One row per run, in a file.",
        "The run failed; this is a second run of a wanted case.",
        "Packets arrive, a second one too.",
    ],
)
def test_no_rule_catches(text: str) -> None:
    assert faults(text) == []


@pytest.mark.parametrize(
    "text, found",
    [
        ('"""What a run left."""\n', 1),
        ('def f():\n    """How it ended."""\n', 1),
        ('A = 1\n"""Where it lies."""\n', 1),
        ('"""Whether a run ended."""\nprint("What was left")\n', 0),
        ('def f():\n    """Files that a run left."""\n', 0),
    ],
)
def test_a_docstring_opens_with_a_noun_or_a_verb(
    check: ModuleType, tmp_path: Path, text: str, found: int
) -> None:
    path = tmp_path / "opens.py"
    path.write_text(text)
    lines = list(check.openings(path))
    assert len(lines) == found
    assert all(f"{path}:" in line and "a noun or a verb" in line for line in lines)
