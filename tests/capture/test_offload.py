"""Loss between two capture points of which one shows packets as segmentation offload
makes them: cut (TSO) or put together (GRO) on the way."""

import struct
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest

from analysis.capture.analyse import Settings, analyse
from analysis.capture.faults import faults
from analysis.capture.frames import Frames, frames
from tests.capture.packets import Wire

CLIENT, SERVER = (0x0A000101, 4001), (0x0A090001, 5201)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
MSS = 1000
BURSTS = 50
LOST = {(3, 4), (7, 0), (7, 1), (20, 9), (33, 5)}
"""Segments that do not arrive: burst, place in it."""


def stamp(at_s: float) -> bytes:
    """The timestamps option, of a clock of 1 ms."""
    return b"\x01\x01" + struct.pack(">BBII", 8, 10, round(at_s * 1000), 1)


def captured(
    path: Path,
    size: int,
    later_s: float = 0.0,
    lost: set[tuple[int, int]] = frozenset(),  # type: ignore[assignment]
    stamps: bool = True,
) -> Path:
    """Bursts of 10 segments, each sent again 300 ms later if it is lost; `size`
    segments to a packet."""
    wire = Wire()
    wire.open(0, FORTH)
    for burst in range(BURSTS):
        at_s = 0.1 + burst / 10
        options = stamp(at_s) if stamps else b""
        for place in range(0, 10, size):
            gone = [(burst, n) in lost for n in range(place, place + size)]
            for first, last in kept(gone):
                at = 1001 + (burst * 10 + place + first) * MSS
                wire.next[FORTH] = at
                wire.add(at_s, FORTH, payload=(last - first) * MSS, options=options)
        wire.next[FORTH] = 1001 + (burst + 1) * 10 * MSS
    for number, (burst, place) in enumerate(sorted(LOST)):
        at_s = 6 + number / 10
        wire.next[FORTH] = 1001 + (burst * 10 + place) * MSS
        wire.add(at_s, FORTH, payload=MSS, options=stamp(at_s) if stamps else b"")
    wire.next[FORTH] = 1001 + BURSTS * 10 * MSS
    for number in range(20):
        wire.add(20 + number, FORTH, options=stamp(20 + number))
    # The two points count their packets differently, so these have no numbers.
    wire.records = [(at, d[:18] + bytes(2) + d[20:]) for at, d in wire.records]
    return wire.write(path, later_s)


def kept(gone: list[bool]) -> list[tuple[int, int]]:
    """The runs of segments that are not gone: first, one past the last."""
    runs, first = [], None
    for place, lost in enumerate([*gone, True]):
        if not lost and first is None:
            first = place
        if lost and first is not None:
            runs.append((first, place))
            first = None
    return runs


def forth(
    near: Path, far: Path, interval_s: float = 0.0
) -> tuple[dict[Hashable, Any], Frames]:
    found = frames(analyse([near], [far], Settings(interval_s=interval_s)))
    (row,) = found.subflows.query("point == 0 and direction == 0").to_dict("records")
    return row, found


@pytest.mark.parametrize("stamps", [True, False])
@pytest.mark.parametrize(("near_size", "far_size"), [(10, 1), (5, 1), (1, 5), (10, 2)])
def test_loss_is_that_of_the_bytes(
    tmp_path: Path, near_size: int, far_size: int, stamps: bool
) -> None:
    near = captured(tmp_path / "near.pcap", near_size, stamps=stamps)
    far = captured(tmp_path / "far.pcap", far_size, 0.02, LOST, stamps)
    row, _ = forth(near, far)
    sent = (BURSTS * 10 + len(LOST)) * MSS
    assert row["lost_bytes"] == len(LOST) * MSS
    assert row["matched_bytes"] == sent - len(LOST) * MSS
    assert row["loss_probability"] == pytest.approx(len(LOST) * MSS / sent)
    assert row["resegmented_packets"] > 0
    if far_size == 1:
        assert row["lost_packets"] == len(LOST)
    if stamps:
        assert row["delay_max_s"] == pytest.approx(0.02)


def test_series_have_the_same_loss(tmp_path: Path) -> None:
    near = captured(tmp_path / "near.pcap", 10)
    far = captured(tmp_path / "far.pcap", 1, 0.02, LOST)
    _, found = forth(near, far, interval_s=0.1)
    series = found.series.query("direction == 0 and connection == 0").set_index("at_s")
    loss = series["loss_probability"].dropna()
    assert loss[loss > 0].tolist() == pytest.approx([0.1, 0.2, 0.1, 0.1])


def test_segments_of_one_size_are_counted_as_packets(tmp_path: Path) -> None:
    near = captured(tmp_path / "near.pcap", 1)
    far = captured(tmp_path / "far.pcap", 1, 0.02, LOST)
    row, _ = forth(near, far)
    assert (row["resegmented_packets"], row["lost_packets"]) == (0, len(LOST))
    assert row["loss_probability"] == pytest.approx(
        len(LOST) / (row["matched"] + len(LOST))
    )


def test_packets_that_differ_are_told(tmp_path: Path) -> None:
    near = captured(tmp_path / "near.pcap", 10)
    far = captured(tmp_path / "far.pcap", 1, 0.02, LOST)
    (line,) = faults(analyse([near], [far]))
    assert "segmentation offload" in line
    assert faults(analyse([near], [near])) == []
