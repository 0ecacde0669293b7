"""Write the vector table of the KUnit suite.

python tests/kernel_vectors/vectors.py            write the table
python tests/kernel_vectors/vectors.py --check    exit 1 if it is out of date
"""

import argparse
import random
import sys
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import equations

KERNEL = Path(__file__).parents[2] / "kernel" / "overlay" / "net" / "mptcp"
TABLE = KERNEL / "coupled_vectors.h"
UNIT = 2**40  # increases are in 2^-40 segments
PATHS_MAX = 8
CWND_MAX = 2**20
RTT_US = (10, 10_000_000)
LOSS_MAX = 2**40


@dataclass(frozen=True)
class Vector:
    """The arguments of one call; the subflow that asks comes first.

    w : windows, segments
    rtt : round-trip times, microseconds
    ell : bytes between losses
    joined : the order in which the subflows joined; by default that of the list
    """

    name: str
    w: tuple[int, ...]
    rtt: tuple[int, ...]
    ell: tuple[int, ...] = ()
    joined: tuple[int, ...] = ()

    @property
    def order(self) -> tuple[int, ...]:
        return self.joined or tuple(range(1, len(self.w) + 1))

    @property
    def srtt(self) -> tuple[int, ...]:
        """The round-trip times in the kernel's unit, 1/8 us."""
        return tuple(8 * rtt for rtt in self.rtt)

    @property
    def interloss(self) -> tuple[int, ...]:
        return self.ell or tuple(1448 for _ in self.w)


INCREASES: dict[str, Callable[[Vector], float | Fraction]] = {
    "lia_rfc6356": lambda v: equations.rfc6356(v.w, v.rtt),
    "lia": lambda v: equations.nsdi11(v.w, v.rtt),
    "olia": lambda v: equations.olia(v.w, v.rtt, v.interloss),
    "balia": lambda v: equations.balia(v.w, v.rtt),
    "ewtcp": lambda v: equations.ewtcp(v.w),
    "ewtcp_quarter": lambda v: equations.ewtcp(v.w, 0.25),
    "semicoupled": lambda v: equations.semicoupled(v.w),
    "semicoupled_half": lambda v: equations.semicoupled(v.w, 0.5),
    "semicoupled_balia": lambda v: equations.semicoupled_balia(v.w, v.rtt),
    "coupled": lambda v: equations.coupled(v.w),
    "coupled_balia": lambda v: equations.kelly(v.w, v.rtt),
    "lia_v091": lambda v: equations.lia_of_v091(v.w, v.srtt, v.order),
}
KEEPS: dict[str, Callable[[Vector], float]] = {
    "balia": lambda v: equations.balia_keep(v.w, v.rtt),
    "balia_v091": lambda v: equations.balia_keep_of_v091(v.w, v.rtt),
    "coupled": lambda v: equations.coupled_keep(v.w),
}

CHOSEN = (
    Vector("equal", (10, 10), (20_000, 20_000)),
    Vector("equal_three", (30, 30, 30), (50_000, 50_000, 50_000)),
    Vector("unequal_windows", (5, 40), (30_000, 30_000)),
    Vector("unequal_rtts", (20, 20), (10_000, 100_000)),
    Vector("wifi_of_wifi_and_3g", (20, 80), (10_000, 100_000)),
    Vector("3g_of_wifi_and_3g", (80, 20), (100_000, 10_000)),
    Vector("capped_at_reno", (100, 1), (1_000_000, 1_000)),
    Vector("two_of_three_share", (30, 30, 1), (20_000, 20_000, 200_000)),
    Vector("subset_below_all", (40, 40, 5), (50_000, 50_000, 10_000)),
    Vector("window_of_one", (1, 100), (20_000, 20_000)),
    Vector("all_of_one", (1, 1), (20_000, 20_000)),
    Vector("shortest_rtts", (10, 10), (10, 10)),
    Vector("longest_rtts", (10, 10), (10_000_000, 10_000_000)),
    Vector("rtts_10_us_and_10_s", (1, CWND_MAX), (10, 10_000_000)),
    Vector("rtts_10_s_and_10_us", (CWND_MAX, 1), (10_000_000, 10)),
    Vector("largest_windows", (CWND_MAX, CWND_MAX), (20_000, 20_000)),
    Vector("largest_fast", (CWND_MAX, 1), (10, 10_000_000)),
    Vector("largest_windows_eight", (CWND_MAX,) * 8, (10,) * 8),
    Vector("one_fast_of_eight", (1,) + (CWND_MAX,) * 7, (10,) + (10_000_000,) * 7),
    Vector("least_increase", (1,) + (CWND_MAX,) * 7, (10,) + (10_240,) * 7),
    Vector("best_and_small", (5, 40), (20_000, 20_000), (900_000, 800_000)),
    Vector("large_not_best", (40, 5), (20_000, 20_000), (800_000, 900_000)),
    Vector("best_and_large", (40, 5), (20_000, 20_000), (900_000, 800_000)),
    Vector("neither", (8, 40, 5), (20_000,) * 3, (10, 20, 30)),
    Vector("one_of_two_best_small", (5, 40, 6), (20_000,) * 3, (30, 20, 30)),
    Vector("one_of_two_largest", (40, 40, 6), (20_000,) * 3, (10, 20, 30)),
    Vector("best_is_largest_too", (40, 40, 6), (20_000,) * 3, (30, 20, 30)),
    Vector("best_by_its_rtt", (5, 40), (10_000, 20_000), (251, 1000)),
    Vector("tie_of_quality", (5, 40), (10_000, 20_000), (250, 1000)),
    Vector("no_loss_no_data", (5, 40), (10_000, 20_000), (0, 0)),
    Vector("longest_between_losses", (5, 40), (10, 10_000_000), (1, 2**63)),
    Vector("best_by_1_us", (20, 20), (10_000, 10_001), joined=(2, 1)),
    Vector("cut_to_0_joined_first", (20, 40), (100_000, 70_000)),
    Vector("cut_to_0_joined_last", (40, 20), (70_000, 100_000), joined=(2, 1)),
    Vector("half_the_best_rate", (10, 20), (50_000, 50_000)),
    Vector("just_above_half", (11, 20), (50_000, 50_000)),
)


