"""Unpacks the part of Linux that a kernel for ARCH=um can need.

All Kconfig files and Makefiles are unpacked. The sources of hardware drivers and of
other architectures are left out, 1.1 of 1.7 GB. If a configuration fragment asks for
a driver in one of these folders, make says that it has no rule for the driver's
object. Then remove the folder's name here.
"""

import hashlib
import lzma
import tarfile
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel.shell import Shell

ARCHITECTURES = (
    "alpha",
    "arc",
    "arm",
    "arm64",
    "csky",
    "hexagon",
    "loongarch",
    "m68k",
    "microblaze",
    "mips",
    "nios2",
    "openrisc",
    "parisc",
    "powerpc",
    "riscv",
    "s390",
    "sh",
    "sparc",
    "xtensa",
)
WHOLE = (
    *(f"arch/{name}/boot" for name in ARCHITECTURES),
    *(f"Documentation/{letter}*" for letter in "ABCDEFGHIJLNOPQRSTUVWXYZ"),
    "Documentation/[a-z]*",
    "tools/testing",
    "tools/perf",
    ".git",
    ".pc",
)
"""Folders that are left out as a whole. Of Documentation, two files at its top are
unpacked."""

SOURCES = (
    "gpu",
    "media",
    "staging",
    "scsi",
    "infiniband",
    "usb",
    "iio",
    "video",
    "accel",
    "clk",
    "pinctrl",
    "phy",
    "mtd",
    "hwmon",
    "crypto",
    "regulator",
    "net/ethernet",
    "net/wireless",
    "net/dsa",
    "net/phy",
    "net/can",
    "net/usb",
    "input",
    "power",
    "platform",
    "soc",
    "leds",
    "rtc",
    "spi",
    "i2c",
    "mfd",
    "gpio",
    "md",
    "target",
    "s390",
    "comedi",
    "bluetooth",
    "remoteproc",
)
"""Folders of drivers/ whose sources are left out; their other files are unpacked."""

THINNED = (
    *(f"arch/{name}" for name in ARCHITECTURES),
    *(f"drivers/{name}" for name in SOURCES),
    "sound",
    "samples",
)


def excludes(top: str) -> list[str]:
    """Options for tar.

    top : the name of the folder in the archive that has the tree
    """
    patterns = [f"{top}/{name}" for name in WHOLE]
    patterns += [f"{top}/{folder}/*.[chS]" for folder in THINNED]
    return ["--anchored", *(f"--exclude={pattern}" for pattern in patterns)]


def rules() -> str:
    """Identifies the files that are left out.

    A tree that was unpacked by other rules is unpacked again.
    """
    return hashlib.sha256("\n".join(excludes("")).encode()).hexdigest()[:8]


def unpack(shell: Shell, source: Path, target: Path) -> None:
    """Unpack a tarball, or copy a tree, to the new folder `target`."""
    target.mkdir()
    write = ["tar", "--extract", "--file=-", "--no-same-owner", "--strip-components=1"]
    if source.is_dir():
        read = ["tar", "--create", "--file=-", *excludes("."), "."]
        shell.run(
            [*write, f"--directory={target}"],
            source=[*read[:1], f"--directory={source}", *read[1:]],
        )
        return
    top = _top(source)
    shell.run([*write, f"--directory={target}", *excludes(top)], source=_expand(source))


SELFTESTS = ("net/lib.sh", "net/net_helper.sh", "net/lib/sh", "net/mptcp")
"""Files of upstream's tests of MPTCP, below tools/testing/selftests. No release has all
of them."""
ANY_SELFTESTS = ("net/*.sh", "net/lib/*", "net/mptcp")
"""The same as patterns of tar, each of which fits a file in every release, and some
more."""


def selftests(shell: Shell, source: Path, target: Path) -> None:
    """Copy upstream's tests of MPTCP from a tarball or tree to the new `target`."""
    target.mkdir()
    if source.is_dir():
        top, read = "tools", ["tar", "--create", "--file=-", f"--directory={source}"]
        names = [
            name
            for name in SELFTESTS
            if (source / "tools/testing/selftests" / name).exists()
        ]
        read += [f"tools/testing/selftests/{name}" for name in names]
        depth = 3
    else:
        top, read, names = f"{_top(source)}/tools", _expand(source), [*ANY_SELFTESTS]
        depth = 4 + _top(source).count("/")
    write = ["tar", "--extract", "--file=-", "--no-same-owner"]
    write += [f"--strip-components={depth}", f"--directory={target}", "--wildcards"]
    write += ["--no-wildcards-match-slash"]
    members = [f"{top}/testing/selftests/{name}" for name in names]
    shell.run([*write, *members], source=read)


def _expand(tarball: Path) -> list[str]:
    """The command that writes a tarball without its compression."""
    names = {
        ".xz": ["xz", "-dc", "-T0"],
        ".gz": ["gzip", "-dc"],
        ".bz2": ["bzip2", "-dc"],
    }
    return [*names.get(tarball.suffix, ["cat"]), str(tarball)]


def _top(tarball: Path) -> str:
    """The folder in a tarball that has all its members."""
    try:
        with tarfile.open(tarball, "r|*") as archive:
            member = archive.next()
    except (OSError, EOFError, tarfile.TarError, lzma.LZMAError) as error:
        raise UserError(
            f"{tarball}: not a tarball of Linux: {error}; give linux-*.tar.xz or an "
            "unpacked tree"
        ) from error
    if member is None:
        raise UserError(f"{tarball}: the tarball is empty; give linux-*.tar.xz")
    name = member.name.removeprefix("./")
    return member.name[: len(member.name) - len(name)] + name.split("/")[0]


def version(tree: Path) -> str:
    """The version of Linux ('7.3.4'), from the Makefile at the top of the tree."""
    values = {}
    try:
        lines = (tree / "Makefile").read_text(errors="replace").splitlines()[:20]
    except OSError as error:
        raise UserError(
            f"{tree}: not a source tree of Linux: no Makefile in it"
        ) from error
    for line in lines:
        name, equals, value = line.partition("=")
        if equals:
            values[name.strip()] = value.strip()
    if not {"VERSION", "PATCHLEVEL", "SUBLEVEL"} <= values.keys():
        raise UserError(f"{tree}/Makefile: not the Makefile of a source tree of Linux")
    numbers = [values[name] for name in ("VERSION", "PATCHLEVEL", "SUBLEVEL")]
    return ".".join(numbers) + values.get("EXTRAVERSION", "")
