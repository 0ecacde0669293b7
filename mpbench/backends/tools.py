"""The programs that a run calls: where they come from, and which version is here."""

import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

from mpbench.backends.guest_code import SYSTEM_PATH
from mpbench.store.provenance import cpu_model


@dataclass(frozen=True)
class Program:
    """A program by the name that it is called by, and Debian's package of it.

    question : the argument that makes it tell its version
    """

    name: str
    package: str
    question: str = "--version"

    def where(self, path: str = SYSTEM_PATH) -> str | None:
        """Its file on `path`; None where it is missing."""
        return shutil.which(self.name, path=path)


RUN_PROGRAMS = (
    Program("ip", "iproute2", "-V"),
    Program("tc", "iproute2", "-V"),
    Program("iperf3", "iperf3"),
    Program("mptcpize", "mptcpize"),
)
"""What a run calls, on any backend; Mininet is a Python module."""
MININET = Program("mn", "mininet")


def version(program: Program) -> str | None:
    """Its package's version, else what it says of itself; None if neither."""
    packaged = _first_line(
        ["dpkg-query", "--show", "--showformat=${Version}\n", program.package]
    )
    if packaged:
        return packaged
    found = program.where()
    return _first_line([found, program.question]) if found else None


def versions() -> dict[str, str | None]:
    """The versions of a run's tools, by package."""
    return {each.package: version(each) for each in (*RUN_PROGRAMS, MININET)}


def describe_host() -> dict[str, Any]:
    """The tools and the machine, for a result's provenance; JSON-able."""
    return {
        "tools": versions(),
        "cpu": cpu_model(),
        "kernel": os.uname().release,
        "python": platform.python_version(),
    }


def _first_line(argv: list[str]) -> str | None:
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=10, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].strip() or None if done.returncode == 0 and lines else None
