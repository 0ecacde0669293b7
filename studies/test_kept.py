"""The archives of kept rows: complete, the same bytes again, and nothing else taken."""

import hashlib
import io
import lzma
import tarfile
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.store import kept_rows
from studies import kept


def archive(
    path: Path, *members: tuple[str, bytes], kind: bytes = tarfile.REGTYPE
) -> str:
    """Write an archive; its hash."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as file:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size, member.type = len(content), kind
            member.linkname = "/etc/passwd" if kind == tarfile.SYMTYPE else ""
            file.addfile(member, io.BytesIO(content))
    packed = lzma.compress(plain.getvalue())
    path.write_bytes(packed)
    return hashlib.sha256(packed).hexdigest()


GOOD = (("a/experiment.yaml", b"name: a\n"), ("a/rows.jsonl", b"{}\n"))


def test_what_was_packed_is_read(tmp_path: Path) -> None:
    sha256 = archive(tmp_path / "x.tar.xz", *GOOD)
    (found,) = kept.read(tmp_path / "x.tar.xz", sha256)
    assert found == kept.Campaign("a", b"{}\n", b"name: a\n")


@pytest.mark.parametrize(
    "members",
    [
        (GOOD[1], GOOD[0]),
        GOOD[:1],
        (*GOOD, ("../b/rows.jsonl", b"{}\n")),
        (*GOOD, ("/b/rows.jsonl", b"{}\n")),
        (*GOOD, ("a/more", b"")),
        (*GOOD, *GOOD),
        (("b/experiment.yaml", b""), ("b/rows.jsonl", b""), *GOOD),
    ],
)
def test_other_members_are_refused(
    members: tuple[tuple[str, bytes], ...], tmp_path: Path
) -> None:
    sha256 = archive(tmp_path / "x.tar.xz", *members)
    with pytest.raises(UserError, match="other members than"):
        list(kept.read(tmp_path / "x.tar.xz", sha256))


def test_a_link_is_refused(tmp_path: Path) -> None:
    links = (("a/experiment.yaml", b""),)
    sha256 = archive(tmp_path / "x.tar.xz", *links, kind=tarfile.SYMTYPE)
    with pytest.raises(UserError, match="not a regular file"):
        list(kept.read(tmp_path / "x.tar.xz", sha256))


def test_an_archive_of_another_hash_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "x.tar.xz"
    sha256 = archive(path, *GOOD)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(UserError, match="not as SHA256SUMS has it"):
        list(kept.read(path, sha256))


def test_an_archive_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.tar.xz"
    archive(path, *GOOD)
    short = path.read_bytes()[:-20]
    path.write_bytes(short)
    with pytest.raises(UserError, match="cut short"):
        list(kept.read(path, hashlib.sha256(short).hexdigest()))


def test_packed_rows_come_back_and_give_the_same_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the smallest archive of the repository."""
    name = "tcp-as-in-a-simulator.tar.xz"
    only = {name: kept.sums()[name]}
    folder = tmp_path / "archives"
    folder.mkdir()
    (folder / name).write_bytes((kept.ARCHIVES / name).read_bytes())
    (folder / kept.SUMS).write_text(f"{only[name]}  {name}\n")
    kept.unpack(tmp_path / "rows", folder)
    places = sorted(p for p in (tmp_path / "rows").iterdir() if p.is_dir())
    assert all(kept_rows.read(place).rows for place in places) and places
    groups = kept.grouped(tmp_path / "rows")
    assert groups == {name.removesuffix(kept.SUFFIX): places}
    kept.pack(groups, tmp_path / "again")
    assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.parametrize("folder", [kept.ARCHIVES, kept.ARCHIVES / "underway"])
def test_every_archive_has_a_hash(folder: Path) -> None:
    there = {path.name for path in folder.glob("*.tar.xz")}
    assert there == set(kept.sums(folder))


def test_rows_that_are_underway_are_kept_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed from where they were unpacked to, they are the same bytes."""
    underway, out = kept.ARCHIVES / "underway", tmp_path / "rows"
    for archives, *words in (
        (underway, "unpack", "--out", out),
        (tmp_path / "again", "pack", "--from", out),
    ):
        given = ["kept", "--archives", *map(str, (archives, *words))]
        monkeypatch.setattr("sys.argv", given)
        assert kept.main() == 0
    assert (tmp_path / "again" / kept.SUMS).read_bytes() == (
        underway / kept.SUMS
    ).read_bytes()
