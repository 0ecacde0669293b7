"""Other releases of Linux that can be built for User Mode Linux, as data.

`kernel/releases/SERIES` has `release.toml` and patches. A patch with the name of one in
`kernel/patches` stands in its place; the others follow that series. Of these releases
only Linux as released is built: mpbench's network code is written for OWN.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from mpbench import carried
from mpbench.errors import UserError

FOLDER = carried.ROOT / "kernel/releases"
FILE = "release.toml"
OWN = "7.3"
"""The series of mpbench's own Linux."""
NEWER_SUITES = ("trixie-backports", "sid", "experimental")
"""Suites of Debian that have mpbench's own Linux, newer ones and candidates."""
NO_SCHEDULERS = (6, 11)
"""The last release whose MPTCP lists no schedulers that a connection could choose."""


@dataclass(frozen=True)
class Port:
    """A release of Linux beside mpbench's own.

    series : its number without the last part ('6.12')
    suites : of Debian's archive, which have its source package
    taken : files and folders that come from mpbench's own Linux
    options : names of options in mpbench's configuration, and their names here
    """

    series: str
    folder: Path
    suites: tuple[str, ...]
    taken: tuple[str, ...]
    options: dict[str, str]

    @property
    def patches(self) -> dict[str, Path]:
        """The patches by name, in their order."""
        return {path.name: path for path in sorted(self.folder.glob("*.patch"))}

    def fragment(self, text: str) -> str:
        """A fragment of the configuration with this release's names of options."""
        return re.sub(
            r"\bCONFIG_\w+", lambda found: self.options.get(found[0], found[0]), text
        )

    def series_of(self, patches: list[Path]) -> list[Path]:
        """A series of patches as this release needs it."""
        own = self.patches
        listed = [own.pop(path.name, path) for path in patches]
        return [*listed, *own.values()]


def known() -> tuple[str, ...]:
    """All releases, the oldest first."""
    found = (path.parent.name for path in FOLDER.glob(f"*/{FILE}"))
    return tuple(sorted(found, key=numbers))


def numbers(series: str) -> tuple[int, ...]:
    """`6.12` as numbers, by which releases are ordered."""
    return tuple(int(part) for part in series.split("."))


def is_newer(series: str) -> bool:
    """Whether a release is newer than mpbench's own Linux."""
    return numbers(series) > numbers(OWN)


def port(series: str) -> Port:
    """The data of a release: a newer one without a folder is built as OWN is.

    Raises UserError, one line, for one that is not known.
    """
    if series not in known() and is_newer(series):
        return Port(series, FOLDER / series, NEWER_SUITES, (), {})
    if series not in known():
        raise UserError(unknown(series))
    folder = FOLDER / series
    text = tomllib.loads((folder / FILE).read_text())
    return Port(
        series,
        folder,
        tuple(text["suites"]),
        tuple(text.get("taken", ())),
        dict(text["options"]),
    )


def unknown(series: str) -> str:
    """The reason why a release cannot be built, and what would work."""
    works = f"{', '.join(known())} and {OWN} work, or Debian's binary: machine: qemu"
    if numbers(series) <= NO_SCHEDULERS:
        return f"Linux {series} has no interface for schedulers of MPTCP; {works}"
    return f"Linux {series} has no port to User Mode Linux here; {works}"
