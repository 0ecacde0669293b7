"""Fetching: each file by its hash, and one line about what cannot be had."""

from pathlib import Path

import pytest

from mpbench import mirror as places
from mpbench.errors import UserError
from mpbench.image import fetch
from mpbench.image.lock import Package
from mpbench.kernel import debian
from mpbench.kernel.shell import Shell

from .conftest import make_deb


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of Debian's mirror; apt reads it as file:."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    monkeypatch.setattr(debian, "mirror", lambda shell: f"copy:{folder}/")
    if not fetch.APT_HELPER.exists():
        pytest.skip("no apt here")
    return folder


def offer(mirror: Path, package: Package, content: bytes) -> None:
    path = mirror / package.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_from_the_user_s_folder_and_the_mirror(
    tmp_path: Path, shell: Shell, mirror: Path
) -> None:
    given, target = tmp_path / "given", tmp_path / "target"
    given.mkdir()
    target.mkdir()
    one = make_deb(given / "one.deb", {"./usr/one": b"1"})
    two = make_deb(tmp_path / "two.deb", {"./usr/two": b"22"})
    offer(mirror, two, (tmp_path / "two.deb").read_bytes())
    found = fetch.fetch(shell, [one, two], target, given)
    assert found[one] == given / "one.deb"
    assert fetch.digest(found[two]) == two.sha256


def test_a_place_of_the_user_s_is_asked_first(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, place = tmp_path / "target", tmp_path / "place"
    target.mkdir()
    (place / "debs").mkdir(parents=True)
    one = make_deb(tmp_path / "one.deb", {"./usr/one": b"1"})
    (tmp_path / "one.deb").rename(place / "debs" / one.file)
    monkeypatch.setenv(places.VARIABLE, str(place))
    found = fetch.fetch(shell, [one], target, None)
    assert fetch.digest(found[one]) == one.sha256
    (place / "debs" / one.file).write_bytes(b"another file")
    with pytest.raises(UserError, match="not the file that the lock file pins"):
        fetch.fetch(shell, [one], target, None)


def test_a_version_that_is_gone(tmp_path: Path, shell: Shell, mirror: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    one = make_deb(tmp_path / "one.deb", {"./usr/one": b"1"})
    two = make_deb(tmp_path / "two.deb", {"./usr/two": b"22"})
    three = make_deb(tmp_path / "three.deb", {"./usr/three": b"333"})
    offer(mirror, one, (tmp_path / "one.deb").read_bytes())
    offer(mirror, three, b"another file of that name")
    with pytest.raises(UserError, match="does not have") as raised:
        fetch.fetch(shell, [one, two, three], target, None)
    said = str(raised.value)
    assert "two 1.0-1, three 1.0-1" in said and "one 1.0-1" not in said
    assert "--debs FOLDER" in said and "\n" not in said


def test_no_folder(tmp_path: Path, shell: Shell) -> None:
    with pytest.raises(UserError, match=r"--debs .*nosuch: no such folder"):
        fetch.fetch(shell, [], tmp_path, tmp_path / "nosuch")


def test_without_apt(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "APT_HELPER", tmp_path / "nosuch")
    one = make_deb(tmp_path / "one.deb", {"./usr/one": b"1"})
    with pytest.raises(UserError, match=r"has no apt .* one 1\.0-1; give a folder"):
        fetch.fetch(shell, [one], tmp_path, None)
