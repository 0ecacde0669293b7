"""Results whose networks drew from one seed: a report says what that does."""

from pathlib import Path
from typing import Any

import pytest

from mpbench.commands import report, rows, run
from mpbench.plan import seeds
from mpbench.report.loading import load_campaign
from mpbench.store import kept_rows
from tests.commands.test_rows import EXPERIMENT, invoke

NOISY = EXPERIMENT.replace("design:", "parameters: {path1.loss: 1 %}\ndesign:", 1)
NOTE = "drew from one random seed"
own_seed = seeds.run_seed


def of_repetition(seed: int, repetition: int, factors: dict[str, Any]) -> int:
    """The rule that mpbench had before."""
    return own_seed(seed, repetition, {})


def executed(folder: Path, text: str) -> Path:
    (folder / "small.yaml").write_text(text)
    out = folder / "results"
    done = invoke(run.command, folder / "small.yaml", "--backend", "fake", "--out", out)
    assert done.exit_code == 0, done.output
    return out


def page(results: Path) -> str:
    done = invoke(report.command, results, "--format", "md", "--out", results / "page")
    assert done.exit_code == 0, done.output
    return (results / "page" / "README.md").read_text()


def test_networks_with_a_seed_each_need_no_word(tmp_path: Path) -> None:
    out = executed(tmp_path, NOISY)
    assert NOTE not in page(out)
    invoke(rows.command, out, "--out", tmp_path / "rows")
    assert kept_rows.read(tmp_path / "rows/results").head.shared_seed is False
    assert not load_campaign(tmp_path / "rows/results")[0].shared_seed


def test_networks_that_share_a_seed_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds, "run_seed", of_repetition)
    out = executed(tmp_path, NOISY)
    monkeypatch.undo()
    assert page(out).count(NOTE) == 1
    invoke(rows.command, out, "--out", tmp_path / "rows")
    assert kept_rows.read(tmp_path / "rows/results").head.shared_seed is True
    assert load_campaign(tmp_path / "rows/results")[0].shared_seed


def test_rows_that_say_nothing_of_seeds_are_of_the_time_before(tmp_path: Path) -> None:
    out = executed(tmp_path, NOISY)
    invoke(rows.command, out, "--out", tmp_path / "rows")
    kept = kept_rows.read(tmp_path / "rows/results")
    silent = kept.head.model_copy(update={"shared_seed": None})
    text = (out / "experiment.yaml").read_bytes()
    kept_rows.write(tmp_path / "old", silent, kept.rows, text)
    assert load_campaign(tmp_path / "old")[0].shared_seed


def test_without_noise_a_shared_seed_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeds, "run_seed", of_repetition)
    still = EXPERIMENT.replace(
        "design:", "parameters: {path1.jitter: 0 ms, path2.jitter: 0 ms}\ndesign:", 1
    )
    assert NOTE not in page(executed(tmp_path, still))
