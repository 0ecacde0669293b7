"""LIA's fixed points and the thesis's model."""

import numpy as np
import pytest

from analysis.models import lia, mbps, throughput

pytestmark = pytest.mark.slow

TWO = ((0.01, 0.02), (0.02, 0.04))


def test_tcp_of_nsdi11() -> None:
    """[nsdi11] 2.3: loss of 4 % at 10 ms and of 1 % at 100 ms, packets/s."""
    assert lia.tcp_window(0.04) / 0.010 == pytest.approx(707, abs=0.5)
    assert lia.tcp_window(0.01) / 0.100 == pytest.approx(141, abs=0.5)


def test_weights_of_nsdi11() -> None:
    """[nsdi11] 2.4: windows in proportion to 1 / p, three paths with losses of 1, 1
    and 5 %: "45 % of its weight on each of the less congested path and 10 %"."""
    windows = np.array(lia.windows((0.01, 0.01, 0.05), (0.1, 0.1, 0.1)))
    assert windows / windows.sum() == pytest.approx([0.45, 0.45, 0.10], abs=0.01)


def test_target_of_the_thesis() -> None:
    """[thesis] 6.2.1: 1 % at 20 ms on the best path, "close to 700 packets/s"."""
    for other in (0.02, 0.05, 0.10):
        connection = throughput.predict((0.01, other), (0.02, 0.02))
        assert connection.packets_per_s == pytest.approx(700, abs=10)


def test_examples_of_the_thesis() -> None:
    """[thesis] examples 1, 2 and 4: losses of 1 and 2 %, rates as 7 to 3."""
    connection = throughput.from_rates((0.01, 0.02), (1, 1), (0.7, 0.3))
    assert connection.loss == pytest.approx(0.013)
    assert connection.packets_per_period == pytest.approx(76.92, abs=0.005)
    sent = [path.packets_per_period for path in connection.paths]
    assert sent == pytest.approx([53.84, 23.06], abs=0.02)
    shares = [path.loss_share for path in connection.paths]
    assert shares == pytest.approx([0.54, 0.46], abs=0.005)


def test_equations_of_the_thesis() -> None:
    losses, rtts_s = TWO
    first, second = lia.windows(losses, rtts_s, 2)
    assert first / 0.02 + second / 0.04 == pytest.approx((2 / (2 * 0.01)) ** 0.5 / 0.02)
    assert 0.01 * first == pytest.approx(0.02 * second)


@pytest.mark.parametrize("bounded", [False, True])
def test_one_path_is_tcp(bounded: bool) -> None:
    connection = throughput.predict((0.03,), (0.05,), 2, bounded)
    assert connection.packets_per_s == pytest.approx(lia.tcp_window(0.03, 2) / 0.05)
    assert connection.packets_per_period == pytest.approx(1 / 0.03)


def test_bound_that_is_not_met() -> None:
    for acked in (1, 2):
        free = lia.windows(*TWO, acked)
        assert lia.bounded_windows(*TWO, acked) == pytest.approx(free, rel=1e-9)


def balance(losses: np.ndarray, rtts_s: np.ndarray, acked: float) -> np.ndarray:
    """The same fixed point by another way: the averaged dynamics, run to rest."""
    windows = np.sqrt(2 / (acked * losses)) / len(losses)
    for _ in range(20_000):
        step = np.max(windows / rtts_s**2) / np.sum(windows / rtts_s) ** 2
        gain = np.minimum(step, 1 / windows) / acked - losses * windows / 2
        windows = windows + 0.2 * windows * gain / np.max(losses * windows)
    return windows


@pytest.mark.parametrize("seed", range(12))
def test_bounded_windows_are_at_rest(seed: int) -> None:
    generator = np.random.default_rng(seed)
    paths = int(generator.integers(2, 6))
    losses = 10 ** generator.uniform(-3, -1, paths)
    rtts_s = 10 ** generator.uniform(-2, 0, paths)
    acked = float(generator.integers(1, 3))
    windows = np.array(
        lia.bounded_windows(losses.tolist(), rtts_s.tolist(), acked), dtype=float
    )
    step = np.max(windows / rtts_s**2) / np.sum(windows / rtts_s) ** 2
    gain = np.minimum(step, 1 / windows) / acked
    assert gain == pytest.approx(losses * windows / 2, rel=1e-6)
    alone = np.sqrt(2 / (acked * losses))
    assert np.all(windows <= alone * (1 + 1e-9))
    assert windows == pytest.approx(balance(losses, rtts_s, acked), rel=0.02)


def test_bound_at_unlike_round_trips() -> None:
    """[nsdi11] 2.3's paths: without its bound LIA would hold 20 packets on the slow
    one, where TCP holds 14."""
    losses, rtts_s = (0.04, 0.01), (0.010, 0.100)
    assert lia.windows(losses, rtts_s)[1] > lia.tcp_window(0.01)
    assert lia.bounded_windows(losses, rtts_s)[1] == pytest.approx(lia.tcp_window(0.01))


def test_order_of_paths_does_not_matter() -> None:
    ahead = throughput.predict((0.01, 0.02, 0.05), (0.02, 0.04, 0.3), bounded=True)
    back = throughput.predict((0.05, 0.02, 0.01), (0.3, 0.04, 0.02), bounded=True)
    assert [p.window for p in back.paths[::-1]] == pytest.approx(
        [p.window for p in ahead.paths]
    )
    assert sum(path.loss_share for path in ahead.paths) == pytest.approx(1)


def test_rmse() -> None:
    assert throughput.rmse((1, 2, 3), (1, 4, 3)) == pytest.approx((4 / 3) ** 0.5)
    with pytest.raises(ValueError, match="2 predictions and 1 obs"):
        throughput.rmse((1, 2), (1,))


def test_unit() -> None:
    assert mbps(1000, 1250) == pytest.approx(10)


@pytest.mark.parametrize(
    ("losses", "rtts_s", "words"),
    [
        ((0.01,), (0.1, 0.2), "1 losses and 2 round-trip times"),
        ((), (), "no path"),
        ((0.01, 0.0), (0.1, 0.2), "loss 0"),
        ((0.01, 0.1), (0.1, -1), "round-trip time -1"),
    ],
)
def test_bad_paths(
    losses: tuple[float, ...], rtts_s: tuple[float, ...], words: str
) -> None:
    for solve in (lia.windows, lia.bounded_windows):
        with pytest.raises(ValueError, match=words):
            solve(losses, rtts_s)
