"""The root that a guest sees: a root image, or for developers the host's own files."""

import os
from dataclasses import dataclass
from pathlib import Path

from mpbench import image
from mpbench.backends import confinement, guest_code
from mpbench.errors import UserError

HOST, IMAGE = "host", "image"
KINDS = (HOST, IMAGE)
VARIABLE = "MPBENCH_ROOT"
"""The environment variable that names the kind of root."""
DEFAULT = IMAGE
CODE = "/run/code"
"""Folder in which a guest with a root image sees mpbench's code
(kernel/guest/init.c)."""


@dataclass(frozen=True)
class Root:
    """A root, and what of the host belongs to it.

    lines : tell the guest's first process (boot/root)
    code : where the guest's programs see mpbench's code
    reads : files and folders of the host that the guest may read
    lists : folders of the host whose names the guest may list
    """

    kind: str
    lines: tuple[str, ...]
    code: str
    reads: tuple[Path, ...]
    lists: tuple[Path, ...] = ()


def kind() -> str:
    """The kind of root that the user asks for. Raises UserError for an unknown one."""
    named = os.environ.get(VARIABLE) or DEFAULT
    if named not in KINDS:
        raise UserError(f"{VARIABLE}={named}: unknown; known are {', '.join(KINDS)}")
    return named


def host() -> Root:
    """The host's programs, and mpbench's code where it lies."""
    reads = (*map(Path, confinement.SYSTEM), *_own(), guest_code.folder().resolve())
    return Root(HOST, ("host",), str(guest_code.SOURCE), reads, (guest_code.SOURCE,))


def from_image(made: image.Image, code: Path | None = None) -> Root:
    """The root image, with a folder of the host's in the place of the code.

    code : a snapshot of the code (guest_snapshot); None for the code where it lies
    """
    folder = made.path.parent.resolve()
    source = guest_code.SOURCE if code is None else code.resolve()
    lines = ("image", str(folder), str(source))
    if code is None:
        return Root(IMAGE, lines, CODE, (folder, *_own()), (source,))
    return Root(IMAGE, lines, CODE, (folder, source))


def _own() -> tuple[Path, ...]:
    source = guest_code.SOURCE
    names = ("mpbench", "jobs", "tools", "topologies")
    return tuple(source / name for name in names)
