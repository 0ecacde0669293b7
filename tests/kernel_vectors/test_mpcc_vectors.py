"""Compares MPCC's arithmetic in the kernel with the papers' equations.

The kernel's headers are compiled as a program, in which undefined behaviour and
wrap-around are fatal.
"""

import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import mpcc_equations as equations
import mpcc_vectors as vectors
import pytest
from mpcc_vectors import ONE, RATE_MAX

HERE = Path(__file__).parent
MPCC_LATE = 3
"""Number of packets by which the kernel reads the ends of an interval late."""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("probe") / "probe"
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare"]
    flags += ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    flags += ["-I", str(HERE / "shim"), "-I", str(vectors.KERNEL)]
    source = str(HERE / "mpcc_probe.c")
    subprocess.run([compiler, *flags, source, "-o", str(program)], check=True)
    return program


def run(probe: Path, lines: Sequence[str]) -> list[list[int]]:
    text = "\n".join(lines) + "\n"
    done = subprocess.run(
        [str(probe)], input=text, text=True, check=True, capture_output=True
    )
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def test_table_is_current() -> None:
    assert vectors.table() == vectors.TABLE.read_text()


def test_the_power_is_within_two_millionths(probe: Path) -> None:
    rng = random.Random(9)
    rates = [x for x, _ in vectors.powers() if x >= ONE]
    rates += [vectors.spread(rng, ONE, RATE_MAX) for _ in range(20_000)]
    for x, (got,) in zip(rates, run(probe, [f"power {x}" for x in rates]), strict=True):
        assert got / ONE == pytest.approx((x / ONE) ** 0.9, rel=2e-6, abs=0), x


def test_the_power_rises_with_the_rate(probe: Path) -> None:
    rates = [*range(ONE - 500, ONE + 500), *range(64 * ONE - 500, 64 * ONE + 500)]
    values = [got for (got,) in run(probe, [f"power {x}" for x in rates])]
    assert values[:1000] == sorted(values[:1000])
    assert values[1000:] == sorted(values[1000:])


def test_utilities(probe: Path) -> None:
    tried = [*vectors.CHOSEN, *vectors.utilities(3_000, seed=5)]
    lines = [
        f"utility {v.x} {v.others} {v.loss} {v.slope} {int(v.unit == 'Mbit/s')} "
        f"{v.beta} {v.gamma}"
        for v in tried
    ]
    for v, (got,) in zip(tried, run(probe, lines), strict=True):
        assert abs(got - v.value) <= 2e-6 * v.size + 4, v


@pytest.mark.parametrize(("unit", "loss"), [("bytes/s", 0.0145), ("Mbit/s", 0.047)])
def test_the_loss_at_which_more_rate_is_worth_nothing(unit: str, loss: float) -> None:
    """0.9 kappa X^-0.1 = b L at X = 200 Mbit/s, by the equations alone."""
    step = 0.001
    for factor, rises in ((0.98, True), (1.02, False)):
        before, after = (
            equations.utility(100 + d, 100, factor * loss, 0, unit, 11.35, 0)
            for d in (0, step)
        )
        assert (after > before) == rises


def test_gradients(probe: Path) -> None:
    rng = random.Random(4)
    tried = []
    for _ in range(2_000):
        u, last_u = (rng.randint(-(2**40), 2**40) for _ in range(2))
        r, last_r = (vectors.spread(rng, ONE // 5, RATE_MAX) for _ in range(2))
        if r != last_r:
            tried.append((u, r, last_u, last_r))
    lines = ["gradient " + " ".join(map(str, row)) for row in tried]
    for row, (got,) in zip(tried, run(probe, lines), strict=True):
        wanted = equations.gradient(*row)
        wanted = max(-1024.0, min(1024.0, wanted))
        assert got == pytest.approx(wanted * ONE, abs=2, rel=1e-9), row


def test_steps(probe: Path) -> None:
    row = vectors.moves(3_000, seed=6)
    lines = [
        f"step {int(m.reset)} {m.direction} {m.gradient} {m.rate} {m.total}"
        for m in row
    ]
    for move, wanted, (got,) in zip(
        row, vectors.sizes(row), run(probe, lines), strict=True
    ):
        assert got == pytest.approx(wanted, rel=1e-5, abs=300), move


def test_the_slope_of_a_replayed_interval(probe: Path) -> None:
    """A queue that grows evenly, with jitter, and counters that wrap."""
    rng = random.Random(7)
    for slope in (0.1, -0.05, 0.0, 2.0):
        base = 2**32 - 60
        lines = [f"begin {ONE} {base} 1000000"]
        times, rtts = [], []
        for n in range(200):
            sent = 1_000_000 + 240 * n
            rtt = 30_000 + 24 * round(10 * slope * n) + rng.randint(-40, 40)
            acked = sent + rtt
            if n == 150:
                lines.append(f"end {(base + 150) % 2**32} {sent}")
            lines.append(f"hear {(base + n) % 2**32} 0 {acked} {rtt}")
            if MPCC_LATE <= n < 150 + MPCC_LATE:
                times.append(sent)
                rtts.append(rtt)
        replies = run(probe, lines)
        complete = next(n for n, reply in enumerate(replies) if reply[0])
        assert complete == 150 + MPCC_LATE
        _, loss, got, delivered, lost = replies[complete]
        assert (loss, delivered, lost) == (0, 150, 0)
        wanted = equations.slope(times, rtts)
        assert got / ONE == pytest.approx(wanted, abs=2e-3)


def test_the_loss_of_a_replayed_interval(probe: Path) -> None:
    """Every fifth packet is lost and noticed three packets later: 20 % of 100."""
    lines = ["begin 1 1000 0", "end 1100 50000"]
    delivered, lost = 900, 100
    for n in range(110):
        if n % 5 == 3:
            lost += 1
        else:
            delivered += 1
        lines.append(f"hear {delivered} {lost} {1000 * n} -1")
    replies = run(probe, lines)
    complete = next(reply for reply in replies if reply[0])
    assert complete[1] == ONE // 5 and complete[3:] == [80, 20]


def test_what_counts_as_sent_at_the_rate(probe: Path) -> None:
    """100 Mbit/s for 12 ms is 150,000 bytes: 80 % are 80 packets of 1500 bytes."""
    rate = 100 * ONE
    asked = [f"kept {n} 1500 12000 {rate} 800" for n in (77, 78, 79)]
    assert run(probe, asked) == [[0], [1], [1]]
