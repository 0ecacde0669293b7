"""Roots of functions of one number.

[1] R. P. Brent, "Algorithms for Minimization Without Derivatives", 1973, chapter 4:
    bisection, with secant and inverse quadratic steps where these are shorter.
"""

import math
from collections.abc import Callable

LEAST_SHARE = 4 * math.ulp(1.0)
_MOST_STEPS = 100


def bracketed(
    function: Callable[[float], float],
    one: float,
    other: float,
    within: float,
    share: float = LEAST_SHARE,
) -> float:
    """A root between two numbers at which the function has different signs.

    within, share : the error allowed is `within` + `share` x |root|

    The steps are those of `scipy.optimize.brentq`, so the root is the same number.
    """
    last, now = one, other
    f_last, f_now = function(last), function(now)
    if f_last == 0:
        return last
    if f_now == 0:
        return now
    if (f_last < 0) == (f_now < 0):
        raise ValueError(f"no change of sign between {one:g} and {other:g}")
    across, f_across, before, step = last, f_last, 0.0, 0.0
    for _ in range(_MOST_STEPS):
        if f_last != 0 and f_now != 0 and (f_last < 0) != (f_now < 0):
            across, f_across = last, f_last
            before = step = now - last
        if abs(f_across) < abs(f_now):
            last, now, across = now, across, now
            f_last, f_now, f_across = f_now, f_across, f_now
        least = (within + share * abs(now)) / 2
        half = (across - now) / 2
        if f_now == 0 or abs(half) < least:
            return now
        tried = math.inf
        if abs(before) > least and abs(f_now) < abs(f_last):
            tried = _interpolated(last, f_last, now, f_now, across, f_across)
        if 2 * abs(tried) < min(abs(before), 3 * abs(half) - least):
            before, step = step, tried
        else:
            before = step = half
        last, f_last = now, f_now
        now += step if abs(step) > least else math.copysign(least, half)
        f_now = function(now)
    raise ValueError(f"no root found in {_MOST_STEPS} steps")


def _interpolated(
    last: float, f_last: float, now: float, f_now: float, across: float, f_across: float
) -> float:
    """The step from `now` by a secant or, through three points, a quadratic."""
    if last == across:
        return -f_now * (now - last) / (f_now - f_last)
    slope = (f_last - f_now) / (last - now)
    other = (f_across - f_now) / (across - now)
    rise = f_across * other - f_last * slope
    below = other * slope * (f_across - f_last)
    return -f_now * rise / below if below else math.inf
