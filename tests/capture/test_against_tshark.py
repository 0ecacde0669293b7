"""Every count that tshark has, of every way of every subflow, is ours too."""

from collections import Counter, defaultdict

import pandas as pd
import pytest

from tests.capture.kinds import EACH, Way, seen, tables, told

SAME = (
    "packets",
    "frame_bytes",
    "payload_bytes",
    "payload_packets",
    "syns",
    "fins",
    "resets",
    "zero_windows",
    "keep_alives",
    "gaps",
    "data_fins",
    "data_acks",
    "mappings",
)
NAMES = {
    "zero_windows": "zero_window",
    "keep_alives": "keep_alive",
    "gaps": "lost_segment",
}
SUBTYPES = (
    ("capables", 0),
    ("joins", 1),
    ("dss", 2),
    ("remove_addrs", 4),
    ("mp_prios", 5),
    ("mp_fails", 6),
    ("fastcloses", 7),
    ("mp_resets", 8),
)


def ours(kind: str, end: str) -> dict[Way, pd.Series]:
    return {
        (row["source"], row["source_port"], row["target"], row["target_port"]): row
        for _, row in seen(kind, end).subflows.iterrows()
    }


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_counts(kind: str, end: str) -> None:
    mine, theirs = ours(kind, end), told(kind, end)
    # A subflow on which only one end spoke has a way of no packets.
    assert {w for w, row in mine.items() if row["packets"]} == set(theirs)
    for way, one in theirs.items():
        row = mine[way]
        found = {name: row[name] for name in SAME}
        assert found == {name: one.counts[NAMES.get(name, name)] for name in SAME}
        for name, subtype in SUBTYPES:
            assert row[name] == one.counts[f"subtype {subtype}"], (way, name)
        announced = row["add_addrs"] + row["add_addr_echoes"]
        assert announced == one.counts["subtype 3"]


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_segments_that_came_again_or_late(kind: str, end: str) -> None:
    """tshark tells retransmission from reordering by a rule of thumb, so the two are
    one sum here; `test_against_kernel` has the retransmissions by themselves."""
    mine = ours(kind, end)
    for way, one in told(kind, end).items():
        row = mine[way]
        names = ("retransmissions", "syn_retransmissions", "fin_retransmissions")
        assert sum(row[n] for n in (*names, "ooo_packets")) == one.counts["again"]


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_duplicate_acks(kind: str, end: str) -> None:
    """tshark leaves out a few whose MPTCP options differ; it finds no other."""
    mine = ours(kind, end)
    for way, one in told(kind, end).items():
        more = mine[way]["duplicate_acks"] - one.counts["duplicate_ack"]
        assert 0 <= more <= 2
        assert one.counts["subtype 2"] or more == 0


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_round_trip_times(kind: str, end: str) -> None:
    """tshark counts those of retransmitted and of selectively acknowledged segments
    too, and leaves out those of 0; where nothing is lost, the lists are the same."""
    events = seen(kind, end).events
    samples = events[events["kind"] == "rtt"]
    mine = ours(kind, end)
    for way, one in told(kind, end).items():
        row = mine[way]
        of_way = samples[
            (samples["subflow"] == row["subflow"])
            & (samples["direction"] == row["direction"])
        ]
        found = sorted(int(ns) for ns in of_way["length"] if ns)
        left = sorted(one.rtts_ns)
        if row["retransmissions"] or row["syn_retransmissions"] or row["ooo_packets"]:
            assert len(found) <= len(left)
        elif not (other := mine[way[2], way[3], way[0], way[1]])["sack_acks"]:
            # An ACK on a reset tells tshark one more.
            assert not Counter(found) - Counter(left)
            assert len(left) - len(found) <= other["resets"]


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_bytes_in_flight(kind: str, end: str) -> None:
    """tshark takes off what SACKs cover; without them it is the same."""
    theirs = told(kind, end)
    for way, row in ours(kind, end).items():
        one, other = theirs.get(way), theirs.get((way[2], way[3], way[0], way[1]))
        if not one or not other or other.sacks or row["gaps"]:
            continue
        if not one.counts["resets"] + other.counts["resets"]:
            assert row["in_flight_max_bytes"] == one.in_flight


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_subflows_make_the_same_connections(kind: str, end: str) -> None:
    groups: dict[str, set[int]] = defaultdict(set)
    mine = ours(kind, end)
    for way, one in told(kind, end).items():
        if one.mptcp:
            groups[one.mptcp].add(int(mine[way]["connection"]))
    assert all(len(found) == 1 for found in groups.values())
    assert len({min(found) for found in groups.values()}) == len(groups)


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_series_adds_up(kind: str, end: str) -> None:
    """Intervals are parts of the whole: no packet is lost, or counted twice."""
    sums = seen(kind, end).series.groupby(["subflow", "direction"]).sum()
    for _, row in seen(kind, end).subflows.iterrows():
        if not row["packets"]:
            continue
        one = sums.loc[(row["subflow"], row["direction"])]
        for name in (
            "packets",
            "frame_bytes",
            "payload_bytes",
            "data_bytes",
            "retransmissions",
            "reinjected_packets",
            "ooo_packets",
            "rtt_samples",
        ):
            assert one[name] == row[name], name
    assert not tables(kind, end).short_of_memory
