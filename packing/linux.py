"""The subset of Linux that the guest kernel is built of: 83 of 1,700 MB.

Whatever archives keep, a release of mpbench brings the sources of its kernel. They are
a selection from the tarball that is pinned in kernel/linux.lock (`kernel/linux.files`
names it), as one tar archive. Its bytes depend on nothing but the tarball and that
file.
"""

import hashlib
import io
import lzma
import os
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel import pinned, sources
from packing import parts

FILES = parts.TOP / "kernel/linux.files"
KCONFIG = re.compile(r"(.*/)?Kconfig(\.[^/]+)?")
PRESET = 6
"""The highest one takes minutes and saves 5 % of the size."""
MAKE = re.compile(r"(.*/)?(Makefile|Kbuild|Build)(\.[^/]+)?")
OTHERS = re.compile(r"(arch/(?!um/|x86/)[^/]+|tools)/")
DATE = 1767225600
"""Of all files, seconds since 1970; make takes the date 0 for a missing file."""


def write(folder: Path) -> Path:
    """Write the archive of the pinned Linux to a folder.

    Raises UserError if that Linux is not in the cache, or gives another archive than
    the pinned one.
    """
    lock = pinned.read()
    whole = next((s for s in sources.stored() if s.identity == lock.whole), None)
    if whole is None:
        raise UserError(
            f"no Linux {lock.version} in the cache; `mpbench kernel build` fetches it"
        )
    content = archive(whole.tree, lock.top)
    actual = hashlib.sha256(content).hexdigest()
    if actual != lock.subset:
        raise UserError(
            f"{pinned.FILE}: the subset of Linux has the SHA-256 {actual} before it is "
            f"compressed, not {lock.subset}; correct the line `subset`, and see that "
            "the kernel that is built of it has the same bytes"
        )
    target = folder / lock.file
    target.write_bytes(lzma.compress(content, preset=PRESET))
    return target


def archive(tree: Path, top: str) -> bytes:
    """The archive of a tree of Linux; everything in it lies below `top`."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", format=tarfile.USTAR_FORMAT) as packed:
        for name in chosen(every(tree), selection(FILES.read_text())):
            member = packed.gettarinfo(str(tree / name), f"{top}/{name}")
            parts.plain(member).mtime = DATE
            if member.isreg():
                with (tree / name).open("rb") as file:
                    packed.addfile(member, file)
            else:
                packed.addfile(member)
    return output.getvalue()


def selection(text: str) -> re.Pattern[str]:
    """The files that the lines of kernel/linux.files stand for."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return re.compile("|".join(_pattern(line) for line in lines))


def _pattern(line: str) -> str:
    if line.endswith("/**"):
        return re.escape(line.removesuffix("**")) + ".*"
    if line == "*" or line.endswith("/*"):
        return re.escape(line.removesuffix("*")) + "[^/]*"
    return re.escape(line)


def chosen(names: Iterable[str], selected: re.Pattern[str]) -> list[str]:
    """Those of the names that belong to the subset, sorted."""
    return sorted(name for name in names if _belongs(name, selected))


def _belongs(name: str, selected: re.Pattern[str]) -> bool:
    if selected.fullmatch(name) or KCONFIG.fullmatch(name):
        return True
    return bool(MAKE.fullmatch(name)) and not OTHERS.match(name)


def every(tree: Path) -> Iterator[str]:
    """The files and links of a tree, by their path from its top."""
    for where, folders, names in os.walk(tree):
        links = [name for name in folders if Path(where, name).is_symlink()]
        for name in (*names, *links):
            yield Path(where, name).relative_to(tree).as_posix()
