"""Kernel images of the user's own, copied into the cache of kernels for QEMU.

The head of an image for x86 is described in Linux, in Documentation/arch/x86/boot.rst.
"""

import gzip
import hashlib
import json
import lzma
import shutil
import struct
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from jobs import reading, writing
from jobs.linux import Binary, Linux
from mpbench.backends.qemu import binaries, modules
from mpbench.errors import UserError
from mpbench.kernel import cache
from mpbench.kernel.lock import exclusive
from mpbench.kernel.progress import Progress

HEAD_BYTES = 0x268
MAGIC_AT, MAGIC = 0x202, b"HdrS"
PROTOCOL = struct.Struct("<H")
PROTOCOL_AT, OLDEST = 0x206, 0x020C
"""Since this version of the protocol, an image says whether it is of 64 bits."""
VERSION_AT, VERSION_OFFSET, VERSION_BYTES = 0x20E, 0x200, 128
FLAGS_AT, IS_64_BIT = 0x236, 1
WORKS = "arch/x86/boot/bzImage of a kernel for x86-64 works"
MOST_MODULES = 20_000
MOST_MODULE_BYTES = 512 << 20


def read(image: Path, folder: Path | None) -> Binary:
    """The version and hashes of an image, which is copied into the cache.

    folder : with its modules; None if it needs none

    Raises UserError, one line, for a file that is no kernel for x86-64, and for a
    folder without modules of Linux.
    """
    content = _content(image)
    version = version_of(content)
    held = dict(_modules(folder)) if folder is not None else {}
    sums = {name: hashlib.sha256(module).hexdigest() for name, module in held.items()}
    text = "".join(f"{name} {sums[name]}\n" for name in sorted(sums))
    about = {
        "version": version,
        "sha256": hashlib.sha256(content).hexdigest(),
        "modules": hashlib.sha256(text.encode()).hexdigest() if held else None,
    }
    try:
        found = reading.reader(Binary)(about)
    except ValueError as error:
        raise UserError(f"{error}; {WORKS}") from None
    assert isinstance(found, Binary)
    _keep(found, content, held)
    return found


def version_of(content: bytes) -> str:
    """The version of Linux in an image. Raises UserError for what is no image."""
    if len(content) < HEAD_BYTES or content[MAGIC_AT:][:4] != MAGIC:
        raise UserError(f"no kernel image for x86-64; {WORKS}")
    protocol, offset, flags = (
        PROTOCOL.unpack_from(content, at)[0]
        for at in (PROTOCOL_AT, VERSION_AT, FLAGS_AT)
    )
    if protocol < OLDEST or not flags & IS_64_BIT:
        raise UserError(f"a kernel image, but not for x86-64; {WORKS}")
    text = content[VERSION_OFFSET + offset :][:VERSION_BYTES].partition(b"\0")[0]
    words = text.decode("ascii", "replace").split()
    if not offset or not words:
        raise UserError(f"a kernel image that does not say its version; {WORKS}")
    return words[0]


def _content(image: Path) -> bytes:
    try:
        if not image.is_file():
            reason = "is no file" if image.exists() else "no such file"
            raise UserError(f"{reason}; {WORKS}")
        with image.open("rb") as file:
            content = file.read(binaries.MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot be read: {error}") from None
    if len(content) > binaries.MOST_BYTES:
        raise UserError(f"larger than {binaries.MOST_BYTES >> 20} MiB; {WORKS}")
    return content


def _modules(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The modules that a run may need, with the modules that these need."""
    if not folder.is_dir():
        raise UserError("no such folder; name what `make modules_install` wrote")
    listed: dict[str, Path] = {}
    for number, path in enumerate(folder.rglob("*.ko*")):
        if number >= MOST_MODULES:
            raise UserError(f"more than {MOST_MODULES} modules; name those of a kernel")
        name = binaries.module_name(path.name.partition(".")[0])
        if path.is_symlink() or not path.is_file():
            continue
        other = listed.setdefault(name, path)
        if other != path:
            raise UserError(
                f"has {name} twice ({other.relative_to(folder)} and"
                f" {path.relative_to(folder)}); name the folder of one version"
            )
    if not listed:
        raise UserError("no modules below it; name what `make modules_install` wrote")
    waiting, seen, left = list(modules.WANTED), set[str](), MOST_MODULE_BYTES
    while waiting:
        name = waiting.pop()
        if name in seen or name not in listed:
            continue
        seen.add(name)
        content = _unpacked(listed[name], folder)
        left -= len(content)
        if left < 0:
            raise UserError(f"its modules have more than {MOST_MODULE_BYTES >> 20} MiB")
        waiting += modules.needs_of(content, str(listed[name].relative_to(folder)))
        yield name, content


def _unpacked(path: Path, folder: Path) -> bytes:
    shown = path.relative_to(folder)
    try:
        with ExitStack() as stack:
            packed = stack.enter_context(path.open("rb"))
            file: IO[bytes] | lzma.LZMAFile | gzip.GzipFile = packed
            if path.suffix == ".xz":
                file = stack.enter_context(lzma.open(packed))
            elif path.suffix == ".gz":
                file = stack.enter_context(gzip.open(packed))
            elif path.suffix != ".ko":
                reason = "packed in a way that is not known here; xz and gzip work"
                raise UserError(f"{shown}: {reason}")
            content = file.read(binaries.MOST_BYTES + 1)
    except (OSError, lzma.LZMAError, EOFError, zlib.error) as error:
        raise UserError(f"{shown}: {error}") from None
    if len(content) > binaries.MOST_BYTES:
        raise UserError(f"{shown}: larger than {binaries.MOST_BYTES >> 20} MiB")
    return content


def _keep(binary: Binary, content: bytes, held: dict[str, bytes]) -> None:
    """Write an image and its modules to the cache, unless they are there."""
    place = binaries.folder() / binaries.key(Linux(lab=False, binary=binary))
    if binaries.look(place) is not None:
        return
    try:
        with exclusive(place.parent, Progress().say):
            if binaries.look(place) is not None:
                return
            with tempfile.TemporaryDirectory(
                prefix=cache.NEW, dir=place.parent
            ) as work:
                new = Path(work) / "new"
                (new / binaries.MODULES).mkdir(parents=True)
                (new / binaries.KERNEL).write_bytes(content)
                for name, module in held.items():
                    (new / binaries.MODULES / f"{name}.ko").write_bytes(module)
                about = {
                    "format": 1,
                    "binary": writing.plain(binary),
                    "sha256": binary.sha256,
                }
                (new / "info.json").write_text(json.dumps(about, indent=1) + "\n")
                shutil.rmtree(place, ignore_errors=True)
                new.rename(place)
    except OSError as error:
        raise UserError(
            f"cannot be copied to {place.parent}: {error.strerror}; set XDG_CACHE_HOME"
        ) from error
