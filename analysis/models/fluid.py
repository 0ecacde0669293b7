"""The fluid model of a network whose users have multipath controllers: equilibrium.

Rates x and loss probabilities p move as in [balia] eqs 3 and 4:

    dx_r/dt = k_r(x_s) (phi_r(x_s) - q_r),   q_r = sum of p_l over the links of r
    dp_l/dt = gamma_l (y_l - c_l),           y_l = sum of x_r over the routes across l

Neither falls below 0. At an equilibrium every link is full or loses nothing, and every
path is unused or has phi_r = q_r (eqs 6 and 7). `equilibrium` finds it by root finding,
`integrate` by following the motion.

[balia] Peng, Walid, Hwang, Low, "Multipath TCP: Analysis, Design and Implementation",
IEEE/ACM ToN 2016.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analysis.models import check_positive
from analysis.models.controllers import Controller, controller
from analysis.models.networks import SEGMENT_BYTES, Network

Vector = NDArray[np.float64]

RELAXATION = tuple(10.0 ** (-k / 2) for k in range(21))
"""mu in turn, see `equilibrium`. At the last one, 1e-10, rates that tend to 0 are about
1e-5 of the others."""
ACCURACY = 1e-4
"""The largest relative error of a load or a loss that counts as an equilibrium."""
UNUSED = 1e-3
"""A path with less than this share of a user's rate may lose more than phi says."""
IDLE = 1e-6
"""A link that loses less than this share of the most lossy link loses nothing."""
_LARGEST = 60.0


@dataclass(frozen=True)
class Equilibrium:
    """Equilibrium of a network: rates and losses that no longer change.

    network : the network
    rates : packets/s of one such user on each of its paths, by the user's name
    loss : loss probability of each limiting link, by name; 0 where a link is not full
    segment_bytes : size of a packet
    error : the largest relative error of a full link's load, of an overload, and of
        the loss of a path in use; `integrate` has one above 0 if it ends too soon
    """

    network: Network
    rates: Mapping[str, tuple[float, ...]]
    loss: Mapping[str, float]
    segment_bytes: float
    error: float

    def total(self, user: str) -> float:
        """The rate of one such user over all its paths, packets/s."""
        return float(sum(self.rates[user]))

    def bps(self, user: str) -> float:
        """The rate of one such user over all its paths, bit/s."""
        return self.total(user) * self.segment_bytes * 8

    @cached_property
    def loads_bps(self) -> dict[str, float]:
        """Load of each limiting link, bit/s."""
        rates = np.concatenate([self.rates[name] for name in self.network.users])
        loads = self.network.crossing @ (rates * self.network.counts)
        loads_bps = loads * self.segment_bytes * 8
        return dict(zip(self.network.limiting, loads_bps.tolist(), strict=True))


class _Model:
    """A network with its controllers, in packets and seconds."""

    def __init__(self, network: Network, transport: str, segment_bytes: float) -> None:
        self.network = network
        self.segment_bytes = check_positive("segment", segment_bytes)
        self.crossing = network.crossing
        self.load = network.crossing * network.counts
        self.capacity = network.capacities_bps / (segment_bytes * 8)
        self.controllers: dict[str, Controller] = {}
        self.rtts: dict[str, Vector] = {}
        for name, user in network.users.items():
            self.controllers[name] = controller(user.transport or transport)
            if not user.rtts_s:
                raise ValueError(
                    f"user {name}: no round-trip time; give one per path, or one for"
                    " all"
                )
            self.rtts[name] = np.array(user.rtts_s)
        network.check_bounded()
        share = self.capacity / self.load.sum(axis=1)
        crossed = np.where(self.crossing > 0, share[:, np.newaxis], np.inf)
        self.even_rates: Vector = np.asarray(crossed.min(axis=0))
        rtts_s = np.concatenate(list(self.rtts.values()))
        window = np.maximum(self.even_rates * rtts_s, 1e-6)
        # What TCP would lose at an even share of its links.
        self.usual_loss = float(np.mean(np.minimum(2 / window**2, 1.0)))

    def phi(self, rates: Vector) -> Vector:
        """phi of every route, shape (routes,)."""
        slices = self.network.slices.items()
        return np.concatenate(
            [self.controllers[n].phi(rates[part], self.rtts[n]) for n, part in slices]
        )

    def gain(self, rates: Vector) -> Vector:
        """k of every route, shape (routes,)."""
        slices = self.network.slices.items()
        return np.concatenate(
            [self.controllers[n].gain(rates[part]) for n, part in slices]
        )

    def overload(self, rates: Vector) -> Vector:
        """y / c - 1 of every link, shape (links,)."""
        return np.asarray(self.load @ rates / self.capacity - 1)

    def rest(self, rates: Vector, prices: Vector) -> Equilibrium:
        full = prices > IDLE * prices.max()
        overload = self.overload(rates)
        losses = self.crossing.T @ prices
        shares = np.concatenate(
            [rates[s] / rates[s].sum() for s in self.network.slices.values()]
        )
        wrong = np.abs(self.phi(rates) / losses - 1)[shares > UNUSED]
        return Equilibrium(
            self.network,
            {n: tuple(rates[s].tolist()) for n, s in self.network.slices.items()},
            dict(
                zip(
                    self.network.limiting,
                    np.where(full, prices, 0.0).tolist(),
                    strict=True,
                )
            ),
            self.segment_bytes,
            float(max(np.abs(overload[full]).max(), overload.max(), wrong.max())),
        )


