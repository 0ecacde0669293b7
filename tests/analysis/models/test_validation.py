"""The model against runs."""

from typing import Any

import pytest

from analysis.campaign import model_validation

MEASURED = {
    "point": 4,
    "case": "mptcp",
    "verdict": "ok",
    "protocol": "mptcp",
    "congestion_control": "lia",
    "measured_s": 10.0,
    "path1.capacity_mbps": 10.0,
    "path2.capacity_mbps": 10.0,
    "path1.loss_percent": 1.0,
    "path2.loss_percent": 2.0,
    "path1.delay_ms": 10.0,
    "path2.delay_ms": 10.0,
    "path1.bytes": 1514 * 990 * 5,
    "path2.bytes": 1514 * 980 * 2,
}


def test_sent_packets_include_those_lost_at_random() -> None:
    run = model_validation.compare(MEASURED)
    assert run.observed == pytest.approx((500, 200))
    assert run.losses == (0.01, 0.02) and run.rtts_ms == (20, 20)
    assert sum(run.predicted) == pytest.approx(707.1, abs=0.05)
    assert run.bounded == pytest.approx(run.predicted)


def test_errors() -> None:
    run = model_validation.compare(MEASURED)
    first, second = model_validation.errors([run, run])
    assert first == pytest.approx(abs(run.predicted[0] - 500))
    assert second == pytest.approx(abs(run.predicted[1] - 200))
    with pytest.raises(ValueError, match="no run"):
        model_validation.errors([])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"path1.bytes": None, "path2.bytes": None}, "one direction"),
        ({"congestion_control": "cubic"}, "MPTCP with lia"),
        ({"protocol": "tcp"}, "MPTCP with lia"),
        ({"path1.loss_percent": 0.0}, "loss 0 is not between"),
    ],
)
def test_runs_to_which_the_model_does_not_apply(
    change: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        model_validation.compare({**MEASURED, **change})
