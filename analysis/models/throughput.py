"""Throughput of MPTCP with LIA under random loss: the thesis's model, n paths.

[thesis] Chauvenne and Libioulle, 2017, ch. 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from analysis.models import check_paths, lia

TIMEOUT_FLOOR_S = 0.2
"""Least that Linux adds to the round-trip time for its timeout (TCP_RTO_MIN)."""


@dataclass(frozen=True)
class Path:
    """What the model says of one path.

    window : E[W_i], packets
    packets_per_s : B_i = E[W_i] / RTT_i
    loss_share : r_i, of all losses ([thesis] eq. 6.2)
    packets_per_period : E[P_i], sent here between two losses on any path (eq. 6.1)
    """

    window: float
    packets_per_s: float
    loss_share: float
    packets_per_period: float


@dataclass(frozen=True)
class Connection:
    """paths : in the order given; best : index of that on which TCP is fastest.

    loss : p, mean loss that the connection's packets meet ([thesis] 6.1.3)
    """

    paths: tuple[Path, ...]
    best: int
    loss: float

    @property
    def packets_per_s(self) -> float:
        """B, of all paths."""
        return fsum(path.packets_per_s for path in self.paths)

    @property
    def packets_per_period(self) -> float:
        """E[P] = 1 / p, between two losses on any path."""
        return 1 / self.loss


def predict(
    losses: Sequence[float],
    rtts_s: Sequence[float],
    packets_per_ack: float = 1,
    bounded: bool = False,
) -> Connection:
    """A connection with LIA over n >= 1 paths.

    losses, rtts_s : shape (n,)
    bounded : with the bound on LIA's increase (`lia.bounded_windows`) in place of
        [thesis] eq. 6.6, which leaves it out
    """
    solve = lia.bounded_windows if bounded else lia.windows
    found = solve(losses, rtts_s, packets_per_ack)
    rates = [w / rtt for w, rtt in zip(found, rtts_s, strict=True)]
    best = lia.best_path(losses, rtts_s, packets_per_ack)
    return from_rates(losses, found, rates, best)


def from_rates(
    losses: Sequence[float],
    windows: Sequence[float],
    rates: Sequence[float],
    best: int = 0,
) -> Connection:
    """The mean loss, and what follows from it, of rates in whatever unit.

    [thesis] 6.1.3: each path weighs in the mean by its share of the rate.
    """
    check_paths(losses, [1.0] * len(losses), 1)
    total = fsum(rates)
    lost = fsum(p * rate for p, rate in zip(losses, rates, strict=True))
    paths = tuple(
        Path(window, rate, p * rate / lost, rate / lost)
        for p, window, rate in zip(losses, windows, rates, strict=True)
    )
    return Connection(paths, best, lost / total)


def timeout_s(rtt_s: float) -> float:
    """Linux's retransmission timeout on a path of steady round-trip time."""
    return rtt_s + TIMEOUT_FLOOR_S


def rmse(predicted: Sequence[float], observed: Sequence[float]) -> float:
    """Root-mean-square error, in the unit of both ([thesis] 6.2.1)."""
    if len(predicted) != len(observed) or not predicted:
        raise ValueError(
            f"{len(predicted)} predictions and {len(observed)} observations; give"
            " as many of both, at least one"
        )
    squares = [(a - b) ** 2 for a, b in zip(predicted, observed, strict=True)]
    return sqrt(fsum(squares) / len(squares))
