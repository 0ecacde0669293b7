"""Trees of Linux in the cache: one per source, unpacked once.

The content identifies a source. For a tarball that is its SHA-256. For an unpacked
tree it is a hash of the paths, sizes and times (in whole seconds) of the files that
would be copied from it. `cp -a` and tar keep all of these. The pinned subset of a
source counts as that source (`pinned`).
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from mpbench import mirror
from mpbench.errors import UserError
from mpbench.kernel import cache, debian, pinned, unpack, upstream
from mpbench.kernel.newest import Newest
from mpbench.kernel.pinned import Pinned
from mpbench.kernel.progress import Progress
from mpbench.kernel.recipe import SERIES
from mpbench.kernel.shell import Shell

Download = Callable[[Path, Shell, Progress], tuple[Path, str]]
"""Downloads a tarball to a folder. Returns it, and where it comes from."""

SUBSET = "subset"
"""In the place of the rules of a source that was unpacked from the pinned subset."""


@dataclass(frozen=True)
class Source:
    """An unpacked Linux.

    version : of Linux ('7.3.4')
    origin : where it comes from, in words
    identity : the hash that enters the kernel's key
    fetched : whether mpbench fetched it; false for --source
    rules : identifies the rules by which parts of Linux were left out
    """

    version: str
    origin: str
    identity: str
    fetched: bool
    rules: str = field(default_factory=unpack.rules)

    @property
    def folder(self) -> Path:
        return (
            cache.root()
            / "sources"
            / "-".join([self.version, self.identity[:12], self.rules])
        )

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    @property
    def selftests(self) -> Path:
        """Upstream's tests of MPTCP; see `mpbench.kernel.selftests`."""
        return self.folder / "selftests"


def obtain(
    given: Path | None,
    shell: Shell,
    progress: Progress,
    newest: Newest = Newest.NEVER,
) -> Source:
    """The requested source, unpacked in the cache. The caller holds the lock.

    given : a tree or a tarball; if None, the pinned source, or the newest
    newest : whether to take the newest of the series that the archives have
    """
    if given is None and newest is Newest.ALWAYS:
        return _fetched(_newest, shell, progress)
    if given is None:
        lock = pinned.read()
        there = [s for s in stored() if s.fetched and s.identity == lock.whole]
        if there:
            return there[-1]
        try:
            return _fetch(lock, shell, progress)
        except UserError as error:
            if newest is Newest.NEVER:
                raise
            progress.say(f"{'fetch':<9} {error}")
            progress.say(f"{'fetch':<9} --or-newest: results have another identity")
            return _fetched(_newest, shell, progress)
    if not given.exists():
        raise UserError(f"--source {given}: no such file or folder")
    if given.is_dir():
        with progress.step("source", f"reading {given}"):
            linux = _check(unpack.version(given), given)
            identity = tree_identity(given)
    elif pinned.is_subset(given, pinned.read()):
        return _subset(given, str(given.absolute()), False, shell, progress)
    else:
        with progress.step("source", f"reading {given}"):
            identity = file_identity(given)
    known = _known(identity)
    if known is not None:
        return known
    new = _new_folder()
    with progress.step("unpack", str(given)):
        unpack.unpack(shell, given, new / "tree")
    linux = _check(unpack.version(new / "tree"), given)
    return _store(new, Source(linux, str(given.absolute()), identity, False))


def _subset(
    tarball: Path, origin: str, fetched: bool, shell: Shell, progress: Progress
) -> Source:
    """The source of the pinned subset, unless the whole source is there."""
    identity = pinned.read().whole
    known = _known(identity) or _known(identity, SUBSET)
    if known is not None:
        return known
    new = _new_folder()
    with progress.step("unpack", tarball.name):
        unpack.unpack(shell, tarball, new / "tree")
    linux = _check(unpack.version(new / "tree"), tarball)
    return _store(new, Source(linux, origin, identity, fetched, SUBSET))


def add_selftests(source: Source, shell: Shell, progress: Progress) -> None:
    """Add upstream's tests to a source that was unpacked without them, from where the
    source came from; to be called under the lock."""
    with tempfile.TemporaryDirectory(prefix=cache.NEW, dir=_folder()) as scratch:
        if source.fetched or source.rules == SUBSET:
            lock = pinned.read()
            if source.identity == lock.whole:
                origin, _ = _pinned(Path(scratch), shell, progress)
            else:
                origin, _ = _newest(Path(scratch), shell, progress)
        else:
            origin = Path(source.origin)
        if not origin.is_dir() and file_identity(origin) != source.identity:
            raise UserError(
                f"{origin}: not the Linux {source.version} that the kernel was built "
                "of; `mpbench kernel clean --all` and `mpbench kernel build` take it"
            )
        new = Path(scratch) / "selftests"
        with progress.step("unpack", "upstream's tests of MPTCP"):
            unpack.selftests(shell, origin, new)
        new.replace(source.selftests)


def stored() -> list[Source]:
    """The sources in the cache: subsets first, and the oldest of each first."""
    dated = []
    for path in (cache.root() / "sources").glob("[!.]*/source.json"):
        try:
            source = Source(**cache.facts(path))
        except TypeError:
            continue  # damaged: fetched again
        if source.rules in (SUBSET, unpack.rules()):
            order = (source.rules != SUBSET, path.stat().st_mtime)
            dated.append((order, source))
    return [source for _, source in sorted(dated, key=lambda pair: pair[0])]


