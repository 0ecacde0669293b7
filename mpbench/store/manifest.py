"""Sizes and hashes of all that a run left, and what differs between two."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CAPTURE_SUFFIXES = (".pcap", ".pcapng")

Manifest = dict[str, dict[str, str | int]]
"""Path below ``artefacts/`` to {"sha256": hex, "bytes": int}."""


def take(artefacts: Path) -> Manifest:
    """Hash every file below `artefacts`; a link counts as its target's name."""
    return {
        path.relative_to(artefacts).as_posix(): _entry(path)
        for path in sorted(artefacts.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }


def _entry(path: Path) -> dict[str, str | int]:
    if path.is_symlink():
        target = str(path.readlink()).encode()
        return {"sha256": hashlib.sha256(target).hexdigest(), "bytes": len(target)}
    if not path.is_file():
        return {"sha256": "", "bytes": 0}
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"sha256": digest, "bytes": path.stat().st_size}


@dataclass(frozen=True)
class Difference:
    """One artefact that two executions do not share.

    what : ``differs``, ``missing`` (now) or ``new``
    """

    artefact: str
    what: str


def compare(
    before: Mapping[str, Mapping], now: Mapping[str, Mapping]
) -> list[Difference]:
    """What the execution `now` does not share with that `before`, by name."""
    found = []
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            found.append(Difference(name, "missing"))
        elif name not in before:
            found.append(Difference(name, "new"))
        elif before[name]["sha256"] != now[name]["sha256"]:
            found.append(Difference(name, "differs"))
    return found


def is_capture(name: str) -> bool:
    """Whether an artefact is a packet capture, compressed or not."""
    return any(suffix in CAPTURE_SUFFIXES for suffix in Path(name).suffixes)
