"""Network namespaces, entered from one process without a child of its own."""

import ctypes
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CLONE_NEWNET = 0x40000000
CLONE_NEWUTS = 0x04000000
MS_BIND = 4096
MNT_DETACH = 2
NETNS_FOLDER = Path("/run/netns")

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _enter(descriptor: int) -> None:
    _check(_libc.setns(descriptor, CLONE_NEWNET), "setns")


def take_name(name: str) -> None:
    """Give this process, and what it starts, a host name of its own.

    One that the machine's `/etc/hosts` knows: curl looks its host's name up as it
    starts, and would ask a name server over the network that is measured, and wait
    five seconds for no answer.
    """
    _check(_libc.unshare(CLONE_NEWUTS), "unshare")
    socket.sethostname(name)


class Namespace:
    """A network namespace with a name, as `ip netns` knows it.

    Made empty, and kept by a bind mount on `/run/netns/NAME`. A name that is
    taken is an error: a namespace that somebody else made is left alone.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = NETNS_FOLDER / name
        NETNS_FOLDER.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDONLY, 0o444))
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        try:
            _check(_libc.unshare(CLONE_NEWNET), "unshare")
            self.descriptor = os.open("/proc/self/ns/net", os.O_RDONLY)
            source = f"/proc/self/fd/{self.descriptor}".encode()
            target = str(self.path).encode()
            _check(_libc.mount(source, target, b"", MS_BIND, None), "mount")
        except OSError:
            self.path.unlink()
            raise
        finally:
            _enter(home)
            os.close(home)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Put this process, and what it starts meanwhile, in the namespace."""
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        _enter(self.descriptor)
        try:
            yield
        finally:
            _enter(home)
            os.close(home)

    def remove(self) -> None:
        """Let go of the namespace; the kernel removes what was in it."""
        os.close(self.descriptor)
        _libc.umount2(str(self.path).encode(), MNT_DETACH)
        self.path.unlink()
