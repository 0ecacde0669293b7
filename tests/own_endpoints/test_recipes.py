"""Sources of the endpoints of the box, and when a built one counts."""

import hashlib
import json
import re
import tarfile
from pathlib import Path

import pytest

from mpbench.endpoints import NAMES, building, cache, lookup, recipes
from mpbench.errors import UserError
from mpbench.kernel.shell import Shell


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_key_follows_from_every_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "FOLDER", tmp_path)
    (tmp_path / "noq/src").mkdir(parents=True)
    (tmp_path / "noq/target").mkdir()
    seen = set()
    for name, text in (("src/main.rs", "1"), ("src/main.rs", "2"), ("src/b.rs", "")):
        (tmp_path / "noq" / name).write_text(text)
        seen.add(recipes.key("noq"))
    assert len(seen) == 3
    (tmp_path / "noq/target/built").write_text("no source")
    assert recipes.key("noq") in seen


def test_controllers_are_those_that_the_programs_name() -> None:
    """The lists in the messages of both programs."""
    texts = {
        "noq": (recipes.folder("noq") / "src/main.rs").read_text(),
        "picoquic": (recipes.folder("picoquic") / "endpoint.c").read_text(),
    }
    for name in NAMES:
        joined = re.sub(r'"\s*"', "", texts[name])
        said = re.search(r"unknown; known are ([a-z0-9, ]+)\"", joined)
        assert said is not None
        assert tuple(sorted(said[1].split(", "))) == recipes.CONTROLS[name]


def test_a_damaged_source_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = (recipes.folder("picoquic") / recipes.SOURCE).read_text()
    monkeypatch.setattr(recipes, "FOLDER", tmp_path)
    (tmp_path / "picoquic").mkdir()
    for text in ("", "= 1", good.replace('sha256 = "7', 'sha256 = "x')):
        (tmp_path / "picoquic" / recipes.SOURCE).write_text(text)
        with pytest.raises(UserError) as refused:
            recipes.source("picoquic")
        assert "\n" not in str(refused.value)


def test_a_source_package_with_another_hash_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = recipes.source("picoquic")
    place = tmp_path / "mirror"
    place.mkdir()
    (place / source.file).write_bytes(b"another")
    monkeypatch.setenv("MPBENCH_MIRROR", str(place))
    work = tmp_path / "work"
    work.mkdir()
    shell = Shell(tmp_path / "log")
    with pytest.raises(UserError, match="is not the file that is pinned"):
        building.fetch(shell, source, work)
    shell.close()


def test_only_the_parts_that_are_compiled_are_unpacked(tmp_path: Path) -> None:
    source = recipes.source("picoquic")
    archive, top = tmp_path / source.file, source.file.removesuffix(".tar.gz")
    (tmp_path / "empty").write_text("")
    with tarfile.open(archive, "w:gz") as made:
        for name in ("setup.py", "third_party/picoquic/a.c", "third_party/liburing/b"):
            made.add(tmp_path / "empty", f"{top}/{name}")
    found = building._unpacked(archive, source, tmp_path / "work")
    there = [path.relative_to(found) for path in found.rglob("*") if path.is_file()]
    assert there == [Path("third_party/picoquic/a.c")]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../../out.c", tarfile.REGTYPE),
        ("a.c", tarfile.SYMTYPE),
        ("b", tarfile.FIFOTYPE),
    ],
)
def test_only_plain_files_are_unpacked(tmp_path: Path, name: str, kind: bytes) -> None:
    source = recipes.source("picoquic")
    archive, top = tmp_path / source.file, source.file.removesuffix(".tar.gz")
    with tarfile.open(archive, "w:gz") as made:
        member = tarfile.TarInfo(f"{top}/third_party/picoquic/{name}")
        member.type, member.linkname = kind, "/etc/passwd"
        made.addfile(member)
    with pytest.raises(UserError, match="is no plain file"):
        building._unpacked(archive, source, tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_a_build_without_its_programs_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UserError) as refused:
        building.build("picoquic", force=False)
    assert str(refused.value) == (
        "building the endpoint 'picoquic' needs cmake (Debian package cmake), gcc "
        "(Debian package gcc), make (Debian package make)"
    )


def test_a_program_that_was_changed_does_not_count() -> None:
    place = cache.place("noq")
    place.mkdir(parents=True)
    (place / cache.PROGRAM).write_bytes(b"built")
    about = {
        "sha256": hashlib.sha256(b"built").hexdigest(),
        "key": recipes.key("noq"),
        "works": [],
    }
    (place / cache.INFO).write_text(json.dumps(about))
    found = lookup("noq")
    assert found is not None and found.path == place / cache.PROGRAM
    assert cache.unneeded() == []
    (place / cache.PROGRAM).write_bytes(b"other")
    assert lookup("noq") is None
    (place / cache.INFO).write_text("[]")
    assert lookup("noq") is None


def test_licences_stand_once_below_the_works_that_have_them(tmp_path: Path) -> None:
    texts = [("one", "MIT text\n"), ("two", "other"), ("three", "MIT text")]
    building._write_licences(texts, tmp_path)
    written = (tmp_path / cache.LICENCES).read_text()
    assert written.count("MIT text") == 1 and "one, three\n\nMIT text" in written
