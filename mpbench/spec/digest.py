"""The hash of a file: results folders and kept rows know the file by it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from mpbench.spec.plugins import Plugins
from mpbench.spec.sections import Sections
from mpbench.spec.traffic import ROLES

ALWAYS_COUNTED = frozenset(
    [
        "capture",
        "cases",
        "description",
        "design",
        "expect",
        "figures",
        "guest",
        "include",
        "metrics",
        "name",
        "parameters",
        "phases",
        "plugins",
        "repetitions",
        "seed",
        "source",
        "time_limit",
        "topology",
        "trace",
        "traffic",
    ]
)
"""Keys that the hash counts even where a file leaves them out, as the first files
did. Any other key counts only with a value, so a new one changes no file's hash."""

LATER_OF_TRAFFIC: Mapping[str, Any] = {
    "accepts": None,
    "assign": None,
    "opens": None,
    "role": ROLES[0],
    "expect": None,
    "file_limit": None,
    "via": None,
}
LATER_OF_FIGURES: Mapping[str, Any] = {"samples": None, "versus": None}
LATER_OF_FABRIC: Mapping[str, Any] = {"gather": None, "offload": False}
"""Keys within a section that came after the first files, with their defaults. A new key
of a section belongs here, and one of a single traffic tool to `Entry.later`: results
folders and kept rows know a file by its hash."""


def digest(spec: Sections) -> str:
    """SHA-256, hexadecimal, of the content of a file in canonical form.

    Spelling, the order of keys and comments do not matter. Defaults count as if they
    were written.
    """
    values = spec.model_dump(mode="json", by_alias=True)
    for key, field in type(spec).model_fields.items():
        if key not in ALWAYS_COUNTED and getattr(spec, key) == field.default:
            del values[key]
    for entry, kept in zip(values["traffic"], spec.traffic, strict=True):
        _forget(entry, {**LATER_OF_TRAFFIC, **kept.later})
    for figure in values["figures"]:
        _forget(figure, LATER_OF_FIGURES)
    if isinstance(values.get("fabric"), dict):
        _forget(values["fabric"], LATER_OF_FABRIC)
    if spec.plugins == Plugins():
        del values["plugins"]
    else:
        _without_defaults(values["plugins"]["stored"])
    values["repetitions"] = spec.repetitions.plain
    if not spec.guest.job():
        del values["guest"]
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _forget(values: dict[str, Any], later: Mapping[str, Any]) -> None:
    """Take away keys that came later and have their default."""
    for key, default in later.items():
        if key in values and values[key] == default:
            del values[key]


def _without_defaults(stored: dict[str, Any]) -> None:
    """Take away what plug-ins leave unsaid of the keys that came later."""
    if not stored["programs"]:
        del stored["programs"]
    for tool in stored["tools"].values():
        for key in ("received", "samples", "series"):
            if not tool[key]:
                del tool[key]
