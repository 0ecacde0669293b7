"""Packages that are made up, and a mirror that has them."""

import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from mpbench.image.lock import Package
from mpbench.kernel.shell import Shell


def tarball(files: Mapping[str, str | bytes]) -> bytes:
    """A tarball; a text stands for a link to that path."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w:xz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            if isinstance(content, str):
                member.type, member.linkname = tarfile.SYMTYPE, content
                archive.addfile(member)
            else:
                member.size, member.mode = len(content), 0o4755
                archive.addfile(member, io.BytesIO(content))
    return output.getvalue()


def ar(members: Mapping[str, bytes]) -> bytes:
    """An ar archive, as a Debian package is one."""
    whole = b"!<arch>\n"
    for name, content in members.items():
        header = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
        whole += header.encode() + content + b"\n" * (len(content) % 2)
    return whole


def make_deb(path: Path, files: Mapping[str, str | bytes]) -> Package:
    """Write a package with these files; the line that a lock file has for it."""
    content = ar(
        {
            "debian-binary": b"2.0\n",
            "control.tar.xz": tarball({"./control": b"x" * 3}),
            "data.tar.xz": tarball(files),
        }
    )
    path.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    name = path.stem
    file = f"pool/main/x/{name}/{name}_1.0-1_amd64.deb"
    return Package(name, "1.0-1", "bookworm", len(content), digest, file)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "log")
