"""The text of runs.csv, and the CPU time of a table."""

import io
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.campaign.table import build
from mpbench.store import table
from tests.analysis import campaign


def test_the_text_is_what_pandas_writes(tmp_path: Path) -> None:
    rows = campaign.rows(4)
    values: dict[str, list[Any]] = {
        "floats": [0.1 + 0.2, 1e-05, 1e16, None],
        "whole": [1, 2**53 + 1, None, -4],
        "switch": [True, None, False, True],
        "words": ['a, "b"', "two\nlines", "", None],
        "great": [1.5e300, 123456789.123456789, -0.0, 3.0],
        "none": [None, None, None, None],
        "mixed": [1, "one", 1.5, None],
    }
    for place, row in enumerate(rows):
        row |= {name: given[place % 4] for name, given in values.items()}
    frame = table._plain(build(rows), rows)
    wanted = io.StringIO()
    frame.to_csv(wanted, index=False)
    table._csv(frame, tmp_path / "runs.csv")
    text = (tmp_path / "runs.csv").read_bytes().decode()
    assert text == wanted.getvalue()
    assert pd.read_csv(tmp_path / "runs.csv")["floats"][0] == 0.1 + 0.2


def test_a_table_without_rows_has_its_names(tmp_path: Path) -> None:
    table._csv(table._plain(build([]), []), tmp_path / "runs.csv")
    text = (tmp_path / "runs.csv").read_text()
    assert text == "id,point,case,repetition,verdict,reason\n"


def test_equal_texts_of_reasons_are_read_once_and_stay_apart() -> None:
    from analysis.run import absent

    first = absent.read("a, b: why; c: else")
    first["d"] = "changed by a reader"
    assert absent.read("a, b: why; c: else") == {"a": "why", "b": "why", "c": "else"}
    assert absent.read(float("nan")) == absent.read("") == {}
