"""Gaps that mutants of the core showed and no other test holds: by hand, and cheap."""

from pathlib import Path

import pytest

from analysis.capture.analyse import EVENTS, analyse
from analysis.capture.frames import frames
from tests.capture.packets import ACK, FIN, RST, Wire, dss, joined, opened_mptcp
from tests.capture.readings import data, read, subflow

CLIENT, SECOND, SERVER = (0x0A000101, 4001), (0x0A000201, 4002), (0x0A090001, 5300)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
FORTH_2, BACK_2 = (SECOND, SERVER), (SERVER, SECOND)


def two_subflows(chunks: int = 6) -> tuple[Wire, int]:
    """1000 bytes each on the first subflow, at 1, 2, 3 ... s."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    for n in range(chunks):
        wire.add(
            1 + n,
            FORTH,
            payload=1000,
            options=dss(first + 1000 * n, 1000 * n + 1, 1000),
        )
    return wire, first


@pytest.mark.parametrize(
    ("order", "stretches"),
    [
        ([0, 1, 2], 1),
        ([2, 1, 0], 3),
        ([1, 2, 0], 2),
        ([4, 0, 2], 3),
        ([3], 1),
        ([1, 0], 2),
    ],
)
def test_reinjections_that_follow_one_another_are_one(
    tmp_path: Path, order: list[int], stretches: int
) -> None:
    """In whatever order they come: one to the left of the last is another."""
    wire, first = two_subflows()
    for place, n in enumerate(order):
        mapping = dss(first + 1000 * n, 1000 * place + 1, 1000)
        wire.add(10 + place, FORTH_2, payload=1000, options=mapping)
    row = data(read(wire, tmp_path / "a.pcap", interval_s=1.0))
    assert row["reinjections"] == stretches
    assert row["reinjected_packets"] == len(order)
    assert row["reinjected_bytes"] == 1000 * len(order)
    assert row["first_reinjection_at_s"] == pytest.approx(10)
    assert row["last_reinjection_at_s"] == pytest.approx(9 + len(order))


def flight(*at_s: float) -> tuple[Wire, int]:
    """Segments of 100 bytes at these times, and the sequence number after them."""
    wire = Wire()
    wire.open(0, FORTH)
    for each_s in at_s:
        wire.add(each_s, FORTH, payload=100)
    return wire, wire.next[FORTH]


def sack(*blocks: tuple[int, int]) -> bytes:
    edges = b"".join(e.to_bytes(4, "big") for block in blocks for e in block)
    return b"\x01\x01\x05" + bytes([2 + len(edges)]) + edges


def test_a_segment_that_sacks_covered_gives_no_round_trip_time(tmp_path: Path) -> None:
    """Three segments; the second is acknowledged by a SACK, then all three at once. The
    time of the ACK that ends with the third is one of a segment that SACKs covered."""
    wire, top = flight(1, 1.01, 1.02)
    wire.next[FORTH] = top - 300
    wire.add(1.05, BACK, options=sack((top - 100, top)))
    wire.next[FORTH] = top
    wire.add(1.5, BACK)
    found = read(wire, tmp_path / "a.pcap", events=tuple(EVENTS))
    assert subflow(found)["rtt_samples"] == 1  # of the SYN
    assert subflow(found, 1)["sack_acks"] == 1
    told = found.events.query("kind == 'sack'").to_dict("records")
    assert [(e["position"], e["length"]) for e in told] == [(201, 100)]


@pytest.mark.parametrize(
    ("block", "samples"),
    [((0, 100), 1), ((100, 200), 2), ((150, 200), 2), ((200, 300), 1), ((250, 300), 1)],
)
def test_which_segments_a_sack_covers(
    tmp_path: Path, block: tuple[int, int], samples: int
) -> None:
    """Three segments of 100 bytes; the ACK ends with the third. Of a segment that is
    partly covered nobody knows."""
    wire, top = flight(1, 1.01, 1.02)
    wire.next[FORTH] = top - 300
    edges = (top - 300 + block[0], top - 300 + block[1])
    wire.add(1.05, BACK, options=sack(edges))
    wire.next[FORTH] = top if block[0] else top - 200
    wire.add(1.5, BACK)
    assert subflow(read(wire, tmp_path / "a.pcap"))["rtt_samples"] == samples


def test_a_segment_that_was_sent_twice_gives_no_round_trip_time(tmp_path: Path) -> None:
    """Karn: nor do the others until a segment that was sent once ends an ACK."""
    wire = Wire()
    wire.open(0, FORTH)
    for at_s in (1, 1.01, 1.02):
        wire.add(at_s, FORTH, payload=100)
    wire.add(1.4, FORTH, payload=100, again=200)
    top = wire.next[FORTH]
    for at_s, ack in ((1.41, top - 200), (1.42, top - 100), (1.43, top)):
        wire.next[FORTH] = ack
        wire.add(at_s, BACK)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert row["rtt_samples"] == 3  # SYN, the first and the third
    assert row["rtt_max_s"] == pytest.approx(0.41)


def test_idle_begins_with_its_bound(tmp_path: Path) -> None:
    wire = Wire()
    wire.open(0, FORTH)
    for at_s in (1, 1.999999, 2.999999, 5):
        wire.add(at_s, FORTH, payload=100)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert row["idle_periods"] == 2
    assert row["idle_s"] == pytest.approx(3.000001)
    assert row["idle_max_s"] == pytest.approx(2.000001)


def test_a_keep_alive_is_none_if_its_byte_is_not_acknowledged(tmp_path: Path) -> None:
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=1)
    wire.add(2, FORTH, payload=1, again=1)
    wire.add(2.1, BACK)
    wire.add(3, FORTH, payload=1, again=1)
    wire.add(4, FORTH, again=1)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["retransmissions"], row["keep_alives"]) == (1, 2)
    assert row["payload_packets"] == 3


def test_zero_windows_and_duplicates(tmp_path: Path) -> None:
    """An ACK with payload, with another window or of another number is no duplicate."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.add(1.1, BACK)
    for at_s in (1.2, 1.3):
        wire.add(at_s, BACK)
    wire.add(1.4, BACK, payload=10)
    wire.add(1.5, BACK, FIN | ACK)
    row = subflow(read(wire, tmp_path / "a.pcap"), 1)
    assert (row["duplicate_acks"], row["fins"]) == (2, 1)
    assert (row["syns"], row["resets"], row["zero_windows"]) == (1, 0, 0)