def _fetch(lock: Pinned, shell: Shell, progress: Progress) -> Source:
    """The pinned source: its subset from a place of the user's, or the whole."""
    with tempfile.TemporaryDirectory(prefix=cache.NEW, dir=_folder()) as scratch:
        subset = Path(scratch) / lock.file
        found = mirror.fetch(subset.name, subset)
        if found is not None:
            if not pinned.is_subset(subset, lock):
                raise UserError(
                    f"{found}: not the subset of Linux that {pinned.FILE} pins; take "
                    "the file of this release of mpbench"
                )
            return _subset(subset, found, True, shell, progress)
    return _fetched(_pinned, shell, progress)


def _fetched(download: Download, shell: Shell, progress: Progress) -> Source:
    """The source of a tarball from an archive."""
    with tempfile.TemporaryDirectory(prefix=cache.NEW, dir=_folder()) as scratch:
        tarball, origin = download(Path(scratch), shell, progress)
        identity = file_identity(tarball)
        known = _known(identity)
        if known is not None:  # --source gave it before
            fetched = replace(known, origin=origin, fetched=True)
            _describe(fetched.folder, fetched)
            return fetched
        new = _new_folder()
        with progress.step("unpack", tarball.name):
            unpack.unpack(shell, tarball, new / "tree")
            unpack.selftests(shell, tarball, new / "selftests")
    linux = _check(unpack.version(new / "tree"), tarball)
    return _store(new, Source(linux, origin, identity, True))


def _pinned(scratch: Path, shell: Shell, progress: Progress) -> tuple[Path, str]:
    """Download the pinned source. Returns the tarball, and where it comes from.

    Raises UserError if it cannot be had, or has another content than the pinned one.
    """
    lock = pinned.read()
    help_ = (
        f"take {lock.file} from the archive of sources of this release of mpbench "
        f"and name its folder in {mirror.VARIABLE}, or let `mpbench kernel build "
        "--newest` take another Linux, with which results have another identity"
    )
    if not _has_apt():
        raise UserError(
            f"Linux {lock.version} comes from Debian's archive, and this machine has "
            f"no apt-get; {help_}"
        )
    try:
        tarball, origin = _debian(scratch, lock.package, shell, progress)
    except UserError as error:
        raise UserError(f"{error}; {help_}") from error
    actual = file_identity(tarball)
    if actual != lock.whole:
        raise UserError(
            f"{origin}: its SHA-256 is {actual}, but {pinned.FILE} pins {lock.whole}; "
            f"{help_}"
        )
    return tarball, origin


def _newest(scratch: Path, shell: Shell, progress: Progress) -> tuple[Path, str]:
    """Download the newest release of the series. Returns the tarball, and where it
    comes from."""
    if _has_apt():
        try:
            return _debian(scratch, None, shell, progress)
        except UserError as error:
            progress.say(f"{'fetch':<9} {error}")
    with progress.step("fetch", f"Linux {SERIES} of {upstream.SITE}"):
        tarball, version = upstream.fetch(scratch)
    return tarball, f"{upstream.SITE}linux-{version}.tar.xz"


def _debian(
    scratch: Path, wanted: str | None, shell: Shell, progress: Progress
) -> tuple[Path, str]:
    folder = scratch / "debian"
    folder.mkdir()
    with progress.step("fetch", f"{debian.PACKAGE} of Debian {debian.SUITE}"):
        tarball, version = debian.fetch(shell, folder, wanted)
    return tarball, f"Debian {debian.PACKAGE} {version}"


def _has_apt() -> bool:
    return bool(shutil.which("apt-get") and shutil.which("dpkg-deb"))


def _store(new: Path, source: Source) -> Source:
    _describe(new, source)
    cache.remove([source.folder])  # damaged, or it would have been found
    new.replace(source.folder)
    return source


def _describe(folder: Path, source: Source) -> None:
    text = json.dumps(asdict(source), indent=2) + "\n"
    draft = folder / "source.json.new"
    draft.write_text(text)
    draft.replace(folder / "source.json")


def _known(identity: str, rules: str | None = None) -> Source | None:
    """The source in the cache; only the whole one counts, unless `rules` says other."""
    wanted = (identity, rules or unpack.rules())
    return next((s for s in stored() if (s.identity, s.rules) == wanted), None)


def _folder() -> Path:
    folder = cache.root() / "sources"
    folder.mkdir(exist_ok=True)
    return folder


def _new_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix=cache.NEW, dir=_folder()))


def _check(version: str, where: Path) -> str:
    if version.split(".")[:2] != SERIES.split("."):
        raise UserError(
            f"{where}: this is Linux {version}; overlay and patches need {SERIES}"
        )
    return version


def file_identity(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error


def tree_identity(tree: Path) -> str:
    total = hashlib.sha256()
    for line in sorted(_listing(str(tree), "")):
        total.update(line.encode(errors="surrogateescape") + b"\n")
    return total.hexdigest()


def _listing(folder: str, below: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = below + entry.name
            if entry.is_dir(follow_symlinks=False):
                if name not in unpack.WHOLE and name != "Documentation":
                    yield from _listing(entry.path, f"{name}/")
            elif not entry.is_symlink():
                status = entry.stat()
                yield f"{name} {status.st_size} {int(status.st_mtime)}"
