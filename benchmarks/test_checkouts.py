"""Tests of the comparison of two checkouts; nothing is executed in a guest."""

from pathlib import Path

import pytest

from benchmarks import checkouts
from mpbench.experiment_files import loads
from mpbench.plan import make_plan


@pytest.mark.parametrize("name", checkouts.KINDS)
def test_every_kind_is_one_run(name: str) -> None:
    (run,) = make_plan(loads(checkouts.KINDS[name]), {}).runs
    assert run.job.transport.protocol == ("tcp" if "TCP" in name[:3] else "mptcp")


@pytest.mark.parametrize(
    ("count", "ranks"),
    [(5, (0, 4)), (6, (0, 5)), (8, (0, 7)), (9, (1, 7)), (15, (3, 11))],
)
def test_the_interval_of_a_median(count: int, ranks: tuple[int, int]) -> None:
    """Ranks from 0 as in tables of the sign test (two-sided, at most 5 %)."""
    values = [float(number) for number in range(count)]
    assert checkouts.interval(values[::-1]) == ranks


def test_a_row() -> None:
    assert checkouts.row("TCP", [0.9, 1.0, 1.1]) == "| TCP | 1.000 | 0.900 to 1.100 |"


@pytest.mark.parametrize("more", [[], ["--pairs", "0"]])
def test_bad_options_are_refused(more: list[str], tmp_path: Path) -> None:
    if more:
        (tmp_path / ".venv/bin").mkdir(parents=True)
        (tmp_path / ".venv/bin/python").touch()
    with pytest.raises(SystemExit) as ended:
        checkouts.arguments([str(tmp_path), *more])
    assert ended.value.code == 2


def test_a_worker_answers_by_its_lines(tmp_path: Path) -> None:
    """A stand-in for the interpreter of a checkout prints other lines, too."""
    program = tmp_path / ".venv/bin/python"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nread line; echo noise; echo took 1.5\n")
    program.chmod(0o755)
    side = checkouts.Checkout(tmp_path)
    assert side.cpu_s("text", 0) == 1.5
    with pytest.raises(SystemExit, match="ended"):
        side.cpu_s("text", 0)
    side.end()
