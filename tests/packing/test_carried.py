"""An installed mpbench uses what came with it."""

import hashlib
import json
import os
import resource
import subprocess
import sys
import tarfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mpbench import carried, image, kernel
from mpbench.backends import confinement, guest_snapshot
from mpbench.backends.guest_process import Enclosed, environment
from mpbench.errors import UserError
from mpbench.image import cache as images
from mpbench.image import packed
from mpbench.kernel import launcher, recipe, tools
from packing import parts as packing_parts

CONTENT = b"image" * 100_000


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Makes an empty folder of a built part; the cache is empty too."""
    monkeypatch.setattr(carried, "FOLDER", tmp_path / "carried")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(name: str) -> Path:
        carried.built(name).mkdir(parents=True)
        return carried.built(name)

    return make


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def put_kernel(folder: Path, digest_of_recipe: str) -> None:
    (folder / "linux").write_bytes(b"linux")
    info = {
        "key": "0123456789abcdef",
        "config": "guest",
        "source_hash": digest(b"source"),
        "recipe": digest_of_recipe,
        "compiler": "gcc 1",
        "linux_hash": digest(b"linux"),
    }
    (folder / "info.json").write_text(json.dumps(info))


def test_the_kernel_that_came_along_needs_no_compiler_and_takes_any(
    parts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = parts("kernel")
    put_kernel(folder, recipe.read("guest").digest)
    for installed in (None, "gcc 99"):
        monkeypatch.setattr(tools, "compiler", lambda said=installed: said)
        found = kernel.find()
        assert (found.key, found.folder) == ("0123456789abcdef", folder)
    (folder / "linux").write_bytes(b"linux, changed")
    with pytest.raises(UserError, match="install mpbench's wheel again"):
        kernel.find()


def test_a_kernel_of_another_recipe_is_not_taken(parts: Callable[[str], Path]) -> None:
    put_kernel(parts("kernel"), "of another mpbench")
    with pytest.raises(UserError, match="not built yet"):
        kernel.find()


def put_image(folder: Path, content: bytes = CONTENT, noted: bytes = CONTENT) -> Path:
    """As a wheel brings it; returns the packed image."""
    info = {"key": images.key(), "sha256": digest(noted), "programs": ["ip"]}
    (folder / "info.json").write_text(json.dumps(info))
    (folder / "manifest.txt").write_text("iproute2=6\n")
    (folder / "sbom.json").write_text("{}")
    (folder.parent / images.NAME).write_bytes(content)
    packing_parts.pack_image(folder.parent / images.NAME, folder)
    return folder / f"{images.NAME}.xz"


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_image_that_came_along_is_unpacked_once(
    parts: Callable[[str], Path],
) -> None:
    put_image(parts("image"))
    known = image.lookup()
    assert known is not None and known.programs == {"ip"}
    assert not images.folder().exists()  # nothing asked for its content
    found = image.find()
    assert found.path == images.folder() / images.key() / images.NAME
    assert found.path.read_bytes() == CONTENT
    assert found.manifest == {"iproute2": "6"}
    files = ["info.json", "manifest.txt", "read.json", "root.erofs", "sbom.json"]
    assert left(found.path.parent) == files
    before = found.path.stat()
    assert image.find() == found and image.build() == found
    assert found.path.stat() == before
    assert left(images.folder()) == [images.key(), "lock"]


def test_an_unpacked_image_that_was_changed_is_unpacked_again(
    parts: Callable[[str], Path],
) -> None:
    put_image(parts("image"))
    place = image.find().path
    place.write_bytes(CONTENT[:-1])
    assert image.find().path.read_bytes() == CONTENT
    place.unlink()
    assert image.find().path.read_bytes() == CONTENT


def test_a_known_image_is_not_read_again_until_it_is_changed(
    parts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    put_image(parts("image"))
    place = image.find().path
    about = place.stat()
    read: list[Path] = []

    def digest(path: Path, mtime_ns: int, size: int) -> str:
        read.append(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()

    monkeypatch.setattr(images, "_digest", digest)
    assert image.find(known=True).path == place and not read
    place.write_bytes(CONTENT[:-1] + b"!")  # as long, and with the time of before
    os.utime(place, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert image.find(known=True).path.read_bytes() == CONTENT and read
    (place.parent / images.READ).write_text("[]")
    read.clear()
    image.find(known=True)
    assert read, "no state is noted"


def test_an_image_that_was_unpacked_by_hand(parts: Callable[[str], Path]) -> None:
    folder = parts("image")
    put_image(folder)
    (folder / images.NAME).write_bytes(CONTENT)
    assert image.find().path == folder / images.NAME
    (folder / images.NAME).write_bytes(b"image, changed")
    with pytest.raises(UserError, match="install mpbench's wheel again"):
        image.find()


@pytest.mark.parametrize("damage", ["other", "short", "no xz"])
def test_a_damaged_image_that_came_along(
    parts: Callable[[str], Path], damage: str
) -> None:
    folder = parts("image")
    file = put_image(folder, b"another" if damage == "other" else CONTENT)
    if damage == "short":
        file.write_bytes(file.read_bytes()[:-20])
    if damage == "no xz":
        file.write_bytes(CONTENT)
    with pytest.raises(UserError, match=r"xz: not the image .*mpbench's wheel again"):
        image.find()
    assert left(images.folder()) == ["lock"]
    info = json.loads((folder / "info.json").read_text())
    (folder / "info.json").write_text(json.dumps({**info, "key": "another"}))
    with pytest.raises(UserError, match="not built yet"):
        image.find()


def test_a_python_without_lzma_is_told_so(
    parts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put_image(parts("image"))
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(UserError, match=r"no module lzma.*: xz -dk ") as raised:
        image.find()
    subprocess.run(str(raised.value).rsplit(": ", 1)[1].split(), check=True)
    assert image.find().path == file.with_suffix("")


def test_a_full_disk_is_one_line(
    parts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    put_image(parts("image"))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(CONTENT) // 2, before[1]))
    try:  # a file that may not grow ends the write as a full disk does
        with pytest.raises(
            UserError, match=r"cannot unpack .*: File too large; it needs"
        ):
            image.find()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert left(images.folder()) == ["lock"]
    assert image.find().path.read_bytes() == CONTENT


def test_processes_that_start_at_once_unpack_one_after_the_other(
    parts: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    put_image(parts("image"))
    (images.folder() / ".new-killed").mkdir(parents=True)
    unpacked = []
    real = packed.unpack

    def counted(*words: Any) -> None:
        unpacked.append(words)
        real(*words)

    monkeypatch.setattr(packed, "unpack", counted)
    with ThreadPoolExecutor(8) as pool:
        found = [one.result() for one in [pool.submit(image.find) for _ in range(8)]]
    assert len(unpacked) == 1
    assert {one.path.read_bytes() for one in found} == {CONTENT}
    assert left(images.folder()) == [images.key(), "lock"]


@pytest.mark.parametrize("damaged", [False, True])
def test_the_launcher_that_came_along(
    parts: Callable[[str], Path], damaged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = parts("launcher")
    program = folder / launcher.key()
    program.write_bytes(b"launcher")
    program.chmod(0o755)
    noted = digest(b"launcher, whole" if damaged else b"launcher")
    program.with_suffix(".sha256").write_text(noted)
    monkeypatch.setenv("PATH", str(folder))  # no gcc to make another one
    launcher._brought.cache_clear()
    try:
        if damaged:
            with pytest.raises(UserError, match="needs gcc"):
                launcher.find()
        else:
            assert launcher.find() == program
    finally:
        launcher._brought.cache_clear()


def test_code_of_guests_that_came_along_is_unpacked_if_it_is_whole(
    parts: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "code.pyc").write_bytes(b"code")
    packed = parts("code") / "name.tar"
    with tarfile.open(packed, "w") as archive:
        archive.add(tmp_path / "code.pyc", "code.pyc")
    noted = packed.with_suffix(".sha256")
    noted.write_text(digest(packed.read_bytes()))
    made = guest_snapshot._brought(tmp_path / "work", "name")
    assert made is not None and (made / "code.pyc").read_bytes() == b"code"
    assert guest_snapshot._brought(tmp_path / "work", "other") is None
    packed.write_bytes(packed.read_bytes() + b"x")
    assert guest_snapshot._brought(tmp_path / "work", "name") is None


def test_a_native_run_starts_with_the_code_that_came_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packing_parts.files(tmp_path / "files")
    monkeypatch.setattr(confinement, "SOURCE", tmp_path / "files")
    with (tmp_path / "said").open("wb") as output:
        enclosed = Enclosed(["/bin/true"], tmp_path, environment(), output)
        status = enclosed.wait(60)
    said = (tmp_path / "said").read_text()
    # Only root may make the namespaces.
    assert status == 0 or said.startswith("mpbench: cannot enclose the run: "), said


def test_experiments_have_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = carried.EXPERIMENTS / "quickstart.yaml"
    for name in ("quickstart", "quickstart.yaml", "experiments/quickstart.yaml"):
        assert carried.experiment(Path(name)) == shipped
    low = carried.experiment(Path("thesis/bulk-low-bdp"))
    assert low.is_file() and low.name == "bulk-low-bdp.yaml"
    for name in ("nothing", "../experiments/quickstart", "/quickstart"):
        assert carried.experiment(Path(name)) == Path(name)
    (tmp_path / "quickstart").write_text("name: mine\n")
    assert carried.experiment(Path("quickstart")) == Path("quickstart")
