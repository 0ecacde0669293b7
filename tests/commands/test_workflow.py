"""The workflow of docs/workflows, executed as a forge would, on the fake backend."""

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.calls import shell
from tests.hostile.folders import EXPERIMENT

FILE = Path(__file__).parents[2] / "docs/workflows/controller.yml"


def git(*words: str) -> None:
    own = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *own, *words], check=True, capture_output=True)


def test_a_commit_gets_its_paired_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    Path("ci").mkdir()
    for text in (EXPERIMENT, EXPERIMENT + "seed: 2\n"):
        Path("ci/controller.yaml").write_text(text)
        git("add", "ci")
        git("commit", "-qm", "x")
    (job,) = yaml.safe_load(FILE.read_text())["jobs"].values()
    steps = {step["name"]: step["run"] for step in job["steps"] if "name" in step}
    script = steps["campaigns"].replace("mpbench run", "mpbench run --backend fake")
    done = shell(
        f"set -e\n{script}{steps['difference']}",
        GITHUB_STEP_SUMMARY="summary.md",
        **job["env"],
    )
    assert done.returncode == 0, done.stderr
    text = Path("difference.md").read_text()
    assert "goodput  mptcp" in text and "Differences are B - A." in text
    assert Path("summary.md").read_text() == text
    assert "difference.md" in steps["comment"]
