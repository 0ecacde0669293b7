"""Short captures whose numbers can be computed by hand."""

import math
import time
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest

from analysis.capture.analyse import Settings, analyse
from analysis.capture.export import document
from analysis.capture.faults import disagreeing
from analysis.capture.frames import Frames, clocks_differ, frames
from tests.capture.packets import (
    SYN,
    Wire,
    capable,
    dss,
    joined,
    opened_mptcp,
    option,
)

CLIENT, SECOND, SERVER = (0x0A000101, 4001), (0x0A000201, 4002), (0x0A090001, 5300)
SECOND_ADDRESS = SECOND[0].to_bytes(4, "big")
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
FORTH_2, BACK_2 = (SECOND, SERVER), (SERVER, SECOND)


def found(*near: Path, far: tuple[Path, ...] = (), interval_s: float = 0) -> Frames:
    return frames(analyse(near, far, Settings(interval_s)))


def way(of: Frames, direction: int = 0, connection: int = 0) -> dict[Hashable, Any]:
    rows = of.data.query(f"connection == {connection} and direction == {direction}")
    return rows.to_dict("records")[0]


def two_subflows() -> Wire:
    """1000 bytes on the first subflow at 1 s, 1000 on the second at 2 s; the first
    1000 again on the second at 5 s; all acknowledged at 6 s, DATA_FIN at 9 s."""
    wire = Wire()
    first, back = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.1, FORTH_2)
    wire.add(1, FORTH, payload=1000, options=dss(first, 1, 1000, back))
    wire.add(2, FORTH_2, payload=1000, options=dss(first + 1000, 1, 1000, back))
    wire.add(5, FORTH_2, payload=1000, options=dss(first, 1001, 1000, back))
    wire.add(6, BACK_2, options=dss(ack=first + 2000))
    wire.add(9, FORTH_2, options=dss(first + 2000, 0, 1, back, fin=True))
    wire.add(9.5, BACK_2, options=dss(ack=first + 2001))
    return wire


def test_completion_is_of_the_data_not_of_their_end(tmp_path: Path) -> None:
    data = way(found(two_subflows().write(tmp_path / "a.pcap")))
    assert data["bytes"] == 2000
    assert data["reinjected_bytes"] == 1000
    assert data["completion_s"] == pytest.approx(6)
    assert data["data_fin_at_s"] == pytest.approx(9)
    assert data["data_fin_acked_at_s"] == pytest.approx(9.5)


def test_goodput_is_until_the_last_new_byte(tmp_path: Path) -> None:
    """New data at 1 and 2 s; what came at 5 s had been sent before."""
    data = way(found(two_subflows().write(tmp_path / "a.pcap")))
    assert data["last_at_s"] == pytest.approx(2)
    assert data["goodput_mbps"] == pytest.approx(2000 * 8e-6 / 1)
    assert (data["idle_periods"], data["idle_s"]) == (2, pytest.approx(4))


def test_goodput_of_tcp_too(tmp_path: Path) -> None:
    wire = Wire()
    wire.open(0, FORTH)
    for at_s in (1, 2):
        wire.add(at_s, FORTH, payload=1000)
    wire.add(2.1, FORTH, payload=1000, again=1000)
    wire.add(2.2, BACK)
    data = way(found(wire.write(tmp_path / "a.pcap")))
    assert data["goodput_mbps"] == pytest.approx(2000 * 8e-6 / 1)
    assert data["completion_s"] == pytest.approx(2.2)


def steady() -> Wire:
    """TCP, from 0 to 60 s a segment every 0.1 s, and its ACK after 20 ms."""
    wire = Wire()
    wire.open(0, FORTH)
    for number in range(600):
        wire.add(0.1 + number / 10, FORTH, payload=100)
        wire.add(0.12 + number / 10, BACK)
    return wire


