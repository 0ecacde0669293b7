"""The writer of archives for Linux's first file system."""

import io
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mpbench.backends.qemu.cpio import Writer

HEAD = 110


def written(folder: Path) -> bytes:
    output = io.BytesIO()
    (folder / "source").mkdir()
    (folder / "source" / "tool").write_bytes(b"#!/bin/sh\n")
    (folder / "source" / "tool").chmod(0o750)
    (folder / "source" / "link").symlink_to("tool")
    (folder / "source" / "empty").mkdir()
    archive = Writer(output)
    archive.device("dev/console", 5, 1)
    archive.text("modules/list", "a.ko\n")
    archive.link("bin", "usr/bin")
    archive.tree("code/tools", folder / "source")
    archive.close()
    return output.getvalue()


def test_an_entry_is_as_the_kernel_documents_it() -> None:
    """Documentation/driver-api/early-userspace/buffer-format.rst: 13 numbers of 8
    hexadecimal digits behind the magic, the name with its zero, and padding to 4."""
    output = io.BytesIO()
    Writer(output).text("abc", "hello")
    entry = output.getvalue()
    fields = [int(entry[6 + 8 * i : 14 + 8 * i], 16) for i in range(13)]
    assert entry[:6] == b"070701"
    assert fields == [1, 0o100644, 0, 0, 1, 0, 5, 0, 0, 0, 0, 4, 0]
    assert entry[HEAD:] == b"abc\0" + bytes(2) + b"hello" + bytes(3)


def test_two_writings_are_the_same_bytes(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        found.append(written(tmp_path / name))
    assert found[0] == found[1]
    assert len(found[0]) % 4 == 0


@pytest.mark.skipif(shutil.which("cpio") is None, reason="no cpio here")
def test_cpio_reads_what_was_written(tmp_path: Path) -> None:
    """A second implementation lists and unpacks the archive."""
    archive = written(tmp_path)
    target = tmp_path / "target"
    target.mkdir()
    argv = ["cpio", "-idm", "--quiet", "--no-preserve-owner"]
    keep = [*argv, "modules/*", "code/*", "bin"]
    subprocess.run(keep, input=archive, cwd=target, check=True)
    assert (target / "modules/list").read_text() == "a.ko\n"
    assert os.readlink(target / "bin") == "usr/bin"  # noqa: PTH115
    tool = target / "code/tools/tool"
    assert tool.read_bytes() == b"#!/bin/sh\n"
    assert tool.stat().st_mode & 0o777 == 0o755
    assert (target / "code/tools/empty").is_dir()
    assert not (target / "code/tools/link").exists()
    listed = subprocess.run(
        ["cpio", "-itv", "--quiet"], input=archive, capture_output=True, check=True
    ).stdout.decode()
    assert "crw-------" in listed
    assert "5,   1" in listed


def test_a_name_stands_in_an_archive_once() -> None:
    archive = Writer(io.BytesIO())
    archive.text("a/b", "")
    with pytest.raises(ValueError, match="a/b: for the second time"):
        archive.text("a/b", "")


def test_a_file_that_shrinks_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"abc")

    class Longer:
        st_size = 9

    monkeypatch.setattr(Path, "stat", lambda self: Longer())
    with pytest.raises(ValueError, match="shorter than it was"):
        Writer(io.BytesIO()).file("a", file)
