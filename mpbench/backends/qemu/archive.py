"""Debian's packages of a release of Linux: which ones, and their pinned versions.

apt runs with a private list of suites, and checks the archive's signature, as for the
root image. Kernels since 6.19 come in three packages, of which two have files.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from jobs.linux import Package
from mpbench.errors import UserError
from mpbench.image import resolve as pinning
from mpbench.kernel.shell import Shell
from mpbench.kernel.suites import Suites
from mpbench.kernel.suites import newest as newest_of

ARCHITECTURE = "amd64"
SUITES = (
    "bookworm",
    "bookworm-backports",
    "trixie",
    "trixie-backports",
    "sid",
    "experimental",
)
SECURITY_SUITES = ("bookworm-security", "trixie-security")
IMAGES = rf"^linux-image-[0-9].*-cloud-{ARCHITECTURE}$"
PARTS = re.compile(r"(linux-(?:binary|modules)-\S+) \(= ([^)\s]+)\)")
"""Packages that an image's package names, with the files of the kernel."""


def newest(shell: Shell, folder: Path, release: str) -> tuple[Package, ...]:
    """The packages of the newest Linux of a release that the archive has.

    release : `6.12` for the newest of a series, or `6.12.118`
    folder : an empty one, for apt's files

    Raises UserError if the archive cannot be read, or has no such release.
    """
    suites = Suites(shell, folder, (*SUITES, *SECURITY_SUITES), ARCHITECTURE)
    images = suites.show(suites.search(IMAGES))
    image = _newest(shell, images, release)
    chosen = {image["Package"]: image["Version"], **parts(image)}
    asked = [f"{name}={version}" for name, version in chosen.items()]
    shown = suites.show(asked)
    pinned = {
        one.name: Package(
            name=one.name,
            version=one.version,
            suite=one.suite,
            path=one.path,
            bytes=one.size_bytes,
            sha256=one.sha256,
        )
        for one in pinning.packages(shown, shell, suites.options)
        if chosen.get(one.name) == one.version
    }
    return tuple(pinned[name] for name in chosen)


def parts(image: dict[str, str]) -> dict[str, str]:
    """Package to version of the packages that an image's package names as its parts."""
    return dict(PARTS.findall(image.get("Depends", "")))


def is_release(version: str, release: str) -> bool:
    """Whether a package's version is one of a release of Linux, and no candidate."""
    upstream = version.partition("-")[0]
    return "~" not in upstream and (
        upstream == release or upstream.startswith(f"{release}.")
    )


def _newest(
    shell: Shell, images: Iterable[dict[str, str]], release: str
) -> dict[str, str]:
    listed = [image for image in images if is_release(image["Version"], release)]
    if not listed:
        suites = ", ".join((*SUITES, *SECURITY_SUITES))
        raise UserError(
            f"Linux {release}: Debian's archive has no package with a cloud kernel of"
            f" it ({suites})"
        )
    return newest_of(shell, listed)
