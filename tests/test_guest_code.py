"""Parts of the code of guests that need no guest."""

import signal
from pathlib import Path

import pytest

from mpbench.guest import files, lab


@pytest.mark.parametrize("length", [0, 1, 3 * files.PIECE_BYTES + 1])
def test_a_file_has_what_was_written_last(tmp_path: Path, length: int) -> None:
    file = tmp_path / "file"
    files.write(file, "before " * files.PIECE_BYTES)
    files.write(file, "\u00fc" * length)
    assert files.read(file) == file.read_text() == "\u00fc" * length


def blocked() -> set[int]:
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


@pytest.mark.parametrize(("in_lab", "are"), [("yes", True), ("", False)])
def test_only_tools_of_the_lab_start_with_signals_blocked(
    monkeypatch: pytest.MonkeyPatch, in_lab: str, are: bool
) -> None:
    monkeypatch.setenv("MPBENCH_LAB", in_lab)
    before = blocked()
    with pytest.raises(ValueError, match="in the block"), lab.signals_blocked():
        assert (signal.SIGTERM in blocked()) == are
        raise ValueError("in the block")
    assert blocked() == before
