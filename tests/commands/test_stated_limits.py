"""Limits that an experiment file states: `mpbench run --tap`, on made-up numbers."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mpbench.report import limit_report
from tests.calls import Called, Command
from tests.commands.test_compare import KERNELS
from tests.spec.files import TEXT

pytestmark = pytest.mark.slow
STATED = KERNELS + "compare: {kernel: stock, limits: {goodput: 1 %}}\n"
EIGHT = TEXT.replace("points: 4", "points: 8")
SLOW = "parameters: {path2.capacity: 1 Mbit/s}\n"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def tap(command: Command, text: str, *options: str) -> Called:
    Path("f.yaml").write_text(text)
    return command("run", "f.yaml", "--backend", "fake", "--tap", *options)


def test_run_prints_what_compare_prints(command: Command) -> None:
    done = tap(command, STATED)
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[:2] == ["TAP version 14", "1..4"]
    assert lines[2].startswith("ok 1 - goodput, mptcp-fast against mptcp-stock: median")
    assert "48 runs" in done.err
    words = ("compare", "results/kernels", "--kernel", "stock")
    same = command(*words, "--limit", "goodput=1", "--tap")
    assert (same.status, same.out) == (0, done.out)
    stated = command("compare", "results/kernels", "--tap")
    assert (stated.status, stated.out) == (0, done.out)
    plain = command("compare", "results/kernels").out.splitlines()
    assert [line.partition(":")[0] for line in plain] == ["ok"] * 4


def test_a_broken_limit_and_one_of_another_case(command: Command) -> None:
    limits = "compare: {baseline: tcp1, limits: {goodput: 1 %, smoothed_rtt: 100 %}}\n"
    done = tap(command, EIGHT + SLOW + limits)
    assert done.status == 1
    lines = [line for line in done.out.splitlines() if "ok " in line[:7]]
    assert len(lines) == 4
    (broken,) = [line for line in lines if "goodput, tcp2 against tcp1" in line]
    assert broken.startswith("not ok 2 - ") and "TODO" not in broken
    look = "look: 'mpbench compare results/small results/small --case tcp1=tcp2"
    assert look in done.out
    at = done.out.index("not ok 2 - ")
    again = re.search(r"verify results/small --run (\w+) --run (\w+)", done.out[at:])
    assert again
    rows = pd.read_csv("results/small/runs.csv").set_index("id").loc[[*again.groups()]]
    assert [*rows["case"]] == ["tcp1", "tcp2"] and rows["point"].nunique() == 1


def test_cases_are_compared_with_the_first_one(command: Command) -> None:
    done = tap(command, TEXT + "compare: {limits: {goodput: 100 %}}\n")
    pairs = re.findall(r"goodput, (\w+ against \w+):", done.out)
    assert pairs == ["tcp1 against mptcp", "tcp2 against mptcp"]


def test_a_campaign_is_judged_with_95_percent_and_one_seed(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it gives the same verdict each time, and that of `mpbench compare`."""
    asked: list[tuple[float, int]] = []
    judge = limit_report.judge

    def noted(*words: Any, **more: Any) -> Any:
        asked.append(words[-2:])
        return judge(*words, **more)

    monkeypatch.setattr(limit_report, "judge", noted)
    tap(command, TEXT + "compare: {limits: {goodput: 100 %}}\n")
    command("compare", "results/small", "--tap")
    assert asked == [(0.95, 1), (0.95, 1)]


def test_an_undecided_limit_says_what_would_decide(command: Command) -> None:
    limits = "compare: {baseline: tcp1, limits: {goodput: 1 %}}\n"
    done = tap(command, TEXT + limits)
    assert done.status == 3
    assert done.out.count("# TODO undecided, n = 6 would probably decide") == 2


def test_the_direction_may_be_stated(command: Command) -> None:
    limits = "{limits: {traffic_split: 100 %}, better: {traffic_split: more}}"
    done = tap(command, KERNELS + f"compare: {limits}\n")
    assert "traffic_split" in done.out, done.err


def test_runs_that_are_not_ok_are_lines_of_their_own(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    panics = {"do": "panic", "when": "linux.options.CONFIG_HZ=100"}
    monkeypatch.setenv("MPBENCH_FAKE", json.dumps(panics))
    done = tap(command, STATED, "--give-up", "0")
    assert done.status == 1, done.err
    _head, plan, *lines = done.out.splitlines()
    assert plan == "1..5"
    fast = [line for line in lines if "-fast against" in line]
    assert [line[:4] for line in fast] == ["ok 1", "ok 2"]
    lost = "goodput, {0}-slow against {0}-stock: no pair of ok runs has it"
    lost += " (Kernel panic - not syncing: told to)"
    assert lines[-3:] == [
        f"not ok 3 - {lost.format('mptcp')}",
        f"not ok 4 - {lost.format('tcp')}",
        "not ok 5 - all runs are ok: 16 of 48 runs are not",
    ]
    asked = ("compare", "results/kernels", "--kernel", "stock", "--limit", "goodput=1")
    judged = command(*asked, "--tap")
    assert judged.status == 1, judged.err
    assert judged.out.splitlines()[1] == "1..4"
    assert [line for line in judged.out.splitlines() if line in lines[-3:-1]]
    only = ("compare", "results/kernels", "--kernel", "stock=slow", *asked[-2:])
    alone = command(*only)
    assert (alone.status, alone.err) == (1, "")
    assert alone.out.splitlines() == [
        f"not ok: {lost.format(case)}" for case in ("mptcp", "tcp")
    ]


def test_nothing_to_judge(command: Command) -> None:
    done = tap(command, STATED, "--limit", "0")
    assert done.status == 2
    first, second = done.out.splitlines()
    assert first == "TAP version 14"
    assert second.startswith("Bail out! results/kernels: no run is finished")


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (KERNELS, (), "f.yaml:1: --tap: the experiment states no limits; write"),
        (STATED, ("--dry-run",), "--tap: judges a whole campaign"),
        (STATED, ("--shard", "1/2"), "--tap: judges a whole campaign"),
        (
            STATED.replace("goodput", "completion_time"),
            (),
            "f.yaml:16: compare.limits.completion_time: no run of this experiment has"
            " it; it needs traffic of",
        ),
    ],
)
def test_what_is_refused_before_the_first_run(
    command: Command, text: str, options: tuple[str, ...], said: str
) -> None:
    done = tap(command, text, *options)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
    assert not Path("results").exists()


def test_results_whose_file_states_no_limit(command: Command) -> None:
    Path("f.yaml").write_text(KERNELS)
    command("run", "f.yaml", "--backend", "fake")
    done = command("compare", "results/kernels", "--tap")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "compare: {limits: {goodput: 1 %}}" in done.err
