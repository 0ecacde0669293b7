"""The lock file: read as it was written, and refused with a line's number."""

from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.image import choice, lock
from mpbench.image.lock import Package

GOOD = Package("libc6", "2.36-9", "bookworm", 12, "a" * 64, "pool/main/g/libc6_2.deb")


def test_the_lock_file_pins_what_is_asked_for() -> None:
    names = {package.name for package in lock.read()}
    assert {*choice.ASKED, *choice.TOOLS} <= names
    assert not names & choice.LEFT_OUT
    assert {package.suite for package in lock.read()} <= {*choice.SUITES}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    other = Package("a2", "1:2~b", "bookworm-security", 1, "0" * 64, "pool/a/a_1.deb")
    lock.write((GOOD, other), tmp_path / "lock")
    assert lock.read(tmp_path / "lock") == (other, GOOD)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("libc6 2.36", "2 words; a line is package"),
        (GOOD.line.replace("bookworm", "sid"), "'sid' is no suite"),
        (GOOD.line.replace("libc6 ", "-oX=1 "), "'-oX=1' is no package"),
        (GOOD.line.replace("pool/main", "pool/.."), "is no path"),
        (GOOD.line.replace("pool/", "/pool/"), "is no path"),
        (GOOD.line.replace("aaaa", "aaa"), "is no SHA-256"),
        (GOOD.line.replace(" 12 ", " 999999999 "), "a package of 999999999 bytes"),
        (f"{GOOD.line}\n{GOOD.line}", "libc6 for the second time"),
    ],
)
def test_a_line_that_is_none(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "lock"
    file.write_text(f"# packages\n{line}\n")
    with pytest.raises(UserError, match=r"lock:[23]: ") as raised:
        lock.read(file)
    assert words in str(raised.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a lock file"):
        lock.read(tmp_path / "nosuch")
    (tmp_path / "bytes").write_bytes(b"\xff\n")
    with pytest.raises(UserError, match="not a lock file"):
        lock.read(tmp_path / "bytes")
