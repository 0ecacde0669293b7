"""FILE.lock beside an experiment file: what its kernels stand for, looked up once.

A series such as "6.12" is the newest of that series in Debian's archive. The lock keeps
its package and the package's SHA-256, so the experiment means the same from then on.
The packages take the place of the releases when an experiment is read, so that its
results need the lock no more.
"""

import hashlib
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from jobs import reading, writing
from jobs.linux import Linux, Release, Tree
from mpbench import kernel_commits, kernel_images
from mpbench.errors import UserError
from mpbench.kernel import archive, cache, pinned, tools, variants
from mpbench.kernel import recipe as recipes
from mpbench.kernel.shell import CommandFailed, logged
from mpbench.kernel_commits import Locked
from mpbench.spec import Spec, kernel_checks, kernels, problems
from mpbench.spec.document import Document, read
from mpbench.spec.kernels import LOCK, MOST_KERNELS
from mpbench.spec.messages import shortened
from mpbench.spec.values import Faults, Name, Part
from mpbench.store import atomic

KEY = "kernels"
FORMAT: Literal[1] = 1
KERNELS: TypeAdapter[dict[str, kernels.Kernel]] = TypeAdapter(kernels.Kernels)


class Entry(Part):
    """A kernel of the file.

    linux : the release as the file asks for it; None for a kernel that does not say
    version, package, sha256 : the Linux that it is built of. For mpbench's own Linux
        the SHA-256 is that of the tarball, else of the package
    packages : of a binary for QEMU, instead of what a kernel is built of
    image : of an own kernel for QEMU, the version and hashes
    asked, commit, tree : of a git repository, in the place of package and sha256: the
        commit's name in the file, None for the one that was checked out, and hashes
    patches : SHA-256 of each patch, in order
    key : of the kernel that compiler makes of it
    """

    linux: str | None = None
    version: str
    package: str = ""
    sha256: str = ""
    asked: str | None = None
    commit: str | None = None
    tree: str | None = None
    packages: tuple[kernels.Package, ...] = ()
    image: kernels.Binary | None = None
    patches: dict[str, str] = Field(default={})
    key: str | None = None
    compiler: str | None = None


class Lock(Part):
    """The content of a lock file."""

    format: Literal[1]
    kernels: Annotated[dict[Name, Entry], Field(max_length=MOST_KERNELS)]


def place(file: Path) -> Path:
    """The lock of an experiment file."""
    return file.with_name(file.name + LOCK)


def load(file: Path) -> Lock | None:
    """The lock of an experiment file; None if there is none.

    Raises UserError, `file:line: what`, for one that cannot be read, and for what is
    no file: without the lock the experiment could mean other kernels.
    """
    path = place(file)
    if not path.exists():
        return None
    remedy = f"remove it, and `mpbench kernel lock {file.name}` writes it again"
    if not path.is_file():
        raise UserError(f"{path}: not a regular file; {remedy}")
    document = read(path, remedy)
    try:
        return Lock.model_validate(document.values)
    except ValidationError as error:
        raise UserError(problems.describe(error, Lock, document)) from None


def in_place(
    document: Document, file: Path, again: bool = False
) -> tuple[Document, bool]:
    """The document with the package of every release that its kernels ask for.

    again : whether kernels that are not as they were locked are looked up
    Returns the document, and whether a release was looked up, which is told.

    Raises UserError, `file:line: what`, for a kernel that is not as it was locked, and
    for a release that cannot be looked up.
    """
    lock = load(file)
    commits = _commits(lock, place(file)) if lock else {}
    document = kernel_commits.in_place(
        document, file.parent, commits, place(file).name, again
    )
    entries = lock.kernels if lock else {}
    images = {n: entry.image.job() for n, entry in entries.items() if entry.image}
    document = kernel_images.in_place(
        document, file.parent, images, place(file).name, again
    )
    built, binaries = _asked(document)
    if lock is not None and not again:
        _compare(document, built | binaries, lock, place(file).name)
    found: dict[str, dict[str, Any]] = {}
    known: dict[str, Release] = {}
    for label, linux in built.items():
        entry = lock.kernels.get(label) if lock else None
        if entry is not None and entry.linux == linux:
            release = _release(entry, place(file), label)
        else:
            if linux not in known:
                known[linux] = _looked_up(document, label, linux)
            release = known[linux]
        found[label] = {"release": writing.plain(release)}
    for label, linux in binaries.items():
        entry = lock.kernels.get(label) if lock else None
        if entry is not None and entry.linux == linux and entry.packages:
            listed = [package.model_dump() for package in entry.packages]
            found[label] = {"packages": listed}
    if not found:
        return document, False
    labels = document.values[KEY]
    changed = {label: {**labels[label], **more} for label, more in found.items()}
    values = {**document.values, KEY: {**labels, **changed}}
    return replace(document, values=values, rewritten=True), bool(known)


