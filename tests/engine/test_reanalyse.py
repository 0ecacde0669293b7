"""Measuring again what was saved."""

import pytest

from mpbench.engine.campaign import Rooms
from mpbench.engine.reanalyse import reanalyse
from mpbench.errors import UserError

from . import plans
from .conftest import Lab


def test_the_same_measure_gives_the_same_table(lab: Lab) -> None:
    lab.run(scripts=[{"do": "panic", "when": "transport.path=1"}])
    before = lab.results.csv.read_bytes()
    lab.results.csv.unlink()
    lab.results.run(plans.plan().runs[0].id).row.unlink()
    verdicts = reanalyse(lab.results.root, Rooms(plans.measure, plans.tabulate))
    assert verdicts == {"ok": 4, "failed": 2}
    assert lab.results.csv.read_bytes() == before


def test_another_measure_gives_another_verdict(lab: Lab) -> None:
    lab.run()

    def strict(folder):
        return {"verdict": "invalid", "reason": "too good"}

    reanalyse(lab.results.root, Rooms(strict, plans.tabulate))
    assert set(lab.table()["reason"]) == {"too good"}
    lab.run()
    assert "6 finished (6 invalid), 0 to do now" in lab.text


def test_no_results_folder_is_told(tmp_path) -> None:
    with pytest.raises(UserError, match="not a results folder"):
        reanalyse(tmp_path, Rooms(plans.measure, plans.tabulate))
