"""Multipath controllers as fluid models, and the rates that they choose under loss.

A controller is a pair of functions of the rates x of a user's paths ([balia] eq. 3):

    dx_r/dt = k_r(x) (phi_r(x) - q_r)

q_r : loss probability of path r
k_r : the gain; it decides how fast rates change and not where they end
phi_r : the loss probability at which the controller holds the rates x

An increase of I_r packets per acknowledgement and a decrease of D_r packets per loss
give k_r = x_r D_r / rtt_r and phi_r = I_r / D_r ([balia] eq. 5). Every controller has
its solution of phi(x) = q in closed form here: `Controller.demand`.

In all functions

rates : x, packets/s, shape (n,), at least 0 and not all 0, one per path of one user
losses : q, loss probabilities, shape (n,), above 0
rtts_s : round-trip times, seconds, shape (n,), above 0

[balia] Peng, Walid, Hwang, Low, "Multipath TCP: Analysis, Design and Implementation",
IEEE/ACM ToN 2016; [nsdi11] Wischik et al., "Design, Implementation and Evaluation of
Congestion Control for Multipath TCP", NSDI 2011; [olia] Khalili et al., "MPTCP Is Not
Pareto-Optimal", IEEE/ACM ToN 2013.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.models import lia

Vector = NDArray[np.float64]

BALIA_BETA, BALIA_ETA = 0.2, 0.5
"""The choice of [balia] sec. IV.B in the class of its eq. 12, whose n is infinite."""
MOST_PATHS = 8
"""With so many paths or fewer, and equal round-trip times, [balia] Theorem 4.1 gives
semicoupled, max and Balia a unique equilibrium."""


@dataclass(frozen=True)
class Controller:
    """One controller.

    name : as in experiment files where the kernel has the controller
    phi : (rates, rtts_s) -> loss probabilities; inf where a rate of 0 needs it
    gain : (rates) -> k, in packets^2/s^2
    demand : (losses, rtts_s) -> rates with phi(rates) = losses on the paths in use
    best_paths_only : whether only the best paths are used; the split among several
        equally good paths is then open, and `demand` splits evenly
    """

    name: str
    phi: Callable[[Vector, Vector], Vector]
    gain: Callable[[Vector], Vector]
    demand: Callable[[Vector, Vector], Vector]
    best_paths_only: bool = False


def tcp_rate(losses: Vector, rtts_s: Vector) -> Vector:
    """TCP's rate on each path, sqrt(2 / q) / rtt, packets/s ([balia] sec. II.B)."""
    return np.asarray(np.sqrt(2 / losses) / rtts_s)


def best_rate(losses: Vector, rtts_s: Vector) -> float:
    """TCP's rate on the path where it is fastest, packets/s."""
    return float(tcp_rate(losses, rtts_s).max())


def ewtcp(name: str, weight: Callable[[int], float]) -> Controller:
    """EWTCP, an increase of a / w on each path by itself ([balia] sec. II.B).

    weight : a for n paths
    """

    def phi(rates: Vector, rtts_s: Vector) -> Vector:
        return _over(2 * weight(len(rates)), (rates * rtts_s) ** 2)

    def demand(losses: Vector, rtts_s: Vector) -> Vector:
        return np.asarray(tcp_rate(losses, rtts_s) * np.sqrt(weight(len(losses))))

    return Controller(name, phi, half_square, demand)


def half_square(rates: Vector) -> Vector:
    """k = x^2 / 2: the window is halved at a loss."""
    return np.asarray(rates**2 / 2)


def balia_class(name: str, beta: float, eta: float) -> Controller:
    """The class of [balia] eq. 12 with the norm n = infinity.

        phi_r = 2 (x_r + beta (max x - x_r)) / (rtt_r^2 x_r (sum x)^2)
        k_r = x_r (x_r + eta (max x - x_r)) / 2

    beta : above 0; 1 is the paper's Max, near 0 is Coupled
    eta : at least 0

    The solution of phi = q: with u_r = q_r rtt_r^2 / min_k q_k rtt_k^2, rates are in
    proportion to beta / (u_r - 1 + beta), and their sum is TCP's on the best path. (At
    the maximum of x, phi = 2 / (rtt x_total)^2 whatever beta is.)
    """

    def phi(rates: Vector, rtts_s: Vector) -> Vector:
        mixed = rates + beta * (rates.max() - rates)
        return _over(2 * mixed, rtts_s**2 * rates * rates.sum() ** 2)

    def gain(rates: Vector) -> Vector:
        return np.asarray(rates * (rates + eta * (rates.max() - rates)) / 2)

    def demand(losses: Vector, rtts_s: Vector) -> Vector:
        cost = losses * rtts_s**2
        return _shared(beta / (cost / cost.min() - 1 + beta), losses, rtts_s)

    return Controller(name, phi, gain, demand)


def _over(numerator: Vector | float, denominator: Vector) -> Vector:
    """A quotient whose denominator may be 0; the result is then inf."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.asarray(numerator / denominator)
    return np.where(denominator > 0, quotient, np.inf)


def _shared(weights: Vector, losses: Vector, rtts_s: Vector) -> Vector:
    """TCP's rate on the best path, shared in proportion to the weights."""
    return np.asarray(weights / weights.sum() * best_rate(losses, rtts_s))


def _coupled_phi(rates: Vector, rtts_s: Vector) -> Vector:
    """2 / (rtt_r sum x)^2 ([balia] sec. II.B; the first term of [olia] eq. 5)."""
    return np.asarray(2 / (rtts_s * rates.sum()) ** 2)


def _coupled_demand(losses: Vector, rtts_s: Vector) -> Vector:
    return _shared(_least(losses * rtts_s**2), losses, rtts_s)


