"""Writes a folder as an EROFS image: one file, with the same bytes on any machine."""

from pathlib import Path

from mpbench.errors import UserError
from mpbench.image import deb, tree
from mpbench.kernel.shell import Shell

UUID = "6d706265-6e63-4680-8000-726f6f740001"
"""Fixed, because it would be drawn at random; no guest reads it."""
OPTIONS = ("--quiet", "--all-root", "-T0", "-x-1", f"-U{UUID}")
"""Every file belongs to root and has the date 0; no extended attributes."""
PROGRAM = "usr/bin/mkfs.erofs"


def write(
    shell: Shell, utilities: Path, root: Path, image: Path, scratch: Path
) -> None:
    """Write the folder `root` to the new file `image`.

    utilities : the package erofs-utils; its libraries are in `root`
    scratch : an empty folder
    """
    with deb.files(utilities) as archive:
        tree.unpack(archive, scratch, prune=False)
    made = scratch / PROGRAM
    if not made.is_file():
        raise UserError(f"{utilities.name}: no {PROGRAM} in it")
    shell.run([*tree.program(root, made), *OPTIONS, str(image), str(root)])
