"""Fetches Linux from Debian's source package, as an ordinary user.

The machine's own list of sources does not include the suite that has the package. So
apt runs with a private list and private folders. It reads the suite from the mirror
that the machine already uses, and checks the archive's signature. The package is
unpacked, not installed.
"""

from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel.recipe import SERIES
from mpbench.kernel.shell import Shell

SUITE = "trixie-backports"
PACKAGE = f"linux-source-{SERIES}"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def fetch(shell: Shell, folder: Path) -> tuple[Path, str]:
    """Download and unpack the package in the empty `folder`.

    Returns the tarball of Linux and the package's version.
    Raises UserError if the machine cannot read Debian's archive.
    """
    options = _options(folder, mirror(shell))
    try:
        shell.run(["apt-get", *options, "-q", "update", "--error-on=any"])
    except UserError as error:
        raise UserError(f"Debian's suite {SUITE} cannot be read: {error}") from error
    shell.run(["apt-get", *options, "-q", "download", PACKAGE], cwd=folder)
    packages = list(folder.glob("*.deb"))
    if len(packages) != 1:
        raise UserError(f"Debian's suite {SUITE} has no {PACKAGE}")
    version = shell.run(["dpkg-deb", "--field", str(packages[0]), "Version"]).strip()
    shell.run(["dpkg-deb", "--extract", str(packages[0]), str(folder / "opened")])
    tarball = folder / "opened" / "usr" / "src" / f"{PACKAGE}.tar.xz"
    if not tarball.is_file():
        raise UserError(f"{packages[0].name}: no {tarball.name} in it")
    return tarball, version


def mirror(shell: Shell) -> str:
    """The address from which this machine gets Debian's main archive.

    Security updates come from another server, which has no backports. The code names
    of these and other suites beside a release have a dash.
    """
    if not KEYRING.is_file():
        raise UserError(f"no {KEYRING}: Debian package debian-archive-keyring")
    layout = "$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)"
    for line in shell.run(["apt-get", "indextargets", "--format", layout]).splitlines():
        origin, component, codename, address = line.split("|", 3)
        if (origin, component) == ("Debian", "main") and "-" not in codename:
            return address
    raise UserError("apt has no list of Debian's main archive: run `apt-get update`")


def _options(folder: Path, address: str) -> list[str]:
    """Options that keep apt inside `folder`."""
    for name in ("parts", "lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "parts" / "mpbench.sources").write_text(
        f"Types: deb\nURIs: {address}\nSuites: {SUITE}\nComponents: main\n"
        f"Signed-By: {KEYRING}\n"
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
