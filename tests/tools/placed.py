"""Programs of tools on this machine, placed as guests have them."""

import atexit
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tools.own_programs import ENDING


@cache
def placed(program: Path) -> str:
    """A copy of a program, with the files that it needs beside it."""
    folder = tempfile.mkdtemp(prefix="programs-")
    atexit.register(shutil.rmtree, folder)
    for file in (*program.parent.glob("*.py"), ENDING):
        shutil.copy(file, folder)
    return f"{folder}/{program.name}"


def free_port() -> str:
    """The number of a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return str(free.getsockname()[1])


@contextmanager
def serving(program: Path, said: list[str]) -> Iterator[str]:
    """The port of a server that listens; what it prints is added to `said`."""
    number = free_port()
    argv = [sys.executable, placed(program), "serve", number]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    until_s = time.monotonic() + 10
    while time.monotonic() < until_s:
        try:
            socket.create_connection(("127.0.0.1", int(number)), 1).close()
            break
        except OSError:
            time.sleep(0.01)
    yield number
    server.send_signal(signal.SIGTERM)
    said.append(server.communicate(timeout=10)[0])
    assert server.returncode == 0