def test_bytes_in_flight_are_those_that_nobody_acknowledged(tmp_path: Path) -> None:
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.add(1.1, FORTH, payload=200)
    wire.add(1.2, BACK)
    wire.add(1.3, FORTH, payload=50)
    found = read(wire, tmp_path / "a.pcap", events=("flight",))
    assert subflow(found)["in_flight_max_bytes"] == 300
    assert subflow(found)["in_flight_mean_bytes"] == pytest.approx((100 + 300 + 50) / 3)
    assert found.events["length"].tolist() == [100, 300, 50]


def test_data_in_flight_and_what_was_acknowledged(tmp_path: Path) -> None:
    wire, first = two_subflows(3)
    wire.add(5, BACK, options=dss(ack=first + 1000))
    wire.add(6, BACK_2, options=dss(ack=first + 500))
    row = data(read(wire, tmp_path / "a.pcap"))
    assert (row["in_flight_max_bytes"], row["acked_bytes"]) == (3000, 1000)
    assert str(row["completion_s"]) == "nan"
    wire.add(7, BACK, options=dss(ack=first + 3000))
    row = data(read(wire, tmp_path / "b.pcap"))
    assert (row["acked_bytes"], row["completion_s"]) == (3000, pytest.approx(7))


def test_a_reset_ends_a_subflow_and_carries_nothing(tmp_path: Path) -> None:
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.add(1.1, FORTH, RST | ACK)
    wire.add(1.2, FORTH, RST | ACK)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["resets"], row["sequence_bytes"], row["data_bytes"]) == (2, 100, 100)


