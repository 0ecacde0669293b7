"""Pins the packages: asks apt which versions the mirror has, and writes the lock file.

apt runs with a private list of the three suites and with nothing installed, so that
the machine's own packages have no influence. It checks the archive's signature.
"""

from collections.abc import Iterator
from pathlib import Path

from mpbench.errors import UserError
from mpbench.image import choice, fetch
from mpbench.image.lock import Package
from mpbench.kernel import debian
from mpbench.kernel.shell import Shell


def resolve(shell: Shell, folder: Path) -> tuple[Package, ...]:
    """The packages of `choice` and what they need, as the mirror has them now.

    folder : an empty one, for apt's files
    """
    addresses = fetch.archives(shell, choice.SUITES)
    archives: dict[str, list[str]] = {}
    for suite, address in addresses.items():
        archives.setdefault(address, []).append(suite)
    options = debian.options(folder, archives)
    options += ["-o", "APT::Install-Recommends=0", "-o", "Acquire::Languages=none"]
    options += ["-o", f"APT::Architecture={choice.ARCHITECTURE}"]
    shell.run(["apt-get", *options, "-q", "update", "--error-on=any"])
    wanted = [*choice.ASKED, *choice.TOOLS]
    printed = shell.run(["apt-get", *options, "-s", "install", *wanted])
    names = [line.split()[1] for line in printed.splitlines() if line[:5] == "Inst "]
    chosen = [name for name in names if name not in choice.LEFT_OUT]
    shown = shell.run(["apt-cache", *options, "show", "--no-all-versions", *chosen])
    pinned = tuple(_packages(shown, shell, options))
    if {package.name for package in pinned} != set(chosen):
        raise UserError("apt-cache shows other packages than apt-get would install")
    return pinned


def _packages(text: str, shell: Shell, options: list[str]) -> Iterator[Package]:
    for paragraph in text.split("\n\n"):
        fields = dict(
            line.split(": ", 1)
            for line in paragraph.splitlines()
            if ": " in line and line[0] != " "
        )
        if "Package" not in fields:
            continue
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
