"""A guest that a user talks to."""

import contextlib
import json
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

from mpbench import kernel
from mpbench.backends import boot
from mpbench.backends.base import Job

PROMPT = (
    *boot.PYTHON,
    "-c",
    "import sys; from mpbench.guest.shell import main; sys.exit(main())",
)
MACHINE = boot.Machine(virtual_time=False)


def prompt(job: Job, directory: Path, cpu: int) -> int:
    """Boot a guest with the network of `job` and its prompt on this terminal.

    directory : the guest's one writable folder
    cpu : the CPU to pin the guest to
    Returns the exit status of the guest's host process.
    """
    (directory / "job.json").write_text(json.dumps(job))
    boot.write(boot.Orders(PROMPT, None, {"TERM": "linux"}), directory)
    with _terminal_kept():
        done = subprocess.run(
            MACHINE.command(kernel.find().path, cpu),
            cwd=directory,
            env=boot.environment(int(job["seed"])),
        )
    return done.returncode


@contextlib.contextmanager
def _terminal_kept() -> Iterator[None]:
    """Set the terminal right again, which the guest makes raw."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
