"""A guest with a prompt for the user."""

import contextlib
import json
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import jobs
from jobs import Job
from mpbench import kernel
from mpbench.backends import boot, guest_snapshot, kernels, prepared

PROMPT = (
    *boot.PYTHON,
    "-c",
    "import sys; from mpbench.guest.shell import main; sys.exit(main())",
)
MACHINE = boot.Machine(virtual_time=False)


def prompt(job: Job, directory: Path, cpu: int, trusted: bool = False) -> int:
    """Boot a guest with the network of `job` and a prompt on this terminal.

    Returns the exit status of the guest's host process.

    directory : the only folder that the guest can write
    cpu : the CPU to pin the guest to
    trusted : whether controllers are compiled even where nothing confines gcc
    """
    (directory / "job.json").write_text(json.dumps(jobs.dump(job)))
    prepared.copy_content(job, directory)
    built = kernel.find()
    linked = kernels.program(built, job, True, trusted)
    root = guest_snapshot.root_of(built.path)
    boot.write(boot.Orders(PROMPT, None, {"TERM": "linux"}), directory, root)
    with _terminal_kept():
        done = subprocess.run(
            MACHINE.of(job).command(linked, cpu, root),
            cwd=directory,
            env=boot.environment(job.seed),
        )
    return done.returncode


@contextlib.contextmanager
def _terminal_kept() -> Iterator[None]:
    """Restore the terminal's settings at the end; the guest makes the terminal raw."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
