"""The bill of materials of a wheel: CycloneDX 1.5, for JSON."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from packaging.requirements import Requirement

import mpbench
from mpbench import endpoints, image, kernel
from mpbench.image.describe import materials
from packing import pins

Component = dict[str, Any]


def bill(wheel: Path) -> Mapping[str, Any]:
    """Bill of a wheel: its contents, and its needs.

    Raises UserError if kernel or image are not built, or differ from their hashes.
    """
    built, root = kernel.find(), image.find()
    within = json.loads(root.path.with_name("sbom.json").read_text())
    release = {
        **_component("application", "mpbench", mpbench.__version__),
        "purl": _python("mpbench", mpbench.__version__),
        "hashes": _hashes(hashlib.sha256(wheel.read_bytes()).hexdigest()),
        "licenses": [{"expression": "MIT AND GPL-2.0-only"}],
    }
    parts = [
        _linux(built.info),
        {**within["metadata"]["component"], "components": within["components"]},
        *_endpoints(),
        *_python_packages(),
    ]
    return materials(release, parts)


def _linux(info: Mapping[str, Any]) -> Component:
    """The guest kernel: its binary, and the source that it was built of."""
    return {
        **_component("operating-system", "linux", str(info["version"])),
        "description": "guest kernel (ARCH=um) with overlay and patches",
        "hashes": _hashes(str(info["linux_hash"])),
        "licenses": [{"license": {"id": "GPL-2.0-only"}}],
        "properties": [
            {"name": f"mpbench:{name}", "value": str(info[name])}
            for name in ("key", "recipe", "source", "source_hash", "compiler")
        ],
    }


def _endpoints() -> Iterator[Component]:
    """The programs that speak QUIC, and the works of others in each."""
    for name in endpoints.NAMES:
        found = endpoints.lookup(name)
        if found is None:
            continue
        label = f"endpoint-{name}"
        yield {
            **_component("application", label, mpbench.__version__),
            "description": f"endpoint of multipath QUIC over {name}",
            "hashes": _hashes(found.info["sha256"]),
            "licenses": [{"license": {"id": "MIT"}}],
            "properties": [
                {"name": f"mpbench:{key}", "value": str(found.info[key])}
                for key in ("key", "compiler")
            ],
            "components": [_work(label, work) for work in found.info["works"]],
        }


def _work(within: str, work: Mapping[str, str]) -> Component:
    """A work of others. The hash is that of its source package."""
    name, version = work["name"], work["version"]
    made = _component("library", name, version, f"{within}/{name}@{version}")
    made |= {"purl": work["purl"], "licenses": [{"expression": work["license"]}]}
    return made | ({"hashes": _hashes(work["sha256"])} if "sha256" in work else {})


def _python_packages() -> Iterator[Component]:
    """The Python packages that the wheel needs, in the versions of constraints.txt."""
    pinned = pins.read()
    for name in sorted(needed("mpbench")):
        version = pinned[name]
        address = _python(name, version)
        yield {**_component("library", name, version, address), "purl": address}


def needed(name: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """The packages that an installed package needs without extras, and theirs."""
    found: set[str] = set()
    for line in metadata.requires(name) or ():
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        key = pins.normal(requirement.name)
        if key not in seen | found:
            found |= {key} | needed(key, seen | found | {key})
    return found


def _component(kind: str, name: str, version: str, reference: str = "") -> Component:
    reference = reference or name
    return {"type": kind, "bom-ref": reference, "name": name, "version": version}


def _python(name: str, version: str) -> str:
    """The package's URL, as the specification `purl` has it."""
    return f"pkg:pypi/{quote(name)}@{quote(version)}"


def _hashes(sha256: str) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": sha256}]
