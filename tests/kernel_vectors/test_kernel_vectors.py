"""Compares the kernel's arithmetic of the controllers with the papers' equations.

The kernel's headers are compiled as a program. They also run under KUnit in a guest;
here they get many more inputs, and undefined behaviour and wrap-around are fatal.
"""

import itertools
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import equations
import pytest
import vectors
from vectors import Vector

HERE = Path(__file__).parent
BALIA_FORM = 1 << 31
LAWS = {
    "lia_rfc6356": ("lia_rfc6356", 0),
    "lia": ("lia", 0),
    "olia": ("olia", 0),
    "balia": ("balia", 0),
    "ewtcp": ("ewtcp", 0),
    "ewtcp_quarter": ("ewtcp", 250),
    "semicoupled": ("semicoupled", 1000),
    "semicoupled_half": ("semicoupled", 500),
    "semicoupled_balia": ("semicoupled", 1000 | BALIA_FORM),
    "coupled": ("coupled", 0),
    "coupled_balia": ("coupled", 1),
    "lia_v091": ("lia", 1),
}
"""Columns of the table: the kernel's function and its parameter."""
SCATTERED = vectors.scattered(4_000, seed=2011, paths_max=6)

Case = tuple[str, int, Vector]


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("probe") / "probe"
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]
    flags += ["-Wno-unused-parameter"]
    flags += ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    flags += ["-I", str(HERE / "shim"), "-I", str(vectors.KERNEL)]
    source = str(HERE / "probe.c")
    subprocess.run([compiler, *flags, source, "-o", str(program)], check=True)
    return program


def ask(
    probe: Path, function: str, parameter: int, tried: Sequence[Vector]
) -> list[int]:
    lines = []
    for vector in tried:
        paths = zip(vector.w, vector.srtt, vector.interloss, vector.order, strict=True)
        numbers = [number for path in paths for number in path]
        lines.append(f"{function} {parameter} {len(vector.w)} ")
        lines[-1] += " ".join(map(str, numbers))
    return run(probe, lines)


def run(probe: Path, lines: Sequence[str]) -> list[int]:
    done = subprocess.run(
        [str(probe)], input="\n".join(lines), text=True, check=True, capture_output=True
    )
    return [int(line) for line in done.stdout.split()]


def tolerance(vector: Vector, law: str) -> float:
    """2^-14 of the terms that the increase is the sum of, plus rounding."""
    terms: float = abs(vectors.increase(vector, law))
    if law == "olia":
        first = vectors.increase(vector, "coupled_balia")
        terms = first + abs(vectors.increase(vector, law) - first)
    return terms / 2**14 + 2


def test_table_is_current() -> None:
    assert vectors.table() == vectors.TABLE.read_text()


@pytest.mark.parametrize("law", LAWS)
def test_kernel_agrees_over_the_whole_range(probe: Path, law: str) -> None:
    tried = [*vectors.CHOSEN, *SCATTERED]
    for vector, got in zip(tried, ask(probe, *LAWS[law], tried), strict=True):
        wanted = vectors.increase(vector, law)
        assert abs(got - wanted) <= tolerance(vector, law), vector


@pytest.mark.parametrize("law", LAWS)
def test_kernel_agrees_closely_on_everyday_paths(probe: Path, law: str) -> None:
    rng = random.Random(1)
    tried = []
    for number in range(2_000):
        w = tuple(rng.randint(1, 1000) for _ in range(2))
        rtt = tuple(rng.randint(1_000, 500_000) for _ in range(2))
        tried.append(Vector(str(number), w, rtt, (rng.randint(1, 9), 5)))
    for vector, got in zip(tried, ask(probe, *LAWS[law], tried), strict=True):
        wanted = vectors.increase(vector, law)
        assert got == pytest.approx(wanted, rel=2e-6, abs=2**14), vector


@pytest.mark.parametrize("law", LAWS)
def test_kernel_does_not_depend_on_the_order_of_the_others(
    probe: Path, law: str
) -> None:
    tried = SCATTERED[:500]
    turned = [
        Vector(v.name, *(row[:1] + row[:0:-1] for row in (v.w, v.rtt, v.ell, v.order)))
        for v in tried
    ]
    assert ask(probe, *LAWS[law], tried) == ask(probe, *LAWS[law], turned)


@pytest.mark.parametrize(
    "law",
    [
        law
        for law in LAWS
        if law not in ("ewtcp_quarter", "semicoupled_half", "lia_v091")
    ],
)
def test_a_single_path_is_reno(probe: Path, law: str) -> None:
    tried = [Vector("", (2**power,), (20_000,)) for power in range(21)]
    for vector, got in zip(tried, ask(probe, *LAWS[law], tried), strict=True):
        assert abs(got - vectors.UNIT / vector.w[0]) <= 1


