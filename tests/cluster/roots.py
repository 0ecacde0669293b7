"""A root of its own for a process, made of namespaces, without root's rights.

The process sees the host's programs, Python's packages and this checkout, and cannot
write to any of them. Its /tmp, its home and its /dev/shm are its own. It sees no other
file of the host, so it shares none with another such process.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
HOME = "/home/worker"
HOOKS = "/home/worker/hooks"
"""Python looks for modules there first."""

ENTER = """\
set -e
root=$1; count=$2; shift 2
mount --bind "$root" "$root"
for path in proc dev; do mount --rbind "/$path" "$root/$path"; done
mount -t tmpfs shm "$root/dev/shm"
while [ "$count" -gt 0 ]; do
    mount --rbind "$1" "$root$1"
    mount -o remount,bind,ro "$root$1"
    shift; count=$((count - 1))
done
cd "$root"
pivot_root . old
cd /home/worker
umount -l /old
exec "$@"
"""
"""Its arguments: the root, how many of the next ones are read-only, and the command."""


def make(root: Path) -> None:
    """Make the folders of a root."""
    for name in ("proc", "dev", "tmp", "old", HOOKS[1:]):
        (root / name).mkdir(parents=True)
    for path in map(Path, ("/bin", "/lib", "/lib64", "/sbin")):
        if path.is_symlink():
            (root / path.name).symlink_to(path.readlink())


def command(root: Path, words: Sequence[str], reads: Sequence[Path] = ()) -> list[str]:
    """argv of a command in a root that `make` made. It replaces all that come before.

    reads : folders of the host that the command sees, beside those of every root
    """
    shared = [*_shared(), *reads]
    for path in shared:
        (root / path.relative_to("/")).mkdir(parents=True, exist_ok=True)
    enter = ["sh", "-c", ENTER, "sh", str(root), str(len(shared)), *map(str, shared)]
    return ["unshare", "--user", "--map-root-user", "--mount", *enter, *words]


def environment(**variables: str) -> dict[str, str]:
    """The variables of a process in a root."""
    return {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": HOME,
        "TMPDIR": "/tmp",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": f"{HOOKS}:{CHECKOUT}",
        "PYTHONDONTWRITEBYTECODE": "1",
        **variables,
    }


@cache
def missing() -> str:
    """Reason why this host makes no such roots; empty if it does."""
    if not all(map(shutil.which, ("unshare", "mount", "umount"))):
        return "no unshare or mount"
    words = ["unshare", "--user", "--map-root-user", "--mount", "true"]
    done = subprocess.run(words, capture_output=True, text=True)
    return done.stderr.strip()


def _shared() -> list[Path]:
    """The host's folders that every root has; none is below another one."""
    program = Path(sys.executable).resolve().parents[1]
    python = {Path(sys.prefix), Path(sys.base_prefix), program}
    system = {Path("/", n) for n in ("usr", "etc", "bin", "lib", "lib64", "sbin")}
    found = {path.absolute() for path in (*system, *python, CHECKOUT)}
    there = sorted(path for path in found if path.is_dir() and not path.is_symlink())
    return [path for path in there if not found & set(path.parents)]
