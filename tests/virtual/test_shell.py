"""`mpbench shell`, as someone at a terminal sees it."""

import io
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench.backends import session
from mpbench.backends.virtual import VirtualBackend
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan

PROMPT = "mininet> "
DEADLINE_S = 60.0
EXPERIMENT = Path(__file__).parents[2] / "experiments" / "quickstart.yaml"


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.execv(sys.executable, [sys.executable, "-m", "mpbench.cli", *words])

    def read_to(self, wanted: str, again: bytes = b"") -> str:
        """Output up to `wanted`; `again` is typed every 2 s without it."""
        said, deadline_s = "", time.monotonic() + DEADLINE_S
        asked_s = time.monotonic()
        while wanted not in said:
            assert time.monotonic() < deadline_s, repr(said)
            if again and time.monotonic() > asked_s + 2:
                asked_s = time.monotonic()
                os.write(self.end, again)
            if select.select([self.end], [], [], 0.5)[0]:
                said += os.read(self.end, 4096).decode(errors="replace")
        return said

    def type(self, line: str) -> str:
        os.write(self.end, line.encode())
        return self.read_to(PROMPT)

    def leave(self) -> int:
        os.write(self.end, b"exit\n")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    runs = make_plan(load(EXPERIMENT), VirtualBackend().identity()).runs
    chosen = next(run for run in runs if run.case == "mptcp")
    yield Terminal("shell", str(EXPERIMENT), "--run", chosen.id[:12])


def test_a_prompt_inside_the_network(terminal: Terminal) -> None:
    said = terminal.read_to(PROMPT)
    assert "case mptcp" in said
    assert "Nodes: client, hub, r1, r2, server" in said
    assert "client-eth2:r2-client" in terminal.type("net\n")
    assert "10.0.2.2/24" in terminal.type("client ip -br addr show client-eth2\n")
    said = terminal.type("client cat /proc/sys/net/ipv4/tcp_congestion_control\n")
    assert "lia" in said.splitlines()
    assert " 0% packet loss" in terminal.type("client ping -c 2 -i 0.2 server\n")
    os.write(terminal.end, b"client echo begin; sleep 1000\n")
    terminal.read_to("\nbegin")
    # The shell may be about to start `sleep`, and then swallows a Ctrl-C.
    os.write(terminal.end, b"\x03")
    assert "*** Unknown" not in terminal.read_to(PROMPT, again=b"\x03")
    assert terminal.leave() == 0


def scripted(commands: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "mpbench.cli", "shell", str(EXPERIMENT)]
    return subprocess.run(words, input=commands, capture_output=True, text=True)


def test_commands_from_a_pipe_run_at_once_and_end() -> None:
    done = scripted("nodes\n# a comment\nclient ping -c 3 server\nexit\nbogus\n")
    assert done.returncode == 0, done.stderr
    assert "\nmininet> nodes\n" in done.stdout
    assert "client hub r1 r2 server\n" in done.stdout
    # `ping` waits a second between two requests; two of the guest's take no time here.
    assert "3 received, 0% packet loss, time 200" in done.stdout
    assert done.stdout.endswith("\nmininet> exit\n")


def test_a_command_of_a_pipe_that_waits_for_input_is_ended() -> None:
    done = scripted("client printf 'a b'\nclient cat\nnodes\n")
    assert done.returncode == 2
    assert done.stdout.endswith("a bmininet> client cat\n")
    assert "the last command did not end within 1 h" in done.stderr


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(UserError, match="standard input: byte 3 is not UTF-8"):
        session.commands_from(io.BytesIO(b"abc\xff"))
    with pytest.raises(UserError, match="more than 1048576 bytes"):
        session.commands_from(io.BytesIO(b"n\n" * (1 << 19) + b"n"))
