"""Suites of Debian's archive as apt reads them, with a private list and signed.

Sources of Linux (`archive`), binaries for QEMU and the root image's packages are all
looked up through these. Nothing is installed, and the machine's own packages have no
influence.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mpbench import mirror
from mpbench.errors import UserError
from mpbench.kernel import debian
from mpbench.kernel.shell import CommandFailed, Shell

Fields = dict[str, str]
"""The fields of a package by name, as `apt-cache show` prints them."""


class Suites:
    """The lists of some suites, read once.

    options : with which apt uses them and nothing else

    Raises UserError if they cannot be read.
    """

    def __init__(
        self,
        shell: Shell,
        folder: Path,
        names: Sequence[str],
        architecture: str | None = None,
    ) -> None:
        lists: dict[str, list[str]] = {}
        for name in names:
            lists.setdefault(debian.address(shell, name), []).append(name)
        folder.mkdir(exist_ok=True)
        self._shell = shell
        self.options = debian.options(folder, lists)
        self.options += ["-o", "Acquire::Languages=none"]
        if architecture is not None:
            self.options += ["-o", f"APT::Architecture={architecture}"]
        try:
            shell.run(["apt-get", *self.options, "-q", "update", "--error-on=any"])
        except CommandFailed as error:
            named = ", ".join(names)
            words = f"Debian's suites {named} cannot be read: {error}"
            raise UserError(words) from error

    def show(self, names: Sequence[str], every: bool = False) -> list[Fields]:
        """The packages of these names; none if the suites have none.

        names : a name, or `name=version`
        every : whether all versions are shown, the newest first
        """
        more = ["--all-versions"] if every else []
        try:
            words = ["apt-cache", *self.options, "show", *more, *names]
            return list(paragraphs(self._shell.run(words)))
        except CommandFailed:
            return []

    def search(self, pattern: str) -> list[str]:
        """The names of packages that a regular expression matches, in order."""
        words = ["apt-cache", *self.options, "search", "--names-only", pattern]
        lines = self._shell.run(words).splitlines()
        return sorted({line.split()[0] for line in lines if line.strip()})

    def download(self, package: str, folder: Path) -> Path | None:
        """Fetch `name=version` into a folder; None if the suites do not have it."""
        try:
            words = ["apt-get", *self.options, "-q", "download", package]
            self._shell.run(words, cwd=folder)
        except CommandFailed:
            return None
        found = list(folder.glob("*.deb"))
        return found[0] if len(found) == 1 else None


def paragraphs(text: str) -> Iterator[Fields]:
    """The fields of each package that `apt-cache show` prints."""
    for paragraph in text.split("\n\n"):
        fields = dict(
            line.split(": ", 1)
            for line in paragraph.splitlines()
            if ": " in line and line[0] != " "
        )
        if "Package" in fields:
            yield fields


def newest(shell: Shell, listed: Iterable[Fields]) -> Fields:
    """The package with the highest version, as dpkg compares them."""

    def order(one: Fields, other: Fields) -> int:
        return _compare(shell, one["Version"], other["Version"])

    return max(listed, key=functools.cmp_to_key(order))


def _compare(shell: Shell, one: str, other: str) -> int:
    if one == other:
        return 0
    try:
        shell.run(["dpkg", "--compare-versions", one, "gt", other])
    except CommandFailed:
        return -1
    return 1


def dropped(what: str, files: Sequence[str], otherwise: str) -> UserError:
    """The error for packages that the archive has no more, with what would work.

    what : has gone, in words
    files : names of the packages' files
    otherwise : what works without them, as an infinitive
    """
    return UserError(
        f"{what} is no longer in Debian's archive, or that cannot be read; name in"
        f" {mirror.VARIABLE} a snapshot of the archive that has it, or a folder whose"
        f" folder 'debs' has {', '.join(files)}; or {otherwise}"
    )
