"""No experiment file of a paper changes without a line that says why."""

from pathlib import Path

import pytest

from analysis.published import ledger
from mpbench.errors import UserError
from studies import experiment_ledger as experiments

FILE = "name: a\ndescription: x\nparameters: {link1.queue: 50}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "experiments/olia/parts").mkdir(parents=True)
    (tmp_path / "results/published").mkdir(parents=True)
    (tmp_path / "experiments/olia/a.yaml").write_text(FILE)
    (tmp_path / "experiments/olia/parts/p.yaml").write_text("cases: {}\n")
    assert experiments.log(None, "2026-01-01", tmp_path) == 0
    return tmp_path


def test_every_experiment_file_is_as_its_last_line_has_it() -> None:
    assert experiments.changed() == {}, (
        "run `python -m studies.experiment_ledger --why REASON`, and then"
        " `python -m analysis.published.ledger results/published`"
    )


def test_every_change_of_the_history_after_results_has_its_line() -> None:
    try:
        found = list(experiments.history())
    except UserError:
        pytest.skip("no history of the repository")
    lines = {(line.file, line.digest) for line in experiments.read()}
    assert found, "a shallow clone"
    left = [one for one in found if (one.file, one.digest) not in lines]
    assert not left, f"{left[0].file} in {left[0].commit.name}"


def test_words_may_change_and_values_may_not(root: Path) -> None:
    path = root / "experiments/olia/a.yaml"
    path.write_text(FILE.replace("x", "other words") + "# a comment\nmetrics: [jain]\n")
    assert experiments.changed(root) == {}
    path.write_text(FILE.replace("50", "51"))
    assert experiments.changed(root) == {"olia/a": "has changed since 2026-01-01"}
    assert experiments.log(None, "2026-01-02", root) == 1
    assert experiments.log("A longer queue.", "2026-01-02", root) == 0
    assert experiments.changed(root) == {}
    last = experiments.read(root)[-1]
    assert (last.file, last.why) == ("olia/a", "A longer queue.")


def test_a_part_counts_and_a_file_that_is_gone_is_said(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "experiments/olia/parts/p.yaml").write_text("cases: {a: {}}\n")
    (root / "experiments/olia/a.yaml").unlink()
    assert experiments.changed(root) == {
        "olia/parts/p": "has changed since 2026-01-01",
        "olia/a": "is gone",
    }
    assert experiments.log(None, "2026-01-02", root) == 1
    assert "olia/a is gone; give the reason with --why" in capsys.readouterr().out


def test_a_line_that_was_edited_breaks_the_ledger(root: Path) -> None:
    folder = root / "results/published"
    ledger.main(folder)
    table = folder / ledger.EXPERIMENTS
    table.write_text(table.read_text().replace("The state", "A state", 1))
    with pytest.raises(ValueError, match=r"experiments/olia/a: the criterion of"):
        ledger.main(folder)
