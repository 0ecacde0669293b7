"""The reader of the files that a machine sends: whole streams, and all others."""

import contextlib
import io
import random
import threading
from pathlib import Path

import pytest

from mpbench.backends.base import Bounds
from mpbench.backends.confinement import Limits
from mpbench.backends.qemu import runs, serial
from mpbench.backends.qemu.machine import SERIAL
from mpbench.backends.watching import Watched

WHOLE = b"mpbench-files 1\na.json 3\n{}\nb-1.ip 0\nend 2\n"


def received(stream: bytes, folder: Path, files: int = 5, total: int = 100) -> int:
    return serial.receive(io.BytesIO(stream), folder, files, total)


def test_a_whole_stream_gives_its_files(tmp_path: Path) -> None:
    assert received(WHOLE, tmp_path) == 2
    names = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert names == {"a.json": b"{}\n", "b-1.ip": b""}


def test_a_stream_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    for length in range(len(WHOLE)):
        folder = tmp_path / str(length)
        folder.mkdir()
        with pytest.raises(serial.StreamError):
            received(WHOLE[:length], folder)


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (b"", "does not begin"),
        (b"mpbench-files 2\nend 0\n", "does not begin"),
        (b"mpbench-files 1\n../a 1\nxend 1\n", "no name and size"),
        (b"mpbench-files 1\na/b 1\nxend 1\n", "no name and size"),
        (b"mpbench-files 1\n.a 1\nxend 1\n", "no name and size"),
        (b"mpbench-files 1\n/etc/passwd 1\nxend 1\n", "no name and size"),
        (b"mpbench-files 1\na\0b 1\nxend 1\n", "no name and size"),
        (b"mpbench-files 1\na -1\nend 1\n", "no name and size"),
        (b"mpbench-files 1\na 01\nxend 1\n", "no name and size"),
        (b"mpbench-files 1\na 1 1\nxend 1\n", "no name and size"),
        (b"mpbench-files 1\n" + b"a" * 300 + b" 1\nxend 1\n", "ends before"),
        (b"mpbench-files 1\na 1\nxa 1\nxend 2\n", "for the second time"),
        (b"mpbench-files 1\na 101\n", "more than 0 MiB"),
        (b"mpbench-files 1\na 99999999999999\n", "more than 0 MiB"),
        (b"mpbench-files 1\na 60\n" + bytes(60) + b"b 41\n", "more than 0 MiB"),
        (b"mpbench-files 1\na 5\nabc", "ends within"),
        (b"mpbench-files 1\na 1\nxend 2\n", "says 2 files, and has 1"),
        (b"mpbench-files 1\nend 0\nx", "goes on"),
        (b"mpbench-files 1\n" + b"".join(b"%d 0\n" % i for i in range(6)), "5 files"),
    ],
)
def test_a_strange_stream_is_refused(
    stream: bytes, reason: str, tmp_path: Path
) -> None:
    folder = tmp_path / "artefacts"
    folder.mkdir()
    with pytest.raises(serial.StreamError, match=reason):
        received(stream, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["artefacts"]


def test_the_console_stays_as_the_host_wrote_it(tmp_path: Path) -> None:
    (tmp_path / "console.log").write_bytes(b"said")
    stream = b"mpbench-files 1\nconsole.log 3\nabca 1\nxend 2\n"
    assert received(stream, tmp_path) == 2
    assert (tmp_path / "console.log").read_bytes() == b"said"
    assert (tmp_path / "a").read_bytes() == b"x"


def test_the_limits_are_reached_exactly(tmp_path: Path) -> None:
    stream = b"mpbench-files 1\na 100\n" + bytes(100) + b"end 1\n"
    assert received(stream, tmp_path, files=1, total=100) == 1


def test_random_bytes_are_refused_or_read(tmp_path: Path) -> None:
    draw = random.Random(1)
    for number in range(300):
        changed = bytearray(WHOLE)
        for _ in range(draw.randint(1, 3)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        folder = tmp_path / str(number)
        folder.mkdir()
        with contextlib.suppress(serial.StreamError):
            received(bytes(changed), folder)
        assert all(path.parent == folder for path in folder.rglob("*"))


def run_in(folder: Path) -> Watched:
    (folder / "artefacts").mkdir()
    bounds = Bounds(1, 1, 1)
    return Watched(folder, Limits(), bounds, lambda _: None, threading.Event())


def test_a_run_without_files_says_so(tmp_path: Path) -> None:
    assert "not whole" in runs.received(run_in(tmp_path))


def test_the_stream_is_removed_when_it_was_read(tmp_path: Path) -> None:
    run = run_in(tmp_path)
    (tmp_path / SERIAL).write_bytes(WHOLE)
    assert runs.received(run) == ""
    assert not (tmp_path / SERIAL).exists()
    assert (tmp_path / "artefacts/a.json").is_file()
