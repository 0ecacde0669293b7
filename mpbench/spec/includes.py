"""Parts that experiment files share: `include` puts other files' entries in place."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from mpbench.errors import UserError
from mpbench.spec import text_files
from mpbench.spec.document import Document, Place, read
from mpbench.spec.messages import shortened

KEY = "include"

MOST_PARTS = 100
"""Parts that a file may include, with the parts of parts. A part that two others
include counts twice, so that the number cannot double from file to file."""


def resolved(document: Document, folder: Path | None) -> Document:
    """The document with the parts that it includes, each value's place kept.

    folder : the folder that the names of parts are relative to; None for the file of a
        results folder, which names no files

    Mappings are joined key by key. Where two files have a value for one key, the
    including file's counts; of two parts, the later one's. Raises UserError, one line,
    for a part that cannot be read, or that includes itself.
    """
    return _resolved(document, folder, (), _Budget())


def whole_text(document: Document) -> str:
    """The text of a file; all values in one file if others add to it or change it."""
    plain = not {KEY, "plugins"} & set(document.values) and not document.rewritten
    if plain and not document.changes:
        return document.text
    values = {key: value for key, value in document.values.items() if key != KEY}
    under = f", under {document.changes}" if document.changes else ""
    head = f"# {Path(document.name).name}{under}, with what it includes in place.\n"
    return head + yaml.safe_dump(values, sort_keys=False, allow_unicode=True)


@dataclass
class _Budget:
    """Count of the parts that have been read."""

    parts: int = 0


def _resolved(
    document: Document, folder: Path | None, outer: tuple[Path, ...], budget: _Budget
) -> Document:
    if KEY not in document.values:
        return document
    whole = Document(document.name, document.text, {}, {}, {})
    for place, name in _names(document):
        at = f"{document.where(place)}: {shortened(name, 300)}"
        path = text_files.placed(folder, name, at)
        budget.parts += 1
        if budget.parts > MOST_PARTS:
            reason = f"more than {MOST_PARTS} parts are included; join some of them"
            raise UserError(f"{document.where(place)}: {reason}")
        part, identity = _part(document.where(place), path, outer)
        inner = _resolved(part, path.parent, (*outer, identity), budget)
        whole = _joined(whole, inner)
    return _joined(whole, document)


def _part(where: str, path: Path, outer: tuple[Path, ...]) -> tuple[Document, Path]:
    """A part, and the file that it is whatever its name.

    where : `file:line` of the include
    """
    try:
        identity = path.resolve()
        there = path.is_file()
    except (OSError, RuntimeError, ValueError):  # too long, or links in a circle
        reason = "no file can have this name; name another file"
        raise UserError(f"{where}: {shortened(path)}: {reason}") from None
    if identity in outer:
        reason = "this file includes itself; remove one include"
        raise UserError(f"{where}: {shortened(path, 300)}: {reason}")
    if not there:
        reason = "no such file; the name is relative to the file that includes it"
        raise UserError(f"{where}: {shortened(path, 300)}: {reason}")
    return read(path), identity


def _names(document: Document) -> list[tuple[Place, str]]:
    """The names of the parts of a document, each with its place."""
    value = document.values[KEY]
    listed = value if isinstance(value, list) else [value]
    names = []
    for index, name in enumerate(listed):
        place: Place = (KEY, index) if isinstance(value, list) else (KEY,)
        if not isinstance(name, str):
            where = document.where(place)
            raise UserError(f"{where}: include: expected the name of a file, or a list")
        names.append((place, name))
    return names


def _joined(below: Document, above: Document) -> Document:
    """`above` laid over `below`; the places of what it replaces are dropped."""
    hidden = _hidden(below.values, above.values, ())
    kept = {
        place: line
        for place, line in below.lines.items()
        if not any(place[: len(top)] == top for top in hidden) or place == ()
    }
    origins = {place: below.origin(place) for place in kept}
    origins |= {place: above.origin(place) for place in above.lines}
    return replace(
        above,
        values=_laid(below.values, above.values),
        lines={**kept, **above.lines},
        origins=origins,
    )


def _laid(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[key] = _laid(old, value) if both else value  # type: ignore[arg-type]
    return result


def _hidden(
    below: Mapping[str, Any], above: Mapping[str, Any], at: Place
) -> list[Place]:
    """Places of `below` that `above` replaces."""
    places: list[Place] = []
    for key in below.keys() & above.keys():
        old, new = below[key], above[key]
        if isinstance(old, dict) and isinstance(new, dict):
            places += _hidden(old, new, (*at, key))
        else:
            places.append((*at, key))
    return places
