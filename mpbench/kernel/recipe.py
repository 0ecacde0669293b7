"""The inputs of a kernel that this repository has.

These are the configuration, the overlay, the patches and the guest's programs.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from jobs.linux import OWN, Linux
from mpbench import carried
from mpbench.errors import UserError
from mpbench.kernel import releases
from mpbench.kernel.releases import Port

SERIES = releases.OWN
"""The release of Linux that the overlay and the patches are written for."""

METHOD = "2"
"""Enters every key. Raise it when a change of this package changes the kernel."""

FOLDER = carried.ROOT / "kernel"

PATCHED = re.compile(r"^\+\+\+ [^/\s]+/(\S+)", re.M)
"""The files that a patch changes."""

EMBEDDED = """\
CONFIG_INITRAMFS_SOURCE="initramfs/list"
CONFIG_INITRAMFS_COMPRESSION_NONE=y
"""

INITRAMFS = """\
dir /dev 755 0 0
nod /dev/console 600 0 0 c 5 1
dir /tools 755 0 0
file /tools/mpbench-flows initramfs/mpbench-flows 755 0 0
file /tools/mpbench-read initramfs/mpbench-read 755 0 0
file /tools/libmpbench-read.so initramfs/libmpbench-read.so 644 0 0
file /init initramfs/init 755 0 0
"""


@dataclass(frozen=True)
class Program:
    """A program of the guest.

    source : its source file in kernel/guest/, or a folder with several
    flags : for gcc
    """

    name: str
    source: str
    flags: tuple[str, ...]

    def files(self, guest: Path) -> list[Path]:
        """All source files, with headers, in order of their names."""
        place = guest / self.source
        return sorted(place.glob("*.[ch]")) if place.is_dir() else [place]

    def content(self, guest: Path) -> bytes:
        """All source files, in a form that changes with their names too."""
        if not (guest / self.source).is_dir():
            return (guest / self.source).read_bytes()
        parts = [(file.name, file.read_bytes()) for file in self.files(guest)]
        return b"".join(f"{n} {len(part)}\n".encode() + part for n, part in parts)

    def units(self, guest: Path) -> list[str]:
        """Files that gcc compiles, relative to kernel/guest/."""
        files = (file for file in self.files(guest) if file.suffix == ".c")
        return [str(file.relative_to(guest)) for file in files]


PROGRAMS = (
    Program("init", "init.c", ("-static",)),
    Program("mpbench-flows", "flows", ("-static",)),
    Program("mpbench-read", "mpbench-read.c", ("-static",)),
    Program("libmpbench-read.so", "read-library.c", ("-shared", "-fPIC", "-ldl")),
)


@dataclass(frozen=True)
class Config:
    """A configuration of the kernel.

    fragments : files in kernel/ with options; the last line of an option counts
    files : how many files a build without objects compiles, for the progress bar
    stock_network : leave out what the overlay and the patches change in Linux's
        network code
    flags : for gcc, after the kernel's own
    """

    fragments: tuple[str, ...]
    files: int
    stock_network: bool = False
    flags: tuple[str, ...] = ()


SELFTESTS = ("guest.config", "debug.config", "selftests.config")
CONFIGS = {
    "guest": Config(("guest.config",), 690),
    "debug": Config(("guest.config", "debug.config"), 740),
    "selftests": Config(SELFTESTS, 1000),
    "selftests-stock": Config(SELFTESTS, 1000, stock_network=True),
}
"""`guest` is the kernel that experiments run in, and `debug` the same with the kernel's
own checks. `selftests` is `debug` with all that upstream's tests of MPTCP need, and
`selftests-stock` the same without our changes to the network code."""


@dataclass(frozen=True)
class Recipe:
    """Everything that determines a kernel, except the source and the compiler.

    own : what a user changes: patches, which are applied after those of `patches`,
        and options
    """

    name: str
    config: Config
    folder: Path
    digest: str
    own: Linux = OWN

    @property
    def port(self) -> Port | None:
        """The data of another release; None for the series of mpbench's own Linux, and
        for a commit of a newer one, which is taken as that series is."""
        series = self.own.series
        if series is None or series == SERIES:
            return None
        if self.own.tree is not None and releases.is_newer(series):
            return None
        return releases.port(series)

    @property
    def label(self) -> str:
        """The recipe in messages."""
        return self.name if self.own == OWN else self.own.words

    @property
    def fragment(self) -> str:
        """The requested options; the last line of an option counts."""
        texts = [(self.folder / name).read_text() for name in self.config.fragments]
        if self.port is not None:
            texts = [self.port.fragment(text) for text in texts]
        options = sorted((self.own.options or {}).items())
        asked = "".join(f"{name}={value}\n" for name, value in options)
        return "".join([*texts, asked, EMBEDDED])

    @property
    def overlay(self) -> dict[str, Path]:
        """The files that are added to the tree, by their path in it."""
        root = self.folder / "overlay"
        files = (path for path in sorted(root.rglob("*")) if path.is_file())
        named = {path.relative_to(root).as_posix(): path for path in files}
        if self.config.stock_network:
            named = {name: path for name, path in named.items() if not _network(name)}
        return named

    @property
    def patches(self) -> list[Path]:
        patches = sorted((self.folder / "patches").glob("*.patch"))
        if self.config.stock_network:
            patches = [
                patch
                for patch in patches
                if not any(map(_network, PATCHED.findall(patch.read_text())))
            ]
        return patches if self.port is None else self.port.series_of(patches)


def _network(name: str) -> bool:
    """Whether a file of Linux belongs to its network code."""
    return name.startswith(("net/", "include/net/"))


def read(name: str) -> Recipe:
    """The recipe of a configuration, with the hash of all its inputs."""
    folder = FOLDER
    if name not in CONFIGS:
        known = ", ".join(CONFIGS)
        raise UserError(f"kernel configuration '{name}': unknown; known are {known}")
    return _whole(name, CONFIGS[name], folder, OWN)


def variant(own: Linux) -> Recipe:
    """The recipe of experiments' kernel with what a user changes in it."""
    config = CONFIGS["guest"]
    if own.lab and own.series not in (None, SERIES):
        raise UserError(
            f"{own.words}: mpbench's network code is for Linux {SERIES};"
            " write lab: none"
        )
    config = replace(config, stock_network=config.stock_network or not own.lab)
    blank = _whole("guest", config, FOLDER, own)
    return replace(blank, name=f"guest-{blank.digest}")