def _window_coupled_phi(rates: Vector, rtts_s: Vector) -> Vector:
    """2 / (sum w)^2: an increase of 1 / sum w, a decrease of sum w / 2 ([nsdi11])."""
    return np.full(len(rates), 2 / (rates * rtts_s).sum() ** 2)


def _window_coupled_gain(rates: Vector) -> Vector:
    """Half of x_r times all rates: right for equal round-trip times, else a choice.

    k_r = x_r (sum w) / (2 rtt_r) needs the round-trip times, and does not matter for
    where rates end.
    """
    return np.asarray(rates * rates.sum() / 2)


def _window_coupled_demand(losses: Vector, rtts_s: Vector) -> Vector:
    best = _least(losses)
    return np.asarray(best / best.sum() * np.sqrt(2 / losses.min()) / rtts_s)


def _least(costs: Vector) -> Vector:
    """1 where a cost is the least one, else 0."""
    return np.asarray(np.isclose(costs, costs.min(), rtol=1e-9), dtype=np.float64)


def _semicoupled_phi(rates: Vector, rtts_s: Vector) -> Vector:
    """2 / (x_r rtt_r^2 sum x), from an increase of 1 / (rtt_r sum x) ([balia])."""
    return _over(2.0, rates * rtts_s**2 * rates.sum())


def _semicoupled_demand(losses: Vector, rtts_s: Vector) -> Vector:
    """x_r = 2 / (q_r rtt_r^2 X) with X^2 = sum of 2 / (q rtt^2)."""
    weights = 2 / (losses * rtts_s**2)
    return np.asarray(weights / np.sqrt(weights.sum()))


def _window_semicoupled_phi(rates: Vector, rtts_s: Vector) -> Vector:
    """2 / (w_r sum w), an increase of 1 / sum w ([nsdi11] sec. 2.4 with a = 1)."""
    windows = rates * rtts_s
    return _over(2.0, windows * windows.sum())


def _window_semicoupled_demand(losses: Vector, rtts_s: Vector) -> Vector:
    """w_r = sqrt(2) / q_r / sqrt(sum 1 / q) ([nsdi11] sec. 2.4)."""
    return np.asarray(np.sqrt(2) / losses / np.sqrt((1 / losses).sum()) / rtts_s)


def _max_phi(rates: Vector, rtts_s: Vector) -> Vector:
    """2 max(x / rtt) / (x_r rtt_r (sum x)^2), [olia] eq. 1 without its minimum."""
    return _over(2 * (rates / rtts_s).max(), rates * rtts_s * rates.sum() ** 2)


def _max_demand(losses: Vector, rtts_s: Vector) -> Vector:
    """Windows in proportion to 1 / q ([olia] eq. 2)."""
    return _shared(1 / (losses * rtts_s), losses, rtts_s)


def _bounded_phi(rates: Vector, rtts_s: Vector) -> Vector:
    """`_max_phi` with the bound of 1 / w on the increase ([olia] eq. 1)."""
    return np.minimum(_max_phi(rates, rtts_s), _over(2.0, (rates * rtts_s) ** 2))


def _bounded_demand(losses: Vector, rtts_s: Vector) -> Vector:
    windows = lia.bounded(np.sqrt(2 / losses).tolist(), rtts_s.tolist())
    return np.array(windows) / rtts_s


CONTROLLERS: dict[str, Controller] = {
    controller.name: controller
    for controller in (
        ewtcp("tcp", lambda n: 1.0),
        ewtcp("ewtcp", lambda n: n**-0.5),
        ewtcp("ewtcp_fair", lambda n: 1 / n**2),
        Controller(
            "coupled",
            _window_coupled_phi,
            _window_coupled_gain,
            _window_coupled_demand,
            True,
        ),
        Controller("coupled_balia", _coupled_phi, half_square, _coupled_demand, True),
        Controller(
            "semicoupled",
            _window_semicoupled_phi,
            half_square,
            _window_semicoupled_demand,
        ),
        Controller(
            "semicoupled_balia", _semicoupled_phi, half_square, _semicoupled_demand
        ),
        Controller("max", _max_phi, half_square, _max_demand),
        Controller("lia", _bounded_phi, half_square, _bounded_demand),
        # [olia] Theorem 1: the fixed points of coupled_balia. The term alpha (eq. 6)
        # moves rates towards them and vanishes there.
        Controller("olia", _coupled_phi, half_square, _coupled_demand, True),
        balia_class("balia", BALIA_BETA, BALIA_ETA),
    )
}
"""Every controller by name. Names and default forms are those of experiment files:

tcp : TCP on each path by itself; also under the name `reno`
ewtcp : a = 1 / sqrt(n), as [nsdi11] sec. 2.1 prints it
ewtcp_fair : a = 1 / n^2. A window of sqrt(2 a / p) makes n subflows one TCP only with
    this value, which is also behind the "half as aggressive" and the 424 packets/s of
    [nsdi11] sec. 2.3
coupled, semicoupled : as [nsdi11] has them, with sums of windows
coupled_balia, semicoupled_balia : as [balia] has them, with sums of rates. They differ
    from [nsdi11]'s where round-trip times differ
max : LIA as the papers model it, without the bound on the increase
lia : LIA with the bound
olia : [olia]'s fixed points
balia : [balia] eq. 12 with beta = 0.2, eta = 0.5 and n = infinity
"""


def controller(name: str) -> Controller:
    """The controller of that name.

    `reno` is `tcp`. Raises ValueError for a name that is not in CONTROLLERS.
    """
    known = {**CONTROLLERS, "reno": CONTROLLERS["tcp"]}
    if name not in known:
        raise ValueError(f"no controller {name}; the models have {', '.join(known)}")
    return known[name]
