"""Decisions around connections that mutants of the core showed no other test to hold:
inputs, tables of tokens and subflows, retirement, and packets at two points."""

import ctypes
import os
import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from analysis.capture import library
from analysis.capture.analyse import Rows, Settings, analyse, read
from analysis.capture.thinning import Thinned
from tests.capture.generated_flows import HEAD, records
from tests.capture.kinds import raw
from tests.capture.packets import ACK, SYN, Wire, capable, digest, option

CLIENT, SECOND, SERVER = (0x0A000101, 4001), (0x0A000201, 4002), (0x0A090001, 5300)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)


def written(path: Path, content: np.ndarray) -> Path:
    path.write_bytes(HEAD + content.tobytes())
    return path


def test_an_input_without_a_packet_has_no_times(tmp_path: Path) -> None:
    path = tmp_path / "empty.pcap"
    path.write_bytes(raw("short", "client")[:24])
    (row,) = analyse([path]).inputs
    assert (row["packets"], row["first_ns"], row["last_ns"]) == (0, -1, -1)


def test_an_analyser_is_freed_in_the_middle_of_its_capture() -> None:
    """Its connections have not ended; a caller that gives up waits for none of them."""
    core = library.load()
    handle = core.analyser_new(ctypes.byref(Settings().as_core()))
    content = raw("short", "client")
    assert core.analyser_add(handle, 0) == 0
    size = ctypes.c_size_t(0)
    where = core.analyser_buffer(handle, 0, ctypes.byref(size))
    assert size.value >= len(content)
    ctypes.memmove(where, content, len(content))
    core.analyser_fed(handle, 0, len(content))
    assert core.analyser_run(handle) == 0
    core.analyser_free(handle)


@pytest.mark.parametrize("sound", [0, 1, 5])
def test_where_a_capture_is_damaged(tmp_path: Path, sound: int) -> None:
    """The byte at which the record begins that cannot be one."""
    content, at = raw("short", "client"), 24
    for _ in range(sound):
        at += 16 + int.from_bytes(content[at + 8 : at + 12], "little")
    path = tmp_path / "a.pcap"
    path.write_bytes(content[:at] + b"\xff" * 40)
    (row,) = analyse([path]).inputs
    assert (row["packets"], row["fault_offset"]) == (sound, at)
    assert row["fault"] != 0


