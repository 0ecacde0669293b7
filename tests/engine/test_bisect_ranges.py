"""Ranges of commits as the series of a search, over a repository of the test's."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from mpbench.commands.bisect import command
from mpbench.engine.bisect import Found, Search
from mpbench.engine.bisect_question import Question
from mpbench.engine.bisect_ranges import of_commits
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from tests.kernel.small_linux import SmallLinux, small_linux

from .test_bisect import Runs, outcomes

pytestmark = pytest.mark.slow

TEXT = """\
name: commits
topology: two_path
kernels:
  stock: {lab: none}
  mine: {git: linux, lab: none, options: {CONFIG_HZ: 1000}}
cases:
  mptcp: {protocol: mptcp, congestion_control: cubic}
design:
  points: 12
  candidates: 100
  factors: {path1.capacity: {min: 1, max: 100, unit: Mbit/s}}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""


class Series:
    """A repository with commits, of which some have an effect."""

    def __init__(self, folder: Path) -> None:
        self.linux: SmallLinux = small_linux(folder / "linux")
        self.file = folder / "commits.yaml"
        self.file.write_text(TEXT)
        self.effects: dict[str, float | str] = {}
        self.total: list[float | str] = []

    def commit(self, subject: str, effect: float | str) -> str:
        """effect : of this commit and all after it; see `Runs`"""
        made = self.linux.commit(subject, net__mptcp__pm=f"{len(self.effects)}\n")
        self.effects[made] = effect
        return made

    def searched(self, text: str, folder: Path) -> tuple[Found, Search, list[str]]:
        spec = load(self.file)
        said: list[str] = []
        effects = self.effects

        class Committed(Runs):
            def __call__(
                self, spec: Spec, plan: Plan, folder: Path, others: Sequence[Path]
            ) -> pd.DataFrame:
                self.effects = {"now": "same"}
                for run in plan.runs:
                    if run.case == "step":
                        assert run.job.linux and run.job.linux.tree
                        here = effects.get(run.job.linux.tree.commit, "same")
                        self.effects = {"now": here}
                return super().__call__(spec, plan, folder, others)

            def effects_of(self, run: object) -> list[float | str]:
                case = getattr(run, "case", "")
                return [self.effects["now"]] if case == "step" else []

        question = Question(
            *(spec, "mptcp", None, None, "goodput", 2.0),
            commits=of_commits(spec, None, text),
        )
        runs = Committed({})
        search = Search(question, folder / "out", {"fake": "1"}, runs, said.append)
        return search.run(), search, said


@pytest.fixture
def series(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Series:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Series(tmp_path)


def test_the_first_bad_commit_is_found(series: Series, tmp_path: Path) -> None:
    series.commit("null", "same")
    series.commit("does not build", "broken")
    bad = series.commit("worse", -10.0)
    series.commit("after", -10.0)
    found, search, said = series.searched("v7.3.9..main", tmp_path)
    assert found == Found(None, (2, 3))
    assert outcomes(search) == {1: "good", 2: "skipped", 3: "bad", 4: "bad"}
    assert search.series[2].name == f"{bad[:12]} worse"
    assert search.steps[3].kernel == (
        f"stock Linux 7.3.9 of commit {bad[:12]} with CONFIG_HZ=1000"
    )
    assert any(f"3 of 4  {bad[:12]} worse: bad" in line for line in said)


def test_a_range_of_one_commit(series: Series, tmp_path: Path) -> None:
    bad = series.commit("worse", -10.0)
    found, _, _ = series.searched(f"{bad[:12]}~1..{bad}", tmp_path)
    assert found == Found(1, (1,))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("main", "'main' is no range; write GOOD..BAD"),
        ("a...b", "is no range"),
        ("..b", "is no range"),
        ("v9..main", "no commit 'v9' in"),
        ("main..main", "is not before"),
        ("main..v7.3.9", "is not before"),
        ("-x..main", "'-x' is no name of a commit"),
    ],
)
def test_what_is_no_range(series: Series, text: str, words: str) -> None:
    series.commit("more", "same")
    with pytest.raises(UserError, match=words):
        of_commits(load(series.file), None, text)


@pytest.mark.parametrize(
    ("kernels", "label", "words"),
    [
        ("{stock: {lab: none}}", None, "needs a kernel with 'git' .* it has none"),
        (
            "{a: {git: linux}, b: {git: linux, lab: none}}",
            None,
            "it has a, b; name one",
        ),
        ("{mine: {git: linux}}", "nine", "no kernel 'nine' in the experiment"),
        ("{mine: {git: linux}, b: {lab: none}}", "b", "kernel 'b' has no 'git'"),
    ],
)
def test_kernels_that_have_no_range(
    series: Series, kernels: str, label: str | None, words: str
) -> None:
    head, _, rest = TEXT.partition("kernels:\n")
    after = rest.partition("cases:")[2]
    series.file.write_text(f"{head}kernels: {kernels}\ncases:{after}")
    with pytest.raises(UserError, match=words):
        of_commits(load(series.file), label, "v7.3.9..main")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a range of commits, GOOD..BAD, or a kernel with --bad"),
        (["a..b", "--bad", "mine"], "leave --good and --bad out"),
        (["--bad", "mine", "--kernel", "mine"], "--kernel: goes with a range"),
    ],
)
def test_words_that_do_not_go_together(
    series: Series, words: list[str], said: str
) -> None:
    argv = [str(series.file), "--limit", "goodput=2", *words]
    done = CliRunner().invoke(command, argv)
    assert said in str(done.exception)