def spread(rng: random.Random, low: int, high: int) -> int:
    """A whole number whose logarithm is uniform over the range."""
    factor: float = (high / low) ** rng.random()
    return round(low * factor)


def scattered(count: int, seed: int, paths_max: int = PATHS_MAX) -> list[Vector]:
    rng, order = random.Random(seed), random.Random(seed + 1)
    vectors = []
    for number in range(count):
        paths = range(rng.randint(2, paths_max))
        w = tuple(spread(rng, 1, CWND_MAX) for _ in paths)
        rtt = tuple(spread(rng, *RTT_US) for _ in paths)
        ell = tuple(spread(rng, 1, LOSS_MAX) for _ in paths)
        joined = tuple(order.sample(range(1, len(w) + 1), len(w)))
        vectors.append(Vector(f"scattered_{number}", w, rtt, ell, joined))
    return vectors


def increase(vector: Vector, law: str) -> int:
    return round(UNIT * INCREASES[law](vector))


def keep(vector: Vector, law: str) -> int:
    return int(KEEPS[law](vector))


def render(vectors: list[Vector]) -> str:
    lines = [
        "/* SPDX-License-Identifier: GPL-2.0 */",
        "/* Written by tests/kernel_vectors/vectors.py of mpbench. Do not edit.",
        " *",
        " * The growth of paths[0] per segment acknowledged, in 2^-40 segments, "
        "and the",
        " * window that remains after a loss, from the papers' equations in double",
        " * precision, and from MPTCP v0.91's in whole numbers. srtt is in 1/8 us,",
        " * interloss in bytes.",
        " */",
        *_enum("vector_increase", INCREASES, "INCREASES"),
        *_enum("vector_keep", KEEPS, "KEEPS"),
        "struct coupled_vector {",
        "\tconst char *name;",
        "\tunsigned int count;",
        f"\tstruct coupled_path paths[{PATHS_MAX}];"
        "\t/* cwnd, srtt, interloss, joined */",
        "\ts64 increase[VECTOR_INCREASES];",
        "\tu32 keep[VECTOR_KEEPS];",
        "};",
        "",
        "static const struct coupled_vector coupled_vectors[] = {",
    ]
    for vector in vectors:
        paths = zip(vector.w, vector.srtt, vector.interloss, vector.order, strict=True)
        cells = ", ".join(
            f"{{ {w}, {srtt}, {ell}ULL, {joined} }}" for w, srtt, ell, joined in paths
        )
        growth = ", ".join(str(increase(vector, law)) for law in INCREASES)
        left = ", ".join(str(keep(vector, law)) for law in KEEPS)
        text = f'{{ "{vector.name}", {len(vector.w)}, {{ {cells} }},'
        lines += _wrap(text, "\t")
        lines += _wrap(f"{{ {growth} }}, {{ {left} }} }},", "\t  ")
    return "\n".join([*lines, "};", ""])


def _wrap(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, 92, initial_indent=indent, subsequent_indent="\t  ", tabsize=8
    )


def _enum(name: str, keys: Iterable[str], last: str) -> list[str]:
    names = [f"VECTOR_{key.upper()}" for key in keys]
    if last == "KEEPS":
        names = [f"{name}_KEEP" for name in names]
    text = ", ".join([*names, f"VECTOR_{last}"])
    return [f"enum {name} {{", *_wrap(text, "\t"), "};", ""]


def table() -> str:
    return render([*CHOSEN, *scattered(49, seed=6356)])


def main() -> int:
    parser = argparse.ArgumentParser(description="Write KUnit's vector table.")
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    if parser.parse_args().check:
        current = TABLE.read_text()
        if current != table():
            print(f"{TABLE}: out of date; run {Path(__file__).name}")
            return 1
        return 0
    TABLE.write_text(table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
