"""Network namespaces and mounts that one process makes without a child process."""

import ctypes
import functools
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CLONE_NEWNET = 0x40000000
CLONE_NEWUTS = 0x04000000
MS_RDONLY, MS_REMOUNT, MS_BIND = 1, 32, 4096
MNT_DETACH = 2
NETNS_FOLDER = Path("/run/netns")
SPARE_FILES = 256
"""Open files of a process beside those of its namespaces."""

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _enter(descriptor: int) -> None:
    _check(_libc.setns(descriptor, CLONE_NEWNET), "setns")


@functools.cache
def _home() -> int:
    """The namespace in which this process began, before it makes or enters another."""
    return os.open("/proc/self/ns/net", os.O_RDONLY)


def allow_files(descriptor: int) -> None:
    """Let this process open more files once `descriptor` comes near the limit.

    A namespace takes one for as long as it is there, and Linux allows 1,024. The limit
    of usual networks stays, because programs inherit it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if descriptor + SPARE_FILES > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 * soft, max(hard, 2 * soft)))


def take_name(name: str) -> None:
    """Give this process and its children a host name of their own.

    The name should be in the machine's `/etc/hosts`. curl looks up the name of its
    host when it starts. For an unknown name it would ask a name server over the network
    that is measured, and wait five seconds for an answer that never comes.
    """
    _check(_libc.unshare(CLONE_NEWUTS), "unshare")
    socket.sethostname(name)


class Namespace:
    """A network namespace with a name, which `ip netns` knows too.

    It starts empty, and a bind mount on `/run/netns/NAME` keeps it. A name that is
    taken is an error, so a namespace that another program made is left alone.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = NETNS_FOLDER / name
        NETNS_FOLDER.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o444))
        home = _home()
        try:
            _check(_libc.unshare(CLONE_NEWNET), "unshare")
            self.descriptor = os.open("/proc/self/ns/net", os.O_RDONLY)
            allow_files(self.descriptor)
            source = f"/proc/self/fd/{self.descriptor}".encode()
            target = str(self.path).encode()
            _check(_libc.mount(source, target, b"", MS_BIND, None), "mount")
        except OSError:
            self.path.unlink()
            raise
        finally:
            _enter(home)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Put this process, and what it starts in the block, into the namespace.

        Such blocks do not nest: each leaves the process where it was at first.
        """
        home = _home()
        _enter(self.descriptor)
        try:
            yield
        finally:
            _enter(home)

    def remove(self) -> None:
        """Release the namespace; the kernel then removes what is in it."""
        os.close(self.descriptor)
        _libc.umount2(str(self.path).encode(), MNT_DETACH)
        self.path.unlink()


def mount_memory(target: str) -> None:
    """Mount an empty file system in memory, as large as all of it, on a folder."""
    arguments = (b"tmpfs", target.encode(), b"tmpfs", 0, b"mode=755,size=100%")
    _check(_libc.mount(*arguments), f"mount {target}")


def seal(target: str) -> None:
    """Have nothing more written to a file system that `mount_memory` made."""
    flags = MS_REMOUNT | MS_RDONLY
    _check(_libc.mount(b"tmpfs", target.encode(), None, flags, None), f"seal {target}")
