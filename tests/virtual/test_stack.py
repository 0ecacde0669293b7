"""The command line of a program as the host finds it in memory, and how it is named."""

import subprocess
import time
from pathlib import Path

import pytest

from mpbench.backends import stack, watching
from mpbench.backends.processes import Used

ARGV = ["/bin/sleep", "1000", "0"]
TOP = b"\1" * 40 + b"x86_64\0" + bytes(9)


def end_of_stack(number: int) -> bytes:
    """The last 64 KiB of the stack of a process of this machine, once it is there.

    `Popen` returns when exec closes descriptors, before the last words are there. Linux
    leaves a drawn gap of up to 8 KiB below the arguments.
    """
    while not Path(f"/proc/{number}/cmdline").read_bytes():
        time.sleep(0.001)
    (line,) = [
        line
        for line in Path(f"/proc/{number}/maps").read_text().splitlines()
        if line.endswith("[stack]")
    ]
    high = int(line.split()[0].partition("-")[2], 16)
    with Path(f"/proc/{number}/mem").open("rb", buffering=0) as memory:
        memory.seek(high - stack.MOST_BYTES)
        return memory.read(stack.MOST_BYTES)


@pytest.mark.parametrize("environment", [{}, {"A": "1", "LONG": "x" * 9000, "_b": "="}])
def test_the_stack_that_linux_makes(environment: dict[str, str]) -> None:
    process = subprocess.Popen(ARGV, env=environment)
    try:
        assert stack.arguments(end_of_stack(process.pid)) == ARGV
    finally:
        process.kill()
        process.wait()


def test_a_process_of_this_machine_is_none_of_a_guest() -> None:
    process = subprocess.Popen(ARGV)
    try:
        assert stack.command_line(process.pid) == []
    finally:
        process.kill()
        process.wait()
    assert stack.command_line(process.pid) == []


@pytest.mark.parametrize(
    ("texts", "argv"),
    [
        (b"own\0--a=1\0\0A=1\0B=2\0/run/own\0", ["own", "--a=1", ""]),
        (b"A=1\0B=2\0/run/own\0", ["A=1"]),
        (b"\xff\x1b[0m\0/run/own\0", ["\\xff\x1b[0m"]),
        (b"/run/own\0", []),
    ],
)
def test_arguments(texts: bytes, argv: list[str]) -> None:
    assert stack.arguments(TOP + texts + bytes(8)) == argv


@pytest.mark.parametrize(
    "memory", [b"", bytes(4096), b"own\0/run/own\0" + bytes(8), TOP + b"own\0A=1\0/own"]
)
def test_memory_that_is_no_stack(memory: bytes) -> None:
    assert stack.arguments(memory) == []


def test_ranges_are_joined() -> None:
    maps = """\
004b7000-004b8000 rwxs 034db000 00:32 3   /memory/#3 (deleted)
7f7ffffff000-7f8000000000 r-xs 00d00000 00:32 3   /memory/#3 (deleted)
7f8000000000-7f8000001000 rwxs 034d8000 00:32 3   /memory/#3 (deleted)
7f8000001000-7f8000003000 rwxs 034fc000 00:32 3   /memory/#3 (deleted)
"""
    first, second = stack.ranges(maps)
    assert first == (0x4B7000, 0x4B8000)
    assert second == (0x7F8000000000, 0x7F8000003000)


def test_the_busiest_process() -> None:
    before = Used(0.0, 3.0, 3.0, {1: 1.0, 2: 1.0, 3: 1.0})
    now = Used(1.0, 5.0, 5.0, {1: 1.5, 2: 2.0, 3: 1.0, 4: 9.0})
    assert now.busiest(before) == [2, 1]


ENDS = ["traffic-0-client", "traffic-0-server"]
HOSTS = {"traffic-0-client": "client", "traffic-0-server": "server"}


@pytest.mark.parametrize(
    ("programs", "argv", "who"),
    [
        ([], [], "a program"),
        (ENDS, [], "one of traffic-0-client, traffic-0-server"),
        (ENDS[:1], [], "traffic-0-client on client"),
        (ENDS, ["own", "server"], "traffic-0-server on server (`own server`)"),
        (
            ENDS,
            ["own", "--out", "/run/traffic-0/client"],
            "traffic-0-client on client (`own --out /run/traffic-0/client`)",
        ),
        ([], ["a b", "\x1b[0m\n`"], "a program (`'a b' '?[0m?`'`)"),
        ([f"traffic-{n}-client" for n in range(7)], ["x"], "a program (`x`)"),
    ],
)
def test_names(programs: list[str], argv: list[str], who: str) -> None:
    assert watching.named(programs, argv, HOSTS) == who


def test_a_long_command_is_cut() -> None:
    assert len(watching.named([], ["x" * 5000], {})) < 200
