"""Finished endpoints in the user's cache folder, each named by a hash of its sources.

~/.cache/mpbench/endpoints/NAME-KEY/
  program        the endpoint
  licences.txt   licences of the works of others that are in it
  info.json      its hash, the compiler, and these works
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpbench import carried
from mpbench.endpoints import recipes
from mpbench.errors import UserError
from mpbench.kernel import cache

PROGRAM, LICENCES, INFO = "program", "licences.txt", "info.json"
FILES = (PROGRAM, LICENCES, INFO)


@dataclass(frozen=True)
class Endpoint:
    """An endpoint that is ready; `info` is the content of info.json."""

    name: str
    folder: Path
    info: dict[str, Any]

    @property
    def path(self) -> Path:
        return self.folder / PROGRAM


def root() -> Path:
    return cache.root() / "endpoints"


def place(name: str) -> Path:
    """The folder in the cache of what the present sources make."""
    return root() / f"{name}-{recipes.key(name)}"


def lookup(name: str) -> Endpoint | None:
    """The endpoint of the present sources; None if there is none.

    A program that is not the one that was built counts as none.
    """
    for folder in (carried.built("endpoints") / name, place(name)):
        try:
            info = cache.facts(folder / INFO)
            digest = hashlib.sha256((folder / PROGRAM).read_bytes()).hexdigest()
            told = all({"name", "version", "license"} <= set(w) for w in info["works"])
            if told and info["sha256"] == digest and info["key"] == recipes.key(name):
                return Endpoint(name, folder, info)
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def find(name: str) -> Endpoint:
    """The same. Raises UserError if there is none."""
    found = lookup(name)
    if found is None:
        raise UserError(
            f"the endpoint '{name}' is not built; `mpbench endpoint build {name}` "
            "builds it"
        )
    return found


def unneeded() -> list[Path]:
    """The folders of endpoints that are not of the present sources."""
    wanted = {place(name).name for name in recipes.NAMES}
    folders = (path for path in root().glob("[!.]*") if path.is_dir())
    return [path for path in folders if path.name not in wanted]
