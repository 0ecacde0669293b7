"""Verdicts on mutants: a test that fails, a crash and a loop are found."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mutants import mutant, python, reached


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


def test_lines_belong_to_the_tests_that_reach_them(tmp_path: Path) -> None:
    source, saved = tmp_path / "source.py", tmp_path / "reached.json"
    source.write_text("def one():\n    return 1\n\n\ndef two():\n    return 2\n")
    before = sys.gettrace()
    recorder = reached.Recorder([source])
    found: dict[str, Callable[[], int]] = {}
    try:
        recorder.start()
        exec(compile(source.read_text(), str(source), "exec"), found)
        recorder.now = "test_a"
        found["one"]()
        recorder.now = "test_b"
        found["one"]()
        recorder.save(saved)
    finally:
        sys.settrace(before)
    assert reached.load(saved) == {(str(source), 2): {"test_a", "test_b"}}


@pytest.mark.parametrize(
    "tests, expected",
    [
        ("tests/jobs", True),
        ("tests/jobs/test_a.py", True),
        ("tests/jobs/test_a.py::test_one", True),
        ("tests/jobs/test_a.py::test_one[x]", True),
        ("tests/job", False),
        ("tests/jobs/test_a.py::test_on", False),
    ],
)
def test_a_folder_has_the_tests_of_its_files(tests: str, expected: bool) -> None:
    """Without any, pytest would collect all tests of the project."""
    chosen = frozenset({"tests/jobs/test_a.py::test_one[x]"})
    assert python._any_of(tests, chosen) is expected
