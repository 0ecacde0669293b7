"""MPCC's equations in double precision, written from the papers' text.

Gilad et al., CoNEXT 2020, equation 2; the amplifier, the bound and the swing buffer as
docs/mpcc.md describes them. Rates are in Mbit/s.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

ALPHA = 0.9
BYTES_PER_S = 125_000.0
"""Bytes/s in one Mbit/s."""


def utility(
    x: float, others: float, loss: float, slope: float, unit: str, b: float, g: float
) -> float:
    """Equation 2 with rates in `unit`, divided by the unit's number per Mbit/s."""
    per_mbps = BYTES_PER_S if unit == "bytes/s" else 1.0
    total = (x + others) * per_mbps
    return float(total**ALPHA - b * total * loss - g * total * slope) / per_mbps


def gradient(u: float, r: float, last_u: float, last_r: float) -> float:
    return (u - last_u) / (r - last_r)


@dataclass
class Steps:
    """Step sizes in a row.

    theta : Mbit/s per unit of the gradient
    bound, growth : fraction of the total rate; growth of the amplifier per step
    least : Mbit/s
    """

    theta: float = 1.0
    bound: float = 0.05
    growth: float = 2.0
    least: float = 0.5
    amplifier: float = field(default=0.0, init=False)
    widened: int = field(default=0, init=False)
    swing: int = field(default=0, init=False)
    direction: int = field(default=0, init=False)

    def reset(self) -> None:
        self.amplifier, self.widened = 0.0, 0

    def step(self, direction: int, slope: float, rate: float, total: float) -> float:
        turn = self.direction * direction < 0
        if turn:
            self.reset()
            self.swing = min(self.swing + 1, 2)
        size = max(abs(slope) * self.theta * (1 + self.amplifier), self.least)
        if not turn and self.swing > 0:
            self.swing -= 1
        elif not turn:
            self.amplifier += self.growth
        self.direction = direction
        bound = total * self.bound * (1 + self.widened)
        if size > bound:
            size = bound
            self.widened += 1
        else:
            self.widened = max(self.widened - 1, 0)
        return min(size, rate / 2) if direction < 0 else size


def slope(times: Sequence[float], rtts: Sequence[float]) -> float:
    """The slope of the least-squares line of round-trip times over sending times."""
    n = len(times)
    mean_t, mean_r = sum(times) / n, sum(rtts) / n
    spread = sum((t - mean_t) ** 2 for t in times)
    pairs = zip(times, rtts, strict=True)
    return sum((t - mean_t) * (r - mean_r) for t, r in pairs) / spread
