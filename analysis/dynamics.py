"""How rates and windows move: convergence, jitter, oscillation.

Sources: [balia] Peng, Walid, Hwang, Low, "Multipath TCP: Analysis, Design and
Implementation", IEEE/ACM ToN 2016; [mpcc] Gilad et al., "MPCC: Online Learning
Multipath Transport", CoNEXT 2020.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

HOLD_S = 5.0
WITHIN = 0.25


def recovery_time_s(times_s: ArrayLike, windows: ArrayLike, left_s: float) -> float:
    """Convergence time of [balia], sec. V-B: how long after the competitors have left
    the window first reaches the average that it has from then on.

    times_s : shape (n,), rising; windows : shape (n,), of one path, any unit
    left_s : when the competitors left
    Raises ValueError if nothing was noted after that.
    """
    times, values = _series(times_s, windows)
    after = times >= left_s
    if not after.any():
        raise ValueError(f"convergence: no window after {left_s:g} s")
    reached = after & (values >= values[after].mean())
    return float(times[reached][0] - left_s)


def settling_time_s(
    times_s: ArrayLike,
    rates: ArrayLike,
    share: float,
    within: float = WITHIN,
    hold_s: float = HOLD_S,
) -> float:
    """When a rate has come to its share: from when on it stays within a part `within`
    of it for `hold_s` at least.

    times_s : shape (n,), rising; rates : shape (n,); share : > 0, in their unit
    [mpcc], sec. 7.2.5, shows convergence to the fair share without a formula; the
    band and how long it must be kept are our choice. Raises ValueError if the rate
    never settles.
    """
    if not share > 0:
        raise ValueError(f"convergence: a share of {share:g}; must be above 0")
    times, values = _series(times_s, rates)
    inside = np.abs(values - share) <= within * share
    began: float | None = None
    for time, near in zip(times, inside, strict=True):
        if not near:
            began = None
        elif began is None:
            began = float(time)
        if began is not None and time - began >= hold_s:
            return began - float(times[0])
    raise ValueError(f"convergence: never within {within:.0%} of it for {hold_s:g} s")


def rate_jitter(rates: ArrayLike) -> float:
    """Standard deviation of a settled rate over its mean: the rate-jitter that [mpcc],
    sec. 7.2.5, speaks of (it gives no formula).

    rates : shape (n,), n >= 2, mean above 0
    """
    values = np.asarray(rates, float)
    if len(values) < 2 or not values.mean() > 0:
        raise ValueError("rate jitter: needs two rates, not all 0")
    return float(values.std(ddof=1) / values.mean())


def expected_oscillation(
    windows: Sequence[float],
    decreases: Sequence[float],
    rtts_s: Sequence[float],
    losses: Sequence[float],
) -> float:
    """Relative reduction of the aggregate rate that a loss is expected to cause:
    D_s of [balia], eqs. 10 and 11, to the first order.

    windows : w_r of each route, packets, > 0; decreases : D_r, what a loss on route r
    takes off its window; rtts_s : tau_r; losses : q_r, small

        D_s = 1 / (sum w_k / tau_k) x (sum w_k q_k D_k / tau_k) / (sum w_k q_k)

    TCP Reno, with one route and D = w / 2, has 1/2.
    """
    w, d, tau, q = (np.asarray(v, float) for v in (windows, decreases, rtts_s, losses))
    if not (len(w) == len(d) == len(tau) == len(q) > 0):
        raise ValueError("oscillation: needs four values of each route")
    if not ((w > 0).all() and (tau > 0).all() and (q >= 0).all() and q.sum() > 0):
        raise ValueError("oscillation: windows, RTTs and losses must be above 0")
    chances = w * q
    return float((chances * d / tau).sum() / chances.sum() / (w / tau).sum())


def window_oscillation(windows: ArrayLike, least: float = 0.0) -> float:
    """Mean relative drop of an aggregate window, over all its drops.

    windows : shape (n,), the sum over a connection's subflows, as [balia], Fig. 3,
        shows it; a drop goes on for as long as the window falls
    least : drops by a smaller part than this are left out
    Raises ValueError if it never falls.
    """
    values = np.asarray(windows, float)
    drops = []
    peak = values[0] if len(values) else math.nan
    for before, now in itertools.pairwise(values):
        if now < before:
            continue
        if before < peak:
            drops.append((peak - before) / peak)
        peak = now
    if len(values) and values[-1] < peak:
        drops.append((peak - values[-1]) / peak)
    drops = [drop for drop in drops if drop >= least]
    if not drops:
        raise ValueError("oscillation: the window never falls")
    return float(np.mean(drops))


def _series(times_s: ArrayLike, values: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    times, found = np.asarray(times_s, float), np.asarray(values, float)
    if times.shape != found.shape or times.ndim != 1 or len(times) == 0:
        raise ValueError("series: needs as many values as times")
    if (np.diff(times) < 0).any():
        raise ValueError("series: the times go back")
    return times, found
