"""The archive of Debian's source packages of the root image's programs.

Their licences, the GPL among them, ask whoever passes the image on to offer these
sources. The image has most programs as Debian built them, so the sources are Debian's
source packages of the same versions.
"""

import io
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import mpbench
from mpbench.errors import UserError
from mpbench.image import fetch, lock
from mpbench.kernel import debian
from mpbench.kernel.shell import CommandFailed, Shell
from packing import parts

LIST = "packages.txt"
FIELDS = "${Package} ${Version} ${source:Package} ${source:Version}"


class Source(NamedTuple):
    """A source package of Debian."""

    name: str
    version: str


def write(out: Path, debs: Path | None = None) -> Path:
    """Write the archive to a folder.

    debs : a folder that may have packages of the image; the others are fetched
    Raises UserError if a package or a source cannot be had.
    """
    top = f"mpbench-{mpbench.__version__}-debian-sources"
    target = out / f"{top}.tar"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mpbench-sources-", dir=out) as name:
        scratch = Path(name)
        draft = scratch / target.name
        shell = Shell(scratch / "log")
        try:
            listed, sources = sources_of(shell, _packages(shell, scratch, debs))
            found = _download(shell, scratch, sources)
        finally:
            shell.close()
        with tarfile.open(draft, "w") as archive:
            _add(archive, f"{top}/{LIST}", "".join(f"{x}\n" for x in listed).encode())
            for path in found:
                _add(archive, f"{top}/{path.name}", path.read_bytes())
        return draft.rename(target)


def sources_of(
    shell: Shell, packages: Iterable[Path]
) -> tuple[list[str], tuple[Source, ...]]:
    """Sources that packages are built from.

    Returns a line per package (its name and version, and those of its source), and the
    sources, each once.
    """
    lines = sorted(
        shell.run(["dpkg-deb", "--show", f"--showformat={FIELDS}", str(path)]).strip()
        for path in packages
    )
    return lines, tuple(sorted({Source(*line.split()[2:]) for line in lines}))


def _packages(shell: Shell, scratch: Path, given: Path | None) -> list[Path]:
    folder = scratch / "debs"
    folder.mkdir()
    return list(fetch.fetch(shell, lock.read(), folder, given).values())


def _download(shell: Shell, scratch: Path, sources: Iterable[Source]) -> list[Path]:
    """The files of the sources, which apt checks against the archive's signature."""
    archives: dict[str, list[str]] = {}
    suites = {package.suite for package in lock.read()}
    for suite, address in sorted(fetch.archives(shell, suites).items()):
        archives.setdefault(address, []).append(suite)
    (scratch / "apt").mkdir()
    options = debian.options(scratch / "apt", archives, "deb-src")
    shell.run(["apt-get", *options, "-q", "update", "--error-on=any"])
    folder = scratch / "sources"
    folder.mkdir()
    gone = []
    for source in sources:
        wanted = f"{source.name}={source.version}"
        try:
            words = ["-q", "source", "--download-only", "--only-source", wanted]
            shell.run(["apt-get", *options, *words], cwd=folder)
        except CommandFailed:
            gone.append(wanted)
    if gone:
        raise UserError(
            f"the mirror does not have the source of {', '.join(gone)}; older ones "
            "are in Debian's archive of snapshots; or pin newer packages with `mpbench "
            "image lock`"
        )
    return sorted(folder.iterdir())


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(parts.plain(member), io.BytesIO(content))
