"""Experiment files from a stranger: refused with a line, in bounded time and space."""

import os
import time
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.experiment_files import load, loads
from mpbench.spec.document import MOST_BYTES
from mpbench.spec.messages import MOST_CHARACTERS, MOST_FAULTS
from tests.spec.files import TEXT, faults, swapped

LONG = 4301
"""Digits of an integer that Python does not read by default."""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("points: 4", f"points: {'1' * LONG}", "4: a number of 4301 digits; at most"),
        ("max: 100", f"max: {'1' * LONG}", "6: a number of 4301 digits; at most 100"),
        ("max: 100", f"max: {'1' * 99}", "is out of range; path1.capacity is"),
        ("max: 100", f"max: 1{'0' * 400}.0", "max: inf is not a finite number"),
        ("25 ms", f"{'1' * 400} ms", "11...' is not a quantity; write e.g. '10 ms'"),
        ("25 ms", "25 s^9^9^9^9", "unknown unit 's^9^9^9^9'; units that fit: ns, us"),
        ("25 ms", f"25 {'s*' * 9}s**9", "unknown unit"),
        ("25 ms", "1_ ms", "'1_ ms' is not a quantity"),
        ("max: 25 ms", "max: 25 ms, step: 1e-300 ms", "below 1e-06, which values are"),
        ("name: small", 'name: "\\ud800"', "1: the character U+D800 cannot be used"),
        ("name: small", 'name: "a\\e[2J"', "1: the character U+001B cannot be used"),
        ("name: small", '"a\\0": 1\nname: x', "1: the character U+0000 cannot be used"),
        ("name: small", 'name: "\\UFFFFFFFF"', "1: not YAML: "),
        ("name: small", f"name: {'x' * 5000}", "xxx...' cannot be a name; use up to"),
        ("points: 4", f"points: 4\n  constraints: ['{'1+' * 2000}1 > x']", "too long"),
        (
            "points: 4",
            f"points: 4\n  constraints: [path1.delay > {'9' * 400}]",
            "5: design.constraints[0]: a number is too large; at most 1e+300",
        ),
        ("lia", "x" * 5000, "unknown congestion control 'xxx"),
        ("path1.capacity", "x" * 900, "two_path and the traffic have no such"),
    ],
)
def test_one_line(old: str, new: str, message: str) -> None:
    (line,) = faults(swapped(old, new))
    assert message in line
    assert len(line) <= MOST_CHARACTERS + 50


def deep(depth: int) -> str:
    return f"{TEXT}description: {'[' * depth}{']' * depth}\n"


def bomb(row: str, first: str) -> str:
    """Nine anchors, each with ten aliases of the one before it."""
    aliases = [
        f"a{i}: &a{i} {row % ', '.join([f'*a{i - 1}'] * 10)}" for i in range(1, 9)
    ]
    return "\n".join([f"a0: &a0 {first}", *aliases, TEXT])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (deep(60), "f.yaml:14: nested too deeply"),
        (deep(20_000), "f.yaml:1: nested too deeply"),
        (bomb("[%s]", "[x, x]"), "more than 100000 values"),
        (bomb("{<<: [%s]}", "{x: 1}"), "more than 100000 values"),
        (TEXT + "#" * MOST_BYTES, "f.yaml:1: larger than 256 KiB; divide"),
        (TEXT + "name: twice\n", "f.yaml:14: name: stands on line 1 already; remove"),
    ],
)
def test_oversized(text: str, message: str) -> None:
    started = time.process_time()
    (line,) = faults(text)
    assert message in line
    assert time.process_time() - started < 20


def keys(indent: str) -> str:
    return "".join(f"{indent}k{index}: 1\n" for index in range(5000))


@pytest.mark.parametrize(
    "text",
    [
        TEXT + keys(""),
        swapped("cases:\n", "cases:\n" + keys("  ")),
        swapped("factors:\n", "factors:\n" + keys("    ")),
        TEXT + "  - {tool: x}\n" * 5000,
        TEXT + "metrics: [" + "x, " * 5000 + "y]\n",
    ],
    ids=["keys", "cases", "factors", "traffic", "metrics"],
)
def test_thousands_of_faults(text: str) -> None:
    lines = faults(text)
    assert len(lines) == MOST_FAULTS + 1
    assert lines[-1].startswith("... and ")
    assert lines[-1].endswith(" more; put these right first")


def test_more_runs_than_anyone_can_execute() -> None:
    lists = "".join(
        f"    path{path}.{name}: [{', '.join(f'{i} {unit}' for i in range(1, 60))}]\n"
        for path in (1, 2)
        for name, unit in (("delay", "ms"), ("jitter", "ms"), ("loss", "%"))
    )
    text = swapped("  points: 4\n", "  method: grid\n")
    text = text.replace(text[text.index("    path1") : text.index("cases:")], lists)
    assert (
        "design.factors: 42180533641 points, with every list crossed" in faults(text)[0]
    )
    (line,) = faults(TEXT + "repetitions: 100000\n")
    assert "1200000 runs: 4 points x 3 cases x 100000 repetitions; at most" in line


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load(path)
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("name", ["\\0", "a" * 5000, "a/" * 3000])
def test_an_include_that_no_file_can_be(tmp_path: Path, name: str) -> None:
    path = tmp_path / "main.yaml"
    path.write_text(f'include: "{name}"\n{TEXT}')
    assert refusal(path).startswith(f"{path}:1: ")


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/tty", "pipe", ".", "link"])
def test_an_include_that_is_no_file(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("link")
    path = tmp_path / "main.yaml"
    path.write_text(f"include: {name}\n{TEXT}")
    assert refusal(path).startswith(f"{path}:1: ")


def test_a_file_that_never_ends_or_never_begins(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal(tmp_path / "pipe")
    assert "not a regular file" in refusal(Path("/dev/zero"))
    assert "empty; an experiment has" in refusal(Path("/proc/version"))
    large = tmp_path / "large.yaml"
    with large.open("wb") as file:
        file.truncate(1 << 40)
    assert "larger than 256 KiB" in refusal(large)


def test_standard_input_may_be_a_pipe() -> None:
    reading, writing = os.pipe()
    os.write(writing, TEXT.encode())
    os.close(writing)
    try:
        assert load(Path(f"/dev/fd/{reading}")).name == "small"
    finally:
        os.close(reading)


def test_parts_that_include_one_another_twice(tmp_path: Path) -> None:
    for index in range(40):
        twice = f"[p{index + 1}.yaml, p{index + 1}.yaml]"
        (tmp_path / f"p{index}.yaml").write_text(f"include: {twice}\nseed: 1\n")
    (tmp_path / "p40.yaml").write_text(TEXT)
    assert "more than 100 parts are included" in refusal(tmp_path / "p0.yaml")


def test_a_longer_name_of_a_file_is_no_traceback() -> None:
    assert "cannot be read: File name too long" in refusal(Path("x" * 5000))
    assert "no file can have this name" in refusal(Path("a\0b"))


def test_a_large_file_of_good_values_is_read() -> None:
    values = ", ".join(f"{index / 1000 + 1:.3f} ms" for index in range(5000))
    text = swapped("{min: 1 ms, max: 25 ms}", f"[{values}]")
    design = loads(text).design
    assert design is not None
    assert design.most_points == 20_000
