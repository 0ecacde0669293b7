"""Names that have changed since experiment files were first written.

A file that uses an old name still works. Whoever loads it gets a notice with the new
name.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mpbench.spec.document import Document, Place

OLD_NAMES: Mapping[str, Mapping[str, str]] = {
    "congestion_control": {"max": "lia_rfc6356"},
}
"""By the key that the name is the value of: the new name of each old one."""


def current(document: Document) -> tuple[Document, list[str]]:
    """The document with current names, and one notice per old name that it used.

    A notice says where the old name stands first, and what to write instead.
    """
    notices: dict[str, str] = {}
    values = _renamed(document, document.values, (), notices)
    return replace(document, values=values), list(notices.values())


def _renamed(
    document: Document, value: Any, place: Place, notices: dict[str, str]
) -> Any:
    if isinstance(value, list):
        return [
            _renamed(document, item, (*place, index), notices)
            for index, item in enumerate(value)
        ]
    if isinstance(value, dict):
        return {
            key: _renamed(document, item, (*place, key), notices)
            for key, item in value.items()
        }
    # `congestion_control: NAME`, or `congestion_control: {name: NAME}`
    key = place[-2] if place[-1:] == ("name",) and len(place) > 1 else place[-1]
    names = OLD_NAMES.get(str(key), {})
    if not isinstance(value, str) or value not in names:
        return value
    what = str(key).replace("_", " ")
    notices.setdefault(
        value,
        f"{document.where(place)}: {what} '{value}' is now called '{names[value]}'; "
        "write the new name, though the old one still works",
    )
    return names[value]
