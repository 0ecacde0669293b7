"""Runs the other programs that a build needs. Only this module starts them."""

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from mpbench.errors import UserError

TELLING = re.compile(r"\berror\b|\*\*\*|undefined reference|^E: |No space left", re.I)
MAKES_OWN = re.compile(r"make(\[\d+\])?: \*\*\*")
SHOWN = 6


class CommandFailed(UserError):
    """A program ended with a status other than 0. The message names its log.

    lines : the lines of its output that explain the failure
    output : all lines of its output
    """

    def __init__(
        self,
        command: str,
        status: int,
        log: Path,
        lines: Sequence[str],
        output: Sequence[str] = (),
    ):
        how = f"status {status}" if status >= 0 else signal.Signals(-status).name
        super().__init__(f"`{command}` failed ({how}); its log: {log}")
        self.status = status
        self.log = log
        self.lines = tuple(lines)
        self.output = tuple(output)


class Shell:
    """Runs programs one after the other, and keeps their output in one log.

    If an exception such as Ctrl-C ends `run`, the program that is running ends, too,
    and so do the processes that it has started.
    """

    def __init__(self, log: Path, inherited: Sequence[int] = ()):
        self.log = log
        self._inherited = tuple(inherited)
        self._file: IO[str] = log.open("a", errors="replace")

    def close(self) -> None:
        self._file.close()

    def run(
        self,
        argv: Sequence[str],
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        on_line: Callable[[str], None] = lambda line: None,
        source: Sequence[str] | None = None,
        alone: bool = False,
    ) -> str:
        """Run argv and return what it printed; with `source`, `source | argv`.

        environment : variables beside those of this process
        alone : whether these are all that the program sees
        """
        command = " ".join(map(shlex.quote, argv))
        self._write(
            f"$ {shlex.join(source)} | {command}\n" if source else f"$ {command}\n"
        )
        lines: list[str] = []
        with ExitStack() as undo:
            first = (
                self._start(undo, source, cwd, None, environment, alone=alone)
                if source
                else None
            )
            stdin = first.stdout if first else subprocess.DEVNULL
            last = self._start(undo, argv, cwd, stdin, environment, True, alone)
            if first and first.stdout:
                first.stdout.close()
            assert last.stdout is not None
            for line in last.stdout:
                self._write(line.decode(errors="replace"))
                lines.append(line.decode(errors="replace").rstrip("\n"))
                on_line(lines[-1])
            status = last.wait() or (first.wait() if first else 0)
        if status:
            raise CommandFailed(_short(argv), status, self.log, telling(lines), lines)
        return "\n".join(lines)

    def _start(
        self,
        undo: ExitStack,
        argv: Sequence[str],
        cwd: Path | None,
        stdin: int | IO[bytes] | None,
        environment: Mapping[str, str] | None,
        merge: bool = False,
        alone: bool = False,
    ) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env={
                **({} if alone else os.environ),
                "LC_ALL": "C",
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge else self._file,
            start_new_session=True,
            pass_fds=self._inherited,
        )
        undo.callback(_end, process)
        return process

    def _write(self, text: str) -> None:
        self._file.write(text)
        self._file.flush()


def telling(lines: Sequence[str]) -> list[str]:
    """The last lines that look like errors; without any, the last lines."""
    picked = [line for line in lines if TELLING.search(line)]
    # Each level of make repeats that the one below failed.
    own = [line for line in picked if not MAKES_OWN.match(line)]
    return (own or picked or list(lines))[-SHOWN:]


def _short(argv: Sequence[str]) -> str:
    """The command without paths and settings, and without the launcher's words."""
    if "--" in argv:
        argv = argv[argv.index("--") + 1 :]
    words = [word for word in argv if "/" not in word and "=" not in word]
    return shlex.join([Path(argv[0]).name, *words[1:6]])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process and its session, if it still runs."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(5)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if process.stdout:
        process.stdout.close()


@contextmanager
def logged(
    home: Path, name: str, say: Callable[[str], None], inherited: Sequence[int] = ()
) -> Iterator[Shell]:
    """A shell for a build, with a new log that stays if the build does not succeed.

    home : the cache, whose folder `logs` gets the log
    name : of what is built
    say : told the lines that explain why a command failed
    """
    (home / "logs").mkdir(exist_ok=True)
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    shell = Shell(home / "logs" / f"{now}-{name}.log", inherited)
    try:
        yield shell
    except CommandFailed as error:
        for line in error.lines:
            say(f"  {line}")
        raise
    else:
        shell.log.unlink()
    finally:
        shell.close()
