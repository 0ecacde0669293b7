"""The code that runs beside Mininet: its hash, and its byte code."""

import compileall
import contextlib
import hashlib
import io
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PLACES = ("mpbench/guest", "mpbench/workloads", "topologies")
LENGTH = 16


def guest_code_hash(root: Path = SOURCE) -> str:
    """16 hex digits of the SHA-256 of the names and contents of the guest code."""
    digest = hashlib.sha256()
    for path in _files(root):
        content = path.read_bytes()
        name = path.relative_to(root).as_posix()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:LENGTH]


def compile_ahead(root: Path = SOURCE) -> None:
    """Compile the guest code once for all guests, where the folder allows it.

    Each guest would compile it anew otherwise: what it writes is forgotten.
    """
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(OSError):
        for path in _files(root):
            compileall.compile_file(path, quiet=2)


def _files(root: Path) -> list[Path]:
    found = {root / "mpbench" / "__init__.py"}
    for place in PLACES:
        found.update((root / place).rglob("*.py"))
    return sorted(found)
