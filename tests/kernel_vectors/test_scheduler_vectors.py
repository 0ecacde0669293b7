"""Compares the arithmetic of the schedulers with the papers' equations.

The second implementation below computes with exact fractions. Where fixed point may
decide otherwise, because both sides of an inequality are nearly equal, it says nothing.
"""

import math
import random
import shutil
import subprocess
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest
import vectors

HERE = Path(__file__).parent
COUNT = 4000

Subflow = tuple[int, int, int]
"""A subflow of ECF: window in bytes, round-trip time and deviation in microseconds."""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("probe") / "probe"
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]
    flags += ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    flags += ["-I", str(HERE / "shim"), "-I", str(vectors.KERNEL)]
    source = str(HERE / "scheduler_probe.c")
    subprocess.run([compiler, *flags, source, "-o", str(program)], check=True)
    return program


def ask(probe: Path, name: str, lines: Iterable[tuple[int, ...]]) -> list[list[int]]:
    text = "\n".join(" ".join([name, *map(str, line)]) for line in lines)
    done = subprocess.run(
        [str(probe)], input=text, text=True, check=True, capture_output=True
    )
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def blest_bytes(cwnd: int, mss: int, rtt_f: int, rtt_s: int) -> Fraction:
    """X = mss (w + (rounds - 1)/2) rounds (Ferlin et al. 2016, section III)."""
    rounds = Fraction(rtt_s, rtt_f)
    return mss * (cwnd + (rounds - 1) / 2) * rounds


def scattered(seed: int, *ranges: tuple[int, int]) -> list[tuple[int, ...]]:
    """Numbers of each range, spread over its orders of magnitude."""
    dice = random.Random(seed)
    return [
        tuple(round(low * (high / low) ** dice.random()) for low, high in ranges)
        for _ in range(COUNT)
    ]