def _asked(document: Document) -> tuple[dict[str, str], dict[str, str]]:
    """The releases that kernels of a file ask the archive for, by label: those that are
    to be built, and those of binaries.

    There are none if the kernels are faulty: whoever validates the document tells it.
    """
    try:
        labels = KERNELS.validate_python(document.values.get(KEY, {}))
    except ValidationError:
        return {}, {}
    binaries = {n: kernel for n, kernel in labels.items() if kernel.machine}
    sources = {n: kernel for n, kernel in labels.items() if not kernel.machine}
    faults = Faults()
    kernel_checks.check(sources, faults)
    if faults.found:
        return {}, {}
    built = {
        label: kernel.linux
        for label, kernel in sources.items()
        if kernel.linux and kernels.of_archive(kernel.linux) and not kernel.release
    }
    return built, {
        label: kernel.linux
        for label, kernel in binaries.items()
        if kernel.linux and not kernel.packages
    }


def _looked_up(document: Document, label: str, linux: str) -> Release:
    at = _at(document, label)
    try:
        release = look_up(linux)
    except UserError as error:
        raise UserError(f"{at}: {error}") from None
    what = f"Debian {release.name} {release.package}"
    print(f"{at}: Linux {linux} is {release.version} ({what})", file=sys.stderr)
    return release


def _at(document: Document, label: str, key: str = "linux") -> str:
    return f"{document.where((KEY, label, key))}: {KEY}.{shortened(label)}.{key}"


def _compare(
    document: Document, asked: Mapping[str, str], lock: Lock, name: str
) -> None:
    """Raise UserError for a kernel that is not as it was locked.

    name : of the lock file
    """
    remedy = f"`mpbench kernel lock {document.name}` locks it"
    for label, linux in asked.items():
        entry = lock.kernels.get(label)
        if entry is None:
            raise UserError(f"{_at(document, label)}: not in {name}; {remedy}")
        if entry.linux != linux:
            had = f"'{shortened(entry.linux)}'" if entry.linux else "no release"
            raise UserError(f"{_at(document, label)}: {name} has {had}; {remedy}")
    labels = document.values.get(KEY)
    for label, kernel in labels.items() if isinstance(labels, dict) else ():
        entry = lock.kernels.get(label)
        if entry is not None and isinstance(kernel, dict):
            differing = _differing(kernel.get("patches"), entry)
            if differing:
                at = _at(document, label, "patches")
                raise UserError(f"{at}: {differing}: not as in {name}; {remedy}")


def _differing(patches: Any, entry: Entry) -> str:
    """The first patch that is not the one that was locked; empty if there is none."""
    listed = patches if isinstance(patches, list | tuple) else []
    now = {p["name"]: _sha256(p["text"]) for p in listed if isinstance(p, dict)}
    for name in {**entry.patches, **now}:
        if entry.patches.get(name) != now.get(name):
            return shortened(name)
    return "their order" if list(now) != list(entry.patches) else ""


def _release(entry: Entry, path: Path, label: str) -> Release:
    listed = {"package": entry.package, "sha256": entry.sha256}
    try:
        made = reading.reader(Release)(listed)
    except ValueError as error:
        place = f"{KEY}.{shortened(label)}"
        at = f"{read(path).where((KEY, label))}: {place}"
        raise UserError(
            f"{at}: {error}; remove the lock to have it written again"
        ) from None
    assert isinstance(made, Release)
    return made


