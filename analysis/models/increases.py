"""Growth of a window per acknowledgement under LIA and OLIA.

windows : w, packets, shape (n,), above 0, one per path of one user
rtts_s : round-trip times, seconds, shape (n,), above 0
between_losses : l of [olia] sec. IV.A, shape (n,), above 0: what a path delivered
    between its last two losses or since the last one, whichever is more, in any unit

[olia] Khalili et al., "MPTCP Is Not Pareto-Optimal", IEEE/ACM ToN 2013; [nsdi11]
Wischik et al., "Design, Implementation and Evaluation of Congestion Control for
Multipath TCP", NSDI 2011.
"""

from collections.abc import Sequence
from itertools import combinations

from analysis.models import check_positive


def lia(windows: Sequence[float], rtts_s: Sequence[float]) -> tuple[float, ...]:
    """LIA's increase of each window, packets ([olia] eq. 1; RFC 6356).

    min(max(w / rtt^2) / (sum w / rtt)^2, 1 / w_r)
    """
    _check(windows, rtts_s)
    common = _aggressiveness(windows, rtts_s, range(len(windows)))
    return tuple(min(common, 1 / w) for w in windows)


def lia_of_subsets(
    windows: Sequence[float], rtts_s: Sequence[float]
) -> tuple[float, ...]:
    """The increase of [nsdi11] eq. 1: the least over all sets of paths with path r.

    For two paths it is `lia`. Takes a time that doubles with each path.
    """
    _check(windows, rtts_s)
    paths = range(len(windows))
    sets = [s for k in paths for s in combinations(paths, k + 1)]
    values = {s: _aggressiveness(windows, rtts_s, s) for s in sets}
    return tuple(min(v for s, v in values.items() if path in s) for path in paths)


def olia_alpha(
    windows: Sequence[float],
    rtts_s: Sequence[float],
    between_losses: Sequence[float],
) -> tuple[float, ...]:
    """alpha of each path ([olia] eq. 6), in [-1 / n, 1 / n]; the sum is 0.

    It moves growth from the paths with the largest window (M, eq. 3) to the best paths
    (B, eq. 4: those with the largest l / rtt^2) that are not among them.
    """
    _check(windows, rtts_s)
    _check(between_losses, rtts_s)
    quality = [b / rtt**2 for b, rtt in zip(between_losses, rtts_s, strict=True)]
    largest = {i for i, w in enumerate(windows) if w == max(windows)}
    better = {i for i, q in enumerate(quality) if q == max(quality)} - largest
    n = len(windows)
    if not better:
        return (0.0,) * n
    return tuple(
        1 / (n * len(better))
        if i in better
        else -1 / (n * len(largest))
        if i in largest
        else 0.0
        for i in range(n)
    )


def olia(
    windows: Sequence[float],
    rtts_s: Sequence[float],
    between_losses: Sequence[float],
) -> tuple[float, ...]:
    """OLIA's increase of each window, packets ([olia] eq. 5).

    (w_r / rtt_r^2) / (sum w / rtt)^2 + alpha_r / w_r
    """
    alphas = olia_alpha(windows, rtts_s, between_losses)
    rate = sum(w / rtt for w, rtt in zip(windows, rtts_s, strict=True))
    return tuple(
        w / rtt**2 / rate**2 + alpha / w
        for w, rtt, alpha in zip(windows, rtts_s, alphas, strict=True)
    )


def _aggressiveness(
    windows: Sequence[float], rtts_s: Sequence[float], paths: Sequence[int]
) -> float:
    """max(w / rtt^2) / (sum w / rtt)^2 over some of the paths."""
    rate = sum(windows[i] / rtts_s[i] for i in paths)
    return max(windows[i] / rtts_s[i] ** 2 for i in paths) / rate**2


def _check(values: Sequence[float], rtts_s: Sequence[float]) -> None:
    if not values or len(values) != len(rtts_s):
        raise ValueError(
            f"{len(values)} values and {len(rtts_s)} round-trip times; give one of each"
            " per path"
        )
    for value in values:
        check_positive("window or distance of losses", value)
    for rtt_s in rtts_s:
        check_positive("round-trip time", rtt_s)
