"""Decisions on connections that mutants of the core showed no other test to hold."""

import struct
from pathlib import Path

import pytest

from tests.capture.packets import (
    ACK,
    KEYS,
    SYN,
    Wire,
    capable,
    digest,
    dss,
    joined,
    opened_mptcp,
    option,
)
from tests.capture.readings import data, read, subflow

CLIENT, SECOND, THIRD = (0x0A000101, 4001), (0x0A000201, 4002), (0x0A000301, 4003)
SERVER = (0x0A090001, 5300)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
FORTH_2, FORTH_3 = (SECOND, SERVER), (THIRD, SERVER)


def stamped(value: int) -> bytes:
    return b"\x01\x01\x08\x0a" + struct.pack(">II", value, 0)


def test_times_beyond_the_last_bucket_are_told_by_its_middle(tmp_path: Path) -> None:
    """Buckets end with 4.9 hours; ACKs come after six. The last bucket reaches from
    31/16 to 32/16 of 2^43 ns."""
    wire = Wire()
    wire.open(0, FORTH)
    for number in range(20):
        wire.add(1 + number * 30_000, FORTH, payload=10)
        wire.add(1 + number * 30_000 + 21_600, BACK)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["rtt_samples"], row["rtt_max_s"]) == (21, pytest.approx(21_600))
    middle_s = 2**43 * 31.5 / 16 / 1e9
    for name in ("rtt_p50_s", "rtt_p95_s", "rtt_p99_s"):
        assert row[name] == pytest.approx(middle_s, rel=1e-6), name


@pytest.mark.parametrize("answered", [True, False])
def test_data_without_mappings_fall_back_once_the_handshake_has_ended(
    tmp_path: Path, answered: bool
) -> None:
    """The fourth packet, an ACK of the server, ends the handshake. Without it the
    client's data may have been the capture's last packets before their mapping."""
    wire = Wire()
    opened_mptcp(wire, 0, FORTH)
    if answered:
        wire.add(0.03, BACK)
    wire.add(1, FORTH, payload=100)
    found = read(wire, tmp_path / "a.pcap")
    (row,) = found.connections.to_dict("records")
    assert row["fallback"] == ("no DSS" if answered else None)
    assert row["kind"] == ("fallback" if answered else "mptcp")
    told = subflow(found)["fourth_ack_at_s"]
    assert told == pytest.approx(0.03) if answered else told != told


def test_the_first_acknowledgement_of_an_answer_is_the_fourth_packet(
    tmp_path: Path,
) -> None:
    """Later ones, the client's, and a reset do not change its time."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(0.03, FORTH, payload=10)
    wire.add(0.04, BACK, ACK | 4)
    wire.add(0.05, BACK)
    wire.add(0.06, BACK)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert row["fourth_ack_at_s"] == pytest.approx(0.05)
    assert row["established_at_s"] == pytest.approx(0.02)


def test_what_tcp_acknowledges_is_not_acknowledged_data(tmp_path: Path) -> None:
    """One subflow, no fallback: only a data ACK says that data have arrived."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, payload=1000, options=dss(first, 1, 1000))
    wire.add(1.1, BACK, options=dss(ack=first))
    found = read(wire, tmp_path / "a.pcap")
    assert found.connections["fallback"].tolist() == [None]
    assert subflow(found)["acked_bytes"] == 1000
    row = data(found)
    assert (row["bytes"], row["acked_bytes"]) == (1000, 0)
    assert row["completion_s"] != row["completion_s"]


def test_two_subflows_that_fall_back_count_data_by_data_acks(tmp_path: Path) -> None:
    """An infinite mapping on one subflow of two: what TCP has acknowledged on the
    first is not what has arrived of the connection."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    wire.add(1, FORTH, payload=1000, options=dss(first, 1, 1000))
    wire.add(1.1, BACK, options=dss(ack=first))
    wire.add(2, FORTH_2, payload=500, options=dss(first + 1000, 1, 0))
    found = read(wire, tmp_path / "a.pcap")
    assert found.connections["fallback"].tolist() == ["infinite mapping"]
    assert data(found)["acked_bytes"] == 0


def test_a_reinjection_counts_for_the_subflow_that_had_the_data_second(
    tmp_path: Path,
) -> None:
    """Two joins come first, with data; then data of the first subflow, and only then
    the keys that say which connection the joins belong to. The end with the larger
    port counts as the one that opened a subflow without a SYN."""
    high = (CLIENT[0], 6001), SERVER
    first = digest(KEYS[0])[1] + 1
    wire = Wire()
    joined(wire, 0, FORTH_2)
    joined(wire, 0.1, FORTH_3)
    wire.add(1, FORTH_2, payload=1000, options=dss(first, 1, 1000))
    wire.add(1.1, FORTH_3, payload=500, options=dss(first + 2000, 1, 500))
    wire.add(2, high, payload=3000, options=dss(first, 1, 3000))
    wire.add(3, high, options=capable(*KEYS))
    found = read(wire, tmp_path / "a.pcap")
    assert len(found.connections) == 1
    row = data(found)
    assert (row["bytes"], row["reinjected_bytes"]) == (3000, 1500)
    rows = found.subflows.query("direction == 0").set_index("source_port")
    assert rows["reinjected_bytes"].to_dict() == {6001: 0, 4002: 1000, 4003: 500}
    assert rows["data_bytes"].to_dict() == {6001: 3000, 4002: 0, 4003: 0}


def test_both_ends_go_on_from_their_first_byte_after_a_fallback(tmp_path: Path) -> None:
    """The client maps its data, the server answers without an option, and has not yet
    sent data: its first byte is the first of the connection."""
    wire = Wire()
    first, back = opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, payload=1000, options=dss(first, 1, 1000))
    wire.add(1.01, BACK)
    wire.add(2, BACK, payload=700)
    wire.add(3, BACK, payload=300)
    found = read(wire, tmp_path / "a.pcap")
    assert found.connections["fallback"].tolist() == ["no DSS"]
    row = data(found, 1)
    assert (row["bytes"], row["unmapped_bytes"], row["missing_bytes"]) == (1000, 0, 0)
    assert row["first_dsn"] == back
    assert subflow(found, 1)["data_bytes"] == 1000


@pytest.mark.parametrize(
    ("asked", "answered", "checksum"), [(0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)]
)
def test_either_end_can_ask_for_checksums(
    tmp_path: Path, asked: int, answered: int, checksum: int
) -> None:
    def flagged(bit: int, *keys: int) -> bytes:
        words = (key.to_bytes(8, "big") for key in keys)
        return option(0, bytes([1, bit << 7 | 1]), *words)

    wire = Wire()
    options = (flagged(asked), flagged(answered, KEYS[1]), flagged(asked, *KEYS))
    wire.open(0, FORTH, options)
    found = read(wire, tmp_path / "a.pcap")
    assert found.connections["checksum"].tolist() == [checksum]


@pytest.mark.parametrize(("holes", "known"), [(32_768, 32_768), (32_769, 16_385)])
def test_so_many_holes_are_kept(tmp_path: Path, holes: int, known: int) -> None:
    """Every other byte of a stream. The list's older half is forgotten, and told."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=1)
    (_, frame), start = wire.records[-1], wire.next[FORTH]
    for number in range(holes):
        seq = (start + 1 + 2 * number).to_bytes(4, "big")
        wire.records.append((1_000_001 + number, frame[:38] + seq + frame[42:]))
    found = read(wire, tmp_path / "a.pcap")
    row = subflow(found)
    assert (row["gaps"], row["missing_bytes"]) == (holes, known)
    short = "memory" in found.connections["unknown"][0]
    assert short == (known < holes)


