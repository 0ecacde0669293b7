"""Protocols of sockets, as a traffic entry says them."""

from dataclasses import dataclass
from typing import Annotated

from jobs.marks import Among

MPTCP, TCP = "mptcp", "tcp"
PROTOCOLS = (MPTCP, TCP)
Protocol = Annotated[str, Among(PROTOCOLS)]


@dataclass(frozen=True, kw_only=True)
class Sockets:
    """accepts, opens : the protocol of what listens at the server, and of what the
    client opens: `mptcp` or `tcp`; None as the host or the transport says"""

    accepts: Protocol | None = None
    opens: Protocol | None = None

    def at(self, role: str) -> str | None:
        """The protocol at the "server" or the "client"; None if it is not said."""
        return self.accepts if role == "server" else self.opens

    def check(self) -> None:
        if self.accepts is None and self.opens is None:
            raise ValueError("says nothing; needs accepts or opens")