def test_blest_estimates_what_the_fast_path_sends(probe: Path) -> None:
    tried = [
        (cwnd, mss, rtt_f, rtt_f * times // 8)
        for cwnd, mss, rtt_f, times in scattered(
            2016, (1, 20_000), (536, 9000), (80, 8_000_000), (8, 4000)
        )
    ]
    for line, (got,) in zip(tried, ask(probe, "bytes", tried), strict=True):
        assert got == pytest.approx(float(blest_bytes(*line)), rel=2**-8)
    # by hand: three rounds of 10, 11 and 12 segments
    assert ask(probe, "bytes", [(10, 1000, 20, 60)]) == [[33_000]]


def test_blest_estimates_without_overflow(probe: Path) -> None:
    top = 2**32 - 1
    ask(probe, "bytes", [(top, 65535, 1, top), (top, 65535, top, 1), (0, 0, 0, 0)])
    ask(probe, "blocks", [(2**63, 200_000, 2**63, top, top)])


def test_blest_waits_if_the_window_is_too_small_for_both(probe: Path) -> None:
    tried = scattered(7, (1, 2**40), (1, 4000), (1, 2**32), (536, 9000), (1, 10_000))
    waits = 0
    for line, (got,) in zip(tried, ask(probe, "blocks", tried), strict=True):
        size, factor, window, mss, inflight = line
        assert got == (Fraction(factor, 1000) * size > window - mss * (inflight + 1))
        waits += got
    assert 0.2 * COUNT < waits < 0.8 * COUNT
    # equal sides do not wait, and one byte less of window does
    assert ask(
        probe,
        "blocks",
        [(500, 2000, 4000, 1000, 2), (500, 2000, 3999, 1000, 2)],
    ) == [[0], [1]]


def test_blest_moves_lambda_between_half_and_twice_its_start(probe: Path) -> None:
    value, course = 1000, []
    for blocked in [1] * 120 + [0] * 170:
        ((value,),) = ask(probe, "lambda", [(value, 1000, 10, blocked)])
        course.append(value)
    assert course[:2] == [1010, 1020] and max(course) == course[119] == 2000
    assert course[120] == 1990 and min(course) == course[-1] == 500


def ecf(
    size: int, f: Subflow, s: Subflow, beta: int, waiting: int
) -> tuple[bool, bool, Fraction]:
    """Algorithm 1 of Lim et al. 2017: whether to wait, the next `waiting`, and how many
    microseconds the nearest inequality is from changing."""
    delta = max(f[2], s[2])
    fast = max(Fraction(size, f[0]), Fraction(1))
    slow = max(Fraction(size, s[0]), Fraction(1))
    first = (1 + waiting * Fraction(beta, 1000)) * (s[1] + delta) - (1 + fast) * f[1]
    second = slow * s[1] - (2 * f[1] + delta)
    if first <= 0:
        return False, False, abs(first)
    wait = second >= 0
    return wait, wait or bool(waiting), min(abs(first), abs(second))


def test_ecf_decides_as_its_algorithm(probe: Path) -> None:
    dice = random.Random(2017)
    path = ((1500, 2**22), (100, 10_000_000), (10, 1_000_000))
    tried = []
    for size, w1, r1, d1, w2, r2, d2 in scattered(17, (1, 2**24), *path, *path):
        f, s = sorted([(w1, r1, d1), (w2, r2, d2)], key=lambda path: path[1])
        tried.append((size, *f, *s, dice.choice([0, 250, 4000]), dice.randint(0, 1)))
    seen = set()
    for line, got in zip(tried, ask(probe, "ecf", tried), strict=True):
        size, w1, r1, d1, w2, r2, d2, beta, before = line
        found = ecf(size, (w1, r1, d1), (w2, r2, d2), beta, before)
        wait, waiting, margin = found
        if margin > 2:
            assert got == [wait, waiting], line
            seen.add((wait, waiting))
    assert seen == {(True, True), (False, True), (False, False)}


def test_ecf_at_the_ends_of_its_inequalities(probe: Path) -> None:
    fast, slow = (1000, 10, 0), (1000, 30, 0)
    tried = [
        # (1): (1 + 2) 10 < 30 does not hold, and holds with 1.25 while it waits
        (2000, *fast, *slow, 250, 0),
        (2000, *fast, *slow, 250, 1),
        # (2): 1 round of 20 >= 2 x 10 holds, and not with a deviation of 1
        (1000, *fast, 1000, 21, 0, 250, 0),
        (1000, 1000, 10, 2, 1000, 21, 1, 250, 0),
        # in (2), less than a window is one round trip
        (1, *fast, *slow, 250, 0),
    ]
    wanted = [[0, 0], [1, 1], [1, 1], [0, 0], [1, 1]]
    assert ask(probe, "ecf", tried) == wanted


def test_otias_s_arrival(probe: Path) -> None:
    """T = (RTT_to_wait + 1/2) srtt (Yang et al. 2014); the probe has twice of it."""
    tried = scattered(14, (1, 5000), (1, 6000), (1, 20_000), (80, 8_000_000))
    for line, (got,) in zip(tried, ask(probe, "arrival", tried), strict=True):
        cwnd, inflight, queued, srtt = line
        rounds = max(0, (queued - (cwnd - inflight)) // cwnd)
        assert got == 2 * (rounds + Fraction(1, 2)) * srtt
    # by hand: space for 4 of 10; 3 queued fit, 14 wait for one round, 24 for two
    by_hand = [(10, 6, queued, 100) for queued in (3, 13, 14, 24)]
    assert ask(probe, "arrival", by_hand) == [[100], [100], [300], [500]]


def test_stms_s_gap(probe: Path) -> None:
    """w_f / RTT_f (RTT_s - RTT_f) / 2 (Shi et al. 2018), at most 2^30 bytes."""
    tried = scattered(18, (1000, 2**28), (80, 800_000), (80, 8_000_000), (1, 1))
    for line, (got,) in zip(tried, ask(probe, "gap", tried), strict=True):
        window, fast, slow, _ = line
        exact = Fraction(window, fast) * max(slow - fast, 0) / 2
        assert got == min(int(exact), 2**30)
    # by hand: 100 kB per 20 ms is 5 kB per ms; 100 ms is 40 ms of delay longer
    assert ask(probe, "gap", [(100_000, 20, 100, 0)]) == [[200_000]]
    ask(probe, "gap", [(2**64 - 1, 1, 2**32 - 1, 0), (5, 0, 9, 0)])


def test_stms_corrects_by_a_part_of_its_error(probe: Path) -> None:
    def two(value: int) -> int:
        return value % 2**64

    lines = [(1000, 800, 125, 0), (1000, two(-800), 125, 0), (1000, 800, 0, 0)]
    assert ask(probe, "correct", lines) == [[1100], [900], [1000]]
    ends = [(2**30, 2**62, 1000, 0), (two(-(2**30)), two(-(2**62)), 1000, 0)]
    assert ask(probe, "correct", ends) == [[2**30], [-(2**30)]]
    ahead = [(5000, two(-6000), 0, 0), (5000, 700, 0, 0), (2**30, 2**30, 0, 0)]
    assert ask(probe, "ahead", ahead) == [[0], [5700], [2**30]]


def test_daps_plans_in_the_order_of_arrival(probe: Path) -> None:
    """The schedule of a run, against one that sorts all its arrivals."""
    dice = random.Random(2014)
    for _ in range(60):
        paths = [(dice.randint(1, 9), dice.randint(1, 12)) for _ in range(3)]
        length = 1
        for _, rtt in paths:
            ((length,),) = ask(probe, "length", [(length, rtt, 0, 0)])
        assert length == math.lcm(*(rtt for _, rtt in paths))
        planned = [cwnd * length // rtt for cwnd, rtt in paths]
        arrivals = sorted(
            (round_ * rtt + Fraction(rtt, 2), rtt, path, index)
            for path, (cwnd, rtt) in enumerate(paths)
            for round_ in range(length // rtt)
            for index in range(round_ * cwnd, round_ * cwnd + cwnd)
        )
        place = {(path, index): n for n, (_, _, path, index) in enumerate(arrivals)}
        for path, (cwnd, rtt) in enumerate(paths):
            index = dice.randrange(planned[path])
            ((when,),) = ask(probe, "when", [(index, cwnd, rtt, 0)])
            before = sum(
                ask(probe, "before", [(when, int(first), w, r, planned[other])])[0][0]
                for other, (w, r) in enumerate(paths)
                if other != path
                for first in [(r, other) < (rtt, path)]
            )
            assert before + index == place[path, index]


def test_daps_s_units_and_the_longest_run(probe: Path) -> None:
    units = [(1, 10_000), (14_999, 10_000), (15_000, 10_000), (2**32 - 1, 1000)]
    tried = [(*line, 0, 0) for line in units]
    assert ask(probe, "units", tried) == [[1], [1], [2], [4096]]
    runs = [(64, 63, 0, 0), (64, 65, 0, 0), (4096, 4095, 0, 0)]
    assert ask(probe, "length", runs) == [[4032], [65], [4096]]
    ask(probe, "when", [(2**32 - 1, 1, 4096, 0), (5, 0, 1, 0)])
    ask(probe, "before", [(2**32 - 1, 1, 2**32 - 1, 1, 2**32 - 1), (0, 0, 5, 1, 9)])
