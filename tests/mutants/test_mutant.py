"""Verdicts on mutants: a test that fails, a crash and a loop are found."""

import os
import signal
from collections.abc import Callable

import pytest

from tests.mutants import mutant


def loop() -> int:
    while True:
        pass


def crash() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


@pytest.mark.parametrize(
    ("tests", "verdict"),
    [
        (lambda: 0, "survived"),
        (lambda: 1, "found"),
        (crash, "found"),
        (loop, "found"),
    ],
)
def test_what_becomes_of_a_mutant(tests: Callable[[], int], verdict: str) -> None:
    child = os.fork()
    if not child:
        mutant.bounded(1)
        os._exit(tests())
    assert mutant.became(child, 60) == verdict


def test_a_mutant_that_sleeps_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutant, "PATIENCE", 0.1)
    child = os.fork()
    if not child:
        mutant.bounded(1)
        signal.pause()
    assert mutant.became(child, 1) == "found"
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)
