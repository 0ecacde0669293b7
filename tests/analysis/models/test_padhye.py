"""TCP's models: published numbers, a round-by-round simulation, limits."""

import numpy as np
import pytest

from analysis.models import padhye

LOSSES = (1e-4, 1e-3, 0.01, 0.05, 0.2)


@pytest.mark.parametrize(
    ("loss", "window"), [(1e-2, 12), (1e-3, 38), (1e-4, 120), (1e-5, 379), (1e-6, 1200)]
)
def test_response_function_of_rfc_3649(loss: float, window: float) -> None:
    """RFC 3649, Table 2: average window of standard TCP, which it reckons as
    1.2 / sqrt(p); sqrt(3/2) is 2.1 % more."""
    assert padhye.square_root(loss, 1.0) == pytest.approx(window, rel=0.025)


def test_leading_term_of_the_window() -> None:
    """Thesis 2.2.1: E[W] is about sqrt(8 / (3 b p))."""
    for acked in (1, 2):
        leading = (8 / (3 * acked * 1e-6)) ** 0.5
        assert padhye.window(1e-6, acked) == pytest.approx(leading, rel=1e-3)


@pytest.mark.parametrize("loss", [0.002, 0.02])
def test_simulated_rounds(loss: float) -> None:
    """The process that the model describes, played: windows halve at a loss, grow by
    one per round, and a round after the loss still sends the rest of its window."""
    generator = np.random.default_rng(7)
    window, sent, rounds = 10.0, 0.0, 0.0
    for _ in range(20_000):
        left = float(generator.geometric(loss))  # packets up to the first that is lost
        window /= 2
        while left > window:
            left -= window
            sent += window
            window += 1
            rounds += 1
        sent += left + window - 1  # alpha + W - 1 in all, of two rounds
        rounds += 2
    simulated = sent / rounds
    assert padhye.without_timeouts(loss, 1.0) == pytest.approx(simulated, rel=0.06)


@pytest.mark.parametrize("loss", LOSSES)
def test_order_of_the_models(loss: float) -> None:
    full = padhye.with_timeouts(loss, 0.1, 0.3)
    assert full < padhye.without_timeouts(loss, 0.1)
    assert padhye.without_timeouts(loss, 0.1, 2) < padhye.without_timeouts(loss, 0.1)
    assert full > padhye.with_timeouts(loss, 0.1, 0.6)


@pytest.mark.parametrize("loss", LOSSES)
def test_timeouts_that_cost_nothing(loss: float) -> None:
    """As T0 vanishes, only the packets that timeouts send are between the two."""
    without = padhye.without_timeouts(loss, 1.0)
    assert padhye.with_timeouts(loss, 1.0, 1e-9) >= without * (1 - 1e-6)


def test_receiver_limits() -> None:
    limited = padhye.with_timeouts(1e-6, 0.1, 0.4, 1, 8)
    assert limited == pytest.approx(80, rel=0.01)
    assert padhye.with_timeouts(0.01, 0.1, 0.4, 1, 1e9) == pytest.approx(
        padhye.with_timeouts(0.01, 0.1, 0.4)
    )


def test_small_windows_always_time_out() -> None:
    assert padhye.timeout_probability(0.1, 3) == 1
    assert padhye.timeout_probability(0.1, 2.5) == 1
    probabilities = [padhye.timeout_probability(0.01, w) for w in (4, 10, 30, 100)]
    assert probabilities == sorted(probabilities, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 0.1), "loss 0 is not between"),
        ((1, 0.1), "loss 1 is not between"),
        ((float("nan"), 0.1), "loss nan"),
        ((0.1, 0), "round-trip time 0"),
        ((0.1, 0.1, 0.5), "0.5 packets per acknowledgement"),
    ],
)
def test_out_of_range(arguments: tuple[float, ...], words: str) -> None:
    for model in (padhye.square_root, padhye.without_timeouts):
        with pytest.raises(ValueError, match=words):
            model(*arguments)
    with pytest.raises(ValueError, match="timeout 0"):
        padhye.with_timeouts(0.01, 0.1, 0)
    with pytest.raises(ValueError, match="a window of 0"):
        padhye.with_timeouts(0.01, 0.1, 0.2, window_limit=0)
