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
    listens : int or None, TCP port that a server must listen on
    """

    name: str
    host: str
    argv: tuple[str, ...]
    role: str
    output: str
    start_s: float = 0.0
    listens: int | None = None


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