@pytest.mark.parametrize(
    ("between_s", "sent", "lost"),
    [((0, 100), 602, 1), ((0, 20), 199, 1), ((40, 100), 202, 0), ((15, 25), 101, 1)],
)
def test_a_far_capture_of_another_time_loses_nothing(
    tmp_path: Path, between_s: tuple[float, float], sent: int, lost: int
) -> None:
    """The far point was looked at for a part of the time; of the rest nobody knows.
    One packet of 20 s, and the one at 15.1, are lost."""
    wire = steady()
    gone = 3 + 2 * 150  # sent at 15.1 s
    near = wire.write(tmp_path / "near.pcap")
    far = wire.write(
        tmp_path / "far.pcap", later_s=0.005, lost=(gone,), between_s=between_s
    )
    row = found(near, far=(far,)).subflows.query("point == 0 and direction == 0")
    (half,) = row.to_dict("records")
    assert half["lost_packets"] == lost
    assert half["lost_packets"] + half["matched"] == pytest.approx(sent, abs=2)
    assert half["undecided"] + half["lost_packets"] + half["matched"] == 602


def test_what_does_not_pass_the_far_point_is_not_lost(tmp_path: Path) -> None:
    """The second connection is another server's; the third is never answered."""
    other, dead = (CLIENT, (0x0A090002, 80)), ((0x0A000101, 4009), SERVER)
    wire = steady()
    for number in range(3):
        wire.add(1 + number, dead, SYN, again=int(number > 0))
    far = wire.write(tmp_path / "far.pcap", 0.005, lost=tuple(range(1203, 1206)))
    wire.open(2, other)
    wire.add(3, other, payload=500)
    wire.add(3.02, (other[1], other[0]))
    wire.records.sort(key=lambda record: record[0])
    near = wire.write(tmp_path / "near.pcap")
    result = found(near, far=(far,), interval_s=1)
    rows = result.subflows.query("point == 0 and direction == 0")
    by_target = rows.set_index(["target", "source_port"])["loss_probability"]
    assert by_target["10.9.0.1", 4001] == 0
    assert by_target["10.9.0.1", 4009] == 1
    assert by_target[["10.9.0.2"]].isna().all()
    passed = result.series.query("connection == 0 and direction == 0")
    assert (passed["loss_probability"] == 0).all()
    (number,) = rows.query("target == '10.9.0.2'")["connection"]
    elsewhere = result.series.query(f"connection == {number}")
    assert len(elsewhere)
    assert elsewhere["loss_probability"].isna().all()


def test_mean_loss_needs_every_path(tmp_path: Path) -> None:
    """Half of the data went over a path that does not pass the far point."""
    wire = two_subflows()
    near = wire.write(tmp_path / "near.pcap")
    every = range(len(wire.records))
    second = [n for n in every if SECOND_ADDRESS in wire.records[n][1][26:34]]
    both = wire.write(tmp_path / "both.pcap", 0.001, lost=(second[-1],))
    one = wire.write(tmp_path / "one.pcap", 0.001, lost=tuple(second))
    assert way(found(near, far=(both,)))["mean_loss_probability"] == 0
    result = found(near, far=(one,))
    assert way(result)["bytes"] == 2000
    rows = result.subflows.query("point == 0 and direction == 0")
    assert rows["loss_probability"].isna().tolist() == [False, True]
    assert math.isnan(way(result)["mean_loss_probability"])