def equilibrium(
    network: Network, transport: str = "lia", segment_bytes: float = SEGMENT_BYTES
) -> Equilibrium:
    """The equilibrium of [balia] eqs 6 and 7, by root finding.

    network : every user with round-trip times; capacities in bit/s
    transport : the controller of users that name none (`controllers.CONTROLLERS`)
    segment_bytes : size of a packet, above 0

    The conditions "x is 0 or phi = q" and "p is 0 or y = c" become x (q - phi) = mu and
    p (c - y) = mu in relative units, which have no corners. The root is followed while
    mu falls to 1e-10. Where users have controllers that use their best paths only
    (coupled, olia), the split among equally good paths may be open; the result is then
    one of the equilibria, with the same total rate of each user as the others.

    Raises ValueError for users without round-trip times, a path without any capacity,
    an unknown controller, and if no equilibrium was found.
    """
    model = _Model(network, transport, segment_bytes)
    routes = len(network.routes)

    def split(values: Vector) -> tuple[Vector, Vector]:
        both = np.exp(np.clip(values, -_LARGEST, _LARGEST))
        return model.even_rates * both[:routes], model.usual_loss * both[routes:]

    def residual(values: Vector, mu: float) -> Vector:
        rates, prices = split(values)
        late = (model.crossing.T @ prices - model.phi(rates)) / model.usual_loss
        paths = rates / model.even_rates * late
        links = prices / model.usual_loss * -model.overload(rates)
        return np.concatenate([paths, links]) - mu

    from scipy.optimize import root  # slow to load

    values = np.zeros(routes + len(model.capacity))
    for mu in RELAXATION:
        values = root(residual, values, (mu,), method="lm", tol=1e-13).x
    result = model.rest(*split(values))
    if not result.error < ACCURACY:
        raise ValueError(
            f"no equilibrium found: a load or a loss is off by {result.error:.1g}"
        )
    return result


def integrate(
    network: Network,
    transport: str = "lia",
    segment_bytes: float = SEGMENT_BYTES,
    duration_s: float = 1e4,
    start: Mapping[str, tuple[float, ...]] | None = None,
    price_s: float = 10.0,
) -> Equilibrium:
    """State after `duration_s` according to [balia] eqs 3 and 4.

    duration_s : seconds of the motion, above 0
    start : packets/s of each user on each path at the beginning; by default an even
        share of the links
    price_s : seconds, above 0. gamma_l is p_l / (c_l price_s), so that the loss of a
        link with twice its load grows by a factor of e in this time. A gamma in
        proportion to p keeps losses above 0, and does not change where they rest

    The other arguments and the errors are those of `equilibrium`. OLIA's term alpha
    ([olia] eq. 6) is left out, so `olia` moves like `coupled`.
    """
    check_positive("duration", duration_s)
    check_positive("price_s", price_s)
    model = _Model(network, transport, segment_bytes)
    routes = len(network.routes)

    def motion(_time: float, logs: Vector) -> Vector:
        both = np.exp(np.clip(logs, -_LARGEST, _LARGEST))
        rates, prices = both[:routes], both[routes:]
        late = model.phi(rates) - model.crossing.T @ prices
        return np.concatenate(
            [model.gain(rates) / rates * late, model.overload(rates) / price_s]
        )

    begin = model.even_rates if start is None else _start(network, start)
    prices = np.full(len(model.capacity), model.usual_loss)
    logs = np.log(np.concatenate([begin, prices]))
    from scipy.integrate import solve_ivp  # slow to load

    moved = solve_ivp(motion, (0, duration_s), logs, method="LSODA", rtol=1e-8)
    if not moved.success:
        raise ValueError(f"the motion could not be followed: {moved.message}")
    last = np.exp(moved.y[:, -1])
    return model.rest(last[:routes], last[routes:])


def _start(network: Network, start: Mapping[str, tuple[float, ...]]) -> Vector:
    """Packets/s of each route at the beginning, shape (routes,)."""
    for name, user in network.users.items():
        if len(start.get(name, ())) != len(user.paths):
            raise ValueError(
                f"user {name}: start has {len(start.get(name, ()))} rates for"
                f" {len(user.paths)} paths; give one per path"
            )
    rates = np.concatenate([np.array(start[name]) for name in network.users])
    if not (np.isfinite(rates).all() and (rates > 0).all()):
        raise ValueError("start: rates must be finite and above 0 packets/s")
    return rates
