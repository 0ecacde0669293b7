"""Unpacking packages: as a Debian with merged /usr has them, whoever unpacks them."""

from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.image import deb, tree

from .conftest import ar, make_deb, tarball

CUT = tarball({"./a": bytes(range(256)) * 999})[:200]


def unpacked(folder: Path, files: dict[str, str | bytes], prune: bool = True) -> Path:
    make_deb(folder / "one.deb", files)
    root = folder / "root"
    with deb.files(folder / "one.deb") as archive:
        tree.unpack(archive, root, prune)
    return root


def test_paths_of_the_old_root_lead_to_usr(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "./bin/sh": b"#!",
        "./lib/x/liba.so": "liba.so.1",
        "./bin": "usr/bin",
    }
    root = unpacked(tmp_path, files)
    assert (root / "usr/bin/sh").read_bytes() == b"#!"
    assert (root / "usr/lib/x/liba.so").readlink() == Path("liba.so.1")
    assert not (root / "bin").exists()


def test_manuals_are_left_out_and_copyright_stays(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "./usr/share/doc/one/copyright": b"c",
        "./usr/share/doc/one/changelog.gz": b"c",
        "./usr/share/man/man1/one.1.gz": b"m",
        "./usr/share/doc/two": "one",
        "./var/lib/dpkg/x": b"x",
    }
    root = unpacked(tmp_path, files)
    left = {path.relative_to(root).as_posix() for path in root.rglob("*")}
    assert {"usr/share/doc/one/copyright", "usr/share/doc/two"} <= left
    assert not left & {
        "usr/share/doc/one/changelog.gz",
        "usr/share/man/man1/one.1.gz",
        "var/lib/dpkg/x",
    }


def test_no_program_has_the_rights_of_another_user(tmp_path: Path) -> None:
    root = unpacked(tmp_path, {"./usr/bin/su": b"x"})
    for name in ("tmp", "var/tmp"):
        (root / name).mkdir(parents=True)
    tree._set_modes(root)
    assert (root / "usr/bin/su").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize("name", ["../outside", "./usr/../../outside", "/outside"])
def test_a_path_that_leads_out(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="leads out of the root"):
        unpacked(tmp_path, {name: b"x"})
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x" * 200, "not a Debian package"),
        (ar({"debian-binary": b"2.0\n"}), "without files"),
        (ar({"data.tar.zst": b"2.0\n"}), r"data\.tar\.zst: a compression"),
        (ar({"data.tar.xz": b"2.0\n"}), r"data\.tar\.xz: "),
        (ar({"data.tar.xz": CUT}), r"data\.tar\.xz: "),
    ],
    ids=["text", "empty", "zstd", "no tar", "cut"],
)
def test_a_file_that_is_no_package(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.deb").write_bytes(content)
    with (
        pytest.raises(UserError, match=words),
        deb.files(tmp_path / "bad.deb") as archive,
    ):
        tree.unpack(archive, tmp_path / "root", prune=False)
