"""An installed mpbench uses what came with it."""

import hashlib
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mpbench import carried, image, kernel
from mpbench.backends import confinement, guest_snapshot
from mpbench.backends.guest_process import Enclosed, environment
from mpbench.errors import UserError
from mpbench.image import cache as images
from mpbench.kernel import launcher, recipe, tools
from packing import parts as packing_parts


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


def test_the_image_that_came_along(parts: Callable[[str], Path]) -> None:
    folder = parts("image")
    (folder / "root.erofs").write_bytes(b"image")
    info = {"key": images.key(), "sha256": digest(b"image"), "programs": ["ip"]}
    (folder / "info.json").write_text(json.dumps(info))
    assert image.find().path == folder / "root.erofs"
    (folder / "root.erofs").write_bytes(b"image, changed")
    with pytest.raises(UserError, match="install mpbench's wheel again"):
        image.find()
    (folder / "info.json").write_text(json.dumps({**info, "key": "another"}))
    with pytest.raises(UserError, match="not built yet"):
        image.find()


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
