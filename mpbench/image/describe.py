"""Contents of an image: a manifest for people, and a bill of materials for programs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from mpbench.image.choice import ARCHITECTURE, RELEASE
from mpbench.image.lock import Package


def manifest(packages: Iterable[Package]) -> str:
    """One line `package=version` per package, sorted."""
    lines = sorted(f"{package.name}={package.version}" for package in packages)
    return "".join(f"{line}\n" for line in lines)


def bill(packages: Iterable[Package], image_sha256: str) -> Mapping[str, Any]:
    """The image's bill of materials, for JSON."""
    image = {
        "type": "operating-system",
        "bom-ref": "root.erofs",
        "name": "mpbench-root",
        "version": image_sha256[:16],
        "hashes": [{"alg": "SHA-256", "content": image_sha256}],
    }
    parts = [
        {
            "type": "library",
            "bom-ref": _address(package),
            "name": package.name,
            "version": package.version,
            "purl": _address(package),
            "hashes": [{"alg": "SHA-256", "content": package.sha256}],
        }
        for package in sorted(packages, key=lambda package: package.name)
    ]
    return materials(image, parts)


def materials(
    of: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any]:
    """A software bill of materials, CycloneDX 1.5, for JSON.

    of : the component that it is about
    parts : the components within it
    """
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": of},
        "components": parts,
    }


def _address(package: Package) -> str:
    """The package's URL, as the specification `purl` has it for Debian."""
    version = quote(package.version, safe="")
    return (
        f"pkg:deb/debian/{quote(package.name)}@{version}"
        f"?arch={ARCHITECTURE}&distro={RELEASE}"
    )
