"""Brief transfers that used little of their paths: their losses, or their slow start.

The other rules are silent on a connection that was over in a few round trips, because
its counters show nothing unusual. Yet its rate is far below its paths' capacity.
"""

from collections.abc import Iterator

from analysis.run.explain import limits
from analysis.run.explain.facts import Facts
from analysis.run.explain.finding import Finding, many
from analysis.run.explain.shares import LEAST_BYTES
from analysis.run.explain.subflows import Connection, Subflow
from analysis.run.explain.ways import Way, of_path

MOST_ROUND_TRIPS = 20
"""A window that begins with ten segments and doubles fills any usual path by then."""


def transfers(facts: Facts) -> Iterator[Finding]:
    """Connections of a single transfer that used less than half of their paths."""
    changed = {change.link for change in facts.changes}
    for number, entry in enumerate(facts.traffic):
        others = [each for each in facts.traffic if each is not entry]
        if any(set(each.sources) & set(entry.sources) for each in others):
            continue
        if entry.flows is not None or not (entry.bulk or entry.bytes):
            continue
        found = [
            (one, ways)
            for one in facts.connections
            if one.entry == number
            and (ways := dict(_ways(facts, one, entry.sending_host)))
            and sum(each.delivered() for each in ways) >= LEAST_BYTES
        ]
        for one, ways in found if len(found) == 1 else ():
            if not any(changed.intersection(way.shapes) for way in ways.values()):
                yield from _transfer(facts, one, ways)


def _ways(facts: Facts, one: Connection, sender: str) -> Iterator[tuple[Subflow, Way]]:
    """The subflows of a connection that carried data, each with its path."""
    for subflow in one.subflows:
        number = facts.path_of(one.client, subflow.address)
        if number is not None and subflow.delivered():
            yield subflow, of_path(facts, one.client, number, sender)


def _transfer(
    facts: Facts, one: Connection, ways: dict[Subflow, Way]
) -> Iterator[Finding]:
    capacity_mbps = sum(way.capacity_mbps or 0.0 for way in ways.values())
    began_s = min(subflow.opened_s for subflow in ways)
    ended_s = max(event.time_s for each in ways for event in each.states())
    carried = sum(subflow.delivered() for subflow in ways)
    round_trip_s = min(way.round_trip_s for way in ways.values())
    lasted_s = ended_s - began_s
    if not capacity_mbps or not round_trip_s or lasted_s <= 0:
        return
    used = carried * 8 / lasted_s / 1e6 / capacity_mbps
    if used >= limits.OF_CAPACITY:
        return
    evidence = f"{carried} bytes in {lasted_s:.2f} s of {capacity_mbps:g} Mbit/s"
    if facts.row.get("retransmissions"):
        lost = [
            (facts.path_name(one.client, subflow.address), reason)
            for subflow, way in ways.items()
            if (reason := limits.most_lost(facts, way))
        ]
        if lost:
            yield Finding(
                f"the transfer used {used:.0%} of the capacity of its paths: "
                + "; ".join(f"{path}: {reason[0]}" for path, reason in lost),
                "; ".join([*(reason[1] for _, reason in lost), evidence]),
            )
    elif lasted_s <= MOST_ROUND_TRIPS * round_trip_s:
        trips = many(max(1, round(lasted_s / round_trip_s)), "round trip")
        yield Finding(
            f"the transfer used {used:.0%} of the capacity of its paths: it was over"
            f" after {trips}, and a new connection sends ten segments in the first and"
            " up to twice as many in each that follows",
            f"{evidence}; least round trip {1e3 * round_trip_s:g} ms",
        )
