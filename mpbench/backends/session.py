"""A guest with a prompt for the user."""

import contextlib
import json
import re
import subprocess
import sys
import termios
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import jobs
from jobs import Job
from mpbench import kernel
from mpbench.backends import boot, guest_snapshot, kernels, prepared
from mpbench.errors import UserError

PROMPT = (
    *boot.PYTHON,
    "-c",
    "import sys; from mpbench.guest.shell import main; sys.exit(main())",
)
SCRIPT = (
    *boot.PYTHON,
    "-c",
    "import sys; from mpbench.guest.shell import execute; sys.exit(execute())",
)
TYPED_AT = boot.Machine(virtual_time=False)
VARIABLES = {"TERM": "linux"}
COMMANDS = "commands"
"""The file of the guest's folder with commands of `execute`."""

LINE_END = re.compile(rb"\r+\n")
"""A node's terminal and the guest's console both put a carriage return."""

FROM_THE_SYSTEM = re.compile(rb"(?:mpbench|reboot): (.*)\n?$")
MOST_VIRTUAL_S = 3600.0
"""The longest that commands of `execute` take. A program that waits for input that
nobody types would otherwise wait for ever."""

MAX_COMMAND_BYTES = 1 << 20
"""The longest input that does not come from a terminal."""


def prompt(job: Job, directory: Path, cpu: int, trusted: bool = False) -> int:
    """Boot a guest with the network of `job` and a prompt on this terminal.

    Returns the exit status of the guest's host process.

    directory : the only folder that the guest can write
    cpu : the CPU to pin the guest to
    trusted : whether controllers are compiled even where nothing confines gcc
    """
    command = _command(TYPED_AT, PROMPT, job, directory, cpu, trusted)
    environment = boot.environment(job.seed)
    with _terminal_kept():
        return subprocess.run(command, cwd=directory, env=environment).returncode


def execute(
    commands: str, job: Job, directory: Path, cpu: int, trusted: bool = False
) -> int:
    """Boot a guest with the network of `job`, and give its prompt all of `commands`.

    Nobody types, so the guest's clock is virtual. What the guest says goes to standard
    output. The rest is as in `prompt`.
    """
    (directory / COMMANDS).write_text(commands)
    command = _command(boot.LAB, SCRIPT, job, directory, cpu, trusted)
    # A console whose input ends hangs up. This one's input stays open and empty.
    with subprocess.Popen(
        command,
        cwd=directory,
        env=boot.environment(job.seed),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as guest:
        assert guest.stdout is not None
        last = _show(guest.stdout)
    if last == b"limit":
        raise UserError(
            f"the last command did not end within {MOST_VIRTUAL_S / 3600:g} h of the "
            "guest's clock; end it with `timeout`, or put it in the background with `&`"
        )
    return guest.returncode or int(last.removeprefix(b"exit ") or 1)


def _show(output: Iterable[bytes]) -> bytes:
    """Print what commands in a guest say; how the last one ended, if that was told."""
    last = b""
    for line in output:
        plain = LINE_END.sub(b"\n", line)
        if told := FROM_THE_SYSTEM.search(plain):
            plain = plain[: told.start()]
            if told[1] == b"limit" or told[1].startswith(b"exit "):
                last = told[1]
        sys.stdout.buffer.write(plain)
        sys.stdout.buffer.flush()
    return last


def commands_from(stream: BinaryIO) -> str:
    """All commands of an input that is not a terminal.

    Raises UserError for more than MAX_COMMAND_BYTES, or for what is not UTF-8.
    """
    content = stream.read(MAX_COMMAND_BYTES + 1)
    if len(content) > MAX_COMMAND_BYTES:
        raise UserError(
            f"standard input: more than {MAX_COMMAND_BYTES} bytes of commands; "
            "put what is long into a program, and start that"
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UserError(
            f"standard input: byte {error.start} is not UTF-8; commands are text, one "
            "on a line"
        ) from error


def _command(
    machine: boot.Machine,
    argv: Sequence[str],
    job: Job,
    directory: Path,
    cpu: int,
    trusted: bool,
) -> list[str]:
    (directory / "job.json").write_text(json.dumps(jobs.dump(job)))
    prepared.copy_content(job, directory)
    built = kernel.find()
    linked = kernels.program(built, job, True, trusted)
    root = guest_snapshot.root_of(built.path)
    virtual_s = MOST_VIRTUAL_S if machine.virtual_time else None
    boot.write(boot.Orders(argv, virtual_s, VARIABLES), directory, root)
    return machine.of(job).command(linked, cpu, root)


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
