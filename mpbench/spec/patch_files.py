"""Files with patches of Linux, which kernels of an experiment file name.

The texts take the place of the files' names when an experiment is read, so that its
results need the files no more.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from jobs.linux import MOST_PATCH_BYTES, MOST_PATCHES
from mpbench.errors import UserError
from mpbench.spec import text_files
from mpbench.spec.document import Document
from mpbench.spec.messages import shortened

KEY = "kernels"


def in_place(document: Document, folder: Path | None) -> Document:
    """The document with the text of every patch.

    folder : the folder that names of files are relative to; None for the file of a
        results folder, which holds the texts and names no files

    Raises UserError, one line, for a file that cannot be read or is no text.
    """
    kernels = document.values.get(KEY)
    if not isinstance(kernels, dict):
        return document
    changed: dict[Any, Any] = {}
    for label, kernel in kernels.items():
        named = kernel.get("patches") if isinstance(kernel, dict) else None
        listed = [named] if isinstance(named, str) else named
        if not isinstance(listed, list) or not any(isinstance(n, str) for n in listed):
            continue
        where = document.where((KEY, label, "patches"))
        at = f"{where}: {KEY}.{shortened(label)}.patches"
        if folder is None:
            raise UserError(f"{at}: {text_files.WITHOUT_OTHERS}")
        found = [patch for name in listed for patch in _patches(name, folder, at)]
        if len(found) > MOST_PATCHES:
            raise UserError(f"{at}: {len(found)} files; at most {MOST_PATCHES} work")
        changed[label] = {**kernel, "patches": found}
    if not changed:
        return document
    values: dict[str, Any] = {**document.values, KEY: {**kernels, **changed}}
    return replace(document, values=values, rewritten=True)


def _patches(name: Any, folder: Path, at: str) -> Iterator[Any]:
    """The patches of a name or pattern, in the order of their names."""
    if not isinstance(name, str):
        yield name
        return
    shown = shortened(name, 200)
    try:
        if set(name) & set("*?["):
            base, pattern = _split(folder, name)
            files = sorted(p for p in base.glob(pattern) if p.name[0] != ".")
        else:
            files = [folder / name]
    except (OSError, ValueError, NotImplementedError, RuntimeError):
        raise UserError(f"{at}: {shown}: no file can have this name") from None
    if not files:
        hint = "names are relative to the experiment file"
        raise UserError(f"{at}: {shown}: no such file; {hint}")
    for file in files[: MOST_PATCHES + 1]:
        shown = f"{at}: {shortened(file, 200)}"
        text_files.held(folder, name, file, shown)
        text = text_files.read(file, shown, MOST_PATCH_BYTES, "divide it")
        if not text:
            raise UserError(f"{shown}: empty; `git format-patch` makes patches")
        yield {"name": file.name, "text": text}


def _split(folder: Path, name: str) -> tuple[Path, str]:
    """The folder before the first part that is a pattern, and the pattern."""
    parts = Path(name).parts
    first = next(i for i, part in enumerate(parts) if set(part) & set("*?["))
    return folder.joinpath(*parts[:first]), str(Path(*parts[first:]))