@pytest.mark.parametrize(("gap_s", "kind"), [(0.001, "ooo"), (0.02, "lost")])
def test_a_late_segment_without_timestamps(
    tmp_path: Path, gap_s: float, kind: str
) -> None:
    """Within half the least RTT it came late; after that it had been lost."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.add(1.01, BACK)  # the least RTT: 10 ms
    wire.next[FORTH] += 100
    wire.add(1.1, FORTH, payload=100)
    wire.add(1.1 + gap_s, FORTH, payload=100, again=200)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["gaps"], row["missing_bytes"]) == (1, 0)
    assert row["ooo_packets"] == (kind == "ooo")
    assert row["upstream_losses"] == row["retransmissions"] == (kind == "lost")


@pytest.mark.parametrize(
    "block", [(250, 400), (50, 250), (299, 250), (250, 250), (0, 100)]
)
def test_sack_blocks_that_cannot_be_are_no_evidence(
    tmp_path: Path, block: tuple[int, int]
) -> None:
    """Beyond all that was sent, below what was acknowledged (a duplicate is told so),
    or of no length: what is sent again at the end of the flight stays a probe."""
    wire, top = flight(1, 1.001, 1.002)
    wire.next[FORTH] = top - 200
    low, high = (top - 300 + edge for edge in block)
    wire.add(1.05, BACK, options=sack((low, high)))
    wire.next[FORTH] = top
    wire.add(1.1, FORTH, payload=100, again=100)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["probe_retransmissions"], row["fast_retransmissions"]) == (1, 0)


def test_a_sack_block_is_evidence(tmp_path: Path) -> None:
    wire, top = flight(1, 1.001, 1.002, 1.003)
    wire.next[FORTH] = top - 300
    wire.add(1.05, BACK, options=sack((top - 100, top)))
    wire.next[FORTH] = top
    wire.add(1.1, FORTH, payload=100, again=200)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["probe_retransmissions"], row["fast_retransmissions"]) == (0, 1)


@pytest.mark.parametrize(("duplicates", "why"), [(2, "probe"), (3, "fast")])
def test_three_duplicates_are_evidence(
    tmp_path: Path, duplicates: int, why: str
) -> None:
    wire, top = flight(1, 1.001, 1.002)
    wire.next[FORTH] = top - 200
    for number in range(1 + duplicates):
        wire.add(1.01 + number / 100, BACK)
    wire.next[FORTH] = top
    wire.add(1.1, FORTH, payload=100, again=100)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert row[f"{why}_retransmissions"] == row["retransmissions"] == 1


@pytest.mark.parametrize(("after_s", "why"), [(0.0009, "fast"), (0.0011, "probe")])
def test_what_follows_an_ack_at_once_is_fast(
    tmp_path: Path, after_s: float, why: str
) -> None:
    wire, top = flight(1, 1.001, 1.002)
    wire.next[FORTH] = top - 200
    wire.add(1.01, BACK)
    wire.next[FORTH] = top
    wire.add(1.01 + after_s, FORTH, payload=100, again=100)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert row[f"{why}_retransmissions"] == row["retransmissions"] == 1


@pytest.mark.parametrize(("silent_s", "timeouts"), [(0.188, 0), (0.191, 1), (0.25, 1)])
def test_a_timer_takes_190_ms(tmp_path: Path, silent_s: float, timeouts: int) -> None:
    """The head of the flight is sent again after three duplicates; by a timer, if
    nothing new was acknowledged for that long."""
    wire, top = flight(1, 1.0001, 1.0002)
    wire.next[FORTH] = top - 300
    for at_s in (1.0003, 1.0004, 1.0005, 1.0006):
        wire.add(at_s, BACK)
    wire.next[FORTH] = top
    wire.add(1 + silent_s, FORTH, payload=100, again=300)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["timeouts"], row["timeout_retransmissions"]) == (timeouts, timeouts)
    assert row["fast_retransmissions"] == 1 - timeouts


def test_a_probe_of_a_closed_window_is_no_timer(tmp_path: Path) -> None:
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.add(1.01, BACK)
    at, frame = wire.records[-1]
    wire.records[-1] = (at, frame[:48] + bytes(2) + frame[50:])
    wire.add(1.02, FORTH, payload=1)
    wire.add(1.5, FORTH, payload=1, again=1)
    row = subflow(read(wire, tmp_path / "a.pcap"))
    assert (row["timeouts"], row["timeout_retransmissions"]) == (0, 1)
    assert subflow(read(wire, tmp_path / "a.pcap"), 1)["zero_windows"] == 1


def test_retransmissions_that_nobody_needed(tmp_path: Path) -> None:
    """The ACK had passed, for one of them."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.add(1.1, FORTH, payload=100)
    wire.next[FORTH] -= 100
    wire.add(1.2, BACK)
    wire.next[FORTH] += 100
    wire.add(1.5, FORTH, payload=100, again=200)
    wire.add(1.6, FORTH, payload=100, again=100)
    assert subflow(read(wire, tmp_path / "a.pcap"))["unneeded"] == 1


def test_a_flight_without_end_is_forgotten(tmp_path: Path) -> None:
    """2^17 segments that nobody acknowledges; of those an ACK gives no time."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=1)
    (_, frame), count = wire.records[-1], (1 << 17) + 2
    for number in range(1, count):
        seq = (wire.next[FORTH] - 1 + number).to_bytes(4, "big")
        wire.records.append((1_000_000 + number, frame[:38] + seq + frame[42:]))
    first = wire.next[FORTH] - 1
    for ack, at_s in ((first + 2, 2), (first + count, 3)):
        wire.next[FORTH] = ack
        wire.add(at_s, BACK)
    found = analyse([wire.write(tmp_path / "a.pcap")])
    row = subflow(frames(found))
    # A list grows by doubling, and gives its old memory back.
    assert found.memory_bytes < (2 << 20) + 24 * 3 * (1 << 16) + 500_000
    assert row["rtt_samples"] == 2  # the SYN's, and the last segment's
    assert row["data_bytes"] == row["acked_bytes"] == count


def test_round_trip_times_of_an_interval(tmp_path: Path) -> None:
    """10, 30 and 20 ms in one, 40 ms in the next."""
    wire = Wire()
    wire.open(-0.5, FORTH)
    for at_s, rtt_s in ((1, 0.01), (1.1, 0.03), (1.2, 0.02), (2.1, 0.04)):
        wire.add(at_s, FORTH, payload=100)
        wire.add(at_s + rtt_s, BACK)
    wire.records = [(at + 500_000, frame) for at, frame in wire.records]
    found = read(wire, tmp_path / "a.pcap", interval_s=1.0)
    rows = found.series.query("direction == 0").to_dict("records")
    some = [r for r in rows if r["rtt_samples"]][1:]
    assert [r["rtt_samples"] for r in some] == [3, 1]
    assert [r["rtt_min_s"] for r in some] == pytest.approx([0.01, 0.04])
    assert [r["rtt_max_s"] for r in some] == pytest.approx([0.03, 0.04])
    assert [r["rtt_mean_s"] for r in some] == pytest.approx([0.02, 0.04])