@pytest.mark.parametrize("law", ["balia", "coupled"])
def test_kernel_keeps_of_the_window_what_it_should(probe: Path, law: str) -> None:
    tried = [*vectors.CHOSEN, *SCATTERED]
    for vector, got in zip(tried, ask(probe, f"{law}_keep", 0, tried), strict=True):
        exact = vectors.KEEPS[law](vector)
        assert exact - 1 - exact / 2**14 <= got <= exact + exact / 2**14, vector


def test_balia_of_v091_keeps_what_it_should(probe: Path) -> None:
    for vector, got in zip(
        SCATTERED, ask(probe, "balia_keep", 1, SCATTERED), strict=True
    ):
        rates = [w / rtt for w, rtt in zip(vector.w, vector.rtt, strict=True)]
        near_two = abs(max(rates) / rates[0] - 2) < 1e-4
        assert near_two or got == vectors.keep(vector, "balia_v091"), vector


def test_lia_of_v091_finds_the_best_path_exactly_only_where_round_trips_are_short(
    probe: Path,
) -> None:
    """Windows 40 and 20, RTTs 70 and 100 ms: both quotients are cut to 0, so the path
    that joined first counts as the best one.
    """
    long = Vector("", (40, 20), (70_000, 100_000))
    last = Vector("", (40, 20), (70_000, 100_000), joined=(2, 1))
    short = Vector("", (40, 20), (7_000, 10_000), joined=(2, 1))
    rising = ask(probe, "lia", 1, [long, last, short])
    exact = ask(probe, "lia", 0, [long, last, short])
    assert rising[0] == pytest.approx(exact[0], rel=0.1)
    assert rising[1] < 0.8 * exact[1]
    assert rising[2] == pytest.approx(exact[2], rel=0.1)


def test_what_is_shown_is_the_papers_alpha(probe: Path) -> None:
    tried = [v for v in vectors.scattered(300, seed=3, paths_max=3)]
    wanted: dict[str, Callable[[Vector], float]] = {
        "lia_rfc6356_alpha": lambda v: equations.rfc6356_alpha(v.w, v.rtt),
        "lia_alpha": lambda v: equations.nsdi11(v.w, v.rtt) * sum(v.w),
        "olia_alpha": lambda v: equations.olia_alpha(v.w, v.rtt, v.ell),
        "balia_alpha": lambda v: equations.balia_alpha(v.w, v.rtt),
        "ewtcp_alpha": lambda v: len(v.w) ** -0.5,
    }
    for function, alpha in wanted.items():
        for vector, got in zip(tried, ask(probe, function, 0, tried), strict=True):
            assert got / 2**16 == pytest.approx(alpha(vector), rel=1e-3, abs=2e-4)


def test_dlia_over_series_of_losses(probe: Path) -> None:
    """The window may differ by a segment where beta w is nearly whole. The next beta
    then differs, too, so a series ends there.
    """
    rng = random.Random(2020)
    compared = 0
    for _ in range(150):
        greatest = rng.choice((6, 60, vectors.CWND_MAX))
        windows = tuple(rng.randint(1, greatest) for _ in range(rng.randint(1, 20)))
        gain = rng.choice((0, 1, 250, 1000))
        events = equations.dlia_losses(windows, Fraction(gain, 1000))
        series = [Vector("", windows[: i + 1], windows) for i in range(len(windows))]
        lines = [
            (v.w, [f"dlia_{what} {gain} {len(v.w)} " for what in ("beta", "kept")])
            for v in series
        ]
        asked = [
            head + " ".join(f"{w} 1 1 1" for w in ws)
            for ws, heads in lines
            for head in heads
        ]
        got = run(probe, asked)
        for (beta, kept), found, window in zip(
            events, zip(got[::2], got[1::2], strict=True), windows, strict=True
        ):
            assert found[0] / 2**16 == pytest.approx(float(beta), abs=2e-4)
            assert abs(found[1] - kept) <= 1 + window // 2**13
            compared += 1
            if found[1] != kept:
                break
    assert compared > 500


def test_dlia_on_an_example_worked_by_hand() -> None:
    """From 10, 10, 6 segments: beta 1/2, 1/2 and 1/4 5/6 + 3/4 1/2 = 7/12."""
    events = equations.dlia_losses((10, 10, 6), Fraction(1, 4))
    assert events == [(Fraction(1, 2), 5), (Fraction(1, 2), 5), (Fraction(7, 12), 3)]


