"""The hash and the byte code of the code that runs in guests."""

import hashlib
import subprocess
from pathlib import Path

from mpbench import carried
from mpbench.errors import UserError
from mpbench.kernel import cache

SOURCE = carried.ROOT
FILES = ("mpbench/__init__.py", "mpbench/version.py")
FOLDERS = ("mpbench/guest", "jobs", "topologies")
TOOLS = ("*.py", "*/__init__.py", "*/processes.py", "*/record.py", "*/programs/*.py")
"""The files below `tools` that guests import."""
LENGTH = 16


def guest_code_hash(root: Path = SOURCE) -> str:
    """16 hex digits of the SHA-256 of the names and contents of the guest code."""
    digest = hashlib.sha256()
    for path in files(root):
        content = path.read_bytes()
        name = path.relative_to(root).as_posix()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:LENGTH]


def folder() -> Path:
    """The folder of the bundles, in the user's cache folder."""
    return cache.root() / "guest"


def bundle(python: tuple[str, ...], fingerprint: str, root: Path = SOURCE) -> Path:
    """The file with all the Python of a run (see guest/bundle.py).

    The file is made once for each state of the code, in the user's cache folder. Its
    hash stands beside it, and a file that does not fit its hash is made again.
    Raises UserError if the folder cannot be written or the code does not compile.

    python : argv of the guest's interpreter, which makes the file
    fingerprint : the versions of the interpreter and of the packages that a run imports
    """
    text = f"{guest_code_hash(root)} {fingerprint} {root}"
    name = hashlib.sha256(text.encode()).hexdigest()[:LENGTH]
    file = folder() / f"{name}.pyc"
    noted = file.with_suffix(".sha256")
    if file.is_file() and cache.noted(noted) == _digest(file):
        return file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [*python, str(root / "mpbench/guest/bundle.py"), str(file)],
            env={
                "PYTHONPATH": f"{root}:/usr/lib/python3/dist-packages",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
        )
    except OSError as error:
        raise UserError(
            f"cannot keep the guest's code in {file.parent}: {error}"
        ) from (error)
    if done.returncode:
        words = (done.stderr.strip() or "no word").splitlines()[-1]
        raise UserError(f"the guest's code does not compile: {words}")
    noted.write_text(_digest(file))
    return file


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def files(root: Path = SOURCE) -> list[Path]:
    """All files of the guest code."""
    files = {root / name for name in FILES}
    for folder in FOLDERS:
        files.update((root / folder).rglob("*.py"))
    for pattern in TOOLS:
        files.update((root / "tools").glob(pattern))
    return sorted(files)
