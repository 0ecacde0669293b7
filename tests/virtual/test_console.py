"""Words of consoles, ugly ones included."""

import signal
from pathlib import Path

import pytest

from mpbench.backends.base import Bounds
from mpbench.backends.console import Follower, last_words
from mpbench.backends.endings import judge

BOUNDS = Bounds(virtual_s=30.0, wall_s=90.0, silence_s=60.0)
PANIC = """\
mpbench: t 1
mpbench: t 2
mpbKernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b
CPU: 0 UID: 0 PID: 1 Comm: init Not tainted 7.3.4 #1
Stack:
 00000000_60"""
MEMORY = """\
mpbench: t 1
python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE)
oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=python3,pid=21,uid=0
Out of memory: Killed process 21 (python3) total-vm:2111kB, anon-rss:4kB
mpbench: exit 137
"""


def judged(
    folder: Path, console: str, returncode: int = 0, outcome: str = ""
) -> tuple[str, str]:
    (folder / "console.log").write_text(console)
    if outcome:
        (folder / "outcome.json").write_text(outcome)
    ending = judge(folder, returncode, BOUNDS, 512)
    return ending.status, ending.reason


def test_a_guest_that_did_all(tmp_path: Path) -> None:
    said = "mpbench: t 1\nmpbench: exit 0\nreboot: Power down\n"
    assert judged(tmp_path, said, 0, '{"virtual_s": 1.5}') == ("finished", "")
    assert judge(tmp_path, 0, BOUNDS, 512).virtual_s == 1.5


def test_a_guest_that_panicked_in_the_middle_of_a_line(tmp_path: Path) -> None:
    status, reason = judged(tmp_path, PANIC, -signal.SIGABRT)
    assert status == "panicked"
    assert reason.endswith("Attempted to kill init! exitcode=0x0000000b")


def test_a_guest_without_memory(tmp_path: Path) -> None:
    status, reason = judged(tmp_path, MEMORY)
    assert status == "failed"
    assert reason == (
        "guest ran out of memory: its kernel killed python3 with 512 MiB in all"
    )


def test_a_guest_whose_time_ran_out(tmp_path: Path) -> None:
    said = "mpbench: t 1\nmpbench: process 12 (iperf3) S\nmpbench: limit\n"
    reason = "not done after 30 virtual seconds"
    assert judged(tmp_path, said) == ("timeout", reason)


def test_guest_code_that_failed_says_why_itself(tmp_path: Path) -> None:
    said = "Traceback (most recent call last):\nmpbench: exit 1\n"
    outcome = '{"virtual_s": 0.1, "error": "NetworkError: r1: tc"}'
    assert judged(tmp_path, said, 0, outcome) == ("failed", "NetworkError: r1: tc")


@pytest.mark.parametrize("outcome", ["", "{", "[]", "{}"])
def test_guest_code_that_failed_without_a_word(tmp_path: Path, outcome: str) -> None:
    found = judged(tmp_path, "mpbench: exit 139\n", 0, outcome)
    assert found == ("failed", "guest code ended with 139")


def test_a_guest_that_was_killed(tmp_path: Path) -> None:
    status, reason = judged(tmp_path, "mpbench: t 1\nmpben", -signal.SIGKILL)
    assert (status, reason) == ("killed", "guest was killed by signal 9 (SIGKILL)")


def test_a_guest_that_could_not_boot(tmp_path: Path) -> None:
    said = "mpbench: cannot boot: /host: No such device\nreboot: Power down\n"
    status, reason = judged(tmp_path, said)
    assert (status, reason) == ("failed", "guest cannot boot: /host: No such device")


def test_a_host_that_cannot_confine_a_guest(tmp_path: Path) -> None:
    (tmp_path / "console.log").write_text("mpbench: cannot be confined: unshare: no\n")
    ending = judge(tmp_path, 125, BOUNDS, 512)
    assert (ending.status, ending.host_accident) == ("failed", True)
    assert ending.reason == "guest cannot be confined: unshare: no"


def test_an_image_that_is_none(tmp_path: Path) -> None:
    status, reason = judged(tmp_path, "taskset: failed to execute", 127)
    assert status == "failed"
    assert "status 127" in reason


def test_words_in_a_tool_s_output_are_not_taken_for_the_guest_s() -> None:
    assert last_words("server said mpbench: exit 0\n").exit_code is None


def test_a_follower_sees_time_pass_also_across_a_cut_line(tmp_path: Path) -> None:
    path = tmp_path / "console.log"
    heard: list[float] = []
    path.write_bytes(b"booting\nmpbench: t 1\nmpbe")
    console = path.open("rb")
    follower = Follower(console.fileno(), heard.append)
    follower.look()
    assert (heard, follower.length_bytes) == ([1.0], 25)
    with path.open("ab") as file:
        file.write(b"nch: t 2\r\nmpbench: t 3\r\n")
    follower.look()
    console.close()
    assert (heard, follower.length_bytes) == ([1.0, 3.0], 49)
