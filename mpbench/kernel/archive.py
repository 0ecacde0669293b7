"""Which package of Debian's has a release of Linux.

    release = resolve("6.12", shell, folder)     # the newest of the series
    release = resolve("6.12.118", shell, folder)
    release = resolve("6.12.118-1", shell, folder)
    release = resolve("7.4~rc3", shell, folder)  # a release candidate

apt reads the suites that have the release with a private list, and checks the archive's
signature, as for mpbench's own Linux. `resolve` downloads nothing but the lists.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from jobs.linux import Release
from mpbench import mirror
from mpbench.errors import UserError
from mpbench.kernel import releases
from mpbench.kernel.recipe import SERIES
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import file_identity
from mpbench.kernel.suites import Suites, dropped

VERSION = re.compile(
    r"(?P<series>[1-9][0-9]?\.[0-9]{1,3})(?P<last>\.[0-9]{1,4}|~rc[0-9]{1,2})?"
    r"(?P<revision>-[0-9][0-9a-z.+~]{0,30})?"
)
"""A series, a version or candidate of Linux, or the version of a package."""
CANDIDATE = "~rc"
POOL = "pool/main/l/linux"
"""The folder of Linux's packages in Debian's archive."""
SHOWN = 8


def series(wanted: str) -> str:
    """The series of a version: '6.12' of '6.12.118'. Raises ValueError for no such."""
    found = VERSION.fullmatch(wanted)
    if found is None or (found["revision"] and not found["last"]):
        raise ValueError(f"'{wanted[:40]}' is no release of Linux")
    return found["series"]


def resolve(wanted: str, shell: Shell, folder: Path) -> Release:
    """The package that has a release, the newest one if there are several.

    folder : an empty one, for apt's files

    Raises UserError, one line, for a release that cannot be built, and for one that the
    archive does not have.
    """
    wanted_series = series(wanted)
    name = f"linux-source-{wanted_series}"
    mirrored = _mirrored(name, wanted, folder) if "-" in wanted else None
    if mirrored is not None:
        return mirrored
    found = list(_packages(name, wanted_series, shell, folder))
    for release in found:
        newest = CANDIDATE not in release.version and wanted == release.series
        if newest or wanted in (release.version, release.package):
            return release
    versions = list(dict.fromkeys(release.version for release in found))
    if found and wanted == wanted_series:
        raise UserError(
            f"Linux {wanted} is not in Debian's archive, which has only candidates:"
            f" {', '.join(versions[:SHOWN])}; write linux: {versions[0]}"
        )
    more = f" and {len(versions) - SHOWN} older" if len(versions) > SHOWN else ""
    exact = wanted if wanted != wanted_series else f"{wanted}.1"
    example = exact if "-" in exact else f"{exact}-1"
    listed = ", ".join(versions[:SHOWN]) or f"none of {wanted_series}"
    raise UserError(
        f"Linux {wanted} is not in Debian's archive, which has {listed}{more}; if you"
        f" have {name}_PACKAGE_all.deb, put it into a folder 'debs', name the folder"
        f" above in {mirror.VARIABLE}, and write linux: PACKAGE, such as {example}"
    )


def _mirrored(name: str, version: str, folder: Path) -> Release | None:
    """The package from a place of the user's; None if no place has it."""
    file = f"{name}_{version}_all.deb"
    target = folder / file
    if mirror.fetch_package(file, f"{POOL}/{file}", target) is None:
        return None
    found = Release(package=version, sha256=file_identity(target))
    target.unlink()
    return found


def download(release: Release, shell: Shell, folder: Path) -> Path:
    """Fetch the package of a release into `folder`, as apt finds it in signed lists.

    Raises UserError for one that the archive does not have any more.
    """
    suites = _suites(release.series, shell, folder / "apt")
    found = suites.download(f"{release.name}={release.package}", folder)
    if found is None:
        series = f"write linux: '{release.series}' and remove the lock to take the"
        raise dropped(
            f"Linux {release.version}",
            [release.file],
            f"{series} newest {release.series} that it has",
        )
    return found


def _suites(wanted_series: str, shell: Shell, folder: Path) -> Suites:
    """Read the suites that have a release.

    Raises UserError if there is no apt, or if the archive cannot be read.
    """
    if not shutil.which("apt-cache"):
        raise UserError(
            f"Linux {wanted_series} comes from Debian's archive, and this machine has"
            f" no apt; name a folder with the package in {mirror.VARIABLE}"
        )
    if wanted_series == SERIES:
        names: tuple[str, ...] = releases.NEWER_SUITES
    else:
        names = releases.port(wanted_series).suites
    return Suites(shell, folder, names)


def _packages(
    name: str, wanted_series: str, shell: Shell, folder: Path
) -> Iterator[Release]:
    """All versions of a package, the newest first."""
    for fields in _suites(wanted_series, shell, folder).show([name], every=True):
        version = fields.get("Version", "")
        found = VERSION.fullmatch(version)
        if fields["Package"] == name and found and found["last"]:
            yield Release(package=version, sha256=fields["SHA256"])
