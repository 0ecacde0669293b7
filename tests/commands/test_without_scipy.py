"""An installation without scipy, which is an extra."""

import subprocess
import sys
from pathlib import Path

import pytest

from mpbench import extras

pytestmark = pytest.mark.slow

WITHOUT = """\
import sys
sys.modules["scipy"] = None  # as if it were not installed
from mpbench.cli import main
main()
"""
FILE = """\
name: small
topology: two_path
design:
  points: {points}
  factors:
    path1.capacity: {{min: 1 Mbit/s, max: 50 Mbit/s}}
    path2.capacity: {{min: 1 Mbit/s, max: 50 Mbit/s}}
  candidates: {candidates}
cases:
  lia: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt}}
  tcp1: {{protocol: tcp, congestion_control: reno, path: 1}}
traffic:
  - {{tool: iperf3, from: client, to: server, duration: 5 s}}
compare: {{baseline: tcp1, better: [goodput: more]}}
metrics: [goodput]
figures:
  - {{kind: box, metric: goodput, criterion: {{factor: capacity}}}}
  - {{kind: cases, metric: goodput}}
  - {{kind: scatter, metric: goodput, criterion: {{factor: capacity}}}}
  - {{kind: line, metric: goodput, by: path1.capacity}}
"""


def mpbench(
    folder: Path, *words: object, code: str = WITHOUT
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )


def test_plans_runs_and_reports_work(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(FILE.format(points=8, candidates=500))
    for words in (
        ("design", "small.yaml"),
        ("run", "small.yaml", "--backend", "fake", "--out", "out"),
        ("report", "out", "--weights"),
    ):
        done = mpbench(tmp_path, *words)
        assert done.returncode == 0, (words, done.stderr)
    page = (tmp_path / "out/report/README.md").read_text()
    assert "cannot be drawn" not in page
    assert len([*(tmp_path / "out/report").glob("*.png")]) >= 3


def test_what_needs_it_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(FILE.format(points=8, candidates=10))
    done = mpbench(tmp_path, "plan", "small.yaml", "--backend", "fake")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "scipy is not installed; `pip install scipy` brings it" in done.stderr


def test_a_plan_tells_what_its_report_will_need(tmp_path: Path) -> None:
    """Before a run, not after it; and nothing where scipy is there."""
    figure = "  - {kind: line, metric: goodput, by: path1.capacity, theory: [fluid]}"
    text = FILE.format(points=8, candidates=500)
    (tmp_path / "small.yaml").write_text(f"{text}{figure}\nexpect: small.csv\n")
    done = mpbench(tmp_path, "plan", "small.yaml", "--backend", "fake")
    told = done.stderr + done.stdout
    assert done.returncode == 0, told
    for place in ("expect", "figures[4].theory"):
        assert f"{place}: the report needs scipy for it" in told.replace("\n", " ")
    there = WITHOUT.replace('sys.modules["scipy"] = None', "")
    again = mpbench(tmp_path, "plan", "small.yaml", "--backend", "fake", code=there)
    assert again.returncode == 0
    assert "scipy" not in again.stderr + again.stdout


def test_only_extras_are_told_so() -> None:
    assert extras.missing(ModuleNotFoundError("no", name="scipy.stats"))
    assert extras.missing(ModuleNotFoundError("no", name="numpy")) is None
    assert extras.missing(ModuleNotFoundError("no")) is None
