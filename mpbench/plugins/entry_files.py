"""Files that entries of users' own tools name: keys with the unit `file`.

The hash of a file takes the place of its name when an experiment is read. The file is
put into the cache, and from there into the results.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from mpbench.spec import text_files
from mpbench.spec.document import Document
from mpbench.spec.messages import shortened
from mpbench.spec.plugin_format import FILE, KEY, MOST_KEY_FILE_BYTES, STORED
from mpbench.store import content


def in_place(document: Document, folder: Path | None) -> Document:
    """The document with `{sha256, bytes}` in place of each name of such a file.

    document : with the contents of its plug-ins
    folder : the folder that the names are relative to; None for the file of a results
        folder, which names no files

    Raises UserError, one line, for a file that cannot be read.
    """
    tools = document.values.get(KEY, {})
    tools = tools.get(STORED, {}).get("tools", {}) if isinstance(tools, dict) else {}
    traffic = document.values.get("traffic")
    if not tools or not isinstance(traffic, list):
        return document
    entries = list(traffic)
    for index, entry in enumerate(entries):
        name = entry.get("tool") if isinstance(entry, dict) else None
        tool = tools.get(name) if isinstance(name, str) else None
        keys = tool.get("keys") if isinstance(tool, dict) else None
        for key, unit in keys.items() if isinstance(keys, dict) else ():
            if unit == FILE and isinstance(entry.get(key), str):
                where = document.where(("traffic", index, key))
                at = f"{where}: traffic[{index}].{key}"
                entries[index] = {**entries[index], key: _of(entry[key], folder, at)}
    if entries == traffic:
        return document
    return replace(document, values={**document.values, "traffic": entries})


def _of(name: str, folder: Path | None, at: str) -> dict[str, Any]:
    at = f"{at}: {shortened(name, 200)}"
    path = text_files.placed(folder, name, at)
    found = text_files.content_of(path, at, MOST_KEY_FILE_BYTES, "give a smaller one")
    return {"sha256": content.add(found), "bytes": len(found)}
