"""Pages in HAR files, which browsers save, and which traffic entries name.

The objects take the place of the file's name when an experiment is read, so that its
results need the file no more. An object waits for the one that its `_initiator` names,
which Chromium writes, or else for the first one. What a browser took from its cache,
or has in the address itself, is left out.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mpbench.errors import UserError
from mpbench.spec import text_files
from mpbench.spec.document import Document
from mpbench.spec.messages import shortened

MOST_FILE_BYTES = 16 << 20
MOST_OBJECTS = 2_000
MOST_LETTERS = 40
"""Of an object's name."""


def in_place(document: Document, folder: Path | None) -> Document:
    """The document with the objects of every page that a `har` names.

    folder : the folder that the names are relative to; None for the file of a results
        folder, which names no files

    Raises UserError, one line, for a file that cannot be read or is no HAR.
    """
    traffic = document.values.get("traffic")
    entries = list(traffic) if isinstance(traffic, list) else []
    changed = False
    for index, entry in enumerate(entries):
        objects = entry.get("objects") if isinstance(entry, dict) else None
        name = objects.get("har") if isinstance(objects, dict) else None
        if isinstance(objects, dict) and isinstance(name, str) and len(objects) == 1:
            where = document.where(("traffic", index, "objects", "har"))
            shown = shortened(name if folder is None else str(folder / name), 300)
            path = text_files.placed(folder, name, f"{where}: {shown}")
            entries[index] = {**entry, "objects": _read(where, path)}
            changed = True
    if not changed:
        return document
    values: dict[str, Any] = {**document.values, "traffic": entries}
    return replace(document, values=values, rewritten=True)


def _read(where: str, path: Path) -> list[dict[str, Any]]:
    """The objects of a file, as an experiment file would list them."""
    at = f"{where}: {shortened(str(path), 300)}"
    text = text_files.read(path, at, MOST_FILE_BYTES, "save it without content")
    try:
        found = _objects(json.loads(text.removeprefix("\ufeff")))
    except json.JSONDecodeError as error:
        reason = f"broken JSON at line {error.lineno}: {error.msg}"
        raise UserError(f"{at}: {reason}; save the HAR again") from None
    except RecursionError:
        raise UserError(f"{at}: nested too deeply; save the HAR again") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        reason = "no HAR; expected log.entries, each with a request and a response"
        raise UserError(f"{at}: {reason}") from None
    if not found:
        raise UserError(f"{at}: no object that was loaded; save it with an empty cache")
    if len(found) > MOST_OBJECTS:
        reason = f"{len(found)} objects; at most {MOST_OBJECTS} work"
        raise UserError(f"{at}: {reason}, so save one page only")
    return found


def _objects(document: Any) -> list[dict[str, Any]]:
    """Raises what Python raises for a document that is no HAR."""
    objects: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    entries = sorted(document["log"]["entries"], key=lambda one: one["startedDateTime"])
    for entry in entries:
        url = entry["request"]["url"]
        size = _size(entry["response"])
        address = urlsplit(url)
        if size is None or address.scheme not in ("http", "https"):
            continue
        last = address.path.rpartition("/")[2] or address.hostname or "page"
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", last)[:MOST_LETTERS]
        name = f"{len(objects)}-{plain}"
        made = {"name": name, "size": f"{size} B", "origin": _origin(address.netloc)}
        before = [names[one] for one in _initiators(entry) if one in names][:1]
        objects.append({**made, "after": before} if before else made)
        names.setdefault(url, name)
    return objects


def _size(response: Mapping[str, Any]) -> int | None:
    """The bytes of an answer's body that were sent; None if none were."""
    if not 200 <= response["status"] < 400 or response.get("_fromCache"):
        return None
    for size in (
        response.get("_transferSize"),
        response.get("bodySize"),
        response.get("content", {}).get("size"),
    ):
        if isinstance(size, int) and size > 0:
            return int(size)
    return None


def _origin(place: str) -> str:
    return "o-" + re.sub(r"[^A-Za-z0-9.-]", "_", place)[:90]


def _initiators(entry: Mapping[str, Any]) -> Iterator[str]:
    """The addresses of what made the browser load an object, the nearest first."""
    initiator = entry.get("_initiator") or {}
    if url := initiator.get("url"):
        yield str(url)
    for frame in (initiator.get("stack") or {}).get("callFrames", ()):
        yield str(frame.get("url"))