def _whole(name: str, config: Config, folder: Path, own: Linux) -> Recipe:
    """The recipe with the hash of all inputs."""
    if not (folder / config.fragments[0]).is_file():
        raise UserError(
            f"{folder}: no {config.fragments[0]} there; mpbench is not installed as a "
            "whole: install its wheel again, or `pip install -e` in a checkout"
        )
    blank = Recipe(name, config, folder, "", own)
    total = hashlib.sha256()
    for label, content in _inputs(blank):
        total.update(f"{label} {len(content)}\n".encode())
        total.update(content)
    return replace(blank, digest=total.hexdigest()[:16])


def _inputs(recipe: Recipe) -> Iterator[tuple[str, bytes]]:
    yield "method", METHOD.encode()
    yield "series", SERIES.encode()
    if recipe.port is not None:
        yield "port", recipe.port.series.encode()
    yield "fragment", recipe.fragment.encode()
    for name, path in recipe.overlay.items():
        yield f"overlay/{name}", path.read_bytes()
    for path in recipe.patches:
        yield f"patches/{path.name}", path.read_bytes()
    for patch in recipe.own.patches:
        yield "own patch", patch.text.encode()
    if recipe.config.flags:
        yield "flags", " ".join(recipe.config.flags).encode()
    yield "initramfs", INITRAMFS.encode()
    for program in PROGRAMS:
        content = program.content(recipe.folder / "guest")
        yield f"guest/{program.name} {' '.join(program.flags)}", content
