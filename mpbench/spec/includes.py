"""Parts that experiment files share: `include` puts other files' entries in place."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from mpbench.errors import UserError
from mpbench.spec.document import Document, Place, read

KEY = "include"


def resolved(document: Document, folder: Path) -> Document:
    """The document with the parts that it includes, each value's place kept.

    folder : that the names of parts are relative to

    Mappings are joined key by key; of two values for one key the including file's
    counts, and of two parts' the later one's. Raises UserError, one line, for a part
    that is not there, or that includes itself.
    """
    return _resolved(document, folder, ())


def whole_text(document: Document) -> str:
    """A file's text; of one that includes others, all values in one file."""
    if KEY not in document.values:
        return document.text
    values = {key: value for key, value in document.values.items() if key != KEY}
    head = f"# {Path(document.name).name}, with what it includes in place.\n"
    return head + yaml.safe_dump(values, sort_keys=False, allow_unicode=True)


def _resolved(document: Document, folder: Path, outer: tuple[Path, ...]) -> Document:
    if KEY not in document.values:
        return document
    whole = Document(document.name, document.text, {}, {}, {})
    for place, name in _names(document):
        path = Path(folder / name)
        if path.resolve() in outer:
            raise UserError(f"{document.where(place)}: {path} includes itself")
        if not path.is_file():
            raise UserError(
                f"{document.where(place)}: {path}: no such file; the name is relative"
                " to the file that includes it"
            )
        part = read(path)
        inner = _resolved(part, path.parent, (*outer, path.resolve()))
        whole = _joined(whole, inner)
    return _joined(whole, document)


def _names(document: Document) -> list[tuple[Place, str]]:
    """The parts of a document by name, each with its place."""
    value = document.values[KEY]
    listed = value if isinstance(value, list) else [value]
    found = []
    for index, name in enumerate(listed):
        place: Place = (KEY, index) if isinstance(value, list) else (KEY,)
        if not isinstance(name, str):
            where = document.where(place)
            raise UserError(f"{where}: include: expected the name of a file, or a list")
        found.append((place, name))
    return found


def _joined(below: Document, above: Document) -> Document:
    """`above` laid over `below`; places of what is hidden are forgotten."""
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
    found: list[Place] = []
    for key in below.keys() & above.keys():
        old, new = below[key], above[key]
        if isinstance(old, dict) and isinstance(new, dict):
            found += _hidden(old, new, (*at, key))
        else:
            found.append((*at, key))
    return found