def test_a_connection_that_goes_on_outlives_silent_ones(tmp_path: Path) -> None:
    """One sends all the time while 20,000 others begin and are silent, in memory for a
    fifth of them."""
    others = records(0, 20_000, closed=False)
    every = 100
    busy = np.repeat(records(0, 1, closed=False)[2:], len(others) // every)
    busy["sport"] = 9999
    busy["seq"] = 101 + np.arange(len(busy))
    times = others[every - 1 :: every]
    busy["seconds"], busy["nanos"] = times["seconds"], times["nanos"]
    whole = np.insert(others, np.arange(every, len(others) + 1, every), busy)
    path = written(tmp_path / "a.pcap", whole)
    found = analyse([path], settings=Settings(memory_bytes=16 << 20))
    assert found.retired_early > 1000
    mine = found.subflows[
        (found.subflows["a_port"] == 9999) | (found.subflows["b_port"] == 9999)
    ]
    assert len(mine) == 1
    assert len(found.connections) == 20_001
    sent = found.directions[found.directions["subflow"] == mine["subflow"][0]]
    assert sent["packets"].sum() == len(busy)


@dataclass
class Order:
    """The numbers of connections in the order in which they end."""

    numbers: list[int] = field(default_factory=list)

    def add(self, rows: Rows) -> None:
        self.numbers += rows.connections["connection"].tolist()

    def add_series(self, rows: np.ndarray) -> None: ...

    def add_events(self, rows: np.ndarray) -> None: ...


def test_what_is_left_at_the_end_comes_out_as_it_began(tmp_path: Path) -> None:
    path = written(tmp_path / "a.pcap", records(0, 3000, closed=False))
    order = Order()
    assert read([path], (), Settings(), order, Thinned(1)).retired_early == 0
    assert order.numbers == list(range(3000))


def test_tokens_are_found_when_their_table_has_grown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """700 connections of which the server's key is known, then a join for each. The
    place of a token depends on the seed."""
    wire = Wire()
    for number in range(700):
        ends = (CLIENT[0], 10_000 + number), SERVER
        key = number + 1
        wire.add(number / 1000, ends, SYN, options=option(0, bytes([1, 1])))
        wire.add(number / 1000, ends[::-1], SYN | ACK, options=capable(key))
    for number in range(700):
        ends = (SECOND[0], 10_000 + number), SERVER
        token = digest(number + 1)[0].to_bytes(4, "big")
        join = option(1, bytes([0, 2]), token, bytes(4))
        wire.add(1 + number / 1000, ends, SYN, options=join)
    path = wire.write(tmp_path / "a.pcap")
    for seed in range(8):
        drawn = (seed * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8, "little")
        monkeypatch.setattr(os, "urandom", lambda n, drawn=drawn: drawn[:n])
        found = analyse([path])
        assert found.connections["subflows"].tolist() == [2] * 700, seed


def sacked(low: int, high: int) -> bytes:
    return b"\x01\x01\x05\x0a" + struct.pack(">II", low, high)


@pytest.mark.parametrize(
    ("second", "seen"), [((1201, 1301), 1), ((1101, 1301), 0), ((1201, 1401), 0)]
)
def test_acknowledgements_that_differ_in_a_block_are_two(
    tmp_path: Path, second: tuple[int, int], seen: int
) -> None:
    """At two interfaces, alike but for either end of what they selectively acknowledge.
    Only the same packet counts as seen again."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100)
    wire.add(1.1, BACK, options=sacked(1201, 1301))
    wire.add(1.2, BACK, options=sacked(*second))
    ids = [frame[18:20] for _, frame in wire.records]
    at, frame = wire.records[-1]
    wire.records[-1] = at, frame[:18] + ids[-2] + frame[20:]
    one = wire.write(tmp_path / "one.pcap", lost=(5,))
    two = wire.write(tmp_path / "two.pcap", lost=(0, 1, 2, 3, 4))
    found = analyse([one, two])
    assert found.inputs["elsewhere"].tolist() == [0, seen]
    assert found.directions["packets"].sum() == 6 - seen


def test_each_packet_that_comes_by_at_the_far_point_tells_its_delay(
    tmp_path: Path,
) -> None:
    wire = Wire()
    wire.open(0, FORTH)
    for number in range(3):
        wire.add(1 + number, FORTH, payload=100)
    near = wire.write(tmp_path / "near.pcap")
    far = wire.write(tmp_path / "far.pcap", later_s=0.005)
    found = analyse([near], [far], Settings(events=("delay",)))
    assert found.events["length"].tolist() == [5_000_000] * 6
    assert found.directions["matched"].sum() == 6


def test_a_connection_waits_for_its_answers_at_the_other_point(tmp_path: Path) -> None:
    """Closed at once, it could retire; but the far point has not shown the server's
    answer yet, and never will. Whether these were lost, nobody knows: the capture ends
    within the time that they may take."""
    whole = records(0, 3000, closed=True)
    near = written(tmp_path / "near.pcap", whole)
    far = written(tmp_path / "far.pcap", whole[whole["sport"] != 443])
    found = analyse([near], [far], Settings(linger_s=0))
    points = found.subflows["point"][found.directions["subflow"]]
    mine = found.directions[points == 0]
    assert mine["packets"].sum() == len(whole)
    waiting = mine[mine["direction"] == 1]
    assert waiting["undecided"].tolist() == [1] * 3000
    assert mine["matched"].sum() == len(whole) - 3000


def test_what_is_forgotten_of_two_points_is_undecided(tmp_path: Path) -> None:
    """The far point shows none of 60,000 packets of two connections, for which the
    memory is too small."""
    wire = Wire()
    wire.open(0, FORTH)
    wire.open(0.1, (SECOND, SERVER))
    far = wire.write(tmp_path / "far.pcap")
    both, count = [wire.records[place][1] for place in (2, 5)], 60_000
    for number in range(count):
        seq, frame = (5000 + number).to_bytes(4, "big"), both[number % 2]
        wire.records.append((200_000 + number, frame[:38] + seq + frame[42:]))
    near = wire.write(tmp_path / "near.pcap")
    # With some of these bounds, what waits leaves less free than is asked for.
    for memory_bytes in range(5_500_000, 6_200_000, 100_000):
        found = analyse([near], [far], Settings(memory_bytes=memory_bytes))
        points = found.subflows["point"][found.directions["subflow"]]
        mine = found.directions[points == 0]
        known = mine["matched"] + mine["unmatched"] + mine["undecided"]
        assert known.tolist() == mine["packets"].tolist(), memory_bytes
        assert mine["packets"].sum() == 6 + count
