"""Write the vector table of the KUnit suite.

python tests/kernel_vectors/lia_vectors.py            write the table
python tests/kernel_vectors/lia_vectors.py --check    exit 1 if it is out of date
"""

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import rfc6356

TABLE = (
    Path(__file__).parents[2] / "kernel" / "overlay" / "net" / "mptcp" / "lia_vectors.h"
)
UNIT = 2**40  # increases are in 2^-40 segments
PATHS_MAX = 8
CWND_MAX = 2**20
RTT_US = (10, 10_000_000)


@dataclass(frozen=True)
class Vector:
    """One call: the asking subflow is the first; round-trip times in microseconds."""

    name: str
    cwnd: tuple[int, ...]
    rtt_us: tuple[int, ...]

    @property
    def increase(self) -> int:
        return round(UNIT * rfc6356.increase(self.cwnd, self.rtt_us, 0))


CHOSEN = (
    Vector("equal", (10, 10), (20_000, 20_000)),
    Vector("equal_three", (30, 30, 30), (50_000, 50_000, 50_000)),
    Vector("unequal_windows", (5, 40), (30_000, 30_000)),
    Vector("unequal_rtts", (20, 20), (10_000, 100_000)),
    Vector("wifi_of_wifi_and_3g", (20, 80), (10_000, 100_000)),
    Vector("3g_of_wifi_and_3g", (80, 20), (100_000, 10_000)),
    Vector("capped_at_reno", (100, 1), (1_000_000, 1_000)),
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
)


def scattered(count: int, seed: int) -> list[Vector]:
    """Windows and round-trip times spread evenly over the logarithm of the range."""
    rng = random.Random(seed)

    def spread(low: int, high: int) -> int:
        return round(low * (high / low) ** rng.random())

    vectors = []
    for number in range(count):
        paths = rng.randint(2, PATHS_MAX)
        cwnd = tuple(spread(1, CWND_MAX) for _ in range(paths))
        rtt_us = tuple(spread(*RTT_US) for _ in range(paths))
        vectors.append(Vector(f"scattered_{number}", cwnd, rtt_us))
    return vectors


def render(vectors: list[Vector]) -> str:
    lines = [
        "/* SPDX-License-Identifier: GPL-2.0 */",
        "/* Written by tests/kernel_vectors/lia_vectors.py of mpbench. Do not edit.",
        " *",
        " * increase: RFC 6356's growth of paths[0] per segment acknowledged, computed",
        " * in double precision, in 2^-40 segments; srtt in 1/8 us.",
        " */",
        "struct lia_vector {",
        "\tconst char *name;",
        "\tunsigned int count;",
        f"\tstruct coupled_path paths[{PATHS_MAX}];\t/* cwnd, srtt */",
        "\ts64 increase;",
        "};",
        "",
        "static const struct lia_vector lia_vectors[] = {",
    ]
    for vector in vectors:
        paths = zip(vector.cwnd, vector.rtt_us, strict=True)
        cells = [f"{{ {cwnd}, {rtt * 8} }}," for cwnd, rtt in paths]
        lines += [f'\t{{ "{vector.name}", {len(cells)}, {{']
        lines += [f"\t\t{' '.join(cells[i : i + 3])}" for i in range(0, len(cells), 3)]
        lines += [f"\t}}, {vector.increase}LL }},"]
    return "\n".join([*lines, "};", ""])


def table() -> str:
    return render([*CHOSEN, *scattered(82, seed=6356)])


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
