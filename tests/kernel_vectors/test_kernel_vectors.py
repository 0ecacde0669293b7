"""The kernel's LIA arithmetic, compiled as a program, against RFC 6356.

The same header runs under KUnit in a guest; here it is tried on many more inputs, with
undefined behaviour and wrap-around made fatal.
"""

import random
import shutil
import subprocess
from pathlib import Path

import lia_vectors
import pytest
import rfc6356

HERE = Path(__file__).parent
KERNEL = HERE.parents[1] / "kernel" / "overlay" / "net" / "mptcp"


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("probe") / "probe"
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"]
    flags += ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    flags += ["-I", str(HERE / "shim"), "-I", str(KERNEL)]
    source = str(HERE / "probe.c")
    subprocess.run([compiler, *flags, source, "-o", str(program)], check=True)
    return program


def increases(probe: Path, vectors: list[lia_vectors.Vector]) -> list[int]:
    lines = []
    for vector in vectors:
        pairs = zip(vector.cwnd, vector.rtt_us, strict=True)
        numbers = [n for cwnd, rtt in pairs for n in (cwnd, 8 * rtt)]
        lines.append(" ".join(map(str, [len(vector.cwnd), *numbers])))
    done = subprocess.run(
        [str(probe)], input="\n".join(lines), text=True, check=True, capture_output=True
    )
    return [int(line) for line in done.stdout.split()]


def test_table_is_current() -> None:
    assert lia_vectors.table() == lia_vectors.TABLE.read_text()


def test_formula_on_an_example_worked_by_hand() -> None:
    """alpha of windows 10 and 10 segments, RTTs 1 and 2: 20 * 10 / 15^2."""
    assert rfc6356.alpha([10, 10], [1, 2]) == pytest.approx(200 / 225)
    assert rfc6356.increase([10, 10], [1, 2], 0) == pytest.approx(10 / 225)


def test_formula_never_exceeds_reno() -> None:
    """RFC 6356, goal 2: no more than TCP on any path."""
    assert rfc6356.increase([100, 1], [1000, 1], 0) == 1 / 100


def test_kernel_agrees_over_the_whole_range(probe: Path) -> None:
    vectors = lia_vectors.scattered(50_000, seed=2011)
    for vector, got in zip(vectors, increases(probe, vectors), strict=True):
        assert abs(got - vector.increase) <= vector.increase / 2**14 + 1, vector


def test_kernel_agrees_within_a_millionth_on_everyday_paths(probe: Path) -> None:
    rng = random.Random(1)
    vectors = []
    for number in range(5_000):
        cwnd = tuple(rng.randint(1, 1000) for _ in range(2))
        rtt_us = tuple(rng.randint(1_000, 500_000) for _ in range(2))
        vectors.append(lia_vectors.Vector(str(number), cwnd, rtt_us))
    for vector, got in zip(vectors, increases(probe, vectors), strict=True):
        assert got == pytest.approx(vector.increase, rel=1e-6), vector


def test_kernel_does_not_depend_on_the_order_of_the_others(probe: Path) -> None:
    vectors = lia_vectors.scattered(500, seed=7)
    turned = [
        lia_vectors.Vector(
            vector.name,
            vector.cwnd[:1] + vector.cwnd[:0:-1],
            vector.rtt_us[:1] + vector.rtt_us[:0:-1],
        )
        for vector in vectors
    ]
    assert increases(probe, vectors) == increases(probe, turned)
