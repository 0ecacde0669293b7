"""Segments of which a part is new, and those that say more than was on the wire."""

import random
import struct
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest

from analysis.capture.analyse import Settings, analyse
from analysis.capture.faults import faults
from analysis.capture.frames import Frames, frames
from tests.capture.packets import ACK, FIN, Ends, Wire, dss, joined, opened_mptcp

CLIENT, SECOND, SERVER = (0x0A000101, 4001), (0x0A000201, 4002), (0x0A090001, 5300)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
FORTH_2 = (SECOND, SERVER)


def read(wire: Wire, path: Path, **settings: object) -> Frames:
    chosen = Settings(**settings)  # type: ignore[arg-type]
    return frames(analyse([wire.write(path)], settings=chosen))


def subflow(found: Frames, number: int = 0) -> dict[Hashable, Any]:
    rows = found.subflows.query(f"direction == 0 and number == {number}")
    return rows.to_dict("records")[0]


def data(found: Frames) -> dict[Hashable, Any]:
    return found.data.query("direction == 0").to_dict("records")[0]


def test_a_segment_that_is_half_new_is_no_retransmission(tmp_path: Path) -> None:
    """By the documentation, of a retransmission no byte is new."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=500)
    wire.add(1.3, FORTH, payload=1000, again=500)
    wire.add(1.31, BACK)
    found = read(wire, tmp_path / "a.pcap", interval_s=1.0, events=("segment", "data"))
    row = subflow(found)
    assert (row["retransmissions"], row["retransmitted_bytes"]) == (0, 0)
    assert row["retransmission_ratio"] == row["timeouts"] == row["ooo_packets"] == 0
    assert (data(found)["bytes"], data(found)["packets"]) == (1000, 2)
    assert found.series["retransmissions"].sum() == 0
    assert found.events.query("kind == 'segment'")["value"].tolist() == [0, 0]
    new = found.events.query("kind == 'data'")
    assert list(zip(new["position"], new["length"], strict=True)) == [
        (1, 500),
        (501, 500),
    ]


@pytest.mark.parametrize(("again", "times"), [(999, 0), (1000, 1)])
def test_one_new_byte_makes_the_difference(
    tmp_path: Path, again: int, times: int
) -> None:
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=1000)
    wire.add(1.3, FORTH, payload=1000, again=again)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert row["retransmissions"] == times
    assert row["retransmitted_bytes"] == 1000 * times


def test_half_new_segments_give_no_round_trip_time(tmp_path: Path) -> None:
    """Nobody knows which copy of the first half an ACK means; that of the second is
    exact."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=500)
    wire.add(1.3, FORTH, payload=1000, again=500)
    wire.add(1.35, BACK)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert row["rtt_samples"] == 2  # the SYN's, and this
    assert row["rtt_max_s"] == pytest.approx(0.05)


def test_a_fin_with_payload_that_was_sent_before(tmp_path: Path) -> None:
    """The FIN is new, but of the payload nothing is."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.add(1.5, FORTH, FIN | ACK, payload=100, again=100)
    wire.add(1.6, BACK)
    found = read(wire, tmp_path / "a.pcap")
    assert (data(found)["bytes"], subflow(found)["retransmissions"]) == (100, 1)


def test_the_old_half_is_neither_resent_nor_reinjected(tmp_path: Path) -> None:
    """500 bytes are the second subflow's. The first reinjects them once, and sends them
    again at the head of a segment whose other half is new."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    wire.add(1, FORTH_2, payload=500, options=dss(first, 1, 500))
    wire.add(1.2, FORTH, payload=500, options=dss(first, 1, 1000))
    wire.add(1.6, FORTH, payload=1000, again=500, options=dss(first, 1, 1000))
    row = data(read(wire, tmp_path / "a.pcap"))
    assert (row["bytes"], row["reinjected_bytes"], row["reinjected_packets"]) == (
        1000,
        500,
        1,
    )
    assert (row["resent_packets"], row["resent_bytes"]) == (0, 0)


