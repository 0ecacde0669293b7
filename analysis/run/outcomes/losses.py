"""Subflows that ended before their connection, by the events of both ends.

Counters do not tell a subflow that an end removed from the reset that its peer's last
packets get then. Events do: a subflow that ends with its connection has no
`sub_closed`.
"""

from analysis.run.events import Event, Events

CLOSED, JOINED, ASKED = "sub_closed", "MPJoinAckRx", "MPJoinSynTx"
FASTCLOSE = ("MPFastcloseRx", "MPFastcloseTx")
TOGETHER_S = 1.0
"""The subflows of a connection whose end the peer has told end within this time."""


def of_entry(index: int, events: Events, counted: int) -> int:
    """The number of lost subflows of an entry.

    index : of the entry
    counted : by counters, which hold if some events were left out
    """
    if events.left_out:
        return counted
    return sum(map(_lost, events.by_port(index).values()))


def _lost(events: list[Event]) -> int:
    """The lost subflows of one connection."""
    over = (e.time_s for e in events if e.name in ("closed", *FASTCLOSE))
    end_s = min(over, default=float("inf"))
    asked = {e.ends for e in events if e.name == ASKED}
    joined = {e.ends for e in events if e.name == JOINED}
    return len(
        {
            event.ends
            for event in events
            if event.name == CLOSED
            and event.time_s < end_s
            and event.local
            and (event.ends in joined or event.ends not in asked)
        }
    )