def test_cmpbbr(probe: Path) -> None:
    rng = random.Random(6)
    lines, wanted = [], []
    for _ in range(4000):
        middle = rng.choice((10, 1000, 2**31))
        paths = [rng.randint(middle * 7 // 10, middle * 13 // 10) for _ in range(5)]
        paths = paths[: rng.randint(2, 5)]
        others = [bw if rng.random() < 0.9 else 0 for bw in paths[1:]]
        bws, permille = [paths[0], *others], rng.choice((0, 100, 200, 600, 1000))
        part, delivery = Fraction(permille, 1000), rng.randint(0, middle * 2)
        given = " ".join(f"{bw} 1 {delivery} 1" for bw in bws)
        lines.append(f"cmpbbr_alike {permille} {len(bws)} {given}")
        wanted.append(equations.cmpbbr_alike(bws, part))
        fruitless, slowest = equations.cmpbbr_fruitless(bws, delivery, part)
        lines.append(f"cmpbbr_fruitless {permille} {len(bws)} {given}")
        wanted.append(2 * fruitless + slowest)
    for alike, before in itertools.product(range(1, 6), repeat=2):
        lines.append(f"cmpbbr_divisor 0 2 {alike} 1 1 1 {before} 1 1 1")
        wanted.append(equations.cmpbbr_divisor(alike, before))
    for packets, us in ((1, 1), (1000, 100_000), (2**32 - 1, 7), (5, 0)):
        lines.append(f"cmpbbr_delivery 0 1 {packets} 1 {us} 1")
        wanted.append(min((packets << 24) // us, 2**40) if us else 0)
    assert run(probe, lines) == wanted
    assert {2 * a + b for a in (0, 1) for b in (0, 1)} <= set(wanted)


def test_wvegas(probe: Path) -> None:
    rng = random.Random(5)
    lines, wanted = [], []
    for _ in range(3_000):
        w = vectors.spread(rng, 1, vectors.CWND_MAX)
        base = vectors.spread(rng, 1, 10_000_000)
        rtt = rng.randint(base, min(10 * base, 2**27))
        lines.append(f"wvegas_diff 0 1 {w} {base} {rtt} 0")
        wanted.append(2**16 * equations.wvegas_diff(w, base, rtt))
        lines.append(f"wvegas_drained 0 1 {w} {base} {rtt} 0")
        wanted.append(max(2.0, equations.wvegas_drained(w, base, rtt)))
    for line, got, exact in zip(lines, run(probe, lines), wanted, strict=True):
        assert exact - 1.5 <= got <= exact + 1.5, line
    tried = SCATTERED[:1000]
    for vector, got in zip(tried, ask(probe, "wvegas_alpha", 10, tried), strict=True):
        exact = equations.wvegas_alpha(vector.w, vector.rtt, 10)
        assert got / 2**16 == pytest.approx(exact, rel=1e-4, abs=2**-15)


def test_wvegas_slow_start_of_v091_ends_one_segment_above_ssthresh(
    probe: Path,
) -> None:
    tried = [
        (w, w + more, acked)
        for w in (1, 2, 10)
        for more in (0, 1, 5)
        for acked in range(8)
    ]
    lines = [f"wvegas_slow_start 0 1 {w} {top} {acked} 0" for w, top, acked in tried]
    wanted = [equations.wvegas_slow_start_of_v091(*numbers) for numbers in tried]
    assert run(probe, lines) == wanted
    assert run(probe, [f"wvegas_slow_start 0 1 10 {2**31 - 1} 4 0"]) == [14]


def test_formula_on_an_example_worked_by_hand() -> None:
    """alpha of windows 10 and 10 segments, RTTs 1 and 2: 20 * 10 / 15^2."""
    assert equations.rfc6356_alpha([10, 10], [1, 2]) == pytest.approx(200 / 225)
    assert equations.rfc6356([10, 10], [1, 2]) == pytest.approx(10 / 225)


def test_a_subset_matters_from_three_paths_on() -> None:
    """With windows 40, 40, 5 and RTTs 50, 50, 10 the set without the third counts:
    (40 / 50^2) / (80 / 50)^2 = 1 / 160, where all three give 0.05 / 2.1^2.
    """
    w, rtt = [40, 40, 5], [50, 50, 10]
    assert equations.rfc6356(w, rtt) == pytest.approx(0.05 / 2.1**2)
    assert equations.nsdi11(w, rtt) == pytest.approx(1 / 160)
    for vector in SCATTERED:
        if len(vector.w) == 2:
            alike = equations.rfc6356(vector.w, vector.rtt)
            assert equations.nsdi11(vector.w, vector.rtt) == pytest.approx(alike)


def test_balia_of_two_alike_paths() -> None:
    """alpha_r = 1: the growth of coupled, and half the window lost."""
    assert equations.balia([10, 10], [1, 1]) == pytest.approx(1 / 40)
    assert equations.balia_keep([10, 10], [1, 1]) == 5
    assert equations.balia_keep([4, 40], [1, 1]) == 1
