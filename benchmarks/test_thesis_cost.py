"""The cost of the thesis, from a sample of each campaign."""

import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.thesis_cost import (
    FILES,
    LEAST,
    Measured,
    Sampled,
    half_width_s,
    read,
    shares,
    write,
)
from mpbench.experiment_files import load
from mpbench.plan.estimate import estimate
from mpbench.plan.jobs import job


def test_a_total_is_the_mean_times_the_runs() -> None:
    one = Sampled("a", 100, [1.0, 2.0, 3.0, 2.0])
    assert one.total_s == 200
    # 100^2 * (1 - 4/100) * (2/3) / 4
    assert one.variance == pytest.approx(1600)
    assert half_width_s([one, one]) == pytest.approx(1.96 * 3200**0.5)


def test_a_campaign_that_was_executed_whole_has_no_variance() -> None:
    assert Sampled("a", 3, [1.0, 5.0, 9.0]).variance == 0
    assert Sampled("a", 1, [1.0]).total_s == 1


def test_runs_are_drawn_by_the_expected_time() -> None:
    found = shares({"long": 900.0, "short": 99.0, "tiny": 1.0}, 100)
    assert found == {"long": 90, "short": 10, "tiny": LEAST}


def test_points_are_read_as_they_were_written(tmp_path: Path) -> None:
    rows = [
        Measured("a", "mptcp", 1.5, {"path1.delay_ms": 2.25, "traffic.size_bytes": 8}),
        Measured("b", "tcp1", 0.25, {"path2.loss_percent": 2.0}),
    ]
    write(tmp_path / "points.csv", rows)
    assert read(tmp_path / "points.csv") == rows


def estimated() -> Iterator[tuple[Measured, float]]:
    """Each run that was kept, and what `mpbench plan` expects of it."""
    specs = {file.stem: load(file) for file in FILES.glob("*.yaml")}
    for row in read():
        spec = specs[row.campaign]
        names = {parameter.key: name for name, parameter in spec.variable().items()}
        point = {names[key]: value for key, value in row.factors.items()}
        yield row, estimate(job(spec, point, row.case, 0)).wall_s


@pytest.mark.slow
def test_estimates_agree_with_what_was_measured() -> None:
    """Within the factors that studies/notes/costs.md states: two for each campaign and
    nine of ten runs, and one and a half for the whole. A busy machine measured more."""
    ratios, sums = [], dict[str, list[float]]()
    for row, expected_s in estimated():
        ratios.append(row.cpu_s / expected_s)
        both = sums.setdefault(row.campaign, [0.0, 0.0])
        both[0] += row.cpu_s
        both[1] += expected_s
    assert len(sums) == 16 and len(ratios) > 100
    for campaign, (measured_s, expected_s) in sums.items():
        assert 0.5 < measured_s / expected_s < 2, campaign
    tenths = statistics.quantiles(ratios, n=20)
    assert tenths[0] > 0.5 and tenths[-1] < 2
    whole = sum(a for a, _ in sums.values()) / sum(b for _, b in sums.values())
    assert 1 / 1.5 < whole < 1.5
