"""Connections that went on by one segment per timeout of MPTCP.

A receiver drops data outside of the connection's window after TCP has acknowledged
them. TCP does not send them again, so MPTCP has to: one segment, after a timeout of its
own.
"""

from collections.abc import Iterator
from itertools import pairwise

from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, many
from analysis.run.explain.subflows import Connection

DROPPED = "MPTcpExtNoDSSInWindow"
LEAST = 3
"""Timeouts of which none brought the connection on."""
APART_S = 1.0


def crawled(facts: Facts) -> Iterator[Finding]:
    """Connections whose data MPTCP sends again after one timeout after the other."""
    for one in facts.connections:
        entry = facts.traffic[one.entry]
        for host in entry.sending_hosts:
            receiver = entry.destination if host == one.client else one.client
            counters = facts.counters.get(receiver)
            dropped = counters.get(DROPPED) if counters else 0
            times_s = again(one, host)
            if not dropped or not times_s:
                continue
            step_s = (times_s[-1] - times_s[0]) / (len(times_s) - 1)
            yield Finding(
                f"the {receiver} dropped {many(dropped, 'segment')} outside of the"
                " connection's window, which TCP had acknowledged: from"
                f" {times_s[0]:.1f} to {times_s[-1]:.1f} s the {host} sent such data"
                f" again by one segment in about {step_s:.1f} s, and little else",
                f"{facts.evidence(DROPPED)}; {len(times_s)} bursts of reinjections on"
                f" the {host}",
            )


def again(one: Connection, host: str) -> tuple[float, ...]:
    """The times at which a host reinjected, if they follow each other as timeouts do;
    empty if they do not."""
    found = sorted(
        {e.time_s for e in one.events if e.name == "reinjected" and e.host == host}
    )
    times_s: tuple[float, ...] = ()
    for time_s in reversed(found):
        if times_s and times_s[0] - time_s < APART_S:
            break
        times_s = (time_s, *times_s)
    bursts = len(times_s)
    even = all(
        two - one_s <= 3 * (times_s[1] - times_s[0]) for one_s, two in pairwise(times_s)
    )
    return times_s if bursts >= LEAST and even else ()
