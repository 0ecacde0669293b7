"""Logs of builds, and the lines of a failed one that a user is told."""

from pathlib import Path

import pytest

from mpbench.kernel.shell import SHOWN, CommandFailed, logged, telling

MAKE = [f"make[{level}]: *** [Makefile:{level}: net] Error 2" for level in range(6)]


def test_the_compilers_words_are_told_and_not_makes() -> None:
    own = "net/mptcp/protocol.c:1628:1: error: expected ';' before '}' token"
    assert telling(["  CC      net/mptcp/protocol.o", own, *MAKE]) == [own]


def test_make_alone_is_told() -> None:
    assert telling(["  CC      net/a.o", *MAKE]) == MAKE[-SHOWN:]
    assert telling(["nothing that looks like one"]) == ["nothing that looks like one"]


def test_the_log_of_a_build_stays_only_if_it_fails(tmp_path: Path) -> None:
    said: list[str] = []
    with logged(tmp_path, "image", said.append) as shell:
        shell.run(["echo", "fine"])
    assert not list((tmp_path / "logs").iterdir()) and not said
    with (
        pytest.raises(CommandFailed),
        logged(tmp_path, "image", said.append) as failing,
    ):
        failing.run(["sh", "-c", "echo 'x.c:1: error: no'; exit 1"])
    (log,) = (tmp_path / "logs").iterdir()
    assert log.name.endswith("-image.log") and "x.c:1: error: no" in log.read_text()
    assert said == ["  x.c:1: error: no"]
