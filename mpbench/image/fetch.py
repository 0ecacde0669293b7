"""Fetches the pinned packages' files, each checked against its SHA-256.

Places of the user's own are asked first (`mpbench.mirror`).
The files come from the mirror that the machine's apt already uses. apt's own program
for single files fetches them, with the user's proxies. No index is read: the lock file
has each file's path and hash.
"""

import hashlib
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mpbench import mirror
from mpbench.errors import UserError
from mpbench.image.lock import Package
from mpbench.kernel import debian
from mpbench.kernel.shell import CommandFailed, Shell

APT_HELPER = Path("/usr/lib/apt/apt-helper")
AT_ONCE = 40
"""Packages per call, so that the argument list stays short."""
REMEDY = (
    "give a folder that has the package's file with `--debs FOLDER`, or take a newer "
    "mpbench, or pin what the mirror has with `mpbench image lock` (results then have "
    "another identity)"
)


def fetch(
    shell: Shell, packages: Sequence[Package], folder: Path, given: Path | None
) -> dict[Package, Path]:
    """The files of all packages, in `folder` or `given`.

    given : a folder of the user's with packages, under any names; may be None
    Raises UserError that names the packages that cannot be had.
    """
    found = _among(packages, given) if given else {}
    for package in packages:
        if package not in found:
            path = mirrored(package, folder)
            if path is not None:
                found[package] = path
    missing = [package for package in packages if package not in found]
    if missing:
        arrived, failure = download(shell, missing, folder)
        found.update(arrived)
        gone = [package for package in missing if package not in arrived]
        if gone:
            raise UserError(_reason(gone, len(missing), failure))
    return found


def mirrored(package: Package, folder: Path) -> Path | None:
    """The package's file, from one of the user's own places."""
    target = folder / f"{package.name}_{package.sha256[:8]}.mirrored.deb"
    origin = mirror.fetch_package(package.file, package.path, target)
    if origin is None:
        return None
    if digest(target) != package.sha256:
        raise UserError(
            f"{origin}: not the file that the lock file pins (its hash is another one)"
        )
    return target


def _among(packages: Iterable[Package], folder: Path) -> dict[Package, Path]:
    if not folder.is_dir():
        raise UserError(f"--debs {folder}: no such folder")
    by_size: dict[int, list[Path]] = {}
    for path in sorted(folder.glob("*.deb")):
        if path.is_file():
            by_size.setdefault(path.stat().st_size, []).append(path)
    found = {}
    for package in packages:
        for path in by_size.get(package.size_bytes, ()):
            if digest(path) == package.sha256:
                found[package] = path
    return found


def download(
    shell: Shell, packages: Sequence[Package], folder: Path
) -> tuple[dict[Package, Path], CommandFailed | None]:
    """The packages that the mirror has, and the failure of the program that fetches
    them, if it failed."""
    if not APT_HELPER.exists():
        raise UserError(
            f"{len(packages)} packages are missing, and this machine has no apt to "
            f"fetch them with: {named(packages)}; give a folder with their files with "
            "`--debs FOLDER`, or name one in MPBENCH_MIRROR"
        )
    addresses = archives(shell, {package.suite for package in packages})
    targets = {
        package: folder / f"{package.name}_{package.sha256[:8]}.deb"
        for package in packages
    }
    failure: CommandFailed | None = None
    for first in range(0, len(packages), AT_ONCE):
        words: list[str] = []
        for package in packages[first : first + AT_ONCE]:
            address = f"{addresses[package.suite]}{package.path.replace('+', '%2b')}"
            words += [address, str(targets[package]), f"SHA256:{package.sha256}"]
        try:
            shell.run(
                [str(APT_HELPER), "-oAPT::Sandbox::User=", "download-file", *words]
            )
        except CommandFailed as error:
            failure = error
    for package, path in targets.items():
        if not path.is_file() or digest(path) != package.sha256:
            path.unlink(missing_ok=True)
    arrived = {package: path for package, path in targets.items() if path.exists()}
    return arrived, failure


def _reason(gone: Sequence[Package], asked: int, failure: CommandFailed | None) -> str:
    log = f" (the log: {failure.log})" if failure else ""
    if len(gone) == asked > 1:
        return (
            f"none of {asked} packages of the root image could be fetched{log}; check "
            "the network, or give a folder with their files with `--debs FOLDER`"
        )
    return f"the mirror does not have {named(gone)}{log}; {REMEDY}"


def named(packages: Sequence[Package], most: int = 5) -> str:
    """Packages with their versions, in one line."""
    words = [f"{package.name} {package.version}" for package in packages[:most]]
    if len(packages) > most:
        words.append(f"{len(packages) - most} more")
    return ", ".join(words)


def archives(shell: Shell, suites: Iterable[str]) -> Mapping[str, str]:
    """The address of each suite's archive, from the machine's own sources.

    Raises UserError if apt has no such source.
    """
    if shutil.which("apt-get") is None:
        raise UserError("no apt-get here, whose sources name Debian's mirror")
    main = debian.mirror(shell)
    return {
        suite: debian.security_mirror(shell) if suite.endswith("-security") else main
        for suite in suites
    }


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
