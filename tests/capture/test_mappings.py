"""Mappings are kept until their payload has come, however many others come between."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.capture.analyse import Settings, Tables, analyse
from analysis.capture.frames import Frames, frames
from tests.capture.packets import Wire, dss, joined, opened_mptcp

CLIENT, SERVER = (0x0A000101, 4001), (0x0A090001, 5201)
SECOND = (0x0A000201, 4002)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
FORTH_2 = (SECOND, SERVER)


def tables(wire: Wire, path: Path, **settings: object) -> Tables:
    chosen = Settings(**settings)  # type: ignore[arg-type]
    return analyse([wire.write(path)], settings=chosen)


def read(wire: Wire, path: Path, **settings: object) -> Frames:
    return frames(tables(wire, path, **settings))


def way(found: Frames) -> pd.Series:
    row: pd.Series = found.data.query("direction == 0").iloc[0]
    return row


def at(wire: Wire, at_s: float, number: int, size: int, options: bytes = b"") -> None:
    """Payload from `number` of the subflow on, 1 being the first byte."""
    behind = wire.next[FORTH] - 1000 - number
    if behind < 0:
        wire.next[FORTH] -= behind
        behind = 0
    wire.add(at_s, FORTH, payload=size, options=options, again=behind)


@pytest.mark.parametrize("others", [1, 31, 32, 33, 100, 10_000])
def test_payload_long_after_its_mapping(tmp_path: Path, others: int) -> None:
    """A mapping of 20 bytes; its second half comes after so many other mappings."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    at(wire, 1, 1, 10, dss(first, 1, 20))
    for number in range(others):
        place = 20 + 10 * number
        at(wire, 1 + number / 1e5, place + 1, 10, dss(first + place, place + 1, 10))
    at(wire, 3, 11, 10)
    found = read(wire, tmp_path / "a.pcap")
    data = way(found)
    assert (data["bytes"], data["missing_bytes"]) == (20 + 10 * others, 0)
    assert (data["unmapped_packets"], data["ooo_packets"]) == (0, 1)
    assert data["last_at_s"] == pytest.approx(3)
    assert found.connections["unknown"].tolist() == [""]
    assert found.subflows["dropped_mappings"].sum() == 0


def halves(wire: Wire, first: int, count: int) -> None:
    """Of each of so many mappings of 20 bytes the first half."""
    for number in range(count):
        place = 20 * number
        at(wire, 1 + number / 1e5, place + 1, 10, dss(first + place, place + 1, 20))


def test_many_mappings_of_which_half_is_missing(tmp_path: Path) -> None:
    """All are kept, and forgotten as they become whole: the last halves come in
    another order than the first."""
    count = 3000
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    halves(wire, first, count)
    for number in sorted(range(count), key=lambda n: n * 7919 % count):
        at(wire, 3, 20 * number + 11, 10)
    found = read(wire, tmp_path / "a.pcap")
    data = way(found)
    assert (data["bytes"], data["unmapped_bytes"]) == (20 * count, 0)
    assert data["reinjected_bytes"] == data["resent_bytes"] == 0
    assert found.connections["unknown"].tolist() == [""]


MOST = 16384


def test_the_number_of_mappings_is_bounded(tmp_path: Path) -> None:
    """The first quarter is dropped, which is told, and is no mapping that was not
    captured."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    halves(wire, first, MOST + 10)
    for number in (0, MOST // 4 - 3, MOST // 4 + 3, MOST, MOST + 9):
        at(wire, 3, 20 * number + 11, 10)
    found = read(wire, tmp_path / "a.pcap")
    data = way(found)
    assert data["bytes"] == 10 * (MOST + 10) + 30
    assert (data["unmapped_packets"], data["unmapped_bytes"]) == (2, 20)
    dropped = found.subflows["dropped_mappings"].sum()
    assert MOST // 4 - 2 <= dropped <= MOST // 4
    (unknown,) = found.connections["unknown"]
    assert "more than are kept" in unknown
    assert "was not captured" not in unknown


def test_mappings_are_bounded_by_the_memory(tmp_path: Path) -> None:
    """They come on packets without payload; that of the first and the last follows."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    for number in range(9000):
        wire.add(1, FORTH, options=dss(first + 10 * number, 10 * number + 1, 10))
    at(wire, 3, 1, 10)
    at(wire, 3, 10 * 8990 + 1, 100)
    found = tables(wire, tmp_path / "a.pcap", memory_bytes=(2 << 20) + 360_000)
    assert found.short_of_memory
    dropped = found.directions["dropped_mappings"].sum()
    assert 1000 < dropped < 8990
    result = frames(found)
    assert (way(result)["bytes"], way(result)["unmapped_bytes"]) == (100, 10)
    assert "was not captured" not in result.connections["unknown"][0]


