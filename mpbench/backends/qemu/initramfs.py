"""The first file system of a machine: an archive per kernel, and one per run.

    init            the first process (kernel/guest/qemu-init.c)
    modules/        the kernel's modules, and `list` with their order
    image/          the root image
    tools/, code/   the guest's own programs, and mpbench's code
    run/            the run's folder: the job, and the orders to the first process

That of the run stands behind the kernel's in one file. Linux unpacks both.
"""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import IO

from mpbench.backends import read_tools
from mpbench.backends.qemu import modules
from mpbench.backends.qemu.binaries import Binary
from mpbench.backends.qemu.cpio import Writer
from mpbench.errors import UserError
from mpbench.image import Image

METHOD = "1"
"""Enters every identity. Raise it when a change of this file changes a machine."""
INIT = "init"
TOOLS: read_tools.Products = {
    INIT: ("qemu-init.c", ("-O2", "-static")),
    "mpbench-flows": ("flows", ("-O2", "-static")),
    "mpbench-read": ("mpbench-read.c", ("-O2", "-static")),
    "libmpbench-read.so": ("read-library.c", ("-O2", "-shared", "-fPIC")),
}
PREFIX = "initramfs-"
LEFT_OUT = ("artefacts",)
"""Folders of a run's folder that the machine makes itself."""


def of_kernel(binary: Binary, image: Image, code: Path) -> Path:
    """The archive that all runs of a kernel share; made once, in the kernel's folder.

    code : the folder with mpbench's code and its byte code
    Raises UserError if it cannot be written, or if the tools do not compile.
    """
    tools = read_tools.folder(products=TOOLS)
    words = (METHOD, binary.sha256, image.sha256, code.name, tools.name)
    name = hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]
    place = binary.folder / f"{PREFIX}{name}.cpio"
    if place.is_file():
        return place
    try:
        with tempfile.TemporaryDirectory(dir=binary.folder, prefix=".new-") as work:
            made = Path(work) / place.name
            with made.open("wb") as output:
                write(output, binary, image.path, code, tools)
            for old in binary.folder.glob(f"{PREFIX}*"):
                old.unlink(missing_ok=True)
            made.rename(place)
    except OSError as error:
        raise UserError(
            f"cannot keep the machine's files in {binary.folder}: {error.strerror};"
            " make it writable, or set XDG_CACHE_HOME"
        ) from error
    return place


def write(
    output: IO[bytes], binary: Binary, image: Path, code: Path, tools: Path
) -> None:
    """Write the archive of a kernel.

    image : the file with the root image
    tools : the folder with the programs of TOOLS
    """
    archive = Writer(output)
    archive.folder("dev")
    archive.device("dev/console", 5, 1)
    archive.file(INIT, tools / INIT, 0o755)
    listed = modules.ordered(binary.modules)
    for file in listed:
        archive.file(f"modules/{file.name}", file)
    names = "".join(f"{file.name}\n" for file in listed)
    archive.text("modules/list", names)
    archive.file("image/root.erofs", image)
    for name in TOOLS:
        if name != INIT:
            archive.file(f"tools/{name}", tools / name, 0o755)
    archive.tree("code", code)
    archive.close()


def of_run(shared: Path, directory: Path, target: Path) -> None:
    """Write the archive of a kernel, and behind it that of a run.

    directory : the run's folder, with its job and its orders
    """
    shutil.copyfile(shared, target)
    with target.open("r+b") as output:
        output.seek(0, os.SEEK_END)
        archive = Writer(output)
        archive.folder("run/artefacts")
        for path in sorted(directory.iterdir()):
            if path.name in LEFT_OUT or path.is_symlink():
                continue
            if path.is_dir():
                archive.tree(f"run/{path.name}", path)
            elif path.is_file():
                archive.file(f"run/{path.name}", path)
        archive.close()
