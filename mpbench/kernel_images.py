"""Kernel images that an experiment file names for QEMU.

The version and hashes take the place of the file when an experiment is read, and the
cache keeps a copy, so that results need the file no more.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jobs import writing
from jobs.linux import Binary
from mpbench.errors import UserError
from mpbench.spec.document import Document
from mpbench.spec.messages import shortened

KEY = "kernels"


def in_place(
    document: Document,
    folder: Path,
    locked: Mapping[str, Binary],
    lock_name: str,
    again: bool = False,
) -> Document:
    """The document with version and hashes of every image that a kernel names.

    folder : the folder that names of files are relative to
    locked : images of the lock file, by label; lock_name : the name of that file
    again : whether an image that is not as it was locked is taken

    Raises UserError, `file:line: what`, for a file that is no kernel, and for another
    one than was locked.
    """
    from mpbench.backends.qemu import images

    labels = document.values.get(KEY)
    changed: dict[Any, Any] = {}
    for label, kernel in labels.items() if isinstance(labels, dict) else ():
        if not _asks(kernel):
            continue
        at = f"{KEY}.{shortened(label)}"
        where = document.where((KEY, label, "image"))
        named = kernel.get("modules")
        try:
            found = images.read(
                _path(folder, kernel["image"]), _path(folder, named) if named else None
            )
        except UserError as error:
            shown = shortened(kernel["image"], 200)
            raise UserError(f"{where}: {at}.image: {shown}: {error}") from None
        known = None if again else locked.get(label)
        if known is not None and known != found:
            remedy = f"`mpbench kernel lock {document.name}` takes it"
            raise UserError(
                f"{where}: {at}.image: Linux {found.version} with SHA-256"
                f" {found.sha256[:12]}, and {lock_name} has Linux {known.version} with"
                f" {known.sha256[:12]}; {remedy}"
            )
        changed[label] = {**kernel, "binary": writing.plain(found)}
    if not changed:
        return document
    assert isinstance(labels, dict)
    values = {**document.values, KEY: {**labels, **changed}}
    return replace(document, values=values, rewritten=True)


def _asks(kernel: Any) -> bool:
    """Whether a kernel has an image to be read; a faulty one is told elsewhere."""
    if not isinstance(kernel, dict) or "binary" in kernel:
        return False
    texts = (kernel.get("image"), kernel.get("modules", ""))
    return kernel.get("machine") == "qemu" and all(
        isinstance(text, str) and "\0" not in text for text in texts
    )


def _path(folder: Path, name: str) -> Path:
    try:
        return folder / Path(name).expanduser()
    except RuntimeError as error:
        raise UserError(str(error)) from None
