"""Captures that others made: those that tcpdump is tested with, two of version 0 of
MPTCP among them. `python -m tests.capture.public` fetches them; so does the suite.

They come with Debian's source package of tcpdump, beside what tcpdump prints of each.
apt checks the archive's signature. They lie below build/, never among our files.
"""

import tarfile
import tempfile
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel.debian import KEYRING, mirror
from mpbench.kernel.shell import Shell

TARGET = Path(__file__).parents[2] / "build" / "tcpdump-captures"
SUITE, PACKAGE = "bookworm", "tcpdump"
NAMES = ("mptcp-v0", "mptcp-fclose", "mptcp-v1", "mptcp-aa-v1")


def files() -> Path:
    """The folder with NAME.pcap and NAME.out of each; fetched if need be.

    Raises UserError if Debian's archive cannot be read.
    """
    if not all((TARGET / f"{name}.pcap").is_file() for name in NAMES):
        with tempfile.TemporaryDirectory() as folder:
            _unpack(_fetch(Path(folder)))
    return TARGET


def _fetch(folder: Path) -> Path:
    for name in ("lists/partial", "cache/archives/partial", "source"):
        (folder / name).mkdir(parents=True)
    shell = Shell(folder / "log")
    try:
        (folder / "deb.sources").write_text(
            f"Types: deb-src\nURIs: {mirror(shell)}\nSuites: {SUITE}\n"
            f"Components: main\nSigned-By: {KEYRING}\n"
        )
        settings = {
            "Dir::Etc::sourcelist": folder / "deb.sources",
            "Dir::Etc::sourceparts": "-",
            "Dir::State::lists": folder / "lists",
            "Dir::Cache": folder / "cache",
            "APT::Sandbox::User": "",
            "Debug::NoLocking": "1",
        }
        options = [word for each in settings.items() for word in _option(*each)]
        shell.run(["apt-get", *options, "-q", "update", "--error-on=any"])
        source = ["source", "--download-only", PACKAGE]
        shell.run(["apt-get", *options, "-q", *source], cwd=folder / "source")
    finally:
        shell.close()
    (tarball,) = (folder / "source").glob("*.orig.tar.?z")
    return tarball


def _option(name: str, value: object) -> tuple[str, str]:
    return "-o", f"{name}={value}"


def _unpack(tarball: Path) -> None:
    wanted = {f"{name}.{end}" for name in NAMES for end in ("out", "pcap")}
    TARGET.mkdir(parents=True, exist_ok=True)
    with tarfile.open(tarball) as archive:
        for member in archive:
            name = Path(member.name).name
            content = archive.extractfile(member) if name in wanted else None
            if content:
                (TARGET / name).write_bytes(content.read())
                wanted.remove(name)
    if wanted:
        raise UserError(f"{tarball.name}: no {', '.join(sorted(wanted))} in it")


if __name__ == "__main__":
    print(files())
