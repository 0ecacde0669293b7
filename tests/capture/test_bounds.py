"""Bounds of the capture core to the nanosecond, and captures that begin in between."""

import struct
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest

from analysis.capture.analyse import Settings, analyse
from analysis.capture.frames import Frames, frames
from tests.capture.packets import (
    ACK,
    SYN,
    Wire,
    dss,
    opened_mptcp,
)

CLIENT, SECOND, SERVER = (0x0A000101, 4001), (0x0A000201, 4002), (0x0A090001, 5300)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
FORTH_2 = (SECOND, SERVER)


def read(path: Path, **settings: object) -> Frames:
    chosen = Settings(**settings)  # type: ignore[arg-type]
    return frames(analyse([path], settings=chosen))


def subflow(found: Frames, direction: int = 0, number: int = 0) -> dict[Hashable, Any]:
    rows = found.subflows.query(f"direction == {direction} and number == {number}")
    return rows.to_dict("records")[0]


def data(found: Frames, direction: int = 0) -> dict[Hashable, Any]:
    return found.data.query(f"direction == {direction}").to_dict("records")[0]


def in_nanoseconds(wire: Wire, path: Path) -> Path:
    """A capture whose microseconds are those of the wire, and are nanoseconds."""
    path = wire.write(path)
    pieces = bytearray(path.read_bytes())
    pieces[:4] = struct.pack("<I", 0xA1B23C4D)
    place = 24
    for micros, frame in wire.records:
        pieces[place : place + 8] = struct.pack("<II", *divmod(micros, 10**9))
        place += 16 + len(frame)
    path.write_bytes(pieces)
    return path


@pytest.mark.parametrize(("waited_ns", "lost"), [(3_000_000, 0), (3_000_001, 1)])
def test_a_hole_is_filled_late_within_3_ms(
    tmp_path: Path, waited_ns: int, lost: int
) -> None:
    """Without time stamps and without a round-trip time. No handshake is in the
    capture, so the end with the larger port counts as the one that opened."""
    wire = Wire()
    wire.add(1, FORTH, payload=100)
    wire.next[FORTH] += 100
    wire.add(2, FORTH, payload=100)
    wire.add(2 + waited_ns / 1e6, FORTH, payload=100, again=200)
    row = subflow(read(in_nanoseconds(wire, tmp_path / "a.pcap")), direction=1)
    assert (row["upstream_losses"], row["ooo_packets"]) == (lost, 1 - lost)
    assert row["retransmissions"] == lost


@pytest.mark.parametrize(("waited_s", "lost"), [(0.005, 0), (0.005001, 1)])
def test_a_hole_is_filled_late_within_half_a_round_trip(
    tmp_path: Path, waited_s: float, lost: int
) -> None:
    """The handshake takes 10 ms."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.next[FORTH] += 100
    wire.add(2, FORTH, payload=100)
    wire.add(2 + waited_s, FORTH, payload=100, again=200)
    row = subflow(read(wire.write(tmp_path / "a.pcap")))
    assert row["rtt_min_s"] == pytest.approx(0.01)
    assert (row["upstream_losses"], row["ooo_packets"]) == (lost, 1 - lost)


def without_times(row: dict[Hashable, Any]) -> dict[Hashable, Any]:
    return {key: value for key, value in row.items() if not str(key).endswith("_s")}


def test_a_stray_acknowledgement_gives_no_number_to_a_syn(tmp_path: Path) -> None:
    """The server answers an earlier connection; then the client opens this one."""
    wire = Wire()
    wire.next[FORTH], wire.next[BACK] = 5_000_000, 1000
    wire.servers.add(SERVER)
    wire.add(0.5, BACK)
    wire.next[FORTH] = 1000
    wire.open(1, FORTH)
    wire.add(2, FORTH, payload=1000)
    wire.add(2.01, BACK)
    wire.add(3, FORTH, payload=500)
    row = subflow(read(wire.write(tmp_path / "a.pcap")), direction=1)
    assert (row["payload_bytes"], row["syns"]) == (1500, 1)
    assert row["ooo_packets"] == row["retransmissions"] == 0
    assert row["rtt_samples"] >= 1 and row["rtt_max_s"] == pytest.approx(0.01)


def test_an_answer_that_is_seen_after_its_data_changes_no_number(
    tmp_path: Path,
) -> None:
    """The capture has the server's SYN/ACK behind the first data that followed it."""

    def row(late: bool) -> dict[Hashable, Any]:
        wire = Wire()
        wire.add(0, FORTH, SYN)
        wire.next[BACK] = 7001
        wire.add(0.02, FORTH)
        wire.add(0.03, BACK, payload=100)
        if late:
            wire.next[BACK] = 7000
            wire.add(0.04, BACK, SYN | ACK)
            wire.next[BACK] = 7101
        wire.add(0.05, BACK, payload=100)
        return subflow(read(wire.write(tmp_path / "a.pcap")), direction=1)

    found, known = row(late=True), row(late=False)
    for key in ("payload_bytes", "ooo_packets", "retransmissions", "upstream_losses"):
        assert found[key] == known[key], key
    assert found["syns"] == 1 and found["payload_bytes"] == 200


