"""Cost of keeping the table of runs during a campaign."""

import itertools
import shutil
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mpbench.engine import saving
from mpbench.engine.saving import Saving
from mpbench.errors import UserError
from mpbench.store import campaign, provenance, root, table

from .conftest import Lab

RUN_S, ROW_S = 0.03, 0.0001
"""A run is collected in 30 ms, and a row takes 0.1 ms of a saving (measured with 2,000
rows of 54 columns)."""
MOST_SHARE = 0.055


class Table:
    """A table that is never written; its savings take time on a clock of their own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fails: bool = False) -> None:
        self.now_s = self.taken_s = 0.0
        self.rows: list[int] = []
        self.fails = fails
        monkeypatch.setattr(time, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(table, "collect", lambda *given: given[-1])
        monkeypatch.setattr(table, "write", self._write)
        monkeypatch.setattr(root, "value", lambda *given: "")
        monkeypatch.setattr(root, "write", lambda *given: None)

    def _write(self, results: Any, rows: dict[str, Any], *_: Any) -> None:
        self.rows.append(len(rows))
        self.now_s += ROW_S * len(rows)
        self.taken_s += ROW_S * len(rows)
        if self.fails:
            raise UserError("no table")

    def campaign(self, runs: int) -> float:
        """Collect the runs; the share of the time that savings take."""
        head: Any = SimpleNamespace(plan=(), spec_hash="")
        results: Any = SimpleNamespace(root="results")
        tabulate: Any = None
        kept = Saving(results, head, tabulate, {})
        for number in range(runs):
            self.now_s += RUN_S
            kept.add(str(number), {})
            kept.now_and_then()
        return self.taken_s / self.now_s


@pytest.mark.parametrize("runs", [300, 1_000, 10_000, 100_000])
def test_savings_take_a_bounded_share(
    monkeypatch: pytest.MonkeyPatch, runs: int
) -> None:
    """At fixed times, savings took 9 % of the time with 10,000 runs, and 50 % with
    100,000."""
    made = Table(monkeypatch)
    assert made.campaign(runs) < MOST_SHARE
    assert made.rows, "the table is made while runs finish"


def test_the_table_of_a_small_campaign_is_a_few_seconds_old(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Table(monkeypatch)
    made.campaign(1_000)
    behind_s = [RUN_S * (b - a) for a, b in itertools.pairwise(made.rows)]
    assert max(behind_s) < saving.EVERY_S + 1


def test_a_table_that_fails_is_tried_again_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Table(monkeypatch, fails=True)
    assert made.campaign(10_000) < MOST_SHARE
    assert len(made.rows) > 3


class Written:
    """Counts how often a campaign's table is written."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, commit: str | None) -> None:
        self.times = 0
        self._write = table.write
        self.commit = commit
        monkeypatch.setattr(table, "write", self._counted)
        monkeypatch.setattr(provenance, "commit", lambda: self.commit)

    def _counted(self, *given: Any) -> None:
        self.times += 1
        self._write(*given)

    def run(self, lab: Lab) -> int:
        """Run the campaign; the number of times that the table is written."""
        before = self.times
        assert lab.run() == 0
        return self.times - before


def test_a_run_with_nothing_to_do_leaves_the_table(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Written(monkeypatch, "abc")
    assert written.run(lab) >= 1
    made = lab.results.csv.read_bytes(), lab.results.parquet.read_bytes()
    assert written.run(lab) == 0
    assert (lab.results.csv.read_bytes(), lab.results.parquet.read_bytes()) == made
    head = campaign.read(lab.results.campaign)
    ids = [entry.id for entry in head.plan]
    assert root.check(lab.results, head, ids).root, "root.json covers the new head"


@pytest.mark.parametrize("lost", ["csv", "parquet"])
def test_a_table_that_is_lost_or_changed_is_made_again(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    written = Written(monkeypatch, "abc")
    written.run(lab)
    file: Path = getattr(lab.results, lost)
    made = file.read_bytes()
    file.write_bytes(made + b"x")
    assert written.run(lab) == 1
    assert file.read_bytes() == made
    file.unlink()
    assert written.run(lab) == 1
    assert file.read_bytes() == made


def test_the_table_of_other_code_is_made_again(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Written(monkeypatch, "abc")
    written.run(lab)
    for commit, times in (("def", 1), ("def", 0), ("def-dirty", 1), ("def-dirty", 1)):
        written.commit = commit
        assert written.run(lab) == times, commit
    written.commit = None
    assert written.run(lab) == 1
    assert written.run(lab) == 1, "nobody knows whether this code is the same"


def test_a_row_that_changed_gives_a_new_table(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = Written(monkeypatch, "abc")
    written.run(lab)
    shutil.rmtree(lab.results.run(lab.folders()[0]).root)
    assert written.run(lab) >= 1
