"""Copy what a build of the wheel reads, so that a build leaves the checkout as it is.

Where git manages the checkout, the copy has the files that git has, and the new ones
that git does not ignore. Elsewhere, as in the archive of sources, it has all but byte
code and built objects.
"""

import os
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

from mpbench.errors import UserError
from packing import imports, parts

READ = (
    *("pyproject.toml", "setup.py", "README.md", "LICENSE", "packing"),
    *(imports.OWNER, *imports.MOVED, *parts.FOLDERS),
)
"""Files that setup.py, pyproject.toml and packing/ name."""
MADE = ("__pycache__", "*.pyc", "*.so", "*.o", "*.egg-info")


def copy(top: Path, target: Path) -> None:
    """Copy the files of a checkout to a folder that does not exist yet.

    A file that git does not have may vanish meanwhile: it was somebody's scratch file.
    Raises UserError if one that git has is not there.
    """
    known = _listed(top, "--cached")
    if known is None:
        known, others = set(), _found(top)
    else:
        others = (_listed(top, "--others", "--exclude-standard") or set()) - known
    for name in sorted(known | others):
        file = target / name
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(top / name, file)
            # The wheel has the modes of files, and checkouts differ in their umask.
            file.chmod(0o755 if (top / name).stat().st_mode & 0o100 else 0o644)
        except FileNotFoundError:
            file.unlink(missing_ok=True)
            if name in known:
                raise UserError(
                    f"{top / name}: git has this file, but it is not there; "
                    "`git restore` brings it back, `git rm` removes it"
                ) from None


def _listed(top: Path, *which: str) -> set[str] | None:
    """Output of `git ls-files`; None if git does not manage this very folder."""
    git = ["git", "-C", str(top)]
    try:
        owner = subprocess.run(
            [*git, "rev-parse", "--show-toplevel"], capture_output=True, text=True
        )
        if owner.returncode or Path(owner.stdout.strip()).resolve() != top.resolve():
            return None
        listed = subprocess.run(
            [*git, "ls-files", "-z", *which, "--", *READ],
            capture_output=True,
            text=True,
            check=True,
        )
    except OSError:
        return None
    # A repository within this one is listed as a folder, with a slash.
    return {name for name in listed.stdout.split("\0") if name and name[-1] != "/"}


def _found(top: Path) -> set[str]:
    """All files of a folder that were not built."""
    found = {name for name in READ if (top / name).is_file()}
    for name in READ:
        # os.walk, unlike rglob, goes on when a folder vanishes.
        for folder, folders, files in os.walk(top / name):
            folders[:] = [each for each in folders if not _made(each)]
            place = Path(folder).relative_to(top)
            found |= {(place / each).as_posix() for each in files if not _made(each)}
    return found


def _made(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in MADE)
