#!/usr/bin/env python3
"""Checks the kernel's C and patches with Linux's own checkpatch.

    .ci/checkpatch.py [FILE...]

Without FILE, it checks everything in kernel/. checkpatch comes from the Linux in the
kernel cache, which is fetched first where the cache has none. kernel/.checkpatch.conf
says which types of complaints are ignored, and why. The exit status is 1 if there are
complaints, and 2 if the check is not possible.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel import cache, sources
from mpbench.kernel.lock import exclusive
from mpbench.kernel.progress import Progress
from mpbench.kernel.shell import Shell

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / "kernel"

ENVIRONMENT = {
    "CHECKPATCH_CONFIG_DIR": str(KERNEL),
    # checkpatch reads a patch as a source file if git tracks it, unless git is away.
    "GIT_DIR": "/dev/null/none",
    "LC_ALL": "C",
}

_COMPLAINT = re.compile(r"\S+:\d+: (ERROR|WARNING|CHECK):")


def linux() -> Path:
    """The tree of Linux in the cache, fetched if there is none."""
    stored = sources.stored()
    if stored:
        return stored[-1].tree
    progress = Progress()
    with ExitStack() as stack:
        home = cache.root()
        handle = stack.enter_context(exclusive(home, progress.say))
        (home / "logs").mkdir(exist_ok=True)
        shell = Shell(home / "logs" / "checkpatch.log", inherited=[handle.fileno()])
        stack.callback(shell.close)
        return sources.obtain(None, shell, progress).tree


def everything() -> list[Path]:
    """The C files and the patches in kernel/."""
    return sorted(
        path for pattern in ("*.[ch]", "*.patch") for path in KERNEL.rglob(pattern)
    )


def complaints(paths: Sequence[Path], tree: Path) -> list[str]:
    """checkpatch's complaints, one line each.

    Raises UserError if checkpatch does not run.
    """
    perl = shutil.which("perl")
    if perl is None:
        raise UserError("checkpatch needs perl (Debian package perl)")
    script = [perl, str(tree / "scripts" / "checkpatch.pl"), "--no-tree", "--terse"]
    with tempfile.TemporaryDirectory(prefix="checkpatch-") as name:
        folder = Path(name)
        # checkpatch leaves a cache in its working folder; links keep names short there.
        for top in ROOT.iterdir():
            (folder / top.name).symlink_to(top)
        return list(_complaints(script, paths, folder))


def _complaints(
    script: Sequence[str], paths: Sequence[Path], folder: Path
) -> Iterator[str]:
    for kind in ([], ["--file"]):
        files = [path for path in paths if (path.suffix == ".patch") == (not kind)]
        if not files:
            continue
        done = subprocess.run(
            [*script, *kind, *(os.path.relpath(path, ROOT) for path in files)],
            cwd=folder,
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            text=True,
            check=False,
        )
        found = [line for line in done.stdout.splitlines() if _COMPLAINT.match(line)]
        if (done.returncode != 0) != bool(found):
            reason = (done.stderr.strip() or "it says nothing").splitlines()[0]
            raise UserError(f"checkpatch fails (status {done.returncode}): {reason}")
        yield from found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    files = [path.resolve() for path in parser.parse_args().files]
    try:
        found = complaints(files or everything(), linux())
    except UserError as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        return 2
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
