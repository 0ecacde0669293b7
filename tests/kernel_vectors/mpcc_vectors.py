"""Write the vector table of MPCC's KUnit suite.

python tests/kernel_vectors/mpcc_vectors.py            write the table
python tests/kernel_vectors/mpcc_vectors.py --check    exit 1 if it is out of date
"""

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import mpcc_equations as equations
from vectors import KERNEL, spread

TABLE = KERNEL / "mpcc_vectors.h"
ONE = 2**20
"""Rates, utilities, losses and slopes are in 2^-20."""
RATE_MAX = 10_000 * ONE
UNITS = ("bytes/s", "Mbit/s")


@dataclass(frozen=True)
class Utility:
    """The arguments of one utility: all in 2^-20 but beta and gamma, in thousandths."""

    x: int
    others: int
    loss: int
    slope: int
    unit: str = "bytes/s"
    beta: int = 11_350
    gamma: int = 1_000

    @property
    def value(self) -> int:
        return round(ONE * self._of(self.loss, self.slope))

    @property
    def size(self) -> float:
        """The sum of the sizes of the terms, in 2^-20."""
        gain = self._of(0, 0)
        lost = gain - self._of(self.loss, 0)
        delayed = abs(gain - self._of(0, self.slope))
        return ONE * (gain + lost + delayed)

    def _of(self, loss: int, slope: int) -> float:
        x, others, lost, rise = (n / ONE for n in (self.x, self.others, loss, slope))
        b, g = self.beta / 1000, self.gamma / 1000
        return float(equations.utility(x, others, lost, rise, self.unit, b, g))


CHOSEN = (
    Utility(ONE, 0, 0, 0),
    Utility(100 * ONE, 0, 0, 0),
    Utility(100 * ONE, 0, 0, 0, "Mbit/s"),
    Utility(100 * ONE, 100 * ONE, ONE // 200, 0),
    Utility(100 * ONE, 100 * ONE, ONE // 200, 0, "Mbit/s"),
    Utility(95 * ONE, 0, 0, ONE // 20),
    Utility(95 * ONE, 0, 0, -ONE // 20),
    Utility(95 * ONE, 0, ONE, 8 * ONE, "Mbit/s", 100_000, 1_000_000),
    Utility(95 * ONE, 0, ONE, -8 * ONE, "Mbit/s", 0, 1_000_000),
    Utility(RATE_MAX, 0, ONE // 10, ONE // 10),
    Utility(ONE // 5, RATE_MAX, ONE // 10, 0),
)


def powers() -> list[tuple[int, int]]:
    """Rates and their powers: the ends, powers of two and their neighbours, others."""
    rng = random.Random(2020)
    rates = [1, ONE // 5, ONE - 1, ONE, ONE + 1, RATE_MAX]
    rates += [ONE << k for k in range(1, 14)] + [(ONE << k) - 1 for k in range(1, 14)]
    rates += [spread(rng, ONE, RATE_MAX) for _ in range(60)]
    return [(x, round(ONE * (x / ONE) ** equations.ALPHA)) for x in rates]


def utilities(count: int, seed: int) -> list[Utility]:
    rng = random.Random(seed)
    return [
        Utility(
            spread(rng, ONE // 5, RATE_MAX // 2),
            rng.choice((0, spread(rng, ONE // 5, RATE_MAX // 2))),
            rng.choice((0, spread(rng, 1, ONE))),
            rng.choice((-1, 0, 1)) * spread(rng, 1, 8 * ONE),
            rng.choice(UNITS),
            rng.choice((11_350, 1_000, 100_000)),
            rng.choice((0, 1_000, 900_000)),
        )
        for _ in range(count)
    ]


@dataclass(frozen=True)
class Move:
    """One step; `reset` as between two series of steps. All in 2^-20."""

    reset: bool
    direction: int
    gradient: int
    rate: int
    total: int


def moves(count: int, seed: int) -> list[Move]:
    """Steps in a row, with turns; the bound limits some series of them."""
    rng = random.Random(seed)
    row = []
    direction = 1
    for _ in range(count):
        if rng.random() < 0.3:
            direction = -direction
        rate = spread(rng, ONE, 500 * ONE)
        gradient = direction * spread(rng, ONE // 1000, 20 * ONE)
        total = rate + rng.choice((0, spread(rng, ONE, 500 * ONE)))
        row.append(Move(rng.random() < 0.2, direction, gradient, rate, total))
    return row


def sizes(row: list[Move]) -> list[int]:
    """The size of each step, in 2^-20, with the default parameters."""
    steps = equations.Steps()
    result = []
    for move in row:
        if move.reset:
            steps.reset()
        scaled = (n / ONE for n in (move.gradient, move.rate, move.total))
        result.append(round(ONE * steps.step(move.direction, *scaled)))
    return result


def table() -> str:
    row = moves(60, seed=18)
    lines = [
        "/* SPDX-License-Identifier: GPL-2.0 */",
        "/* Written by tests/kernel_vectors/mpcc_vectors.py of mpbench. Do not edit.",
        " *",
        " * x^0.9, utilities and steps in double precision; mpcc.h has the units.",
        " */",
        "static const struct {",
        "\tu64 x, power;",
        "} mpcc_powers[] = {",
        *(f"\t{{ {x}ULL, {power}ULL }}," for x, power in powers()),
        "};",
        "",
        "static const struct {",
        "\tu64 x, others;",
        "\tu32 loss;",
        "\ts32 slope;",
        "\tbool mbps;",
        "\tu32 beta, gamma;",
        "\ts64 utility, size;\t/* of the terms */",
        "} mpcc_utilities[] = {",
        *(
            f"\t{{ {v.x}ULL, {v.others}ULL, {v.loss}, {v.slope}, "
            f"{int(v.unit == 'Mbit/s')}, {v.beta}, {v.gamma},\n"
            f"\t  {v.value}LL, {round(v.size)}LL }},"
            for v in (*CHOSEN, *utilities(50, seed=3433030))
        ),
        "};",
        "",
        "static const struct {",
        "\tbool reset;",
        "\tint direction;",
        "\ts64 gradient;",
        "\tu64 rate, total, step;",
        "} mpcc_steps[] = {",
        *(
            f"\t{{ {int(m.reset)}, {m.direction}, {m.gradient}LL, {m.rate}ULL, "
            f"{m.total}ULL,\n\t  {size}ULL }},"
            for m, size in zip(row, sizes(row), strict=True)
        ),
        "};",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write MPCC's vector table.")
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    if parser.parse_args().check:
        if TABLE.read_text() != table():
            print(f"{TABLE}: out of date; run {Path(__file__).name}")
            return 1
        return 0
    TABLE.write_text(table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
