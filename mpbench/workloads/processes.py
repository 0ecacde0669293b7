"""What a traffic tool starts, where and when."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Process:
    """A program on a host of the network.

    name : str, also the name of the files that keep its output
    role : "server" (must listen before any client starts, is ended when the
        clients have) or "client" (the traffic lasts until all have ended)
    start_s : float, after the traffic's zero
    listens : int or None, port that a server must listen on
    udp : bool, whether that is a port of UDP, not of TCP
    lasting : bool, whether a server never ends by itself
    files : what it finds when it starts: path and text, or path and the size in
        bytes of a file of zeros
    leaves : path of a file that it writes, and the name under which the run
        keeps it
    """

    name: str
    host: str
    argv: tuple[str, ...]
    role: str
    output: str
    start_s: float = 0.0
    listens: int | None = None
    udp: bool = False
    lasting: bool = False
    files: tuple[tuple[str, str | int], ...] = ()
    leaves: tuple[tuple[str, str], ...] = ()


class Workload(Protocol):
    """A traffic tool's file has this function; the run's case and addresses go in."""

    def processes(
        self,
        index: int,
        traffic: Mapping[str, Any],
        transport: Mapping[str, Any],
        address: Callable[[str, int | None], str],
    ) -> list[Process]: ...


def over(transport: Mapping[str, Any], argv: list[str]) -> tuple[str, ...]:
    """A command over the case's transport: MPTCP for a program that knows only
    TCP, through mptcpize."""
    if transport["protocol"] == "mptcp":
        return ("mptcpize", "run", *argv)
    return tuple(argv)
