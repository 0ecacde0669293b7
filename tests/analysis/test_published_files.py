"""Files of published values from a stranger: refused with a line, in bounded time."""

import os
from pathlib import Path

import pytest

from analysis.published import cells, deviations, statements
from analysis.published.document import MOST_VALUES
from analysis.published.files import MOST_BYTES

STATEMENT = """\
source: a paper
statements:
- id: fair
  kind: statement
  text: it is fair
  statement: it is fair
  registered: 2026-11-22
  criterion: {statistic: part_above, metric: jain, rows: small, relation: '>',
    value: 0.5, threshold: 0.9}
"""
ALIASES = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(9))
ROW = f"{','.join(cells.COLUMNS)}\n"


def refusal(tmp_path: Path, name: str, text: str) -> str:
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError) as caught:
        cells.read(path) if name.endswith("csv") else statements.read(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:") and "\n" not in message
    return message.removeprefix(f"{path}:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"a: &a-1 x\n{ALIASES}{STATEMENT}", f"more than {MOST_VALUES} values"),
        ("source: " + "[" * 3000 + "]" * 3000, "1: nested too deeply"),
        ("source: &a [*a]\nstatements: []", "1: nested too deeply"),
        ('source: "\\UFFFFFFFF"', "1: an escape stands for no character"),
        ('source: "\\U0FFFFFFF"', "1: an escape stands for no character"),
        ("source: \0", "1: is not text"),
        ("source: \xff", "1: is not UTF-8"),
        ("#" * (MOST_BYTES + 1), "1: larger than 1 MiB"),
        (f"{STATEMENT}  readings: 5", "10: readings must be a list"),
        (f"{STATEMENT}  changes: {{a: 1}}", "10: changes must be a list"),
        (STATEMENT.replace("0.9", "1" + "0" * 400), "int too large"),
    ],
)
def test_statements(tmp_path: Path, text: str, message: str) -> None:
    assert message in refusal(tmp_path, "f.yaml", text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{ROW}{'x' * 200_000}\n", "2: field larger than field limit"),
        (f"{ROW}{',' * MOST_BYTES}\n", "1: larger than 1 MiB"),
        ("\xff", "1: is not UTF-8"),
        (f"{ROW}x\n", "2: "),
    ],
)
def test_tables(tmp_path: Path, text: str, message: str) -> None:
    assert message in refusal(tmp_path, "f.csv", text)


@pytest.mark.parametrize("read", [cells.read, deviations.read, statements.read])
def test_a_pipe_does_not_keep_the_reader(tmp_path: Path, read: object) -> None:
    path = tmp_path / "f.csv"
    os.mkfifo(path)
    with pytest.raises(ValueError, match=r"f\.csv:1: not a regular file"):
        read(path)  # type: ignore[operator]
