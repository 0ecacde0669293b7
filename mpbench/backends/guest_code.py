"""The guest's own code: how it is started, and the hash that stands for it."""

import hashlib
from pathlib import Path

import mpbench

ROOT = Path(mpbench.__file__).resolve().parent.parent
"""The folder that holds the rooms."""
GUEST_PYTHON = "/usr/bin/python3"
GUEST_ARGV = (
    GUEST_PYTHON,
    "-S",
    "-c",
    "import sys; from mpbench.guest.main import main; sys.exit(main())",
)
SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
PACKAGES_FOLDER = Path("/usr/lib/python3/dist-packages")
"""Where the distribution's Mininet lies, which `-S` leaves out."""

_SOURCES = (
    ("mpbench/guest", "*.py"),
    ("mpbench/workloads", "*.py"),
    ("topologies", "*.py"),
    ("kernel/guest", "*.c"),
)


def guest_environment(tools: str) -> dict[str, str]:
    """All of the environment of the guest's first program.

    tools : folder of `mpbench-read`, as the guest sees it
    """
    return {
        "PATH": f"{tools}:{SYSTEM_PATH}",
        "PYTHONPATH": f"{ROOT}:{PACKAGES_FOLDER}",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": "/root",
        "LC_ALL": "C.UTF-8",
    }


def guest_code_hash(root: Path = ROOT) -> str:
    """16 hex digits over names and contents of all that runs inside a guest."""
    digest = hashlib.sha256()
    for folder, pattern in _SOURCES:
        for path in sorted((root / folder).rglob(pattern)):
            content = path.read_bytes()
            name = path.relative_to(root).as_posix()
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()[:16]
