"""The processes that a traffic tool starts, with their hosts and times.

The file `processes.py` of a tool has the function of `Workload`, and may have

SYSCTLS
    sysctls of the hosts that have traffic of the tool
OWN_CONTROL
    True if its connections set their congestion control themselves
reader(index, entry)
    what reads the tool's numbers in the guest: the module's names, and the entry
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from jobs import Entry, Transport

OVER_MPTCP = ("mptcpize", "run")
"""The beginning of a command whose program opens MPTCP sockets in place of TCP's."""


@dataclass(frozen=True)
class Process:
    """A program to start on a host of the network.

    name : the process's name, with which its messages begin
    host : the name of the host that runs it
    role : "server" or "client". All servers must listen before the first client
        starts. The traffic ends when all clients have ended; then servers are stopped.
    output : name of the file that keeps the standard output
    start_s : when a client starts, seconds after the beginning of the traffic
    listens : port on which a server must listen; None for a client
    udp : True if that is a UDP port, False if it is a TCP port
    says : a text in a line of its output, for which the guest waits before it goes on;
        None if it need not say anything
    lasting : True if a server never ends by itself
    most_bytes : the largest file that it can write, its output included; None for no
        limit of its own
    files : the files to write before the start: (path, text), or (path, n) for a file
        of n zero bytes
    leaves : the files that the process writes: (path, name under which the run keeps
        the file). Of a folder, all its files are kept, with the name before theirs
    zero : True if the program gets one more argument, the beginning of the traffic in
        ns of the monotonic clock
    """

    name: str
    host: str
    argv: tuple[str, ...]
    role: str
    output: str
    start_s: float = 0.0
    listens: int | None = None
    udp: bool = False
    says: str | None = None
    lasting: bool = False
    most_bytes: int | None = None
    files: tuple[tuple[str, str | int], ...] = ()
    leaves: tuple[tuple[str, str], ...] = ()
    zero: bool = False


class Workload(Protocol):
    """The function that `processes.py` of each traffic tool has.

    index : number of the traffic entry, from 0
    entry : the traffic entry of the job, a record of the tool
    transport : the transport of the entry, as in the job
    address : from a host's name and a path's number, or None, to an IP address
    """

    def processes(
        self,
        index: int,
        entry: Entry,
        transport: Transport,
        address: Callable[[str, int | None], str],
    ) -> list[Process]: ...


def over(transport: Transport, argv: list[str]) -> tuple[str, ...]:
    """The command that runs `argv` over a transport.

    For MPTCP this is mptcpize, since the programs themselves open TCP sockets.
    """
    if transport.is_mptcp:
        return (*OVER_MPTCP, *argv)
    return tuple(argv)
