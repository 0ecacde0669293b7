"""Source trees of other releases of Linux, from Debian's packages that a job names.

A tree has the parts that `releases.Port.taken` names from mpbench's own Linux, the
donor. Its identity is a hash of the package's and the donor's, so that the key of a
kernel is known before anything is downloaded.
"""

import hashlib
import json
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from jobs.linux import Release
from mpbench import mirror
from mpbench.errors import UserError
from mpbench.kernel import archive, cache, releases, unpack
from mpbench.kernel.progress import Progress
from mpbench.kernel.recipe import SERIES
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import Source, file_identity

FOLDER = "releases"
DESCRIPTION = "source.json"


@dataclass(frozen=True)
class Released(Source):
    """A tree of another release, in a folder of its own in the cache."""

    @property
    def folder(self) -> Path:
        name = "-".join([self.version, self.identity[:12], self.rules])
        return cache.root() / FOLDER / name


def taken(release: Release) -> tuple[str, ...]:
    """The parts that come from the donor. Raises UserError for an unknown release."""
    if release.series == SERIES:
        return ()
    return releases.port(release.series).taken


def identity(release: Release, donor: str) -> str:
    """The hash that enters the key of a kernel of this package.

    donor : the identity of mpbench's own Linux
    """
    parts = taken(release)
    if not parts:
        return release.sha256
    text = "\n".join([release.sha256, donor, *parts])
    return hashlib.sha256(text.encode()).hexdigest()


def obtain(
    release: Release, donor: Source, shell: Shell, progress: Progress
) -> Released:
    """The tree, from the cache or unpacked now. The caller holds the cache's lock.

    Raises UserError, one line, for a package that neither a place of the user's nor
    Debian's archive has any more.
    """
    source = place(release, identity(release, donor.identity))
    if (source.folder / DESCRIPTION).is_file():
        return source
    home = cache.root() / FOLDER
    home.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=cache.NEW, dir=home) as scratch:
        new = Path(scratch) / "new"
        new.mkdir(mode=0o755)
        tarball = _tarball(release, Path(scratch), shell, progress)
        with progress.step("unpack", tarball.name):
            unpack.unpack(shell, tarball, new / "tree")
        found = unpack.version(new / "tree")
        if found != release.makefile:
            words = f"has Linux {found}, not {release.makefile}"
            raise UserError(f"{release.file}: {words}")
        for name in taken(release):
            replace_part(donor.tree / name, new / "tree" / name, shell)
        (new / DESCRIPTION).write_text(json.dumps(asdict(source), indent=2) + "\n")
        shutil.rmtree(source.folder, ignore_errors=True)
        new.replace(source.folder)
    return source


def place(release: Release, identity: str) -> Released:
    """The tree of a release: its place in the cache, whether it is there or not."""
    origin = f"Debian {release.name} {release.package}"
    return Released(release.version, origin, identity, True)


def add_selftests(
    source: Released, release: Release, shell: Shell, progress: Progress
) -> None:
    """Add upstream's tests of MPTCP to a tree in the cache. The caller holds its lock.

    Raises UserError as `obtain`.
    """
    with tempfile.TemporaryDirectory(prefix=cache.NEW, dir=source.folder) as scratch:
        tarball = _tarball(release, Path(scratch), shell, progress)
        new = Path(scratch) / "selftests"
        with progress.step("unpack", "upstream's tests of MPTCP"):
            unpack.selftests(shell, tarball, new)
        new.replace(source.selftests)


def _tarball(release: Release, folder: Path, shell: Shell, progress: Progress) -> Path:
    """Linux's tarball, from the package."""
    deb = _package(release, folder, shell, progress)
    opened = folder / "opened"
    shell.run(["dpkg-deb", "--extract", str(deb), str(opened)])
    tarball = opened / "usr/src" / f"{release.name}.tar.xz"
    if not tarball.is_file():
        raise UserError(f"{deb.name}: no {tarball.name} in it")
    return tarball


def replace_part(part: Path, target: Path, shell: Shell) -> None:
    """Put a part of the donor in the place of the release's own, as links."""
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    target.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shell.run(["cp", "-al", str(part), str(target)])


def _package(release: Release, folder: Path, shell: Shell, progress: Progress) -> Path:
    """The package's file, compared with its SHA-256."""
    target = folder / release.file
    with progress.step("fetch", f"{release.name} {release.package}"):
        path = f"{archive.POOL}/{release.file}"
        origin = mirror.fetch_package(release.file, path, target)
        if origin is None:
            target = archive.download(release, shell, folder)
            origin = "Debian's archive"
    found = file_identity(target)
    if found != release.sha256:
        raise UserError(
            f"{origin}: the SHA-256 of {release.file} is {found}, but the experiment"
            f" was locked to {release.sha256}; take the file that the archive had then"
        )
    return target
