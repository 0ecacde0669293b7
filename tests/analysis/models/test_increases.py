"""Tests of the growth per acknowledgement under LIA and OLIA, and of the goals of
NSDI'11."""

import numpy as np
import pytest

from analysis.models import increases, lia, nsdi11


def test_equal_paths() -> None:
    """Two windows of 10 at the same RTT: LIA adds 10 / 20^2, OLIA the same."""
    assert increases.lia((10, 10), (0.1, 0.1)) == pytest.approx([0.025, 0.025])
    assert increases.olia((10, 10), (0.1, 0.1), (5, 5)) == pytest.approx([0.025] * 2)


def test_the_bound_of_1_over_w() -> None:
    """[olia] eq. 1: where round-trip times differ, a slow path with a large window
    would grow faster than a TCP."""
    fast, slow = increases.lia((100, 100), (0.1, 1.0))
    assert fast == pytest.approx(1e4 / 1100**2)
    assert slow == fast
    fast, slow = increases.lia((1, 1000), (0.01, 1.0))
    assert slow == pytest.approx(1 / 1000)
    assert fast == pytest.approx(1e4 / 1100**2)


def test_balance_at_the_fixed_point() -> None:
    """Growth per acknowledgement equals half a window times the loss ([olia] eq. 2)."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        count = int(rng.integers(2, 5))
        losses = 10 ** rng.uniform(-4, -1, count)
        rtts_s = rng.uniform(0.01, 0.3, count)
        windows = lia.bounded_windows(losses.tolist(), rtts_s.tolist())
        growth = increases.lia(windows, rtts_s.tolist())
        assert growth == pytest.approx((losses * np.array(windows) / 2).tolist())


def test_subsets_are_the_bound_for_two_paths() -> None:
    """[nsdi11] eq. 1 takes the least over all subsets with the path; for two paths this
    is the algorithm of sec. 2.5 with the cap of 1 / w."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        windows = rng.uniform(1, 100, 2).tolist()
        rtts_s = rng.uniform(0.01, 0.3, 2).tolist()
        expected = increases.lia(windows, rtts_s)
        assert increases.lia_of_subsets(windows, rtts_s) == pytest.approx(expected)


def test_alpha_by_hand() -> None:
    """[olia] eq. 6: three paths, the second is best and small, the first largest."""
    alphas = increases.olia_alpha((30, 10, 5), (0.1, 0.1, 0.1), (4, 9, 1))
    assert alphas == pytest.approx([-1 / 3, 1 / 3, 0])
    alphas = increases.olia_alpha((30, 10, 30), (0.1, 0.1, 0.1), (9, 9, 1))
    assert alphas == pytest.approx([-1 / 6, 1 / 3, -1 / 6])
    assert increases.olia_alpha((30, 10), (0.1, 0.1), (9, 4)) == (0, 0)
    # a shorter round-trip time makes a path best although it delivers less
    assert increases.olia_alpha((30, 10), (0.2, 0.1), (9, 4)) == (-0.5, 0.5)


def test_alphas_sum_to_0() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        count = int(rng.integers(1, 6))
        windows = rng.integers(1, 4, count).astype(float).tolist()
        delivered = rng.integers(1, 4, count).astype(float).tolist()
        alphas = increases.olia_alpha(windows, (0.1,) * count, delivered)
        assert sum(alphas) == pytest.approx(0)
        assert max(map(abs, alphas)) <= 1 / count


def test_growth_of_olia() -> None:
    """[olia] eq. 5 by hand: windows of 30 and 10 at 0.1 s; the sum of rates is 400."""
    found = increases.olia((30, 10), (0.1, 0.1), (4, 9))
    expected = [3000 / 400**2 - 0.5 / 30, 1000 / 400**2 + 0.5 / 10]
    assert found == pytest.approx(expected)


def test_lia_meets_both_goals() -> None:
    """[nsdi11] eqs 3 and 4 hold with equality at the fixed point for two paths."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        losses = (10 ** rng.uniform(-4, -1, 2)).tolist()
        rtts_s = rng.uniform(0.01, 0.3, 2).tolist()
        windows = lia.bounded_windows(losses, rtts_s)
        assert nsdi11.shortfall(windows, losses, rtts_s) == pytest.approx(0, abs=1e-9)
        assert nsdi11.excess(windows, losses, rtts_s) == pytest.approx(0, abs=1e-9)
    greedy = [lia.tcp_window(loss) for loss in (0.04, 0.01)]
    assert nsdi11.excess(greedy, (0.04, 0.01), (0.01, 0.1)) == pytest.approx(0.2)
    shy = [0, lia.tcp_window(0.01)]
    assert nsdi11.shortfall(shy, (0.04, 0.01), (0.01, 0.1)) == pytest.approx(0.8)


def test_equation_5_solves_equation_6() -> None:
    """With a of eq. 5, the increase min(a / sum w, 1 / w) balances the losses."""
    losses, rtts_s = (0.04, 0.01), (0.01, 0.1)
    windows = lia.bounded_windows(losses, rtts_s)
    a = nsdi11.aggressiveness(windows, rtts_s)
    for window, loss in zip(windows, losses, strict=True):
        growth = min(a / sum(windows), 1 / window)
        assert growth == pytest.approx(loss * window / 2)


def test_figure_1_of_nsdi11() -> None:
    """Sec. 2.1: two uncoupled subflows get twice a TCP's rate. a = 1 / n^2 makes it
    one; the printed 1 / sqrt(n) makes it n^(3/4)."""
    assert nsdi11.shared_bottleneck(2, 1) == 2
    assert nsdi11.shared_bottleneck(2, 1 / 4) == 1
    assert nsdi11.shared_bottleneck(2, 2**-0.5) == pytest.approx(2**0.75)


@pytest.mark.parametrize(
    ("windows", "rtts_s", "words"),
    [
        ((), (), "0 values and 0 round-trip times"),
        ((1.0,), (0.1, 0.1), "1 values and 2"),
        ((0.0,), (0.1,), "window or distance of losses 0"),
        ((1.0,), (-1.0,), "round-trip time -1"),
    ],
)
def test_refusals(
    windows: tuple[float, ...], rtts_s: tuple[float, ...], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        increases.lia(windows, rtts_s)
