"""Temporary folders of commands that work at the same time."""

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mpbench.store import scratch


@pytest.fixture(autouse=True)
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_no_folder_is_taken_for_abandoned_while_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another command looks just before the lock is there."""
    lock = fcntl.flock

    def late(descriptor: int, operation: int) -> None:
        if operation == fcntl.LOCK_EX:
            scratch.remove_abandoned()
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with scratch.folder("test") as folder:
        assert folder.is_dir()
        scratch.remove_abandoned()
        assert folder.is_dir()
    assert not folder.exists()


def test_many_at_the_same_time(temporary: Path) -> None:
    def use(number: int) -> bool:
        with scratch.folder("test") as folder:
            (folder / "file").write_text(str(number))
            return (folder / "file").read_text() == str(number)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(200)))
    assert not list(temporary.iterdir())


def test_a_folder_whose_process_ended_is_removed(temporary: Path) -> None:
    left = temporary / f"{scratch.PREFIX}left-1"
    left.mkdir()
    descriptor = os.open(left / scratch.MARK, os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    scratch.remove_abandoned()
    assert left.is_dir()
    os.close(descriptor)
    scratch.remove_abandoned()
    assert not left.exists()
