"""Tests of the ratios that follow from rounds of controllers; nothing is executed."""

import pytest

from benchmarks import controller_cost


def test_a_round_is_divided_by_the_reference_at_both_of_its_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    costs = iter([10.0, 15.0, 20.0])
    names = []

    def execute(name: str, cpu: int) -> tuple[float, int]:
        names.append((name, cpu))
        return next(costs), 1_000_000

    monkeypatch.setattr(controller_cost, "execute", execute)
    found = controller_cost.one_round(["mpcc loss"], 1)
    assert found == {"lia": 15.0, "mpcc loss": 15.0}
    assert names == [("lia", 1), ("mpcc loss", 1), ("lia", 1)]


def test_the_median_of_the_rounds() -> None:
    rounds = [{"lia": 10.0, "bbr": us} for us in (11.0, 30.0, 12.0)]
    _, bbr = controller_cost.summary(rounds)
    assert (bbr["ratio"], bbr["least_ratio"], bbr["largest_ratio"]) == (1.2, 1.1, 3.0)
    assert bbr["us_per_segment"] == 11.0


@pytest.mark.parametrize(("us", "status"), [(14.0, 0), (14.1, 1)])
def test_the_exit_status_says_whether_the_aim_is_met(
    us: float, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = {"lia": 10.0, "mpcc loss": us}
    monkeypatch.setattr(
        controller_cost, "execute", lambda name, cpu: (costs[name], 1_000_000)
    )
    monkeypatch.setattr("sys.argv", ["cost", "--only", "mpcc loss", "--cpu", "0"])
    assert controller_cost.main() == status
