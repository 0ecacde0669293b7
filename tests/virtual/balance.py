"""Windows at which growth and decrease balance, by the controllers' equations.

What a window gains by acknowledgements, I_r a segment, it loses by losses, D_r each:
I_r (1 - p_r) = D_r p_r. That is exact for averages of I_r and D_r over segments, and
is taken here, as the papers do, for the windows themselves. Where each loss is drawn
by itself the square of a window is what comes near these w_r^2 (of a single Reno, but
for the time of fast recovery, it equals them), while the window's mean lies a tenth
below. coupled and olia have no single solution.
"""

from collections.abc import Callable, Sequence
from math import sqrt

from analysis.models.lia import bounded_windows

Windows = Callable[[Sequence[float], Sequence[float]], list[float]]
"""Of probabilities of loss and round-trip times, s: segments, by path."""
STEPS = 20_000


def _odds(loss: Sequence[float]) -> list[float]:
    return [p / (1 - p) for p in loss]


def reno(loss: Sequence[float], rtt_s: Sequence[float]) -> list[float]:
    return [sqrt(2 / p) for p in _odds(loss)]


def lia(loss: Sequence[float], rtt_s: Sequence[float]) -> list[float]:
    """Thesis eq. 6.6, with the bound of 1 / w_r where round-trip times differ."""
    return list(bounded_windows(_odds(loss), rtt_s))


def ewtcp(loss: Sequence[float], rtt_s: Sequence[float]) -> list[float]:
    """a / w_r = p_r w_r / 2 with a = 1 / sqrt(N)."""
    return [sqrt(2 / sqrt(len(loss)) / p) for p in _odds(loss)]


def semicoupled(loss: Sequence[float], rtt_s: Sequence[float]) -> list[float]:
    """1 / w_total = p_r w_r / 2."""
    total = sqrt(2 * sum(1 / p for p in _odds(loss)))
    return [2 / total / p for p in _odds(loss)]


def balia(loss: Sequence[float], rtt_s: Sequence[float]) -> list[float]:
    """By damped iteration."""
    w = [10.0] * len(loss)
    odds = _odds(loss)
    for _ in range(STEPS):
        x = [each / time for each, time in zip(w, rtt_s, strict=True)]
        for r, p in enumerate(odds):
            alpha = max(x) / x[r]
            growth = x[r] / rtt_s[r] / sum(x) ** 2 * (1 + alpha) / 2 * (4 + alpha) / 5
            w[r] *= (growth / (w[r] / 2 * min(alpha, 1.5)) / p) ** 0.02
    return w


BALANCES: dict[str, Windows] = {
    "reno": reno,
    "lia": lia,
    "lia_rfc6356": lia,
    "balia": balia,
    "ewtcp": ewtcp,
    "semicoupled": semicoupled,
}
