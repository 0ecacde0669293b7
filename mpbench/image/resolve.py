"""Pins the packages: asks apt which versions the mirror has, and writes the lock file.

apt runs with a private list of the three suites and with nothing installed, so that
the machine's own packages have no influence. It checks the archive's signature.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mpbench.errors import UserError
from mpbench.image import choice, fetch
from mpbench.image.lock import Package
from mpbench.kernel import debian
from mpbench.kernel.shell import CommandFailed, Shell
from mpbench.kernel.suites import Fields, paragraphs


def resolve(
    shell: Shell, folder: Path, added: Sequence[str] = ()
) -> tuple[Package, ...]:
    """The packages of `choice` and what they need, as the mirror has them now.

    folder : an empty one, for apt's files
    added : further packages; nothing that they need is left out
    Raises UserError if the mirror cannot be read, or does not have a package.
    """
    addresses = fetch.archives(shell, choice.SUITES)
    archives: dict[str, list[str]] = {}
    for suite, address in addresses.items():
        archives.setdefault(address, []).append(suite)
    options = debian.options(folder, archives)
    options += ["-o", "APT::Install-Recommends=0", "-o", "Acquire::Languages=none"]
    options += ["-o", f"APT::Architecture={choice.ARCHITECTURE}"]
    shell.run(["apt-get", *options, "-q", "update", "--error-on=any"])
    names = _needed(shell, options, [*choice.ASKED, *choice.TOOLS])
    chosen = (names - choice.LEFT_OUT) | _needed(shell, options, added)
    words = ["apt-cache", *options, "show", "--no-all-versions", *sorted(chosen)]
    shown = paragraphs(shell.run(words))
    pinned = tuple(packages(shown, shell, options))
    if {package.name for package in pinned} != chosen:
        raise UserError("apt-cache shows other packages than apt-get would install")
    return pinned


def _needed(shell: Shell, options: list[str], names: Sequence[str]) -> set[str]:
    """These packages and all that they depend on."""
    if not names:
        return set()
    try:
        printed = shell.run(["apt-get", *options, "-s", "install", "--", *names])
    except CommandFailed as error:
        words = "; ".join(line.removeprefix("E: ") for line in error.lines)
        raise UserError(f"Debian {choice.RELEASE}: {words}") from error
    return {line.split()[1] for line in printed.splitlines() if line[:5] == "Inst "}


def packages(
    shown: Iterable[Fields], shell: Shell, options: list[str]
) -> Iterator[Package]:
    """The packages that `apt-cache show` prints, each with its suite."""
    for fields in shown:
        policy = shell.run(["apt-cache", *options, "madison", fields["Package"]])
        yield Package(
            fields["Package"],
            fields["Version"],
            _suite(policy, fields["Version"]),
            int(fields["Size"]),
            fields["SHA256"],
            fields["Filename"],
        )


def _suite(table: str, version: str) -> str:
    """The suite that has a version, of apt's table with package, version and source."""
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 3 and cells[1] == version:
            return cells[2].split()[1].split("/")[0]
    raise UserError(f"no suite of Debian has version {version}")