def test_clocks_that_cannot_be_right_are_told(tmp_path: Path) -> None:
    """An ACK comes 20 ms after its segment, and 10 ms after that has passed the far
    point. Points that are one (no way between) have no clocks to compare."""
    wire = steady()
    near = wire.write(tmp_path / "near.pcap")
    same = wire.write(tmp_path / "same.pcap", lost=(303,))
    far = wire.write(tmp_path / "far.pcap", 0.005, lost=(303,))
    early = wire.write(tmp_path / "early.pcap", 0.005, lost=(303,), clock_s=-0.05)
    for path in (same, far):
        right = analyse([near], [path])
        assert not clocks_differ(right.directions).any()
        assert frames(right).subflows["lost_packets"].sum() == 1
    wrong = analyse([near], [early])
    (line,) = disagreeing(int(clocks_differ(wrong.directions).sum()) // 2)
    assert "both directions of 1 subflows" in line
    assert frames(wrong).subflows["lost_packets"].isna().all()


@pytest.mark.parametrize("snap", [60, 64, 70, 1500])
def test_options_that_are_cut_are_no_fall_back(tmp_path: Path, snap: int) -> None:
    """The SYN's MP_CAPABLE lies within 60 bytes, its answer's within 66."""
    wire = two_subflows()
    rows = found(wire.write(tmp_path / "a.pcap", snap=snap)).connections
    assert rows["kind"][0] == "mptcp"
    assert rows["fallback"].isna().all()
    assert rows["unknown"].str.contains("cut within").all() == (snap < 1500)


def test_a_server_of_tcp_is_a_fall_back_though_others_are_cut(tmp_path: Path) -> None:
    wire = Wire()
    wire.open(0, FORTH, (option(0, bytes([1, 1])), b"", b""))
    wire.add(1, FORTH, payload=10)
    wire.add(1.1, BACK, options=b"\x05\x0a" + bytes(8))
    rows = found(wire.write(tmp_path / "a.pcap", snap=60)).connections
    assert rows["fallback"].tolist() == ["handshake"]


def test_series_have_what_the_whole_has(tmp_path: Path) -> None:
    """Segments every 0.1 s; one is sent again after three ACKs, one after 1 s."""
    wire = Wire()
    wire.open(0, FORTH)
    for at_s in (0.1, 0.2, 0.3, 0.4):
        wire.add(at_s, FORTH, payload=100)
    acked = wire.next[FORTH] - 400
    wire.next[FORTH], after = acked, wire.next[FORTH]
    for at_s in (0.5, 0.51, 0.52, 0.53):
        wire.add(at_s, BACK)
    wire.next[FORTH] = after
    wire.add(0.5305, FORTH, payload=100, again=400)
    wire.add(0.6, BACK)
    wire.add(1.1, FORTH, payload=100)
    wire.add(2.1, FORTH, payload=100, again=100)
    wire.add(2.2, BACK)
    result = found(wire.write(tmp_path / "a.pcap"), interval_s=1)
    (half,) = result.subflows.query("direction == 0").to_dict("records")
    series = result.series.query("direction == 0").set_index("at_s")
    assert series["fast_retransmissions"].tolist() == [1, 0, 0]
    assert series["timeout_retransmissions"].tolist() == [0, 0, 1]
    assert series["probe_retransmissions"].sum() == half["probe_retransmissions"] == 0
    assert series["payload_packets"].tolist() == [5, 1, 1]
    ratios = series["retransmission_ratio"]
    assert ratios[0] == pytest.approx(1 / 4)
    assert ratios[1] == 0
    assert ratios[[2]].isna().all()
    assert series["ip_bytes"].sum() == half["ip_bytes"]
    # SYN, ACK and five segments, of 40 bytes of headers each
    assert series["throughput_mbps"][0] == pytest.approx((7 * 40 + 500) * 8e-6)
    assert series["goodput_mbps"][0] == pytest.approx(400 * 8e-6)


def test_keys_of_a_handshake(tmp_path: Path) -> None:
    wire = Wire()
    wire.open(
        0,
        FORTH,
        (option(0, bytes([1, 1])), capable(1), capable(2, 1)),
    )
    rows = found(wire.write(tmp_path / "a.pcap")).connections
    (row,) = rows.to_dict("records")
    # `printf '\0\0\0\0\0\0\0\2' | sha256sum`, and of 1
    assert (row["key_a"], row["key_b"]) == (f"{2:016x}", f"{1:016x}")
    assert (row["token_a"], row["token_b"]) == ("cd04a475", "cd266215")


def test_json_of_many_connections_takes_no_longer_for_each(tmp_path: Path) -> None:
    """A server's capture; 3000 take some 3 s of CPU time, and took 40 when each
    looked at all."""
    wire = Wire()
    for number in range(3000):
        ends = ((CLIENT[0], 1024 + number), SERVER)
        wire.open(number / 1000, ends)
        wire.add(3 + number / 1000, ends, payload=number)
    wire.records.sort(key=lambda record: record[0])
    result = found(wire.write(tmp_path / "a.pcap"))
    began = time.process_time()
    connections = document(result, [], [])["connections"]
    assert time.process_time() - began < 15
    assert [c["directions"][0]["bytes"] for c in connections] == list(range(3000))
    ports = [c["subflow_directions"][0]["source_port"] for c in connections]
    assert sorted(ports) == list(range(1024, 4024))
