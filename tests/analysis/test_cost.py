"""Tests of the cost of campaigns, from made-up exits."""

from pathlib import Path

import pytest

from analysis.campaign import cost
from analysis.report import cost_page
from tests.calls import Command
from tests.spec.files import TEXT


def exits(count: int, **more: float) -> list[dict[str, float]]:
    return [{"virtual_s": 36.0, "wall_s": 20.0, **more} for _ in range(count)]


def test_by_hand() -> None:
    """100 runs of 36 s are an hour; 3.6 s of CPU each 0.1 h, on two cores 3 min."""
    campaign = cost.cost("a", 100, exits(100, cpu_s=3.6), [])
    assert campaign.cpu_hours == pytest.approx(0.1)
    assert campaign.error == 0
    text = "\n".join(cost_page.page([campaign], "a machine"))
    assert "| a | 100 | 100 | 1.00 | 3.60 | 0.100 | 3.0 min | 20 | 16.7 min |" in text
    assert "subset" not in text


def test_a_sample_stands_for_the_rest() -> None:
    campaign = cost.cost("a", 200, exits(100), [1.0, 3.0])
    assert campaign.cpu_hours == pytest.approx(100 * 2 / 3600)
    assert campaign.error == pytest.approx(2**0.5 / 2**0.5 / 2)
    text = "\n".join(cost_page.page([campaign], "a machine"))
    assert "2.00 ± 1.00 (sample of 2)" in text
    assert "a stated subset of its plan" in text


def test_recorded_cpu_times_take_precedence_over_a_sample() -> None:
    campaign = cost.cost("a", 2, exits(2, cpu_s=1.0), [9.0])
    assert campaign.cpu_s == (1.0, 1.0) and not campaign.sampled


def test_an_unknown_cpu_time_is_not_zero() -> None:
    costs = [cost.cost("a", 1, exits(1), []), cost.cost("b", 1, exits(1, cpu_s=1), [])]
    text = "\n".join(cost_page.page(costs, "a machine"))
    assert "| a | 1 | 1 | 0.01 | - | - | - | - | 10 s |" in text
    assert "| **all** | 2 | 2 | 0.0 |  | - | - | - | 20 s |" in text


def test_command(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(TEXT)
    command("run", "small.yaml", "--backend", "fake", "--limit", "5")
    done = command("cost", "results/small", "--out", "new/cost.md")
    assert done.status == 0, done.err
    assert "| small | 5 | 12 | 0.0" in Path("new/cost.md").read_text()
    done = command("cost", "results/small", "--sample", "2")
    assert done.status == 2
    assert "backend fake records no CPU time; leave --sample out" in done.err
    assert command("cost", "new").status == 2


def test_two_of_three_runs_leave_an_error_and_all_of_two_do_not() -> None:
    """1 and 3 s: a deviation of sqrt(2), a standard error of 1, a mean of 2."""
    hosts = [*exits(1, cpu_s=1.0), *exits(1, cpu_s=3.0)]
    assert cost.cost("all", 2, hosts, []).error == 0
    assert cost.cost("some", 3, [*hosts, *exits(1)], []).error == pytest.approx(0.5)
    assert cost.cost("one", 3, [*hosts[:1], *exits(1)], []).error == 0
