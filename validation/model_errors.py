"""Sources of error in LIA's model, found with an LIA that has nothing of a kernel.

It simulates the networks of the thesis's sec. 6.2.1 for 300 s each, packet by packet.
Each packet is lost with its path's probability. A loss halves the window, and further
losses do not count for one round trip. The restrictions of a kernel are then added one
after another: windows do not grow in the round trip after a loss, and windows are whole
segments. docs/models.md has the results. To repeat them (five minutes):

    python -m validation.model_errors
"""

import heapq
from collections.abc import Iterator, Sequence
from math import floor

import numpy as np

from analysis.models.lia import windows as windows_of_model

SECONDS = 300.0
SEEDS = 5
LEAST_SEGMENTS = 1.0
RTTS_S = (0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
"""Round-trip times of path 2, as in experiments/thesis/model-rtt.yaml."""
NETWORKS = {
    "Fig. 6.3, loss": [((0.01, p / 100), (0.02, 0.02)) for p in range(2, 11)],
    "Fig. 6.4, round-trip time": [((0.01, 0.02), (0.02, rtt)) for rtt in RTTS_S],
}
"""By figure, the networks: loss (a fraction) and round-trip time (s) of each path."""


def sent(
    loss: Sequence[float],
    rtt_s: Sequence[float],
    draw: np.random.Generator,
    *,
    pause: bool,
    whole: bool,
) -> list[float]:
    """Packets/s that LIA sends over each path.

    pause : whether the window stays constant in the round trip after a loss
    whole : whether the window counts whole segments only; half of it after a loss is
        rounded down
    """
    windows = [10.0] * len(loss)
    packets = [0] * len(loss)
    until_s = [-1.0] * len(loss)
    due = [(rtt / 10, path) for path, rtt in enumerate(rtt_s)]
    heapq.heapify(due)
    while due[0][0] < SECONDS:
        now_s, path = heapq.heappop(due)
        packets[path] += 1
        if draw.random() < loss[path]:
            if now_s >= until_s[path]:
                half = windows[path] / 2
                windows[path] = max(floor(half) if whole else half, LEAST_SEGMENTS)
                until_s[path] = now_s + rtt_s[path]
        elif not (pause and now_s < until_s[path]):
            best = max(w / rtt**2 for w, rtt in zip(windows, rtt_s, strict=True))
            rates = sum(w / rtt for w, rtt in zip(windows, rtt_s, strict=True))
            windows[path] += min(best / rates**2, 1 / windows[path])
        window = floor(windows[path]) if whole else windows[path]
        heapq.heappush(due, (now_s + rtt_s[path] / window, path))
    return [number / SECONDS for number in packets]


def errors(
    networks: Sequence[tuple[Sequence[float], Sequence[float]]],
    seed: int,
    *,
    pause: bool,
    whole: bool,
) -> np.ndarray:
    """Root-mean-square error of the model on each path, in packets/s."""
    draw = np.random.default_rng(seed)
    apart = [
        np.divide(windows_of_model(loss, rtt_s), rtt_s)
        - sent(loss, rtt_s, draw, pause=pause, whole=whole)
        for loss, rtt_s in networks
    ]
    return np.asarray(np.sqrt(np.mean(np.square(apart), axis=0)))


def lines() -> Iterator[str]:
    for name, networks in NETWORKS.items():
        yield name
        for pause in (False, True):
            for whole in (False, True):
                found = [
                    errors(networks, seed, pause=pause, whole=whole)
                    for seed in range(1, SEEDS + 1)
                ]
                words = ", ".join(f"{error:.0f}" for error in np.mean(found, axis=0))
                yield (
                    f"  {'whole' if whole else 'parts of'} segments, "
                    f"{'a pause' if pause else 'no pause'} after a loss: {words}"
                )


def main() -> None:
    for line in lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
