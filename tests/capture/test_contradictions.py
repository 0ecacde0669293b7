"""Options that cannot be meant, each with the number of its frame."""

import struct
from pathlib import Path

import pandas as pd
import pytest

from analysis.capture.analyse import analyse
from analysis.capture.collect import Totals
from analysis.capture.frames import frames
from analysis.capture.summary import summary
from tests.capture.formats import as_pcapng, block
from tests.capture.packets import KEYS, Wire, capable, joined, opened_mptcp, option

CLIENT, SECOND, SERVER = (0x0A000101, 4001), (0x0A000201, 4002), (0x0A090001, 5300)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
A, B = KEYS
ASK = option(0, bytes([1, 1]))


def connection(*paths: Path) -> pd.Series:
    rows = frames(analyse(paths)).connections
    assert len(rows) == 1
    row: pd.Series = rows.iloc[0]
    return row


def fastclose(key: int) -> bytes:
    return option(7, bytes([0, 0]), key.to_bytes(8, "big"))


def test_a_sound_connection(tmp_path: Path) -> None:
    wire = Wire()
    opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, payload=10, options=capable(A, B))
    wire.add(2, FORTH, options=fastclose(B))
    wire.add(2, BACK, options=fastclose(A))
    row = connection(wire.write(tmp_path / "a.pcap"))
    assert row["contradiction"] is None
    assert pd.isna(row["contradiction_frame"])
    assert pd.isna(row["contradiction_at_s"])


@pytest.mark.parametrize("echoed", [0, B + 1, A])
def test_an_echoed_key_that_differs(tmp_path: Path, echoed: int) -> None:
    wire = Wire()
    wire.open(0, FORTH, (ASK, capable(B), capable(A, echoed)))
    path = wire.write(tmp_path / "a.pcap")
    row = connection(path)
    assert row["contradiction"] == "an end echoes another key than its peer has sent"
    assert (row["contradiction_file"], row["contradiction_frame"]) == (1, 3)
    assert row["contradiction_at_s"] == pytest.approx(0.02)
    assert row["key_b"] == f"{B:016x}"
    totals = Totals()
    totals.kinds[0, "mptcp"] = 1
    (line,) = [t for t in summary(frames(analyse([path])), totals) if "frame" in t]
    assert line.startswith("  contradiction in frame 3 of file 1: an end echoes")


def test_a_key_that_changes(tmp_path: Path) -> None:
    wire = Wire()
    opened_mptcp(wire, 0, FORTH)
    wire.add(1, FORTH, payload=10, options=capable(A + 1, B))
    wire.add(2, FORTH, options=capable(A, B + 1))
    row = connection(wire.write(tmp_path / "a.pcap"))
    assert "sends another key than before" in row["contradiction"]
    assert row["contradiction_frame"] == 4


def test_an_answer_whose_key_changes(tmp_path: Path) -> None:
    wire = Wire()
    wire.add(0, FORTH, 2, options=ASK)
    wire.add(0.1, BACK, 18, options=capable(B))
    wire.add(1.1, BACK, 18, options=capable(B + 1), again=1)
    row = connection(wire.write(tmp_path / "a.pcap"))
    assert "sends another key than before" in row["contradiction"]
    assert row["contradiction_frame"] == 3


@pytest.mark.parametrize(("ends", "right"), [(FORTH, B), (BACK, A)])
def test_a_close_with_another_key(
    tmp_path: Path, ends: tuple[tuple[int, int], tuple[int, int]], right: int
) -> None:
    wire = Wire()
    opened_mptcp(wire, 0, FORTH)
    wire.add(1, ends, options=fastclose(A + B - right))
    row = connection(wire.write(tmp_path / "a.pcap"))
    assert "MP_FASTCLOSE has another key" in row["contradiction"]
    assert row["contradiction_frame"] == 4


def test_a_key_that_nobody_has_seen_contradicts_nothing(tmp_path: Path) -> None:
    """The capture begins with the third packet."""
    wire = Wire()
    opened_mptcp(wire, 0, FORTH)
    wire.records = wire.records[2:]
    wire.add(1, BACK, options=fastclose(A))
    assert connection(wire.write(tmp_path / "a.pcap"))["contradiction"] is None
    wire.add(2, FORTH, options=fastclose(A))
    row = connection(wire.write(tmp_path / "a.pcap"))
    assert row["contradiction_frame"] == 3


def test_frames_count_as_others_count_them(tmp_path: Path) -> None:
    """With frames that are left out, and in the second of two files."""
    wire = Wire()
    wire.open(0, FORTH, (ASK, capable(B), capable(A, 7)))
    whole = as_pcapng(wire.write(tmp_path / "a.pcap").read_bytes())
    section = 28 + 20  # the section's header, and the interface
    simple = block(3, struct.pack("<I", 60) + bytes(60))
    path = tmp_path / "a.pcapng"
    path.write_bytes(whole[:section] + simple + whole[section:])
    other = Wire()
    other.add(0, (SECOND, SERVER))
    row = frames(analyse([other.write(tmp_path / "b.pcap"), path])).connections
    wrong = row[row["contradiction"].notna()].iloc[0]
    assert (wrong["contradiction_file"], wrong["contradiction_frame"]) == (2, 4)


def test_a_subflow_that_joined_before_its_key(tmp_path: Path) -> None:
    """Findings from before the connections became one stay."""
    wire = Wire()
    joined(wire, 0, (SECOND, SERVER))
    wire.open(1, FORTH, (ASK, capable(B), capable(A, B + 1)))
    row = connection(wire.write(tmp_path / "a.pcap"))
    assert row["subflows"] == 2
    assert row["contradiction_frame"] == 7
