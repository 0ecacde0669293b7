"""Kernels of Debian's packages, in the cache, and a machine's first file system."""

import lzma
from pathlib import Path

import pytest

from jobs.linux import Linux, Package
from mpbench.backends import read_tools
from mpbench.backends.qemu import binaries, initramfs
from mpbench.errors import UserError
from mpbench.image import fetch, lock
from mpbench.image.cache import Image
from mpbench.kernel.shell import Shell
from tests.image.conftest import make_deb
from tests.qemu.test_modules import module

MODULES = "./usr/lib/modules/9.9.1-cloud-amd64"
KERNEL = {f"{MODULES}/vmlinuz": b"kernel"}
DRIVERS = {
    f"{MODULES}/kernel/drivers/block/loop.ko.xz": lzma.compress(module("")),
    f"{MODULES}/kernel/fs/erofs/erofs.ko": module("libcrc32c"),
    f"{MODULES}/kernel/lib/libcrc32c.ko": module(""),
    f"{MODULES}/kernel/drivers/gpu/drm/drm.ko": module(""),
    f"{MODULES}/modules.order": b"",
}
OLDER = {"./boot/vmlinuz-6.1.0-56-cloud-amd64": b"kernel", **DRIVERS}


def linux(folder: Path, *files: dict[str, bytes]) -> Linux:
    """A kernel of packages that lie in the folder's subfolder `debs`."""
    (folder / "debs").mkdir()
    packages = []
    for number, content in enumerate(files):
        made = make_deb(folder / f"linux-{number}.deb", content)
        (folder / f"linux-{number}.deb").rename(folder / "debs" / made.file)
        packages.append(
            Package(
                name=made.name,
                version="9.9.1-1",
                suite="sid",
                path=made.path,
                bytes=made.size_bytes,
                sha256=made.sha256,
            )
        )
    return Linux(lab=False, packages=tuple(packages))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a folder of the user's with packages."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("MPBENCH_MIRROR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("files", [(KERNEL, DRIVERS), (OLDER,)])
def test_a_kernel_is_unpacked_once(
    here: Path, files: tuple[dict[str, bytes], ...]
) -> None:
    own = linux(here, *files)
    found = binaries.find(own)
    assert found.kernel.read_bytes() == b"kernel"
    names = {path.name for path in found.modules.iterdir()}
    assert names == {"loop.ko", "erofs.ko", "libcrc32c.ko"}
    assert (found.modules / "loop.ko").read_bytes() == module("")
    for file in (here / "debs").iterdir():
        file.unlink()
    assert binaries.find(own) == found


def test_a_changed_kernel_in_the_cache_is_noticed(here: Path) -> None:
    own = linux(here, OLDER)
    binaries.find(own).kernel.write_bytes(b"another")
    with pytest.raises(UserError, match="not the kernel that was unpacked"):
        binaries.find(own)


def test_a_package_with_another_hash_is_refused(here: Path) -> None:
    own = linux(here, OLDER)
    (file,) = (here / "debs").iterdir()
    file.write_bytes(file.read_bytes() + b"x")
    with pytest.raises(UserError, match="its hash is another one"):
        binaries.find(own)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (DRIVERS, "no vmlinuz in the kernel's packages"),
        (KERNEL | OLDER, "there is another one already"),
        (KERNEL | {f"{MODULES}/kernel/net/a.ko.xz": b"x"}, r"a\.ko\.xz: "),
    ],
)
def test_packages_that_are_no_kernel_are_refused(
    here: Path, files: dict[str, bytes], reason: str
) -> None:
    with pytest.raises(UserError, match=reason):
        binaries.find(linux(here, files))
    assert not list(binaries.folder().glob("[0-9a-f]*"))


def test_a_packed_module_that_is_too_large_is_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "MOST_BYTES", 99)
    files = KERNEL | {f"{MODULES}/kernel/net/a.ko.xz": lzma.compress(bytes(100))}
    with pytest.raises(UserError, match=r"a\.ko\.xz: larger than"):
        binaries.find(linux(here, files))


def test_packages_that_are_gone_are_named(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(
        shell: Shell, packages: list[lock.Package], folder: Path
    ) -> tuple[dict[lock.Package, Path], None]:
        return {}, None

    own = linux(here, OLDER)
    (here / "debs" / own.packages[0].path.rpartition("/")[2]).unlink()
    monkeypatch.setattr(fetch, "download", nothing)
    with pytest.raises(UserError, match=r"^linux-0 9\.9\.1-1 is no longer in"):
        binaries.find(own)


def test_a_run_stands_behind_its_kernel(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = binaries.find(linux(here, OLDER))
    tools = here / "tools"
    tools.mkdir()
    for name in initramfs.TOOLS:
        (tools / name).write_bytes(name.encode())
    monkeypatch.setattr(read_tools, "folder", lambda products: tools)
    (here / "code").mkdir()
    (here / "code" / "code.pyc").write_bytes(b"code")
    (here / "root.erofs").write_bytes(b"image")
    image = Image(here / "root.erofs", "k", "ab" * 32, frozenset(), {})
    shared = initramfs.of_kernel(own, image, here / "code")
    assert initramfs.of_kernel(own, image, here / "code") == shared
    run = here / "run"
    (run / "boot").mkdir(parents=True)
    (run / "artefacts").mkdir()
    (run / "artefacts" / "console.log").write_bytes(b"console")
    (run / "boot" / "argv").write_text("/bin/true\n")
    (run / "job.json").write_text("{}")
    (run / "link").symlink_to("/etc/passwd")
    initramfs.of_run(shared, run, here / "whole.cpio")
    whole, first = (here / "whole.cpio").read_bytes(), shared.read_bytes()
    assert whole.startswith(first)
    assert b"libcrc32c.ko\nerofs.ko" in first
    behind = whole[len(first) :]
    assert b"run/boot/argv\0" in behind
    assert b"run/job.json\0" in behind
    assert b"run/artefacts\0" in behind
    assert b"console" not in behind
    assert b"passwd" not in behind
