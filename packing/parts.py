"""Gather what a wheel carries beside modules (see `mpbench.carried`)."""

import hashlib
import json
import lzma
import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path

from mpbench.backends import guest_code
from mpbench.errors import UserError
from mpbench.image import packed

BUILT = "MPBENCH_BUILT"
"""The environment variable that names the folder of built parts for a build, and ABOUT
the one that holds the text of about.json. `python -m packing` sets both."""
ABOUT = "MPBENCH_ABOUT"
TOP = Path(__file__).resolve().parents[1]
FOLDERS = ("endpoints", "experiments", "kernel")
LEFT_OUT = ("__pycache__", "target")
KERNEL_FILES = ("linux", "config", "build.log", "info.json", "kit.tar.gz")
PRESET = 6
"""Of xz, for the root image."""
IMAGE_FILES = ("manifest.txt", "sbom.json", "info.json")


def files(target: Path, top: Path = TOP) -> None:
    """Copy the parts of the checkout that need no build."""
    chosen = [path for name in FOLDERS for path in (top / name).rglob("*")]
    chosen += guest_code.files(top)
    for path in sorted(chosen):
        if path.is_file() and not set(LEFT_OUT) & set(path.relative_to(top).parts):
            copy = target / path.relative_to(top)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def built(target: Path) -> None:
    """Copy kernel, image, launcher, code of guests and endpoints; builds none of them
    but the launcher and the code. Endpoints that are not built are left out.

    Raises UserError if one is not built, or if the kernel is not linked statically.
    """
    from mpbench import endpoints, image, kernel
    from mpbench.backends import guest_snapshot
    from mpbench.kernel import launcher

    linux, root, program = kernel.find(), image.find(), launcher.find()
    for path in (linux.path, program):
        if _wants_loader(path):
            raise UserError(
                f"{path}: needs a C library of the host; link it statically"
            )
    _copy(linux.folder, KERNEL_FILES, target / "kernel")
    _copy(root.path.parent, IMAGE_FILES, target / "image")
    pack_image(root.path, target / "image")
    _copy(program.parent, (program.name, f"{program.name}.sha256"), target / "launcher")
    code = guest_snapshot.snapshot(linux.path, root)
    _pack(code, target / "code" / f"{code.name}.tar")
    for name in endpoints.NAMES:
        found = endpoints.lookup(name)
        if found is None:
            print(f"packing: without the endpoint '{name}', which is not built")
            continue
        _copy(found.folder, endpoints.FILES, target / "endpoints" / name)


def about(commit: str | None) -> str:
    """The content of about.json."""
    import mpbench

    facts = {"format": 1, "version": mpbench.__version__, "commit": commit}
    return json.dumps(facts, indent=2) + "\n"


def _copy(folder: Path, names: Iterable[str], target: Path) -> None:
    target.mkdir(parents=True)
    for name in names:
        if not (folder / name).is_file():
            raise UserError(f"{folder}: has no {name}; build it again with --force")
        shutil.copy(folder / name, target / name)


def pack_image(image: Path, folder: Path) -> None:
    """Write the root image to a folder, packed as `mpbench.image.packed` reads it."""
    target = folder / f"{image.name}{packed.SUFFIX}"
    target.write_bytes(lzma.compress(image.read_bytes(), preset=PRESET))


def _pack(folder: Path, target: Path) -> None:
    """One uncompressed archive, the same bytes on every machine, and its hash."""
    target.parent.mkdir(parents=True)
    with tarfile.open(target, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.add(path, path.relative_to(folder).as_posix(), filter=plain)
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    target.with_suffix(".sha256").write_text(digest)


def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """A member of an archive without date and owner."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    member.mode = 0o755 if member.mode & 0o100 else 0o644
    return member


def _wants_loader(program: Path) -> bool:
    """Whether an ELF file names a dynamic linker."""
    with program.open("rb") as file:
        return b"/ld-linux-x86-64.so" in file.read(4096)
