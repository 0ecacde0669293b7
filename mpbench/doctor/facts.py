"""Examine a machine. `findings` judges the facts; tests make them up."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mpbench import carried, image, kernel
from mpbench.backends import boot, confinement, requirements, roots, tools
from mpbench.backends.qemu import machine
from mpbench.backends.tools import Tool
from mpbench.engine import cpus
from mpbench.errors import UserError
from mpbench.kernel import cache
from mpbench.kernel import tools as kernel_tools

BUILD = tuple(Tool(*named) for named in kernel_tools.PACKAGES.items())
"""The tools that the build of the guest kernel needs."""
BOOT_DEADLINE_S = 30.0
LAST_WORDS = b"mpbench: exit 0"


@dataclass(frozen=True)
class Folder:
    """A folder, which need not exist yet.

    free_bytes : the free space of its disk
    runs : whether programs in it may be executed
    """

    path: Path
    free_bytes: int
    writable: bool
    runs: bool = True


@dataclass(frozen=True)
class Facts:
    """Features of a machine.

    kernel : the guest kernel's key; None if it is not built
    root : the kind of root that guests see (`roots.KINDS`)
    image : the hash of the root image; None if it is not built
    boot_s : wall seconds from a guest's start to its end; None if it failed or was not
        tried
    boot_error : why the boot failed
    packages : the version of each Debian package; None where dpkg knows none
    cpus : the number of CPUs that runs can be pinned to
    native : the requirements of the native backend
    launcher : why the program that confines guests cannot be compiled; empty if it can
    barriers : those that confine a guest (`confinement.BARRIERS`), as offered here;
        without the launcher, namespaces cannot be tried and are not among them
    landlock : the version of Landlock, 0 without it
    fixed_addresses : whether a process can have the same addresses in every run
    carried : whether the kernel came in a wheel, so that nothing has to be built
    """

    kernel: str | None
    root: str
    image: str | None
    boot_s: float | None
    boot_error: str
    present: frozenset[Tool]
    packages: Mapping[str, str | None]
    cpus: int
    memory_bytes: int
    memory_folder: Folder
    cache: Folder
    results: Folder
    native: Sequence[requirements.Need]
    launcher: str
    barriers: Sequence[str]
    landlock: int
    fixed_addresses: bool
    carried: bool = False


def look(results: Path = Path("results")) -> Facts:
    """Examine this machine. One guest is booted if all it needs is there."""
    every = (*tools.GUEST, machine.TOOL, *BUILD)
    version, built = _kernel()
    root, image_hash = _root()
    no_launcher, barriers = _barriers()
    fixed = confinement.fixed_addresses()
    boot_s, boot_error = None, ""
    if built and (image_hash or root == roots.HOST) and not no_launcher and fixed:
        boot_s, boot_error = _boot(built, root)
    return Facts(
        kernel=version,
        root=root,
        image=image_hash,
        boot_s=boot_s,
        boot_error=boot_error,
        present=frozenset(tool for tool in every if tool.found()),
        packages=tools.versions(every),
        cpus=len(cpus.pinnable()),
        memory_bytes=_available_memory(),
        memory_folder=_folder(confinement.memory_folder()),
        cache=_folder(cache.root()),
        results=_folder(results),
        native=requirements.needs(requirements.look()),
        launcher=no_launcher,
        barriers=barriers,
        landlock=confinement.landlock_version(),
        fixed_addresses=fixed,
        carried=(built or Path()).is_relative_to(carried.FOLDER),
    )


def _kernel() -> tuple[str | None, Path | None]:
    try:
        found = kernel.find()
    except UserError:
        return None, None
    return found.key, found.path


def _root() -> tuple[str, str | None]:
    """The kind of root, and the hash of the image if that is built."""
    kind = roots.kind()
    try:
        return kind, image.find().sha256
    except UserError:
        return kind, None


def _barriers() -> tuple[str, Sequence[str]]:
    """Reason why there is no launcher, and the barriers that this host offers."""
    try:
        return "", confinement.offered()
    except UserError as error:
        return str(error), ("landlock",) if confinement.landlock_version() else ()


def _boot(built: Path, kind: str) -> tuple[float | None, str]:
    """Duration of an idle guest, and the reason why it failed if it did."""
    root = roots.host() if kind == roots.HOST else roots.from_image(image.find())
    with tempfile.TemporaryDirectory(prefix="mpbench-") as name:
        boot.write(boot.Orders(("/bin/true",), BOOT_DEADLINE_S), Path(name), root)
        began_s = time.monotonic()
        try:
            done = subprocess.run(
                boot.LAB.command(built, None, root),
                cwd=name,
                env=boot.environment(1),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=BOOT_DEADLINE_S,
            )
        except subprocess.TimeoutExpired:
            return None, f"a guest does not end within {BOOT_DEADLINE_S:g} s"
        except UserError as error:
            return None, str(error)
        except OSError as error:
            return None, f"{error.filename}: {error.strerror}"
        if LAST_WORDS in done.stdout:
            return time.monotonic() - began_s, ""
    words = done.stdout.decode(errors="replace").split("\n")
    return None, next((line.strip() for line in reversed(words) if line.strip()), "")


def _available_memory() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def _folder(path: Path) -> Folder:
    """A folder, judged by its nearest existing ancestor."""
    there = path.absolute()
    while not there.exists():
        there = there.parent
    runs = not os.statvfs(there).f_flag & os.ST_NOEXEC
    writable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    return Folder(path, shutil.disk_usage(there).free, writable, runs)
