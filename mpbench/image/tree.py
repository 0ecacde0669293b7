"""Makes the root's folder from packages' files, as an ordinary user.

No maintainer script runs. What those would have done, and what a guest needs of it, is
in `choice`: links, files, and the cache of the dynamic linker.
"""

import os
import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from mpbench.errors import UserError
from mpbench.image import choice, deb
from mpbench.kernel.shell import Shell

LINKER = "usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
LIBRARIES = "usr/lib/x86_64-linux-gnu"
MERGED = {
    first: target
    for first, target in choice.LINKS.items()
    if first in ("bin", "lib", "lib64", "sbin")
}


def make(shell: Shell, packages: Iterable[Path], root: Path) -> None:
    """Fill the new folder `root`. Modes and links enter the image; owners and dates of
    the files do not.
    """
    root.mkdir()
    for name, target in MERGED.items():
        (root / target).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    for package in packages:
        with deb.files(package) as archive:
            unpack(archive, root, prune=True)
    for name in choice.FOLDERS:
        (root / name).mkdir(parents=True, exist_ok=True)
    for name, text in choice.FILES.items():
        (root / name).write_text(text)
    for name, target in choice.LINKS.items():
        if name not in MERGED and not (root / name).is_symlink():
            (root / name).symlink_to(target)
    (root / "tmp").mkdir(exist_ok=True)
    _make_linker_cache(shell, root)
    _compile_python(shell, root)
    _remove_empty(root / "usr/share")
    _set_modes(root)


def unpack(archive: tarfile.TarFile, root: Path, prune: bool) -> None:
    """Write the files of a package below `root`."""
    for member in archive:
        name = merged(member.name)
        if name == "." or (prune and choice.PRUNED.match(name + "/" * member.isdir())):
            continue
        if member.issym() and PurePosixPath(member.name).as_posix() in MERGED:
            continue  # newer releases ship these links
        path = root / name
        if member.isdir():
            if not path.is_symlink():
                path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink() or path.exists():
            path.unlink()
        if member.issym():
            path.symlink_to(member.linkname)
        elif member.islnk():
            os.link(root / merged(member.linkname), path)
        elif member.isfile():
            content = archive.extractfile(member)
            assert content is not None
            with path.open("xb") as file:
                shutil.copyfileobj(content, file)
            path.chmod(member.mode & 0o700 | 0o200)


def merged(name: str) -> str:
    """A member's path below the root, with /bin, /lib and the like below /usr.

    Raises UserError for a path that leads out of the root.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise UserError(f"{name}: a path of a package that leads out of the root")
    if path.parts and path.parts[0] in MERGED:
        path = PurePosixPath(MERGED[path.parts[0]], *path.parts[1:])
    return path.as_posix()


def programs(root: Path) -> list[str]:
    """The names of all programs on a guest's PATH, sorted."""
    found = {
        path.name
        for folder in ("usr/bin", "usr/sbin", "usr/local/bin")
        for path in (root / folder).iterdir()
        if path.is_file() and os.access(path, os.X_OK)
    }
    return sorted(found)


def program(root: Path, name: str | Path) -> list[str]:
    """argv of a program that uses the root's libraries, whatever the machine has."""
    return [
        str(root / LINKER),
        "--library-path",
        str(root / LIBRARIES),
        str(root / name if isinstance(name, str) else name),
    ]


def _make_linker_cache(shell: Shell, root: Path) -> None:
    """Without the cache, programs look for libraries in folders that are named after
    features of the CPU, and each failing look takes virtual time.
    """
    shell.run([str(root / "usr/sbin/ldconfig"), "-X", "-r", str(root)])
    shutil.rmtree(root / "var/cache", ignore_errors=True)


COMPILE = """
import os, py_compile, sys
root = sys.argv[1]
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
for folder in sys.argv[2:]:
    walked = os.walk(os.path.join(root, folder))
    for name in sorted(os.path.join(w, n) for w, _, names in walked for n in names):
        if name.endswith(".py"):
            py_compile.compile(
                name, dfile=name[len(root):], doraise=True, invalidation_mode=unchecked
            )
"""


def _compile_python(shell: Shell, root: Path) -> None:
    """Byte code of Python's library, without which each start would compile it.

    The root's own interpreter makes it. The byte code names files as a guest sees them,
    and depends on no date.
    """
    python = program(root, "usr/bin/python3.11")
    folders = ("usr/lib/python3.11", "usr/lib/python3/dist-packages")
    environment = {"PYTHONHOME": str(root / "usr"), "PYTHONHASHSEED": "0"}
    shell.run(
        [*python, "-S", "-c", COMPILE, str(root), *folders], environment=environment
    )


def _remove_empty(folder: Path) -> None:
    for where, _, _ in os.walk(folder, topdown=False):
        if not any(Path(where).iterdir()):
            Path(where).rmdir()


def _set_modes(root: Path) -> None:
    """The user's umask has no influence."""
    for where, _, names in os.walk(root):
        Path(where).chmod(0o755)
        for path in (Path(where, name) for name in names):
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
    for name in ("tmp", "var/tmp"):
        (root / name).chmod(0o1777)