def test_whole_mappings_are_not_dropped(tmp_path: Path) -> None:
    """Each mapping is one of the list for the time of one packet."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    for number in range(5000):
        place = 25 * number
        at(wire, 1, place + 1, 10, dss(first + place, place + 1, 20))
        after = place + 20
        at(wire, 1, after + 1, 5, dss(first + after, after + 1, 5))
        at(wire, 1, place + 11, 10)
        wire.add(1, BACK)
    found = read(wire, tmp_path / "a.pcap", memory_bytes=(2 << 20) + 330_000)
    assert found.subflows["dropped_mappings"].sum() == 0
    assert way(found)["unmapped_bytes"] == 0


def test_the_newer_of_two_mappings_counts(tmp_path: Path) -> None:
    """100 bytes are mapped, then 20 in their middle to other data, then a part of those
    again. What is left on both sides keeps the first mapping."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, options=dss(first, 1, 100))
    wire.add(1.1, FORTH, options=dss(first + 1000, 41, 20))
    wire.add(1.2, FORTH, options=dss(first + 2000, 51, 5))
    wire.add(1.3, FORTH, options=dss(first + 3000, 201, 5))
    for number in range(1, 101, 10):
        at(wire, 2 + number / 100, number, 10)
    found = analyse(
        [wire.write(tmp_path / "a.pcap")], settings=Settings(events=("data",))
    )
    events = frames(found).events.query("kind == 'data'")
    stretches = list(zip(events["position"] - 1, events["length"], strict=True))
    assert stretches == [
        *((place, 10) for place in range(0, 40, 10)),
        (1000, 10),
        (2000, 5),
        (1015, 5),
        *((place, 10) for place in range(60, 100, 10)),
    ]


def test_payload_between_two_mappings_waits(tmp_path: Path) -> None:
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, options=dss(first, 1, 10))
    wire.add(1.1, FORTH, options=dss(first + 20, 21, 10))
    wire.add(1.2, FORTH, options=dss(first + 40, 41, 10))
    at(wire, 2, 1, 50)
    found = read(wire, tmp_path / "a.pcap")
    assert (way(found)["bytes"], way(found)["unmapped_bytes"]) == (30, 20)
    assert "was not captured" in found.connections["unknown"][0]
    wire.add(3, FORTH, options=dss(first + 10, 11, 10))
    wire.add(3, FORTH, options=dss(first + 30, 31, 10))
    found = read(wire, tmp_path / "b.pcap")
    assert (way(found)["bytes"], way(found)["unmapped_bytes"]) == (50, 0)
    assert way(found)["packets"] == 3


def late_or_not(path: Path, waits: bool) -> pd.Series:
    """100 bytes at 1 s on the first subflow, 100 that follow at 2 s on the second. The
    mapping of the first comes at once, or at 3 s."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    wire.add(0.5, FORTH, payload=10, options=dss(first, 1, 10))
    mapping = dss(first + 10, 11, 110)
    wire.add(1, FORTH, payload=100, options=b"" if waits else mapping)
    wire.add(2, FORTH_2, payload=100, options=dss(first + 120, 1, 100))
    wire.add(3, FORTH, payload=10, options=mapping)
    found = read(wire, path, interval_s=1.0)
    series = found.series.query("direction == 0")
    by_time = series.groupby(series["at_s"].round())["data_bytes"].sum()
    assert by_time.to_dict() == {0: 10, 1: 100, 2: 100, 3: 10}
    return way(found)


def test_payload_that_waits_for_its_mapping_is_not_late(tmp_path: Path) -> None:
    """It counts as if its mapping had been there when it was sent."""
    one, two = (late_or_not(tmp_path / f"{w}.pcap", w) for w in (False, True))
    assert (two["ooo_packets"], two["ooo_bytes"]) == (1, 10)
    for name in ("bytes", "packets", "ooo_depth_bytes", "first_at_s", "last_at_s"):
        assert one[name] == two[name], name


def test_payload_that_waits_can_be_late(tmp_path: Path) -> None:
    """The second subflow had sent what follows before."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    wire.add(0.5, FORTH_2, payload=100, options=dss(first + 100, 1, 100))
    wire.add(1, FORTH, payload=40)
    wire.add(3, FORTH, payload=60, options=dss(first, 1, 100))
    data = way(read(wire, tmp_path / "a.pcap"))
    assert (data["ooo_packets"], data["ooo_bytes"]) == (2, 100)
    assert data["ooo_depth_bytes"] == 200


def test_the_first_data_of_all_can_have_waited(tmp_path: Path) -> None:
    """Times of goodput begin when it was sent."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    wire.add(0.4, BACK, options=dss(ack=first))
    wire.add(1, FORTH, payload=100)
    wire.add(2, FORTH_2, payload=100, options=dss(first + 200, 1, 100))
    wire.add(3, FORTH, payload=100, options=dss(first, 1, 200))
    data = way(read(wire, tmp_path / "a.pcap"))
    assert data["first_at_s"] == pytest.approx(1)
    assert data["last_at_s"] == pytest.approx(3)
    assert data["goodput_mbps"] == pytest.approx(300 * 8e-6 / 2)


def test_a_segment_that_fills_the_last_gaps_of_a_mapping(tmp_path: Path) -> None:
    """The mapping is kept until all of the segment is mapped, whatever number of gaps
    it fills. Another mapping came meanwhile, so this one is not the newest."""
    for gaps in (1, 2, 3, 9):
        wire = Wire()
        first, _ = opened_mptcp(wire, 0, FORTH)
        whole = 40 * gaps + 20
        for number in range(gaps + 1):
            at(wire, 1, 40 * number + 1, 20, dss(first, 1, whole))
        at(wire, 1.1, whole + 1, 10, dss(first + whole, whole + 1, 10))
        at(wire, 1.2, 21, whole - 20)
        found = read(wire, tmp_path / "a.pcap")
        data = way(found)
        assert (data["bytes"], data["missing_bytes"]) == (whole + 10, 0)
        assert data["unmapped_packets"] == 0
        assert found.connections["unknown"].tolist() == [""]
