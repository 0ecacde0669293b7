"""The origin of a result: version, commit, packages, machine, command line."""

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from mpbench import carried
from mpbench.version import __version__

PACKAGES = (
    "click",
    "matplotlib",
    "numpy",
    "pandas",
    "pint",
    "pyarrow",
    "pydantic",
    "PyYAML",
    "rich",
    "scipy",
)


def collect(backend: dict[str, Any]) -> dict[str, Any]:
    """Facts about this invocation that a reader needs.

    backend : what the backend says about itself
    """
    return {
        "mpbench": {"version": __version__, "commit": commit()},
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "host": {
            "cpu": cpu_model(),
            "cpus": os.cpu_count(),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "system": platform.system(),
            "kernel": platform.release(),
            "machine": platform.machine(),
        },
        "backend": backend,
    }


def invocation() -> dict[str, Any]:
    """This command line and when it was given."""
    words = [Path(sys.argv[0]).name, *sys.argv[1:]]
    return {"argv": [_text(word) for word in words], "at": now()}


def _text(word: str) -> str:
    """An argument as UTF-8 has it, whatever the locale made of its bytes."""
    return os.fsencode(word).decode("utf-8", "replace")


def now() -> str:
    """The time, UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def commit() -> str | None:
    """The commit of mpbench's source tree, ``-dirty`` if changed; None if none.

    An installed mpbench names the commit that it was made of.
    """
    if carried.INSTALLED:
        return carried.commit()
    tree = carried.ROOT
    top = _git(tree, "rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != tree:
        return None
    head = _git(tree, "rev-parse", "HEAD")
    changed = _git(tree, "status", "--porcelain", "--untracked-files=no")
    return f"{head}-dirty" if head and changed else head


def _git(tree: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(tree), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def cpu_model() -> str | None:
    """The processor's name from /proc/cpuinfo; None where it has none."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return None
    names = (line.partition(":")[2] for line in lines if line.startswith("model name"))
    return next((" ".join(name.split()) for name in names), None)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