def _commits(lock: Lock, path: Path) -> dict[str, Locked]:
    """The commits of a lock. Raises UserError, `file:line: what`, for one that is
    none."""
    found = {}
    for label, entry in lock.kernels.items():
        if entry.commit is None:
            continue
        listed = {"commit": entry.commit, "tree": entry.tree, "version": entry.version}
        try:
            made = reading.reader(Tree)(listed)
        except ValueError as error:
            at = f"{read(path).where((KEY, label))}: {KEY}.{shortened(label)}"
            raise UserError(
                f"{at}: {error}; remove the lock to have it written again"
            ) from None
        assert isinstance(made, Tree)
        found[label] = Locked(entry.asked, made)
    return found


def look_up(linux: str) -> Release:
    """The package of a release, from Debian's archive. Raises UserError, one line."""
    home = cache.root()
    try:
        (home / "logs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{home}: {error.strerror}; set XDG_CACHE_HOME") from error
    try:
        with (
            logged(home, "archive", say=lambda line: None) as shell,
            tempfile.TemporaryDirectory(prefix="mpbench-") as folder,
        ):
            return archive.resolve(linux, shell, Path(folder))
    except CommandFailed as error:
        raise UserError(f"{error.lines[-1] if error.lines else error}") from error


def of_spec(spec: Spec) -> Lock:
    """The lock of an experiment whose releases are all known."""
    compiler = tools.compiler()
    return Lock(
        format=FORMAT,
        kernels={
            label: _entry(spec.kernels, label, compiler) for label in spec.kernels
        },
    )


def _entry(
    listed: Mapping[str, kernels.Kernel], label: str, compiler: str | None
) -> Entry:
    linux = kernels.resolved(listed, label)
    if linux.binary is not None:
        return Entry(version=linux.binary.version, image=listed[label].binary)
    if linux.packages:
        return Entry(
            linux=listed[label].linux,
            version=linux.packages[0].upstream,
            package=linux.packages[0].version,
            sha256=linux.packages[0].sha256,
            packages=listed[label].packages,
        )
    patches = {patch.name: _sha256(patch.text) for patch in listed[label].patches}
    key = _key(linux, compiler) if compiler else None
    if linux.tree is not None:
        return Entry(
            version=linux.tree.version,
            asked=listed[label].commit,
            commit=linux.tree.commit,
            tree=linux.tree.tree,
            patches=patches,
            key=key,
            compiler=compiler,
        )
    own = pinned.read()
    release = linux.release
    return Entry(
        linux=listed[label].linux,
        version=release.version if release else own.version,
        package=release.package if release else own.package,
        sha256=release.sha256 if release else own.whole,
        patches=patches,
        key=key,
        compiler=compiler,
    )


def _key(linux: Linux, compiler: str) -> str:
    """The key that a kernel has in the cache, once it is built."""
    base = cache.lookup(recipes.read("guest"))
    donor = str(base.info["source_hash"]) if base else pinned.read().whole
    source = variants.source_identity(donor, linux)
    return cache.key(variants.recipe(linux), source, compiler)


def keep(file: Path, spec: Spec) -> None:
    """Write the lock of an experiment whose releases were just looked up.

    Where the file cannot have one beside it, that is told, and no error.
    """
    try:
        path = write(file, of_spec(spec))
    except UserError as error:
        print(error, file=sys.stderr)
    else:
        print(f"{path}: locks the kernels of {file.name}", file=sys.stderr)


def write(file: Path, lock: Lock) -> Path:
    """Write the lock of an experiment file. Raises UserError if that fails."""
    path = place(file)
    values = lock.model_dump(mode="json", exclude_defaults=True)
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)
    head = f"# `mpbench kernel lock {file.name}` writes this file; keep it.\n"
    try:
        atomic.write_bytes(path, (head + text).encode())
    except OSError as error:
        raise UserError(
            f"{path}: cannot be written: {error.strerror}; the kernels of {file.name}"
            " would be looked up again each time"
        ) from error
    return path


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
