"""Random captures against a second reckoning: which subflow brings each byte first.

Senders map stretches of several segments, with the option on the first of them, on all,
on the last or on some. Segments are lost, come in another order and in other cuts, and
stretches are sent again on another subflow.
"""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from analysis.capture.analyse import Settings, analyse
from analysis.capture.frames import frames
from tests.capture.packets import Ends, Wire, dss, joined, opened_mptcp

SERVER = (0x0A090001, 5201)
WAYS: list[Ends] = [((0x0A000001 + 256 * n, 4000 + n), SERVER) for n in (1, 2, 3)]

Mapping = tuple[int, int, int]
"""The first byte of the data, from 0, its number on the subflow, and the length."""
Segment = tuple[int, int, int, Mapping | None]
"""The subflow, the first byte's number on it, the size, and what the option says."""

SEEDS = (17, 44, 56, 107, 174, 349, 371)
"""Captures that the analyser once read differently, or in which a byte comes without
its mapping before another subflow brings it."""


def stretches(drawn: Random, subflows: int) -> list[Segment]:
    """The packets of the sender, in its order."""
    places, end, sent = [1] * subflows, 0, []
    known: list[tuple[int, int]] = []
    for _ in range(drawn.choice((20, 60))):
        which = drawn.randrange(subflows)
        if known and drawn.random() < 0.15:
            start, length = drawn.choice(known[-8:])
            skipped = drawn.randrange(length)
            start += skipped
            length = min(length - skipped, drawn.choice((10, 70, 500)))
        else:
            start, length = end, drawn.choice((10, 70, 140, 280, 500))
            end += length
            known.append((start, length))
        mapping = (start, places[which], length)
        size = drawn.choice((10, 70, 140))
        cuts = range(0, length, size)
        how = drawn.choice(("first", "all", "last", "some"))
        for at in cuts:
            last = at == cuts[-1]
            mapped = {
                "first": at == 0,
                "all": True,
                "last": last,
                "some": drawn.random() < 0.4 or last,
            }[how]
            segment = (places[which] + at, min(size, length - at))
            sent.append((which, *segment, mapping if mapped else None))
        places[which] += length
    return sent


def captured(drawn: Random, subflows: int) -> list[Segment]:
    """The segments that a capture shows, in its order."""
    placed: list[tuple[float, Segment]] = []
    for at, segment in enumerate(stretches(drawn, subflows)):
        placed.append((at, segment))
        if drawn.random() < 0.08:
            which, first, size, mapping = segment
            from_ = max(1, first - drawn.choice((0, 0, 5)))
            size += first - from_
            if drawn.random() < 0.3:
                size = max(1, size // 2)
            again = (which, from_, size, mapping if drawn.random() < 0.5 else None)
            placed.append((at + drawn.randrange(1, 30) + 0.5, again))
    moved = []
    for usual, segment in placed:
        late = drawn.random() < 0.2
        place = usual + (drawn.random() * drawn.choice((0, 0, 3, 30)) if late else 0)
        if drawn.random() > 0.03:
            moved.append((place, segment))
    return [segment for _, segment in sorted(moved, key=lambda each: each[0])]


def reckoned(segments: list[Segment]) -> Counter[str]:
    """Byte by byte: a byte counts when it is there and its mapping is known."""
    found: Counter[str] = Counter()
    maps: dict[tuple[int, int], int] = {}
    waiting: set[tuple[int, int]] = set()
    carried: set[tuple[int, int]] = set()
    owners: dict[int, int] = {}

    def bring(which: int, data: int) -> None:
        if data not in owners:
            owners[data] = which
            found[f"data {which}"] += 1
        elif owners[data] == which:
            found["resent"] += 1
        else:
            found[f"reinjected {which}"] += 1

    for which, first, size, mapping in segments:
        if mapping:
            start, number, length = mapping
            for byte in range(length):
                place = (which, number + byte)
                maps[place] = start + byte
                if place in waiting:
                    waiting.remove(place)
                    bring(which, start + byte)
        for byte in range(first, first + size):
            place = (which, byte)
            if place not in carried:
                carried.add(place)
                if place in maps:
                    bring(which, maps[place])
                else:
                    waiting.add(place)
    found["unmapped"] = len(waiting)
    found["bytes"] = len(owners)
    return +found


def analysed(path: Path, segments: list[Segment]) -> Counter[str]:
    wire = Wire()
    start, _ = opened_mptcp(wire, 0, WAYS[0])
    for number, ends in enumerate(WAYS[1 : 1 + max(s[0] for s in segments)]):
        joined(wire, 0.1 + number / 10, ends)
    for at, (which, first, size, mapping) in enumerate(segments):
        ends, option = WAYS[which], b""
        if mapping:
            option = dss(start + mapping[0], *mapping[1:])
        behind = wire.next[ends] - 1000 - first
        wire.next[ends] -= min(behind, 0)
        wire.add(1 + at / 1e3, ends, payload=size, options=option, again=max(behind, 0))
    read = frames(analyse([wire.write(path)], settings=Settings(interval_s=0.02)))
    row = read.data.query("direction == 0").iloc[0]
    found = Counter(bytes=row["bytes"], resent=row["resent_bytes"],
                    unmapped=row["unmapped_bytes"])  # fmt: skip
    for _, one in read.subflows.query("direction == 0").iterrows():
        which = one["source_port"] - WAYS[0][0][1]
        found[f"data {which}"] = one["data_bytes"]
        found[f"reinjected {which}"] = one["reinjected_bytes"]
    assert read.series["data_bytes"].sum() == read.subflows["data_bytes"].sum()
    return +found


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_capture_against_a_list_of_bytes(tmp_path: Path, seed: int) -> None:
    drawn = Random(seed)
    segments = captured(drawn, drawn.choice((2, 3)))
    assert analysed(tmp_path / "a.pcap", segments) == reckoned(segments)
