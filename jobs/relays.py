"""Traffic that a program of a case carries over QUIC although its own tool speaks TCP.

The program's two ends relay: one accepts the tool's connections of TCP at the client's
host, the other opens them again at the server's host.
"""

from jobs.entries.base import Entry
from jobs.transport import Transport


def relayed(entry: Entry, transport: Transport) -> bool:
    """Whether an entry goes through relays.

    Tools and commands of the user's own stay as they are, and so do datagrams.
    """
    return transport.is_quic and not entry.own_program and not entry.datagrams
