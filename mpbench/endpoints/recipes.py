"""The sources of the endpoints of the box, and the programs that a build needs."""

import hashlib
import re
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mpbench import carried
from mpbench.errors import UserError

METHOD = "1"
"""Enters every key. Raise it when a change of this package changes what is built."""
FOLDER = carried.ROOT / "endpoints"
SOURCE = "source.toml"
NEEDS: Mapping[str, Mapping[str, str]] = {
    "noq": {"cargo": "cargo, of Rust 1.85 or later", "cc": "Debian package gcc"},
    "picoquic": {
        "cmake": "Debian package cmake",
        "gcc": "Debian package gcc",
        "make": "Debian package make",
    },
}
"""The programs that each build calls, and where they come from."""
NAMES = tuple(NEEDS)
CONTROLS: Mapping[str, tuple[str, ...]] = {
    "noq": ("bbr", "cubic", "reno"),
    "picoquic": (
        "bbr",
        "bbr1",
        "c4",
        "cubic",
        "dcubic",
        "fast",
        "newreno",
        "prague",
        "reno",
    ),
}
"""The congestion controllers that each knows."""
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Material:
    """A work of others within an endpoint.

    text : the file with its licence, relative to the unpacked package
    comment : whether the licence is the first comment of that file, and not all of it
    """

    name: str
    version: str
    license: str
    text: str
    comment: bool


@dataclass(frozen=True)
class Source:
    """A source package of the Python package index.

    parts : the folders of its `third_party` that are compiled
    """

    package: str
    version: str
    sha256: str
    parts: tuple[str, ...]
    materials: tuple[Material, ...]

    @property
    def file(self) -> str:
        return f"{self.package}-{self.version}.tar.gz"


def folder(name: str) -> Path:
    """The folder of an endpoint's own sources."""
    return FOLDER / name


def files(name: str) -> list[Path]:
    """The files that an endpoint is built of, those of others apart."""
    place = folder(name)
    there = sorted(path for path in place.rglob("*") if path.is_file())
    return [path for path in there if "target" not in path.relative_to(place).parts]


def key(name: str) -> str:
    """The name of what the present sources make, in the cache."""
    total = hashlib.sha256(METHOD.encode())
    for path in files(name):
        content = path.read_bytes()
        place = path.relative_to(folder(name)).as_posix()
        total.update(f"{place}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()[:16]


def source(name: str) -> Source:
    """The source package of an endpoint. Raises UserError for a damaged file."""
    file = folder(name) / SOURCE
    try:
        given = tomllib.loads(file.read_text())
        materials = tuple(
            Material(
                one["name"],
                one.get("version", given["version"]),
                one["license"],
                one["text"],
                one.get("comment", False),
            )
            for one in given["material"]
        )
        found = Source(
            given["package"],
            given["version"],
            given["sha256"],
            tuple(given["parts"]),
            materials,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file}: damaged ({error}); take it from git again") from error
    if not _SHA256.fullmatch(found.sha256):
        raise UserError(f"{file}: sha256 is no SHA-256; take the file from git again")
    return found


def require(name: str) -> None:
    """Raises UserError if a program that the build calls is missing."""
    needs = NEEDS[name]
    missing = [each for each in needs if shutil.which(each) is None]
    if missing:
        named = ", ".join(f"{each} ({needs[each]})" for each in missing)
        raise UserError(f"building the endpoint '{name}' needs {named}")
