"""When the traffic entries of a run were active, all on the guest's one clock.

Tools measure from a beginning of their own. What several entries moved can be added
only over a span of time that all of them have in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.run import tools
from analysis.run.artefacts import Artefacts
from analysis.run.readers.outcome import Process

ROUND_TRIPS_AT_END = 2
"""iperf3's client tells the server that the time is over, and then both exchange their
results over the control connection."""
MOST_OVERLAP = 0.05
"""The part of an entry's time that it may share with one that counts as after it."""


@dataclass(frozen=True)
class Window:
    """The time in which the receiver of an entry counted, after the traffic's start.

    unsure_s : by how much the beginning may be wrong
    """

    begin_s: float
    end_s: float
    unsure_s: float = 0.0

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s


def window(run: Artefacts, index: int, flow: tools.Flow) -> Window:
    """The window of what the receiver of an entry read.

    index : number of the entry, from 0
    flow : what its tool says
    """
    begin_s = run.traffic[index].start_s
    if run.traffic[index].flows is None:  # the tool flows counts from there
        begin_s = began_s(run, index)
    return Window(begin_s, begin_s + flow.seconds, unsure_s(run, index))


def union(windows: Sequence[Window]) -> Window:
    """From the first beginning to the last end."""
    return Window(
        min(each.begin_s for each in windows),
        max(each.end_s for each in windows),
        max(each.unsure_s for each in windows),
    )


def in_turn(windows: Sequence[Window]) -> bool:
    """Whether entries were active one after another, or one group after another.

    Their goodputs then have no time in common over which they could be added. Tools
    need a moment to begin and to end, so neighbours may overlap by MOST_OVERLAP of the
    shorter one.
    """
    ordered = sorted(windows, key=lambda each: each.begin_s)
    latest = ordered[0]
    for each in ordered[1:]:
        overlap_s = latest.end_s - each.begin_s
        if overlap_s <= MOST_OVERLAP * min(latest.seconds, each.seconds):
            return True
        latest = max(latest, each, key=lambda one: one.end_s)
    return False


def began_s(run: Artefacts, index: int) -> float:
    """The start of an entry's intervals, seconds after the beginning of the traffic.

    index : number of the entry, from 0

    For most tools it is the start of the client. iperf3's intervals begin later,
    because the client connects first: when the last connection with data is made, which
    events tell. It also ends later, because it exchanges results at the end. Without
    events, the time by which the client exceeds its duration is divided between the
    two, see `_after_s`.
    """
    entry = run.traffic[index]
    if entry.flows is not None:  # its times count from the beginning of the traffic
        return 0.0
    client = _client(run, index)
    if client is None or client.start_s is None:
        return entry.start_s
    connected_s = _connected_s(run, index)
    if connected_s is not None:
        return connected_s
    excess_s = _excess_s(run, index, client)
    return client.start_s + excess_s - _after_s(run, index, excess_s)


def unsure_s(run: Artefacts, index: int) -> float:
    """By how much `began_s` of an entry may be wrong, in seconds."""
    client = _client(run, index)
    if client is None or client.start_s is None:
        return 0.0
    excess_s = _excess_s(run, index, client)
    if run.job.changes and _connected_s(run, index) is None:
        # A path that fails can make the exchange of results last as long as it likes.
        return excess_s
    return min(excess_s, _round_trip_s(run, index) or excess_s / 2)


def _connected_s(run: Artefacts, index: int) -> float | None:
    return run.connected_s[index] if run.connected_s else None


def _client(run: Artefacts, index: int) -> Process | None:
    name = f"traffic-{index}-client"
    return next((one for one in run.outcome.processes if one.name == name), None)


def _excess_s(run: Artefacts, index: int, client: Process) -> float:
    """The time by which a client exceeds its duration; 0 where that is not known."""
    entry = run.traffic[index]
    excess_s = tools.has(entry, "excess_s")
    if excess_s is None or not client.end_s:
        return 0.0
    return float(excess_s(entry, client.end_s - (client.start_s or 0.0)))


def _after_s(run: Artefacts, index: int, excess_s: float) -> float:
    """The part of the excess that comes after the duration.

    Of an upload, the server's last interval ends one round trip after the duration,
    with the queues as they are then. Otherwise half of the excess is assumed.
    """
    round_trip_s = _round_trip_s(run, index)
    if round_trip_s is None:
        return excess_s / 2
    return min(excess_s, ROUND_TRIPS_AT_END * round_trip_s)


def _round_trip_s(run: Artefacts, index: int) -> float | None:
    """The round trip at the end of an upload; None if it is not known."""
    entry = run.traffic[index]
    round_trip_s = tools.has(entry, "round_trip_s")
    if round_trip_s is None or run.reports[index] is None:
        return None
    found: float | None = round_trip_s(entry, run.reports[index])
    return found
