"""Throughput of MPTCP with LIA over n paths with random loss: the thesis's model.

[thesis] Chauvenne and Libioulle, "MultiPath TCP Connections: Analysis and Models",
UCLouvain, 2017, ch. 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

from analysis.models import check_paths, lia

TIMEOUT_FLOOR_S = 0.2
"""Least time that Linux adds to the round-trip time for its timeout (TCP_RTO_MIN)."""


@dataclass(frozen=True)
class Path:
    """Prediction of the model for one path.

    window : E[W_i], in packets
    packets_per_s : B_i = E[W_i] / RTT_i
    loss_share : r_i, the share of all losses that occur on this path, 0-1
        ([thesis] eq. 6.2)
    packets_per_period : E[P_i], the packets sent on this path between two losses of
        the connection (eq. 6.1)
    """

    window: float
    packets_per_s: float
    loss_share: float
    packets_per_period: float


@dataclass(frozen=True)
class Connection:
    """Prediction of the model for a connection.

    paths : in the order of the arguments
    best : index, from 0, of the path on which TCP is fastest
    loss : p, the probability that a packet of the connection is lost, 0-1
        ([thesis] sec. 6.1.3)
    """

    paths: tuple[Path, ...]
    best: int
    loss: float

    @property
    def packets_per_s(self) -> float:
        """B, the sum over all paths."""
        return fsum(path.packets_per_s for path in self.paths)

    @property
    def packets_per_period(self) -> float:
        """E[P] = 1 / p, the packets sent between two losses of the connection."""
        return 1 / self.loss


def predict(
    losses: Sequence[float],
    rtts_s: Sequence[float],
    packets_per_ack: float = 1,
    bounded: bool = False,
) -> Connection:
    """Predict a connection with LIA over n paths.

    losses : loss probability of each path, shape (n,), n >= 1
    rtts_s : round-trip time of each path, seconds, shape (n,)
    packets_per_ack : b, packets that one acknowledgement covers, at least 1
    bounded : True for the windows of `lia.bounded_windows`, False for those of
        [thesis] eq. 6.6, which leaves out the bound on LIA's increase

    Raises ValueError for arguments out of range.
    """
    solve = lia.bounded_windows if bounded else lia.windows
    windows = solve(losses, rtts_s, packets_per_ack)
    rates = [w / rtt for w, rtt in zip(windows, rtts_s, strict=True)]
    best = lia.best_path(losses, rtts_s, packets_per_ack)
    return from_rates(losses, windows, rates, best)


def from_rates(
    losses: Sequence[float],
    windows: Sequence[float],
    rates: Sequence[float],
    best: int = 0,
) -> Connection:
    """The connection that has given windows and rates, with its mean loss.

    losses : loss probability of each path, shape (n,), n >= 1
    windows : in packets, shape (n,)
    rates : in packets per second, shape (n,); any other unit gives the same losses
        and packets per period
    best : index of the path on which TCP is fastest

    In the mean loss, each path has the weight of its share of the rate ([thesis]
    sec. 6.1.3).
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
    """Linux's first retransmission timeout, seconds, for a constant round-trip time."""
    return rtt_s + TIMEOUT_FLOOR_S


def rmse(predicted: Sequence[float], observed: Sequence[float]) -> float:
    """Root-mean-square error ([thesis] sec. 6.2.1), in the unit of the arguments.

    predicted, observed : shape (n,), n >= 1

    Raises ValueError if they have different lengths or are empty.
    """
    if len(predicted) != len(observed) or not predicted:
        raise ValueError(
            f"{len(predicted)} predictions and {len(observed)} observations; give"
            " the same number of both, at least one"
        )
    squares = [(a - b) ** 2 for a, b in zip(predicted, observed, strict=True)]
    return sqrt(fsum(squares) / len(squares))
