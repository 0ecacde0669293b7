"""Hostile code in the place of a guest's host process.

A guest that has taken over its kernel is code of the attacker's choice on the host,
with the rights of the user and behind the launcher. So the tests put a program of the
host there, which tries what such a guest could.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mpbench.backends import confinement
from mpbench.backends.confinement import Limits

PYTHON = "/usr/bin/python3"
MEMORY_BYTES = 1 << 20
DEADLINE_S = 60.0


@dataclass(frozen=True)
class Ended:
    """told : what the program printed as JSON in its last line"""

    status: int
    output: str
    told: object


def execute(
    text: str,
    folder: Path,
    barriers: Sequence[str] | None,
    arguments: Sequence[object] = (),
    limits: Limits | None = None,
) -> Ended:
    """Run Python text, confined with these barriers, in a folder of its own."""
    argv = [PYTHON, "-S", "-c", text, *map(str, arguments)]
    done = subprocess.run(
        confinement.command(
            argv, MEMORY_BYTES, None, confinement.SYSTEM, barriers, limits
        ),
        cwd=folder,
        env={"PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DEADLINE_S,
        process_group=0,
    )
    last = (done.stdout.splitlines() or [""])[-1]
    try:
        told = json.loads(last)
    except ValueError:
        told = None
    return Ended(done.returncode, done.stdout, told)


def main() -> None:
    """Start a confined sleeper, say so, and be killed: `confined.py FOLDER`.

    The parent of a test of what survives its parent.
    """
    argv = confinement.command(["/bin/sleep", "1000"], MEMORY_BYTES, None)
    subprocess.Popen(argv, cwd=sys.argv[1], process_group=0)
    delay_s = float(sys.argv[2])
    signal.sigtimedwait([], delay_s)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
