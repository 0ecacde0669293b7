"""The archive of sources: what the licences ask for, and what a build would fetch.

It has the checkout, and in its folder `mirror` the subset of Linux, the Debian packages
of the root image, and the source package of the endpoint over picoquic. In it, `make
wheel` needs no archive of Debian or of Linux, whatever they still have. The crates of
the endpoint over noq are not in it; their licences ask for none.
"""

import io
import subprocess
import tarfile
import tempfile
from pathlib import Path

import mpbench
from mpbench.endpoints import building, recipes
from mpbench.errors import UserError
from mpbench.image import fetch, lock
from mpbench.kernel.shell import Shell
from packing import linux, parts

LEFT_OUT = ("results/reference/", "studies/rows/")


def write(out: Path, debs: Path | None = None) -> Path:
    """Write the archive to a folder.

    debs : a folder that may have packages of the image; the others are fetched
    Raises UserError if a part cannot be had.
    """
    top = f"mpbench-{mpbench.__version__}-sources"
    target = out / f"{top}.tar"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mpbench-sources-", dir=out) as name:
        scratch = Path(name)
        members = {file: parts.TOP / file for file in _checkout()}
        subset = linux.write(scratch)
        members[f"mirror/{subset.name}"] = subset
        package = _endpoint(scratch)
        members[f"mirror/{package.name}"] = package
        for file, path in _packages(scratch, debs).items():
            members[f"mirror/debs/{file}"] = path
        draft = scratch / target.name
        with tarfile.open(draft, "w") as archive:
            for file in sorted(members):
                member = archive.gettarinfo(str(members[file]), f"{top}/{file}")
                parts.plain(member)
                content = members[file].read_bytes() if member.isreg() else b""
                archive.addfile(member, io.BytesIO(content))
        return draft.rename(target)


def _endpoint(scratch: Path) -> Path:
    """The source package of the endpoint over picoquic."""
    shell = Shell(scratch / "log-endpoint")
    try:
        return building.fetch(shell, recipes.source("picoquic"), scratch)
    finally:
        shell.close()


def _checkout() -> list[str]:
    """The files that git has."""
    done = subprocess.run(
        ["git", "-C", str(parts.TOP), "ls-files", "-z"], capture_output=True, text=True
    )
    if done.returncode:
        raise UserError(f"{parts.TOP}: the archive of sources needs a checkout by git")
    names = [name for name in done.stdout.split("\0") if name]
    return [name for name in names if not name.startswith(LEFT_OUT)]


def _packages(scratch: Path, given: Path | None) -> dict[str, Path]:
    """The image's packages by the name of their file."""
    folder = scratch / "debs"
    folder.mkdir()
    shell = Shell(scratch / "log")
    try:
        found = fetch.fetch(shell, lock.read(), folder, given)
    finally:
        shell.close()
    return {package.file: path for package, path in found.items()}
