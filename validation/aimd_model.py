"""Windows that grow with acknowledgements and shrink with random losses.

This is a second implementation of the controllers without a kernel. It uses real
numbers and handles one packet after another; each packet is lost with its path's
probability. After a loss the window does not grow for one round trip, and further
losses in that time do not count; then the window is what the controller keeps (fast
recovery). There are no queues, no timeouts and no slow start.

The model lies between the balance equations, which know averages only, and a guest.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Path:
    """A path, its window, and what has happened on it.

    loss : probability for a packet
    rtt : round-trip time, s
    w : congestion window, segments
    l1, l2 : segments sent between the last two losses, and since the last loss
    total, squares : time integrals of w and of its square
    sent, lost : segments
    """

    loss: float
    rtt: float
    w: float = 10.0
    total: float = 0.0
    squares: float = 0.0
    l1: float = 0.0
    l2: float = 0.0
    sent: int = 0
    lost: int = 0
    next_s: float = 0.0
    until_s: float = field(default=-1.0)

    @property
    def x(self) -> float:
        return self.w / self.rtt


def _kelly(paths: Sequence[Path], r: int) -> float:
    return paths[r].x / paths[r].rtt / sum(p.x for p in paths) ** 2


def _lia(paths: Sequence[Path], r: int) -> float:
    best = max(p.x / p.rtt for p in paths)
    return min(best / sum(p.x for p in paths) ** 2, 1 / paths[r].w)


def _alpha(paths: Sequence[Path], r: int) -> float:
    return max(p.x for p in paths) / paths[r].x


def _balia(paths: Sequence[Path], r: int) -> float:
    alpha = _alpha(paths, r)
    return _kelly(paths, r) * (1 + alpha) / 2 * (4 + alpha) / 5


def _balia_keep(paths: Sequence[Path], r: int) -> float:
    return paths[r].w * (1 - min(_alpha(paths, r), 1.5) / 2)


def _olia(paths: Sequence[Path], r: int) -> float:
    largest = max(int(p.w) for p in paths)
    quality = [max(p.l1, p.l2) / p.rtt**2 for p in paths]
    m = {i for i, p in enumerate(paths) if int(p.w) == largest}
    b = {i for i, q in enumerate(quality) if q == max(quality)}
    alpha = 0.0
    if r in b - m:
        alpha = 1 / len(paths) / len(b - m)
    elif r in m and b - m:
        alpha = -1 / len(paths) / len(m)
    return _kelly(paths, r) + alpha / paths[r].w


def _half(paths: Sequence[Path], r: int) -> float:
    return paths[r].w / 2


Formula = Callable[[Sequence[Path], int], float]
CONTROLLERS: dict[str, tuple[Formula, Formula, float]] = {
    "reno": (lambda p, r: 1 / p[r].w, _half, 2),
    "lia": (_lia, _half, 2),
    "lia_rfc6356": (_lia, _half, 2),
    "olia": (_olia, _half, 1),
    "balia": (_balia, _balia_keep, 1),
    "ewtcp": (lambda p, r: len(p) ** -0.5 / p[r].w, _half, 2),
    "semicoupled": (lambda p, r: 1 / sum(q.w for q in p), _half, 2),
    "coupled": (
        lambda p, r: 1 / sum(q.w for q in p),
        lambda p, r: p[r].w - sum(q.w for q in p) / 2,
        1,
    ),
}
"""By controller: growth per acknowledgement, the window after a loss, its minimum."""


@dataclass(frozen=True)
class Found:
    """Windows and losses of one path over time.

    The mean of its window and the root mean square of its window, segments, and the
    fraction of its packets that was lost.
    """

    mean: float
    rms: float
    loss: float


def windows(
    name: str, loss: Sequence[float], rtt: Sequence[float], seconds: float, seed: int
) -> list[Found]:
    """Windows of each path, leaving out the first twentieth of `seconds`.

    rtt : round-trip time of each path, s
    """
    growth, keep, least = CONTROLLERS[name]
    draw = random.Random(seed)
    paths = [Path(p, t) for p, t in zip(loss, rtt, strict=True)]
    skip = seconds / 20
    while True:
        r = min(range(len(paths)), key=lambda i: paths[i].next_s)
        path = paths[r]
        now = path.next_s
        if now > seconds + skip:
            return [_found(p, seconds) for p in paths]
        step = path.rtt / path.w
        lost = draw.random() < path.loss
        if now > skip:
            path.total += path.w * step
            path.squares += path.w**2 * step
            path.sent += 1
            path.lost += lost
        path.next_s = now + step
        if lost:
            if now > path.until_s:
                path.until_s = now + path.rtt
                path.w = max(keep(paths, r), least)
                path.l1, path.l2 = path.l2, 0.0
        else:
            path.l2 += 1
            if now > path.until_s:
                path.w = max(path.w + growth(paths, r), 1.0)


def _found(path: Path, seconds: float) -> Found:
    rms = (path.squares / seconds) ** 0.5
    return Found(path.total / seconds, rms, path.lost / max(path.sent, 1))
