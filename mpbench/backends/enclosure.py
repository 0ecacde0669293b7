"""Run a command in namespaces of its own on the host's kernel; standard library only.

The native backend runs this file as ``python -S -P enclosure.py PARENT COMMAND…``. It
runs the file and not the module by its name, because the search path of runs has the
guest's code alone, and a wheel keeps that code apart from this package. The command
becomes the first process of three new namespaces:

* A process namespace: when the command ends, in whatever way, the kernel kills all
  processes that it started, daemons included.
* A mount namespace: no other process sees what the command mounts under ``/run``
  (``/run/netns``), and the mounts end with the last process.
* A network namespace: it has no interface but ``lo``. The nodes' namespaces and links
  end with the two namespaces above.

So the command cannot touch an interface, bridge or namespace of the host, and the
kernel removes what it made. A connection that was cut off may keep its namespace for a
minute. Its links are removed at once, unless this launcher is killed too.

This process ends with the command's exit status, or with 128 plus its signal. SIGTERM
kills the command.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import FrameType

PR_SET_PDEATHSIG = 1
CLONE_NEWNS = 0x00020000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_REC = 0x4000
MS_SLAVE = 0x80000
PROC_FLAGS = 2 | 4 | 8
"""nosuid, nodev, noexec."""

CANNOT_ENCLOSE = 125
CANNOT_EXECUTE = 127
NETNS_FOLDER = Path("/run/netns")
"""Below the enclosure's own /run, which starts empty: all entries are the run's."""

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> int:
    """Enclose and run the command of the argument list; its exit status."""
    parent, *command = sys.argv[1:]
    die_with_parent()
    if os.getppid() != int(parent):
        return CANNOT_ENCLOSE
    try:
        _enclose()
    except OSError as error:
        print(f"mpbench: cannot enclose the run: {error}", file=sys.stderr)
        return CANNOT_ENCLOSE
    alive, hold = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hold)
        _become(command, alive)
    os.close(alive)

    def kill(_number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGTERM, kill)
    _, status = os.waitpid(child, 0)
    _remove_links()
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL), "prctl")


def _enclose() -> None:
    _check(_libc.unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET), "unshare")
    # Mounts made here stay here; what the host unmounts is unmounted here too.
    _mount("none", "/", None, MS_REC | MS_SLAVE, None)
    _mount("run", "/run", "tmpfs", 0, "mode=755")


def _become(command: list[str], alive: int) -> None:
    """Turn into the command; `alive` is readable once the parent has ended."""
    try:
        die_with_parent()
        if select.select([alive], [], [], 0)[0]:
            os._exit(CANNOT_ENCLOSE)
        _mount("proc", "/proc", "proc", PROC_FLAGS, None)
        os.execv(command[0], command)
    except OSError as error:
        print(f"mpbench: cannot run {command[0]}: {error}", file=sys.stderr, flush=True)
        os._exit(CANNOT_EXECUTE)


def _remove_links() -> None:
    """Remove the links of namespaces that the command left behind."""
    for path in sorted(NETNS_FOLDER.glob("*")):
        with contextlib.suppress(OSError), path.open("rb") as namespace:
            _check(_libc.setns(namespace.fileno(), CLONE_NEWNET), "setns")
            names = [name for _, name in socket.if_nameindex() if name != "lo"]
            lines = "".join(f"link delete dev {name}\n" for name in names)
            subprocess.run(
                ["ip", "-force", "-batch", "-"],
                input=lines.encode(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )


def _mount(
    source: str, target: str, kind: str | None, flags: int, options: str | None
) -> None:
    texts = [text.encode() if text else None for text in (source, target, kind)]
    data = options.encode() if options else None
    result = _libc.mount(*texts, ctypes.c_ulong(flags), data)
    _check(result, f"mount {target}")


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    sys.exit(main())