def test_an_answer_that_is_sent_again_is_a_retransmission(tmp_path: Path) -> None:
    wire = Wire()
    wire.add(0, FORTH, SYN)
    wire.add(0.01, BACK, SYN | ACK)
    wire.next[BACK] -= 1
    wire.add(1.01, BACK, SYN | ACK)
    wire.add(1.02, FORTH)
    wire.add(1.03, BACK, payload=100)
    row = subflow(read(wire.write(tmp_path / "a.pcap")), direction=1)
    assert (row["syns"], row["syn_retransmissions"]) == (2, 1)
    assert (row["payload_bytes"], row["retransmissions"]) == (100, 0)


def test_a_probe_is_one_in_its_interval(tmp_path: Path) -> None:
    """The end of the flight, sent again before a timer: at 1.1 s, in the second one."""
    wire = Wire()
    wire.open(0, FORTH)
    for at_s in (1, 1.001, 1.002):
        wire.add(at_s, FORTH, payload=100)
    wire.next[FORTH] -= 200
    wire.add(1.05, BACK)
    wire.next[FORTH] += 200
    wire.add(1.1, FORTH, payload=100, again=100)
    wire.add(2.5, BACK)
    found = read(wire.write(tmp_path / "a.pcap"), interval_s=1.0)
    assert subflow(found)["probe_retransmissions"] == 1
    bins = found.series.query("probe_retransmissions > 0")
    assert bins["probe_retransmissions"].tolist() == [1]
    assert bins["retransmissions"].tolist() == [1]
    assert bins["fast_retransmissions"].sum() == 0
    assert bins["timeout_retransmissions"].sum() == 0


def test_data_after_a_fallback_go_on_from_the_last_mapping(tmp_path: Path) -> None:
    """The client maps its first 1000 bytes. The server acknowledges them without an
    option, so a middlebox takes options away, and all that follows is data too."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, payload=1000, options=dss(first, 1, 1000))
    wire.add(1.01, BACK)
    wire.add(2, FORTH, payload=700)
    wire.add(2.01, BACK)
    wire.add(3, FORTH, payload=300)
    found = read(wire.write(tmp_path / "a.pcap"))
    assert found.connections["fallback"].tolist() == ["no DSS"]
    row = data(found)
    assert (row["bytes"], row["unmapped_bytes"], row["missing_bytes"]) == (2000, 0, 0)


@pytest.mark.parametrize(("acked", "fallback"), [(0, None), (1, "no DSS")])
def test_an_acknowledgement_of_no_data_shows_no_fallback(
    tmp_path: Path, acked: int, fallback: str | None
) -> None:
    """The server's window update crosses the client's data."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, payload=1000, options=dss(first, 1, 1000))
    sent = wire.next[FORTH]
    wire.next[FORTH] = sent - 1000 + acked
    wire.add(1.01, BACK)
    wire.next[FORTH] = sent
    found = read(wire.write(tmp_path / "a.pcap"))
    assert found.connections["fallback"].tolist() == [fallback]


def test_a_mapping_that_ends_with_held_payload_leaves_nothing_held(
    tmp_path: Path,
) -> None:
    """Of two thousand pairs, the first segment comes without its mapping. What
    is left at the end is one segment that no mapping has reached."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    place = 0
    for number in range(2000):
        at_s = 1 + number / 100
        wire.add(at_s, FORTH, payload=10)
        mapping = dss(first + place, place + 1, 20)
        wire.add(at_s + 0.001, FORTH, payload=10, options=mapping)
        place += 20
    wire.add(30, FORTH, payload=5)
    found = read(wire.write(tmp_path / "a.pcap"))
    row = data(found)
    assert (row["bytes"], row["unmapped_packets"]) == (40_000, 1)
    assert (row["unmapped_bytes"], row["missing_bytes"]) == (5, 0)
