"""From the lock file to an image in the cache."""

import json
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from mpbench.errors import UserError
from mpbench.image import cache, choice, describe, erofs, fetch, lock, packed, tree
from mpbench.image.cache import Image
from mpbench.image.lock import Package
from mpbench.kernel import cache as kernel_cache
from mpbench.kernel.lock import exclusive
from mpbench.kernel.progress import Progress
from mpbench.kernel.shell import Shell, logged


def build(debs: Path | None, force: bool, progress: Progress | None = None) -> Image:
    """See `mpbench.image.build`."""
    if not force and cache.lookup() is not None:
        return cache.find()
    output = progress or Progress()
    with ExitStack() as stack:
        # A lock of its own: an image can be built while a kernel is.
        stack.enter_context(exclusive(cache.folder(), output.say))
        ready = None if force else cache.lookup()
        if ready is not None:
            return ready
        kernel_cache.remove(cache.folder().glob(f"{kernel_cache.NEW}*"))
        shell = stack.enter_context(logged(kernel_cache.root(), "image", output.say))
        return _make(debs, shell, output)


def _make(debs: Path | None, shell: Shell, progress: Progress) -> Image:
    start = time.monotonic()
    packages = lock.read()
    kept = [package for package in packages if package.name not in choice.TOOLS]
    with tempfile.TemporaryDirectory(
        prefix=kernel_cache.NEW, dir=cache.folder()
    ) as work:
        scratch = Path(work)
        for name in ("debs", "tools", "new"):
            (scratch / name).mkdir()
        total_mb = sum(package.size_bytes for package in packages) / 1e6
        with progress.step("fetch", f"{len(packages)} packages, {total_mb:.0f} MB"):
            found = fetch.fetch(shell, packages, scratch / "debs", debs)
        with progress.step("unpack", f"{len(kept)} packages"):
            files = [found[package] for package in kept]
            tree.make(shell, files, scratch / "root")
        new = scratch / "new"
        with progress.step("image", cache.NAME):
            utilities = _utilities(found)
            tools = scratch / "tools"
            erofs.write(shell, utilities, scratch / "root", new / cache.NAME, tools)
        programs = tree.programs(scratch / "root")
        return _store(new, kept, programs, time.monotonic() - start)


def _utilities(found: dict[Package, Path]) -> Path:
    for package, path in found.items():
        if package.name in choice.TOOLS:
            return path
    raise UserError(
        f"{lock.FILE}: no {choice.TOOLS[0]} in it; `mpbench image lock` adds it"
    )


def _store(
    new: Path, packages: list[Package], programs: list[str], seconds: float
) -> Image:
    """Complete the new folder, and then give it its name in one step."""
    path = new / cache.NAME
    path.chmod(0o644)
    sha256 = fetch.digest(path)
    name = cache.key()
    info = {
        "format": 1,
        "key": name,
        "sha256": sha256,
        "size_bytes": path.stat().st_size,
        "packages": len(packages),
        "programs": programs,
        "built": datetime.now(UTC).isoformat(timespec="seconds"),
        "build_s": round(seconds, 1),
    }
    (new / "manifest.txt").write_text(describe.manifest(packages))
    bill = json.dumps(describe.bill(packages, sha256), indent=2)
    (new / "sbom.json").write_text(bill + "\n")
    (new / "info.json").write_text(json.dumps(info, indent=2) + "\n")
    new.chmod(0o755)
    packed.put(new, cache.folder() / name)
    image = cache.get(name)
    assert image is not None
    return image
