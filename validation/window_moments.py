"""Windows under random loss in continuous time, compared with the closed forms.

Each window grows with time as acknowledgements make it grow. A loss comes after an
exponentially distributed number of segments. A guest also has recovery, timers and
whole segments, which this leaves out. studies/notes/controllers.md has the results. To
repeat them:

    python -m validation.window_moments
"""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

from tests.virtual.balance import BALANCES

Array = np.ndarray
Law = Callable[[Array, Array], tuple[Array, Array]]
"""From windows, shape (copies, paths), and round-trip times, s, to the increase per
acknowledged segment and the decrease per lost segment."""
STEPS_PER_CYCLE = 40
CYCLES = 75
LEFT_OUT = 0.25
"""The fraction of the time, from its beginning, that is left out."""
COPIES = 2000
NETWORKS = (
    ((5e-4, 5e-4), (0.04, 0.04)),
    ((2.5e-4, 5e-4), (0.04, 0.04)),
    ((1.25e-4, 5e-4), (0.04, 0.04)),
    ((5e-4, 5e-4), (0.02, 0.04)),
    ((2e-4, 5e-4), (0.08, 0.04)),
)


def reno(w: Array, rtt_s: Array) -> tuple[Array, Array]:
    return 1 / w, w / 2


def ewtcp(w: Array, rtt_s: Array) -> tuple[Array, Array]:
    return 1 / sqrt(w.shape[1]) / w, w / 2


def semicoupled(w: Array, rtt_s: Array) -> tuple[Array, Array]:
    return np.broadcast_to(1 / w.sum(1, keepdims=True), w.shape), w / 2


def lia(w: Array, rtt_s: Array) -> tuple[Array, Array]:
    rate = w / rtt_s
    most = (rate / rtt_s).max(1, keepdims=True)
    return np.minimum(most / rate.sum(1, keepdims=True) ** 2, 1 / w), w / 2


def balia(w: Array, rtt_s: Array) -> tuple[Array, Array]:
    rate = w / rtt_s
    alpha = rate.max(1, keepdims=True) / rate
    increase = rate / rtt_s / rate.sum(1, keepdims=True) ** 2
    increase = increase * (1 + alpha) / 2 * (4 + alpha) / 5
    return increase, w / 2 * np.minimum(alpha, 1.5)


LAWS: dict[str, Law] = {
    "lia": lia,
    "balia": balia,
    "ewtcp": ewtcp,
    "semicoupled": semicoupled,
}


def moments(
    law: Law, loss: Sequence[float], rtt_s: Sequence[float], seed: int = 1
) -> tuple[Array, Array]:
    """Mean and root mean square of each path's window, segments.

    loss : probability of loss of a segment, by path
    rtt_s : round-trip times, s
    """
    random = np.random.default_rng(seed)
    p, rtt = np.asarray(loss), np.asarray(rtt_s)
    w = np.tile(np.sqrt(2 / p) / len(p), (COPIES, 1))
    step_s = float((rtt / np.sqrt(p)).min()) / STEPS_PER_CYCLE
    steps = STEPS_PER_CYCLE * CYCLES
    sums, squares, counted = np.zeros(len(p)), np.zeros(len(p)), 0
    for step in range(steps):
        sent = w / rtt * step_s
        increase, decrease = law(w, rtt)
        lost = random.random(w.shape) < p * sent
        w = np.maximum(np.where(lost, w - decrease, w + sent * increase), 1e-3)
        if step >= LEFT_OUT * steps:
            sums, squares = sums + w.mean(0), squares + (w**2).mean(0)
            counted += 1
    return sums / counted, np.sqrt(squares / counted)


def main() -> None:
    _, alone = moments(reno, (5e-4,), (0.04,))
    print(
        f"reno by itself: root mean square {alone[0] / sqrt(2 / 5e-4):.2f} of sqrt(2/p)"
    )
    for loss, rtt_s in NETWORKS:
        print(f"loss {loss}, RTT {rtt_s} s; of the closed form:")
        for name, law in LAWS.items():
            mean, square = moments(law, loss, rtt_s)
            closed = np.asarray(BALANCES[name](loss, rtt_s))
            share = (mean[0] / mean.sum()) / (closed[0] / closed.sum())
            totals = square.sum() / closed.sum(), mean.sum() / closed.sum()
            print(
                f"  {name:12} share of path 1 {share:.2f}, sum of root mean squares "
                f"{totals[0]:.2f}, of means {totals[1]:.2f}"
            )


if __name__ == "__main__":
    main()
