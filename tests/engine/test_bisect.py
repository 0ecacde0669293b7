"""The search for the patch that makes a metric worse, on made-up numbers."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from jobs.linux import Linux
from mpbench.backends.features import CONSOLE
from mpbench.engine.bisect import (
    STEP,
    Found,
    Search,
    _common_failure,
    batches,
    readable,
)
from mpbench.engine.bisect_log import LOG, Noted, read_log
from mpbench.engine.bisect_question import Question
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from mpbench.plan.runs import Plan, Run
from mpbench.spec import Spec
from mpbench.store import atomic, layout

TEXT = """\
name: series
topology: two_path
kernels:
  stock: {lab: none}
  mine: {base: stock, patches: series/*.patch}
  options: {base: stock, options: {CONFIG_HZ: 1000}}
cases:
  tcp: {protocol: tcp, congestion_control: cubic, path: 1}
  mptcp: {protocol: mptcp, congestion_control: cubic}
design:
  points: 40
  candidates: 400
  factors: {path1.capacity: {min: 1, max: 100, unit: Mbit/s}}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""


class Runs:
    """Executes runs by a formula of the patches in a kernel.

    effects : of each patch, by its name: percent of goodput, "same" for no byte,
        "broken" for a kernel that does not build, or "fails" for one whose runs do
    noise : standard deviation of a network's difference, percent
    """

    def __init__(self, effects: dict[str, float | str], noise: float = 0.0) -> None:
        self.effects = effects
        self.noise = noise
        self.count = 0
        self.done: set[str] = set()
        self.others: dict[str, set[str]] = {}

    def __call__(
        self, spec: Spec, plan: Plan, folder: Path, others: Sequence[Path]
    ) -> pd.DataFrame:
        self.others[folder.name] = {path.name for path in others}
        rows = [self._row(run, folder) for run in plan.runs]
        table = pd.DataFrame(rows)
        table.attrs["factors"] = plan.factor_keys
        return table

    def _row(self, run: Run, folder: Path) -> dict[str, object]:
        effects = self.effects_of(run)
        if "broken" in effects:
            raise UserError(f"kernel (1 patch): does not build{CONSOLE}panic")
        numbers = [effect for effect in effects if not isinstance(effect, str)]
        drawn = np.random.default_rng(run.point).normal(0, self.noise)
        factor = 1 + (sum(numbers) + drawn * bool(numbers)) / 100
        fails = "fails" in effects
        if run.id not in self.done:
            self.count += 1
            self.done.add(run.id)
        self._leave(run, folder, 0.0 if fails else factor)
        return {
            "id": run.id,
            "case": run.case,
            "verdict": "failed" if fails else "ok",
            "reason": "guest kernel panicked" if fails else "",
            "repetition": run.repetition,
            "goodput_mbps": 10 * factor,
            **run.factors,
        }

    def effects_of(self, run: Run) -> list[float | str]:
        linux = run.job.linux or Linux()
        return [self.effects[patch.name] for patch in linux.patches]

    def _leave(self, run: Run, folder: Path, factor: float) -> None:
        """A manifest whose hash follows from the run's goodput."""
        place = layout.Results(folder).run(run.id)
        place.artefacts.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(f"{run.point} {factor}".encode()).hexdigest()
        files = {"artefacts/x": {"sha256": digest, "bytes": 1}}
        place.manifest.write_bytes(atomic.encode({"format": 2, "files": files}))


def searched(
    folder: Path,
    effects: dict[str, float | str],
    noise: float = 0.0,
    text: str = TEXT,
    case: str = "mptcp",
    **more: object,
) -> tuple[Found, Search, Runs]:
    (folder / "series").mkdir()
    for name in effects:
        (folder / "series" / name).write_text(f"--- a/{name}.c\n+++ b/{name}.c\n")
    file = folder / "series.yaml"
    file.write_text(text)
    asked: dict[str, object] = {"good": "stock", "bad": "mine", "worse_percent": 2.0}
    asked |= {"metric": "goodput", **more}
    question = Question(load(file), case, **asked)  # type: ignore[arg-type]
    runs = Runs(effects, noise)
    said: list[str] = []
    search = Search(question, folder / "out", {"fake": "1"}, runs, said.append)
    return search.run(), search, runs


def outcomes(search: Search) -> dict[int, str]:
    return {number: step.outcome for number, step in sorted(search.steps.items())}


@pytest.mark.parametrize("bad", range(1, 8))
def test_every_patch_of_a_series_is_found(tmp_path: Path, bad: int) -> None:
    effects: dict[str, float | str] = {f"{n}.patch": "same" for n in range(1, 8)}
    effects[f"{bad}.patch"] = -10.0
    found, search, _ = searched(tmp_path, effects)
    assert found == Found(bad, (bad,))
    assert len(search.steps) <= 4


def test_a_file_that_compares_its_kernels_is_searched(tmp_path: Path) -> None:
    """The question names kernels that a step does not have."""
    text = TEXT.replace("factors: {", "factors: {kernel: [stock, mine], ")
    text += "compare: {kernel: stock, better: {goodput: more}}\n"
    effects: dict[str, float | str] = {"1.patch": "same", "2.patch": -10.0}
    found, _, _ = searched(tmp_path, effects, text=text, case="mptcp-stock")
    assert found == Found(2, (2,))


@pytest.mark.parametrize("name", ["step-1", "step-2"])
def test_no_step_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=f"{name}: is a symbolic link"):
        searched(tmp_path, {"1.patch": -10.0, "2.patch": -10.0})
    assert not list((tmp_path / "elsewhere").iterdir())


def test_null_patches_take_three_networks(tmp_path: Path) -> None:
    effects: dict[str, float | str] = {"1.patch": "same", "2.patch": -50.0}
    _, search, runs = searched(tmp_path, effects)
    assert search.steps[1].same
    assert search.steps[1].reason == (
        "the runs of 3 networks have the bytes of the good kernel"
    )
    assert runs.count == 8 + 8 + 3


def test_one_network_that_differs_is_no_null_patch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Runs._leave

    def leave(self: Runs, run: Run, folder: Path, factor: float) -> None:
        usual(self, run, folder, factor + (run.point == 1 and run.case == STEP))

    monkeypatch.setattr(Runs, "_leave", leave)
    effects: dict[str, float | str] = {"1.patch": "same", "2.patch": -50.0}
    _, search, _ = searched(tmp_path, effects)
    assert not search.steps[1].same


def test_a_mild_change_is_within_the_limit(tmp_path: Path) -> None:
    effects: dict[str, float | str] = {"1.patch": "same", "2.patch": -1.0}
    effects |= {"3.patch": -9.0, "4.patch": 0.5}
    found, search, _ = searched(tmp_path, effects, noise=0.5)
    assert found.first_bad == 3
    assert outcomes(search) == {2: "good", 3: "bad", 4: "bad"}


def test_more_networks_decide_what_few_cannot(tmp_path: Path) -> None:
    found, _, runs = searched(tmp_path, {"1.patch": -4.0}, noise=3.0)
    assert found.first_bad == 1
    assert runs.count > 16


def test_what_does_not_build_is_skipped(tmp_path: Path) -> None:
    effects = {"1.patch": "same", "2.patch": "same", "3.patch": "same"}
    broken: dict[str, float | str] = {**effects, "4.patch": -10.0}
    found, search, _ = searched(tmp_path, broken)
    assert found.first_bad == 4
    assert outcomes(search)[2] == "good"


def test_suspects_stay_where_steps_are_skipped(tmp_path: Path) -> None:
    """Patch 2 breaks the build and patch 3, which mends it, stands behind the bad one:
    the first patches up to 2 and 3 do not build."""

    class Mended(Runs):
        def _row(self, run: Run, folder: Path) -> dict[str, object]:
            count = len(run.job.linux.patches) if run.job.linux else 0
            if count in (2, 3):
                raise UserError("does not build")
            return super()._row(run, folder)

    names = [f"{n}.patch" for n in range(1, 6)]
    effects: dict[str, float | str] = dict.fromkeys(names, "same")
    effects["3.patch"] = -10.0
    (tmp_path / "series").mkdir()
    for name in names:
        (tmp_path / "series" / name).write_text(f"--- a/{name}.c\n+++ b/{name}.c\n")
    (tmp_path / "series.yaml").write_text(TEXT)
    spec = load(tmp_path / "series.yaml")
    question = Question(spec, "mptcp", "stock", "mine", "goodput", 2.0)
    search = Search(
        question, tmp_path / "out", {"fake": "1"}, Mended(effects), lambda line: None
    )
    found = search.run()
    assert found == Found(None, (2, 3, 4))
    assert outcomes(search)[1] == "good"
    assert outcomes(search)[4] == "bad"
    assert {outcomes(search)[n] for n in (2, 3)} == {"skipped"}
    log = json.loads((tmp_path / "out" / LOG).read_text())
    assert [step["number"] for step in log["steps"]] == sorted(search.steps)


def test_ends_that_do_not_differ(tmp_path: Path) -> None:
    words = r"series\.yaml:5: kernel 'mine' is not worse than the limit, so"
    with pytest.raises(UserError, match=words):
        searched(tmp_path, {"1.patch": -1.0})


def test_a_series_is_searched_whose_last_patches_do_not_boot(tmp_path: Path) -> None:
    effects: dict[str, float | str] = {"1.patch": "same", "2.patch": -10.0}
    effects |= {"3.patch": "same", "4.patch": "broken", "5.patch": "same"}
    found, search, _ = searched(tmp_path, effects)
    assert found == Found(2, (2,))
    assert outcomes(search) == {
        1: "good",
        2: "bad",
        3: "bad",
        4: "skipped",
        5: "skipped",
    }


def test_the_patch_that_does_not_boot_is_named(tmp_path: Path) -> None:
    effects: dict[str, float | str] = {"1.patch": "same", "2.patch": "broken"}
    words = (
        r"series\.yaml:5: kernel 'mine' cannot be judged from change 2, '2\.patch', on"
        r" \(kernel \(1 patch\): does not build\)\. Step 1 of 3 is not worse than"
    )
    with pytest.raises(UserError, match=words):
        searched(tmp_path, effects | {"3.patch": "same"})


def test_eight_steps_at_the_end_are_tried(tmp_path: Path) -> None:
    effects: dict[str, float | str] = {"0.patch": -10.0}
    effects |= {f"{number}.patch": "broken" for number in range(1, 8)}
    found, search, _ = searched(tmp_path, effects)
    assert found == Found(1, (1,))
    assert len(search.steps) == 8


@pytest.mark.parametrize(("count", "first"), [(1, False), (8, False), (8, True)])
def test_a_series_that_never_boots(tmp_path: Path, count: int, first: bool) -> None:
    """first : whether a step boots before the last eight"""
    effects: dict[str, float | str] = {"0.patch": -10.0} if first else {}
    effects |= {f"{number}.patch": "broken" for number in range(1, count + 1)}
    less = ", nor without its last changes" if count > 1 else ""
    words = rf"'mine' cannot be judged{less}: kernel .*does not build"
    with pytest.raises(UserError, match=words):
        searched(tmp_path, effects)


@pytest.mark.parametrize(
    ("good", "bad", "words"),
    [
        ("stok", "mine", "--good stok: no such kernel; .*stock"),
        ("stock", "min", "--bad min: no such kernel; .*mine"),
        ("mine", "mine", "--good mine --bad mine: one kernel; a search needs"),
        ("mine", "stock", "kernel 'stock' is not mine with more patches"),
        ("stock", "options", "kernel 'options' is not stock with more patches"),
        (None, "mine", "kernel 'mine' is not mpbench's own with more patches"),
    ],
)
def test_kernels_that_make_no_series(
    tmp_path: Path, good: str | None, bad: str, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        searched(tmp_path, {"1.patch": -10.0}, good=good, bad=bad)


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("goodpt", "--limit goodpt: no metric has this name; .*goodput"),
        ("request_time", "--limit request_time: no run .* it needs traffic of 'ab'"),
        ("traffic_split", "--limit traffic_split: neither more nor less of it is"),
        ("late.goodput", "--limit late.goodput: no program and no part of the runs"),
        ("x" * 200, "--limit x{80}: no metric"),
    ],
)
def test_a_metric_that_runs_lack_is_refused_before_the_first_run(
    tmp_path: Path, metric: str, words: str
) -> None:
    with pytest.raises(UserError, match=words) as told:
        searched(tmp_path, {"1.patch": -10.0}, metric=metric)
    assert "\n" not in str(told.value)
    assert not (tmp_path / "out").exists()


def test_the_file_says_which_direction_is_good(tmp_path: Path) -> None:
    better = "compare: {better: {goodput: less}}\n"
    effects: dict[str, float | str] = {"1.patch": "same", "2.patch": 10.0}
    found, _, _ = searched(tmp_path, effects, text=TEXT + better)
    assert found == Found(2, (2,))


@pytest.mark.parametrize(
    ("count", "looks"),
    [
        (1, [1]),
        (3, [3]),
        (5, [3, 5]),
        (8, [3, 8]),
        (20, [3, 8, 16, 20]),
        (100, [3, 8, 16, 32, 64, 100]),
    ],
)
def test_looks(count: int, looks: list[int]) -> None:
    assert batches(count) == looks


def test_a_log_names_kernels_and_runs_and_replays(tmp_path: Path) -> None:
    effects: dict[str, float | str] = {"1.patch": "same", "2.patch": -10.0}
    effects |= {"3.patch": "same", "4.patch": "same"}
    found, search, _ = searched(tmp_path, effects)
    log = read_log(tmp_path / "out" / LOG)
    text = (tmp_path / "out" / LOG).read_text()
    assert text.startswith('{\n  "format": 1,\n')
    steps = json.loads(text)["steps"]
    assert steps[-1]["kernel"] == "stock Linux with 4 patches"
    assert len(steps[0]["runs"]) == 6 and len(set(steps[0]["runs"])) == 6
    runs = Runs(effects)
    asked = replace(search.question, replayed=log)
    again = Search(asked, tmp_path / "again", {"fake": "1"}, runs, lambda line: None)
    assert again.run() == found
    assert runs.count == 0
    assert outcomes(again) == outcomes(search)
    assert (tmp_path / "again" / LOG).read_text() == text


def test_a_replayed_log_may_be_changed(tmp_path: Path) -> None:
    """Whoever knows better writes another outcome, as with `git bisect replay`."""
    effects: dict[str, float | str] = {f"{n}.patch": "same" for n in range(1, 5)}
    effects["2.patch"] = -10.0
    _, search, _ = searched(tmp_path, effects)
    log = {**read_log(tmp_path / "out" / LOG), "2.patch": Noted("skipped", "by hand")}
    asked = replace(search.question, replayed=log)
    again = Search(
        asked, tmp_path / "again", {"fake": "1"}, Runs(effects), lambda line: None
    )
    assert again.run() == Found(None, (2, 3))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "no log of a search"),
        ("{}", "it has no list of steps"),
        ('{"steps": [3]}', "step 1 needs a name, 'patch', and an outcome: good, bad"),
        ('{"steps": [{"patch": "a", "outcome": "best"}]}', "step 1 needs a name"),
        ("{", "no log of a search"),
    ],
)
def test_what_is_no_log(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "log").write_text(text)
    with pytest.raises(UserError, match=words):
        read_log(tmp_path / "log")


def test_a_log_of_another_search(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--replay: this search has no step 'other'"):
        searched(tmp_path, {"1.patch": -10.0}, replayed={"other": Noted("good", "")})
    folder = tmp_path / "long"
    folder.mkdir()
    with pytest.raises(UserError, match=r"no step 'x{200}'$"):
        searched(folder, {"1.patch": -10.0}, replayed={300 * "x": Noted("good", "")})


def test_a_series_whose_end_is_undecided(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"'mine': it is undecided .* more points .--points .12.: "
    ):
        searched(tmp_path, {"1.patch": -2.0}, noise=20.0)


def test_a_series_whose_end_does_not_build(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'mine' cannot be judged: kernel"):
        searched(tmp_path, {"1.patch": "broken"})


def test_a_series_whose_end_has_no_ok_run(tmp_path: Path) -> None:
    words = "'mine' cannot be judged: all of its runs fail: guest kernel panicked$"
    with pytest.raises(UserError, match=words):
        searched(tmp_path, {"1.patch": "fails"})


def test_a_step_that_panics_in_each_run_is_skipped_at_once(tmp_path: Path) -> None:
    """Its patch is as little to be judged as one that does not boot."""
    effects: dict[str, float | str] = {"1.patch": "same", "2.patch": -10.0}
    found, search, _ = searched(tmp_path, effects | {"3.patch": "fails"})
    assert found == Found(2, (2,))
    assert outcomes(search) == {1: "good", 2: "bad", 3: "skipped"}
    assert len(search.steps[3].runs) == 6


@pytest.mark.parametrize(
    ("good", "step", "told"),
    [
        (["ok"] * 5, ["a", "b", "a", "c", "d"], "all of its runs fail: a; b; c"),
        (["ok", "failed"], ["a", "a"], None),
        (["ok", "ok"], ["a", ""], None),
    ],
)
def test_a_step_whose_runs_all_fail_has_three_reasons_at_most(
    good: list[str], step: list[str], told: str | None
) -> None:
    """step : the reason of each run's failure; empty for an ok run"""
    cases = ["good"] * len(good) + [STEP] * len(step)
    verdicts = good + ["failed" if reason else "ok" for reason in step]
    reasons = [""] * len(good) + step
    rows = pd.DataFrame({"case": cases, "verdict": verdicts, "reason": reasons})
    assert _common_failure(rows) == told


def test_the_step_before_one_that_does_not_boot_is_undecided(tmp_path: Path) -> None:
    words = r"does not build\)\. Step 1 of 2: it is undecided whether it is worse"
    with pytest.raises(UserError, match=words):
        searched(tmp_path, {"1.patch": -2.0, "2.patch": "broken"}, noise=20.0)


def test_a_step_takes_the_runs_of_the_campaign_itself(tmp_path: Path) -> None:
    """Whoever has judged a series has executed most of what a search needs."""
    (tmp_path / "series").mkdir()
    for name in ("1.patch", "2.patch"):
        (tmp_path / "series" / name).write_text(f"--- a/{name}.c\n+++ b/{name}.c\n")
    file = tmp_path / "series.yaml"
    file.write_text(TEXT.replace("cubic}", "cubic, kernel: mine}"))
    spec, build = load(file), {"fake": "1"}
    question = Question(spec, "mptcp", "stock", "mine", "goodput", 2.0)
    runs, there = Runs({"1.patch": "same", "2.patch": -10.0}), tmp_path / "series-run"
    search = Search(question, tmp_path / "out", build, runs, print, [there])
    search.run()
    assert all("series-run" in others for others in runs.others.values())
    planned = {run.id for run in make_plan(spec, build).runs if run.case == "mptcp"}
    assert planned & set(search.steps[2].runs)


@pytest.mark.parametrize("text", [None, "{", '{"format": 99}'])
def test_runs_are_taken_from_readable_campaigns_alone(
    tmp_path: Path, text: str | None
) -> None:
    """A folder that another version wrote is no reason to give a search up."""
    if text is not None:
        (tmp_path / "campaign.json").write_text(text)
    assert readable(tmp_path) == ()


def test_a_step_takes_the_runs_of_other_steps(tmp_path: Path) -> None:
    effects = {f"{number}.patch": 0.0 for number in range(1, 5)}
    _, search, runs = searched(tmp_path, {**effects, "4.patch": -10.0})
    assert len(search.steps) > 2
    assert all(folder not in others for folder, others in runs.others.items())
    assert list(runs.others.values())[-1] == set(list(runs.others)[:-1])
