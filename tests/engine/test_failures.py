"""Runs that go wrong become verdicts, and the campaign goes on."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mpbench.engine.verdict import MOST_CHARACTERS, console_tail
from mpbench.errors import UserError

from . import plans
from .conftest import Lab

pytestmark = pytest.mark.slow

ON_PATH_1 = "transport.path=1"


@pytest.mark.parametrize(
    "action, verdict, reason",
    [
        ("panic", "failed", "Kernel panic - not syncing: told to"),
        ("die", "interrupted", "killed by signal 9"),
        ("fail", "failed", "NetworkError: told to"),
        ("overrun", "timeout", "not done after 40 virtual seconds"),
        ("hang", "interrupted", "no sign of life for 0.05 s of wall time"),
        ("garble", "failed", "cannot be measured: JSONDecodeError"),
    ],
)
def test_misfortune_becomes_a_row(
    lab: Lab, action: str, verdict: str, reason: str
) -> None:
    scripts = [{"do": action, "when": ON_PATH_1}]
    assert lab.run(scripts=scripts, silence_limit_s=0.05) == 1
    table = lab.table().set_index("case")
    tcp1 = table.loc[["tcp1"]]
    assert set(tcp1["verdict"]) == {verdict}
    assert tcp1["reason"].str.startswith(reason).all()
    assert set(table.loc[["mptcp"], "verdict"]) == {"ok"}
    assert set(tcp1["goodput_mbps"]) == {""}
    assert f"{verdict}, " in lab.text
    assert reason in lab.text
    bad = next(run for run in plans.plan().runs if run.case == "tcp1")
    row = json.loads(lab.results.run(bad.id).row.read_text())
    assert row["console_tail"][0] == "fake guest: up"
    assert "| fake guest: up" in lab.text


def test_the_console_tail_has_no_control_characters(lab: Lab) -> None:
    lab.run(scripts=[{"do": "panic"}], limit=1)
    row = json.loads(lab.results.run(lab.folders()[0]).row.read_text())
    assert row["console_tail"] == [
        "fake guest: up",
        "Kernel panic - not syncing: told to",
        "Call Trace:",
        " <TA",
    ]
    assert "console_tail" not in lab.table().columns


def test_failed_runs_are_retried_only_when_asked(lab: Lab) -> None:
    assert lab.run(scripts=[{"do": "panic", "when": ON_PATH_1}]) == 1
    assert lab.run() == 1
    assert "0 to do now" in lab.text
    assert "--retry-failed" in lab.text
    assert lab.run(retry_failed=True) == 0
    assert "2 to do now" in lab.text
    assert set(lab.table()["verdict"]) == {"ok"}
    assert len(lab.folders()) == 6


def test_what_the_host_cut_short_is_executed_again(lab: Lab) -> None:
    """By the same command, three times at most; --retry-failed goes on after that."""
    die = [{"do": "die", "when": ON_PATH_1}]
    for attempt in range(1, 4):
        assert lab.run(scripts=die) == 1
        assert "2 to do now" in lab.text or attempt == 1
        again = "2 runs interrupted by this machine" in lab.text
        assert again == (attempt < 3)
    assert "2 runs interrupted 3 times in a row" in lab.text
    assert lab.run() == 1
    assert "0 to do now" in lab.text
    assert lab.run(retry_failed=True) == 0
    assert set(lab.table()["verdict"]) == {"ok"}


def test_a_run_that_ends_by_itself_starts_the_count_anew(lab: Lab) -> None:
    die = [{"do": "die"}]
    lab.run(scripts=die, limit=1)
    lab.run(scripts=die, limit=1)
    lab.run(scripts=[{"do": "panic"}], limit=1)
    lab.run(scripts=die, limit=1, retry_failed=True)
    host = json.loads(lab.results.run(lab.folders()[0]).host.read_text())
    assert host["attempts"] == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_no_run_beyond_the_last_failure_is_kept(lab: Lab, workers: int) -> None:
    for _ in range(5):
        lab.run(scripts=[{"do": "panic"}], jobs=workers, give_up=2)
        assert len(lab.folders()) == 2
        for name in lab.folders():
            shutil.rmtree(lab.results.run(name).root)


def test_failures_in_a_row_end_the_campaign(lab: Lab) -> None:
    """All six runs panic: after three it is enough, and the rest is done when asked."""
    panic = [{"do": "panic"}]
    assert lab.run(scripts=panic, jobs=1, give_up=3) == 1
    assert len(lab.folders()) == 3
    assert "Given up: the last 3 runs failed" in lab.text
    assert "3 runs of the plan not yet done" in lab.text
    assert lab.run(scripts=panic, jobs=1, give_up=0) == 1
    assert len(lab.folders()) == 6
    assert "Given up" not in lab.text


def test_failures_among_good_runs_do_not_end_it(lab: Lab) -> None:
    assert lab.run(scripts=[{"do": "panic", "when": ON_PATH_1}], jobs=1, give_up=2) == 1
    assert len(lab.folders()) == 6


def test_the_measured_verdict_counts(lab: Lab) -> None:
    def measure(folder: Path) -> dict[str, Any]:
        return {"goodput_mbps": 1.0, "verdict": "invalid", "reason": "subflow missing"}

    assert lab.run(measure=measure) == 1
    assert set(lab.table()["verdict"]) == {"invalid"}
    assert set(lab.table()["reason"]) == {"subflow missing"}
    lab.run(measure=measure, retry_failed=True)
    assert "0 to do now" in lab.text


def test_a_bug_in_the_backend_stops_the_campaign_and_loses_nothing(lab: Lab) -> None:
    with pytest.raises(RuntimeError, match="told to have a bug"):
        lab.run(scripts=[{"do": "raise", "when": "transport.path=2"}], jobs=1)
    assert len(lab.folders()) == 2
    assert len(lab.table()) == 2
    assert lab.run() == 0


def test_what_would_befall_every_run_stops_at_the_first(lab: Lab) -> None:
    with pytest.raises(UserError, match="told to refuse"):
        lab.run(scripts=[{"do": "refuse"}])
    assert lab.folders() == []


def test_rows_of_odd_kinds_still_make_both_tables(lab: Lab) -> None:
    kinds = iter([1, "one", 2.5, None, True, -3])

    def measure(folder: Path) -> dict[str, Any]:
        return {"odd": next(kinds), "empty": None}

    assert lab.run(measure=measure, jobs=1) == 0
    assert list(lab.table()["odd"]) == ["1", "one", "2.5", "", "True", "-3"]


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, 2**70])
def test_a_measure_that_no_column_can_hold_is_told(lab: Lab, value: object) -> None:
    assert lab.run(measure=lambda folder: {"odd": value}, limit=1) == 1
    [reason] = lab.table()["reason"]
    assert reason.startswith("cannot be measured: odd")


def test_numbers_of_numpy_and_no_numbers_are_measured_too(lab: Lab) -> None:
    def measure(folder: Path) -> dict[str, Any]:
        return {"a": np.float64(1.5), "b": np.nan, "c": np.int64(2), "d": math.inf}

    assert lab.run(measure=measure) == 0
    row = json.loads(lab.results.run(lab.folders()[0]).row.read_text())
    assert (row["a"], row["b"], row["c"], row["d"]) == (1.5, None, 2, None)


def test_rows_that_make_no_table_are_told_in_a_line(lab: Lab) -> None:
    def tabulate(rows: list[dict[str, Any]]) -> pd.DataFrame:
        raise ValueError("no case 'mptcp'")

    with pytest.raises(UserError, match=r"make no table \(no case 'mptcp'\)"):
        lab.run(tabulate=tabulate)
    assert len(lab.folders()) == 6


def test_the_console_tail_is_its_last_twenty_lines(tmp_path: Path) -> None:
    console = tmp_path / "console.log"
    lines = [f"line {number}" for number in range(25)]
    console.write_text("\n\n".join(lines) + "\n")
    assert console_tail(console) == lines[5:]
    console.write_text("x" * (MOST_CHARACTERS + 1))
    assert console_tail(console) == ["x" * 5000]
    assert console_tail(tmp_path / "none.log") == []
