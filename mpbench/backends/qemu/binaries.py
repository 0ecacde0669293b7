"""Finished kernels, of Debian's packages or the user's, in the user's cache folder.

    ~/.cache/mpbench/binaries/KEY/
      vmlinuz          the kernel
      modules/         those of its modules that a run may need
      info.json        the packages or the image, and the SHA-256 of the kernel

KEY is a hash of the packages' hashes, or of those of the image and its modules. The
folder gets its name when it is complete.
"""

import hashlib
import json
import lzma
import re
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from jobs import writing
from jobs.linux import Linux
from mpbench.errors import UserError
from mpbench.image import deb, fetch
from mpbench.image.lock import Package
from mpbench.kernel import cache
from mpbench.kernel.lock import exclusive
from mpbench.kernel.progress import Progress
from mpbench.kernel.shell import Shell
from mpbench.kernel.suites import dropped

METHOD = "1"
"""Enters every key. Raise it when a change of this file changes what is unpacked."""
KERNEL = "vmlinuz"
MODULES = "modules"
KERNEL_PATH = re.compile(r"(?:usr/)?(?:boot/vmlinuz-|lib/modules/[^/]+/vmlinuz).*")
MODULE_PATH = re.compile(
    r"(?:usr/)?lib/modules/[^/]+/kernel/((?:[a-z0-9_-]+/)*)"
    r"([A-Za-z0-9_-]+)\.ko(\.xz)?"
)
KEPT = (
    "crypto/",
    "drivers/block/loop",
    "drivers/net/dummy",
    "drivers/net/ifb",
    "drivers/net/mii",
    "drivers/net/veth",
    "fs/erofs/",
    "fs/fscache/",
    "fs/netfs/",
    "fs/nls/",
    "fs/overlayfs/",
    "lib/",
    "net/",
)
"""The beginnings of the paths of modules that are kept, below Linux's own folder."""
MOST_BYTES = 64 << 20
"""The largest kernel or module that is taken."""


@dataclass(frozen=True)
class Binary:
    """A kernel of Debian's or the user's, ready to boot.

    folder : in the cache
    sha256 : of the file `kernel`
    """

    folder: Path
    sha256: str

    @property
    def kernel(self) -> Path:
        return self.folder / KERNEL

    @property
    def modules(self) -> Path:
        return self.folder / MODULES


def module_name(name: str) -> str:
    """A module's name, in which Linux makes no difference between - and _."""
    return name.replace("-", "_")


def folder() -> Path:
    return cache.root() / "binaries"


def key(linux: Linux) -> str:
    """The name of a kernel in the cache."""
    words = [METHOD, *(package.sha256 for package in linux.packages)]
    if linux.binary is not None:
        words += ["image", linux.binary.sha256, linux.binary.modules or ""]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]


def find(linux: Linux) -> Binary:
    """The kernel of a job, fetched and unpacked if the cache does not have it.

    Raises UserError, one line, if a package cannot be had or is no kernel's, and if the
    file in the cache is not the one that was unpacked.
    """
    place = folder() / key(linux)
    ready = look(place)
    if ready is None and linux.binary is not None:
        raise UserError(
            f"{linux.words}: its file (SHA-256 {linux.binary.sha256}) is not in the"
            " cache; `mpbench plan` of an experiment file that names it puts it there"
        )
    if ready is None:
        ready = _make(linux, place)
    if fetch.digest(ready.kernel) != ready.sha256:
        raise UserError(
            f"{ready.kernel}: not the kernel that was unpacked (its hash is another"
            f" one); remove {place}, and it is fetched again"
        )
    return ready


def look(place: Path) -> Binary | None:
    """The kernel in a folder of the cache; None if there is none."""
    try:
        return Binary(place, str(cache.facts(place / "info.json")["sha256"]))
    except KeyError:
        return None


def _make(linux: Linux, place: Path) -> Binary:
    output = Progress()
    with ExitStack() as stack:
        stack.enter_context(exclusive(place.parent, output.say))
        if (ready := look(place)) is not None:
            return ready
        cache.remove(place.parent.glob(f"{cache.NEW}*"))
        prefix = stack.enter_context(
            tempfile.TemporaryDirectory(prefix=cache.NEW, dir=place.parent)
        )
        work = Path(prefix)
        shell = Shell(work / "log")
        stack.callback(shell.close)
        with output.step("fetch", linux.words):
            files = obtain(shell, linux, work)
        new = work / "new"
        with output.step("unpack", linux.words):
            unpack(files, new)
        info = {
            "format": 1,
            "packages": writing.plain(linux.packages),
            "sha256": fetch.digest(new / KERNEL),
        }
        (new / "info.json").write_text(json.dumps(info, indent=1) + "\n")
        new.rename(place)
    made = look(place)
    assert made is not None
    return made


def obtain(shell: Shell, linux: Linux, work: Path) -> list[Path]:
    """The files of a kernel's packages, each with the pinned SHA-256.

    Raises UserError that names the packages that cannot be had.
    """
    wanted = [
        Package(p.name, p.version, p.suite, p.bytes, p.sha256, p.path)
        for p in linux.packages
    ]
    found = {package: fetch.mirrored(package, work) for package in wanted}
    missing = [package for package, path in found.items() if path is None]
    if missing:
        arrived, _ = fetch.download(shell, missing, work)
        found.update(arrived)
    gone = [package for package, path in found.items() if path is None]
    if gone:
        raise dropped(
            fetch.named(gone),
            [package.file for package in gone],
            "name another release",
        )
    return [path for path in found.values() if path is not None]


def unpack(packages: Sequence[Path], target: Path) -> None:
    """Write the kernel and its modules to a new folder.

    Raises UserError for packages that have no kernel, or two.
    """
    target.mkdir()
    for package in packages:
        with deb.files(package) as archive:
            for member in archive:
                if member.isfile():
                    _keep(archive, member, target, package.name)
    if not (target / KERNEL).is_file():
        raise UserError(f"{packages[0].name}: no {KERNEL} in the kernel's packages")


def _keep(
    archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path, package: str
) -> None:
    """Write a package's file, if it belongs to what a run needs."""
    name = PurePosixPath(member.name).as_posix()
    compressed = False
    if KERNEL_PATH.fullmatch(name):
        path = target / KERNEL
    elif found := MODULE_PATH.fullmatch(name):
        if not f"{found[1]}{found[2]}".startswith(KEPT):
            return
        path = target / MODULES / f"{module_name(found[2])}.ko"
        compressed = found[3] is not None
    else:
        return
    content = archive.extractfile(member)
    if content is None or path.exists():
        raise UserError(f"{package}: {name}: there is another one already")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(_bytes(content, compressed, f"{package}: {name}"))


def _bytes(content: IO[bytes], compressed: bool, place: str) -> bytes:
    """At most MOST_BYTES of a file, unpacked."""
    try:
        if compressed:
            with lzma.open(content) as packed:
                found = packed.read(MOST_BYTES + 1)
        else:
            found = content.read(MOST_BYTES + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise UserError(f"{place}: {error}") from None
    if len(found) > MOST_BYTES:
        raise UserError(f"{place}: larger than {MOST_BYTES >> 20} MiB")
    return found