def test_a_segment_over_several_gaps_counts_once(tmp_path: Path) -> None:
    """Every second stretch of 10 bytes is there; one segment brings the others."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    for number in range(20):
        place = 20 * number
        wire.add(1, FORTH, payload=10, options=dss(first + place, place + 1, 10))
        wire.next[FORTH] += 10
    wire.add(1.0001, FORTH, payload=400, again=400, options=dss(first, 1, 400))
    found = read(wire, tmp_path / "a.pcap")
    assert (data(found)["bytes"], data(found)["missing_bytes"]) == (400, 0)
    assert (data(found)["packets"], data(found)["ooo_packets"]) == (21, 1)
    assert subflow(found)["ooo_packets"] == 1


def shortened(path: Path, on_wire: int, version: int = 4) -> Path:
    """A segment of 1000 bytes, of whose frame only so many bytes were on the wire."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=1000)
    out = [wire.write(path).read_bytes()[:24]]
    for micros, frame in wire.records:
        if version == 6:
            head = struct.pack(">IHBB", 6 << 28, len(frame) - 34, 6, 64)
            ends = [bytes(12) + frame[at : at + 4] for at in (26, 30)]
            frame = frame[:12] + b"\x86\xdd" + head + b"".join(ends) + frame[34:]
        kept = frame[:on_wire]
        out.append(struct.pack("<IIII", *divmod(micros, 10**6), len(kept), len(kept)))
        out.append(kept)
    path.write_bytes(b"".join(out))
    return path


@pytest.mark.parametrize(("version", "head"), [(4, 54), (6, 74)])
@pytest.mark.parametrize("payload", [0, 300, 999])
def test_payload_that_was_not_on_the_wire_does_not_count(
    tmp_path: Path, version: int, head: int, payload: int
) -> None:
    found = analyse([shortened(tmp_path / "a.pcap", head + payload, version)])
    assert sorted(found.directions["payload_bytes"]) == [0, payload]
    assert found.data["bytes"].sum() == payload
    assert found.inputs["overlong"].tolist() == [1]
    (line,) = faults(found)
    assert "1 packets are shorter than their IP header says" in line


def test_frames_that_are_longer_than_their_packets(tmp_path: Path) -> None:
    """Ethernet fills short frames up."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.records = [(at, frame + bytes(6)) for at, frame in wire.records]
    found = analyse([wire.write(tmp_path / "a.pcap")])
    assert found.directions["payload_bytes"].sum() == 0
    assert not faults(found)


@pytest.mark.parametrize("new", [1, 450, 1399])
def test_known_data_behind_the_new_of_a_segment(tmp_path: Path, new: int) -> None:
    """A range that grows at its front was compared with the new part alone, and known
    data behind it counted as new."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, payload=1400, options=dss(first + new, 1, 1400))
    wire.add(1.1, FORTH, payload=1400, options=dss(first, 1401, 1400))
    row = data(read(wire, tmp_path / "a.pcap"))
    assert (row["bytes"], row["missing_bytes"]) == (1400 + new, 0)
    assert (row["resent_packets"], row["resent_bytes"]) == (1, 1400 - new)


@pytest.mark.parametrize("seed", range(20))
def test_random_segments_against_a_list_of_bytes(tmp_path: Path, seed: int) -> None:
    """Data in any order and any cut, over two subflows: each byte is new once, and
    otherwise of the same or of another subflow."""
    drawn = random.Random(seed)
    wire, places = Wire(), {FORTH: 1, FORTH_2: 1}
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    owners: list[Ends | None] = [None] * 5000
    new = resent = reinjected = 0
    for number in range(300):
        way = drawn.choice((FORTH, FORTH_2))
        start, size = drawn.randrange(4000), drawn.choice((1, 10, 100, 1000))
        mapped = dss(first + start, places[way], size)
        wire.add(1 + number / 1e3, way, payload=size, options=mapped)
        places[way] += size
        before = owners[start : start + size]
        new += before.count(None)
        resent += before.count(way)
        reinjected += size - before.count(None) - before.count(way)
        owners[start : start + size] = [owner or way for owner in before]
    row = data(read(wire, tmp_path / "a.pcap"))
    assert (row["bytes"], row["resent_bytes"]) == (new, resent)
    assert row["reinjected_bytes"] == reinjected
