"""Fetches Linux from Debian's source package, as an ordinary user.

The machine's own list of sources does not include the suite that has the package. So
apt runs with a private list and private folders. It reads the suite from the mirror
that the machine already uses, and checks the archive's signature. The package is
unpacked, not installed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel.recipe import SERIES
from mpbench.kernel.shell import Shell

SUITE = "trixie-backports"
PACKAGE = f"linux-source-{SERIES}"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def fetch(shell: Shell, folder: Path, wanted: str | None = None) -> tuple[Path, str]:
    """Download and unpack the package in the empty `folder`.

    wanted : the package's version; None for the newest
    Returns the tarball of Linux and the package's version.
    Raises UserError if the machine cannot read Debian's archive, or if the archive
    does not have that version.
    """
    settings = options(folder, {mirror(shell): [SUITE]})
    try:
        shell.run(["apt-get", *settings, "-q", "update", "--error-on=any"])
    except UserError as error:
        raise UserError(f"Debian's suite {SUITE} cannot be read: {error}") from error
    name = PACKAGE if wanted is None else f"{PACKAGE}={wanted}"
    try:
        shell.run(["apt-get", *settings, "-q", "download", name], cwd=folder)
    except UserError as error:
        what = PACKAGE if wanted is None else f"{PACKAGE} {wanted}"
        raise UserError(f"Debian's suite {SUITE} does not have {what}") from error
    packages = list(folder.glob("*.deb"))
    if len(packages) != 1:
        raise UserError(f"Debian's suite {SUITE} has no {PACKAGE}")
    version = shell.run(["dpkg-deb", "--field", str(packages[0]), "Version"]).strip()
    shell.run(["dpkg-deb", "--extract", str(packages[0]), str(folder / "opened")])
    tarball = folder / "opened" / "usr" / "src" / f"{PACKAGE}.tar.xz"
    if not tarball.is_file():
        raise UserError(f"{packages[0].name}: no {tarball.name} in it")
    return tarball, version


def address(shell: Shell, suite: str) -> str:
    """The address of the archive that has a suite, with a slash at its end.

    Raises UserError if apt has no such source.
    """
    security = suite.endswith("-security")
    return security_mirror(shell) if security else mirror(shell)


def mirror(shell: Shell) -> str:
    """The address from which this machine gets Debian's main archive.

    Raises UserError if apt has no such source.
    """
    return _address(shell, "main", security=False)


def security_mirror(shell: Shell) -> str:
    """The address of the archive with security updates, which has no other suites.

    Raises UserError if apt has no such source.
    """
    return _address(shell, "security", security=True)


def _address(shell: Shell, archive: str, security: bool) -> str:
    """The code names of suites beside a release have a dash (`bookworm-security`)."""
    if not KEYRING.is_file():
        raise UserError(f"no {KEYRING}: Debian package debian-archive-keyring")
    layout = "$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)"
    for line in shell.run(["apt-get", "indextargets", "--format", layout]).splitlines():
        origin, component, codename, address = line.split("|", 3)
        kind = codename.endswith("-security") if security else "-" not in codename
        if (origin, component) == ("Debian", "main") and kind:
            return address
    raise UserError(
        f"apt has no list of Debian's {archive} archive: run `apt-get update`, and add "
        "the archive to /etc/apt/sources.list if that does not help"
    )


def options(
    folder: Path, suites: Mapping[str, Sequence[str]], kind: str = "deb"
) -> list[str]:
    """Options that keep apt inside `folder`, with nothing installed there.

    suites : the suites to read, by their archive's address
    kind : `deb` for packages, `deb-src` for source packages
    """
    for name in ("parts", "lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "parts" / "mpbench.sources").write_text(
        "\n".join(
            f"Types: {kind}\nURIs: {address}\nSuites: {' '.join(names)}\n"
            f"Components: main\nSigned-By: {KEYRING}\n"
            for address, names in suites.items()
        )
    )
    settings = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": folder / "parts",
        "Dir::State": folder,
        "Dir::State::lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "1",
    }
    return [
        word for name, value in settings.items() for word in ("-o", f"{name}={value}")
    ]
