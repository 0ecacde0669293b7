"""Reads the sysctls net.mptcp.* and tries values; runs in the guest.

The job's `tried` has, by the name of a sysctl, the values to write. `main` writes
`artefacts/sysctls.json`: the default of each sysctl, and the values that it took.
`write_names` writes `artefacts/names.json`: the names that a new network namespace has,
and whether they can be written.
"""

import json
import stat
from pathlib import Path

from mpbench.guest.namespaces import Namespace

ALL = Path("/proc/sys/net")
FOLDER = Path("/proc/sys/net/mptcp")


def main() -> int:
    job = json.loads(Path("job.json").read_text())
    found = {name: attempt(name, values) for name, values in job["tried"].items()}
    Path("artefacts/sysctls.json").write_text(json.dumps(found))
    return 0


def attempt(name: str, values: list[int]) -> tuple[int, list[int]]:
    default = int((FOLDER / name).read_text())
    return default, [value for value in values if takes(FOLDER / name, value)]


def takes(sysctl: Path, value: int) -> bool:
    try:
        sysctl.write_text(str(value))
    except OSError:
        return False
    return int(sysctl.read_text()) == value


def write_names() -> int:
    with Namespace("listed").entered():
        writable = {
            ".".join(("net", *path.relative_to(ALL).parts)): bool(
                path.stat().st_mode & stat.S_IWUSR
            )
            for path in ALL.rglob("*")
            if path.is_file()
        }
    Path("artefacts/names.json").write_text(json.dumps(writable))
    return 0
