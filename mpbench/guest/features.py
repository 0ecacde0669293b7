"""Asks the guest's kernel what it has, and writes the answer as an artefact."""

import json
import os
from pathlib import Path

FILE = "artefacts/features.json"
NET = Path("/proc/sys/net")


def main() -> int:
    """Write `features.json`; see `mpbench.backends.features.Features`."""
    Path(FILE).write_text(json.dumps(features(), indent=1) + "\n")
    return 0


def features() -> dict[str, object]:
    """The names of all that a kernel may have or lack."""
    mptcp = (NET / "mptcp/enabled").exists()
    return {
        "controllers": _words("ipv4/tcp_available_congestion_control", []),
        "schedulers": _words("mptcp/available_schedulers", ["default"] * mptcp),
        "path_managers": _words("mptcp/available_path_managers", ["kernel"] * mptcp),
        "sysctls": sorted(_sysctls()),
        "counters": sorted(counters(Path("/proc/net/netstat").read_text())),
        "fabric": Path("/proc/lab_fabric").exists(),
        "release": os.uname().release,
    }


def counters(text: str) -> list[str]:
    """The names in `/proc/net/netstat` as nstat writes them.

    Every second line has the names of a group, and the line after it the numbers.
    """
    found = []
    for line in text.splitlines()[::2]:
        group, _, names = line.partition(":")
        found += [group + name for name in names.split()]
    return found


def _words(name: str, otherwise: list[str]) -> list[str]:
    try:
        return (NET / name).read_text().split()
    except OSError:
        return otherwise


def _sysctls() -> list[str]:
    start = len(str(NET.parent)) + 1
    return [
        f"{folder[start:]}/{file}".replace("/", ".")
        for folder, _, files in os.walk(NET)
        for file in files
    ]
