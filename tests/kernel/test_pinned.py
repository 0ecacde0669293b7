"""The pinned Linux, and the subset of it that counts as the whole."""

import hashlib
import lzma
import subprocess
from pathlib import Path

import pytest

from mpbench import kernel, mirror
from mpbench.errors import UserError
from mpbench.kernel import cache, pinned, recipe, sources, tools

from .conftest import Lab

WHOLE = "ab" * 32


@pytest.fixture
def subset(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A subset of the laboratory's Linux, pinned."""
    monkeypatch.setattr(pinned, "FILE", lab.folder / "linux.lock")
    words = [
        "tar",
        "-cf",
        "-",
        "-C",
        str(lab.folder),
        "--transform=s,^linux,linux-7.3.9-um,",
    ]
    done = subprocess.run(
        [*words, "--exclude=drivers", "--exclude=testing", "linux"],
        check=True,
        capture_output=True,
    )
    pinned.FILE.write_text(
        "# a comment\nversion 7.3.9\norigin Debian linux-source-7.3 7.3.9-1\n"
        f"whole {WHOLE}\n"
        f"subset {hashlib.sha256(done.stdout).hexdigest()}\n"
    )
    file = lab.folder / "some-name.tar.xz"
    file.write_bytes(lzma.compress(done.stdout, preset=1))
    return file


def test_a_kernel_of_the_subset_has_the_key_of_the_whole(
    lab: Lab, subset: Path
) -> None:
    made = kernel.build("guest", subset)
    compiler = tools.compiler()
    assert compiler is not None
    assert made.key == cache.key(recipe.read("guest"), WHOLE, compiler)
    assert made.info["source_hash"] == WHOLE
    (source,) = sources.stored()
    assert (source.rules, source.fetched) == (sources.SUBSET, False)


def test_another_archive_is_a_source_of_its_own(lab: Lab, subset: Path) -> None:
    text = pinned.FILE.read_text()
    pinned.FILE.write_text(text.replace("subset ", "subset 00")[:-3] + "\n")
    made = kernel.build("guest", subset)
    assert made.info["source_hash"] == sources.file_identity(subset)


def test_a_place_of_the_user_s_is_asked_first(
    lab: Lab, subset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = lab.folder / "place"
    place.mkdir()
    subset.rename(place / pinned.read().file)
    monkeypatch.setenv(mirror.VARIABLE, str(place))
    made = kernel.build("guest")
    assert made.info["source_hash"] == WHOLE
    assert made.info["source"] == str(place / "linux-7.3.9-um.tar.xz")
    assert [source.fetched for source in sources.stored()] == [True]


def test_a_place_with_another_file_of_that_name(
    lab: Lab, subset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab.folder / "linux-7.3.9-um.tar.xz").write_bytes(b"not it")
    monkeypatch.setenv(mirror.VARIABLE, str(lab.folder))
    with pytest.raises(UserError, match="not the subset of Linux") as caught:
        kernel.build("guest")
    assert "linux-7.3.9-um.tar.xz" in str(caught.value)


def test_the_whole_is_unpacked_where_the_subset_is(lab: Lab, subset: Path) -> None:
    """Upstream's tests, for example, are not in the subset."""
    kernel.build("guest", subset)
    tarball = lab.folder / "linux.tar.xz"
    subprocess.run(["tar", "-cJf", tarball, "-C", lab.folder, "linux"], check=True)
    text = pinned.FILE.read_text()
    identity = sources.file_identity(tarball)
    pinned.FILE.write_text(text.replace(WHOLE, identity))
    kernel.build("guest", tarball)
    # Of both, a build without --source takes the whole one.
    assert sources.stored()[0].rules == sources.SUBSET
    assert len(sources.stored()) == 2


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("version seven", ":1: not a line"),
        ("colour red", ":1: not a line"),
        ("version 7.3.4", ":1: no line origin, subset, whole"),
    ],
)
def test_a_damaged_lock_file(tmp_path: Path, line: str, says: str) -> None:
    file = tmp_path / "linux.lock"
    file.write_text(f"{line}\n")
    with pytest.raises(UserError, match=says):
        pinned.read(file)


def test_the_lock_file_of_this_release() -> None:
    lock = pinned.read()
    assert lock.version.startswith(f"{recipe.SERIES}.")
    assert lock.file == f"linux-{lock.version}-um.tar.xz"