@pytest.mark.parametrize(
    ("filled", "missing"),
    [((100, 200), 200), ((0, 100), 200), ((200, 300), 200), ((0, 300), 0)],
)
def test_a_hole_is_filled_in_part(
    tmp_path: Path, filled: tuple[int, int], missing: int
) -> None:
    """300 bytes are missing; the rest of them, each 50 by itself, comes later."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.next[FORTH] += 300
    wire.add(2, FORTH, payload=100)
    low, high = filled
    wire.add(2.001, FORTH, payload=high - low, again=400 - low)
    assert subflow(read(wire, tmp_path / "a.pcap"))["missing_bytes"] == missing
    rest = [n for n in range(0, 300, 50) if not low <= n < high]
    for place, n in enumerate(rest):
        wire.add(2.002 + place / 1e6, FORTH, payload=50, again=400 - n)
        row = subflow(read(wire, tmp_path / "a.pcap"))
        assert row["missing_bytes"] == missing - 50 * (place + 1)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["data_bytes"], row["retransmissions"]) == (500, 0)


@pytest.mark.parametrize(
    ("opened", "filled", "waited_s", "lost"),
    [
        (None, 7, 0.001, 0),  # without a stamp to compare, time tells
        (None, 7, 0.02, 1),
        (7, None, 0.001, 0),
        (7, None, 0.02, 1),
        (7, 7, 0.001, 0),  # the clock has not gone on: time tells
        (7, 7, 0.02, 1),
        (7, 8, 0.001, 1),  # it has: the sender sent it again
        (8, 7, 0.02, 0),
    ],
)
def test_the_sender_s_clock_says_whether_a_segment_was_sent_again(
    tmp_path: Path, opened: int | None, filled: int | None, waited_s: float, lost: int
) -> None:
    """The handshake takes 10 ms, half of which a late segment may wait."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.next[FORTH] += 100
    one = stamped(opened) if opened else b""
    two = stamped(filled) if filled else b""
    wire.add(1, FORTH, payload=100, options=one)
    wire.add(1 + waited_s, FORTH, payload=100, options=two, again=200)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["upstream_losses"], row["ooo_packets"]) == (lost, 1 - lost)


def test_payload_before_the_first_mapping_of_all_that_none_covers(
    tmp_path: Path,
) -> None:
    """It counts as data of TCP until a mapping shows that it is none."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.add(2, FORTH, payload=100, options=dss(first + 100, 101, 100))
    found = read(wire, tmp_path / "a.pcap")
    row = data(found)
    assert (row["unmapped_packets"], row["unmapped_bytes"]) == (1, 100)
    assert row["bytes"] == subflow(found)["data_bytes"] == 100
    assert "mapping" in found.connections["unknown"][0]


def test_a_mapping_that_ends_with_held_payload_leaves_nothing(tmp_path: Path) -> None:
    """It comes on an ACK behind the payload, which it covers to the last byte."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, payload=100, options=dss(first, 1, 100))
    wire.add(2, FORTH, payload=100)
    wire.add(2.1, FORTH, payload=100)
    wire.add(3, FORTH, options=dss(first + 100, 101, 200))
    found = read(wire, tmp_path / "a.pcap")
    row = data(found)
    assert (row["bytes"], row["unmapped_packets"], row["missing_bytes"]) == (300, 0, 0)
    assert "mapping" not in found.connections["unknown"][0]


def test_a_syn_alone_tells_no_quantile(tmp_path: Path) -> None:
    wire = Wire()
    wire.add(0, FORTH, SYN)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert row["rtt_samples"] == 0
    assert row["rtt_p50_s"] != row["rtt_p50_s"]
