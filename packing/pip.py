"""Have pip build a wheel, and say why if it cannot."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from mpbench.errors import UserError

SHOWN = 40
"""Number of lines of pip's output that are shown."""
_FRAME = " \t\u2502\u2570\u2500>\u00d7"
"""Characters that pip draws beside a message."""
_END = "[end of output]"
"""Lines that pip writes below the output of a build that failed."""
_EMPTY = re.compile(r"$|note:|hint:|\[notice\]|ERROR: Failed (building|to build)")


def wheel(source: Path, target: Path, environment: Mapping[str, str]) -> None:
    """Build the wheel of a folder of sources, in that folder.

    Raises UserError with pip's reason; the end of its output goes to stderr.
    """
    # The setuptools of this environment, which constraints.txt pins, and no network.
    words = ["-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps"]
    words += ["--no-build-isolation", "--check-build-dependencies"]
    done = subprocess.run(
        [sys.executable, *words, "-w", str(target), str(source)],
        # Without buffers the lines keep their order, and an error is the last one.
        env={**environment, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        lines = done.stdout.splitlines()
        print("\n".join(lines[-SHOWN:]), file=sys.stderr)
        raise UserError(f"pip could not build the wheel: {reason(lines)}")


def reason(lines: list[str]) -> str:
    """The last line of pip's output that says something about this failure."""
    said = [line.strip(_FRAME) for line in lines]
    if _END in said:
        said = said[: said.index(_END)]
    return next(
        (line for line in reversed(said) if not _EMPTY.match(line)), "no output"
    )
