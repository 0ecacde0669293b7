"""The programs and the disk space that a build needs, and the installed compiler."""

import platform
import shutil
import subprocess
from pathlib import Path

from mpbench.errors import UserError

PACKAGES = {
    "gcc": "gcc",
    "make": "make",
    "ld": "binutils",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "patch": "patch",
    "xz": "xz-utils",
    "tar": "tar",
}
"""The programs that every build calls, each with its Debian package."""

MACHINE = "x86_64"
"""The kind of CPU that the guest kernel and the root image are for."""

FREE_BYTES = 2_000_000_000
"""The largest disk space that a first build takes, rounded up."""


def compiler() -> str | None:
    """The versions of compiler and linker, in one line; None without a compiler."""
    try:
        lines = [
            subprocess.run(
                [name, "--version"], check=True, capture_output=True, text=True
            ).stdout.splitlines()[0]
            for name in ("gcc", "ld")
        ]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None
    return "; ".join(lines)


def require() -> str:
    """Check the CPU, and that all programs are there.

    Returns the same line as `compiler`.
    """
    if platform.machine() != MACHINE:
        raise UserError(
            f"this machine is {platform.machine()}; guests need an x86-64 machine"
        )
    missing = [name for name in PACKAGES if shutil.which(name) is None]
    if missing:
        named = ", ".join(
            f"{name} (Debian package {PACKAGES[name]})" for name in missing
        )
        raise UserError(f"building the guest kernel needs {named}")
    version = compiler()
    if version is None:
        raise UserError("`gcc --version` or `ld --version` fails; reinstall them")
    return version


def require_space(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < FREE_BYTES:
        raise UserError(
            f"{folder}: {free / 1e9:.1f} GB free, building the guest kernel takes "
            f"up to {FREE_BYTES / 1e9:.0f} GB; free some, or set XDG_CACHE_HOME "
            "to a folder on another disk"
        )
