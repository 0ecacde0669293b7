"""One capture in every format that is read, whole and damaged."""

import gzip
import io
import lzma
import struct
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from analysis.capture.analyse import Settings, Tables, analyse
from analysis.capture.faults import faults, unreadable
from tests.capture.formats import as_pcap, as_pcapng, block, frames, tagged
from tests.capture.kinds import raw

KIND = ("loss", "client")
TABLES = ("connections", "data", "subflows", "directions")


def write(folder: Path, content: bytes, name: str = "a.pcap") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def read(*paths: Path, **settings: object) -> Tables:
    return analyse(paths, settings=Settings(**settings))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return read(write(tmp_path_factory.mktemp("whole"), raw(*KIND)))


def same(one: Tables, two: Tables, but: tuple[str, ...] = ()) -> bool:
    """Whether two analyses found the same, `but` for some fields."""
    return all(
        np.array_equal(getattr(one, table)[name], getattr(two, table)[name])
        for table in TABLES
        for name in getattr(one, table).dtype.names
        if name not in but
    )


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("nano", [False, True])
def test_pcap(tmp_path: Path, whole: Tables, big: bool, nano: bool) -> None:
    found = read(write(tmp_path, as_pcap(raw(*KIND), big, nano)))
    assert same(whole, found)
    assert not faults(found)


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("resolution", [None, 6, 9, 10, 0x80 | 30])
def test_pcapng(
    tmp_path: Path, whole: Tables, big: bool, resolution: int | None
) -> None:
    found = read(write(tmp_path, as_pcapng(raw(*KIND), big, resolution)))
    binary = resolution is not None and resolution & 0x80
    times = [n for t in TABLES for n in getattr(whole, t).dtype.names if "_ns" in n]
    assert same(whole, found, tuple(times) if binary else ())
    if binary:
        late = found.connections["first_ns"] - whole.connections["first_ns"]
        assert np.abs(late).max() <= 2


def at_one_time(
    stamp: int, offset: bytes, order: str = "<", code: int = 14
) -> list[bytes]:
    """The blocks of a capture of one packet, with times in nanoseconds.

    offset : the content of an option of the interface; code : its number
    """
    options = struct.pack(f"{order}HHB3x", 9, 1, 9)
    options += struct.pack(f"{order}HH", code, len(offset)) + offset
    options += bytes(-len(offset) % 4) + bytes(4)
    [frame, *_] = frames(raw(*KIND))
    head = (0, stamp >> 32, stamp & 0xFFFFFFFF, len(frame.data), frame.length)
    return [
        block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order),
        block(1, struct.pack(f"{order}HHI", 1, 0, 0) + options, order),
        block(6, struct.pack(f"{order}IIIII", *head) + frame.data, order),
    ]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    ("stamp", "offset_s", "time_ns"),
    [
        (5, 0, 5),
        (5, 100, 100 * 10**9 + 5),
        (5, -3, 5 - 3 * 10**9),
        ((1 << 61) + 5, 0, (1 << 61) + 5),
        (1 << 62, 0, 1 << 62),
        ((1 << 62) + 1, 0, 0),
        (5, 1 << 32, (1 << 32) * 10**9 + 5),
        (5, (1 << 32) + 1, 0),
        (5, -(1 << 32), 5 - (1 << 32) * 10**9),
        (5, -(1 << 32) - 1, 0),
    ],
)
def test_times_of_pcapng(
    tmp_path: Path, order: str, stamp: int, offset_s: int, time_ns: int
) -> None:
    """With the offset of their interface; a time that cannot be is 0."""
    content = at_one_time(stamp, struct.pack(f"{order}q", offset_s), order)
    assert read(write(tmp_path, b"".join(content))).inputs["first_ns"] == [time_ns]


@pytest.mark.parametrize(("offset", "code"), [(bytes([9] * 4), 14), (b"9" * 8, 13)])
def test_other_options_are_no_offset(tmp_path: Path, offset: bytes, code: int) -> None:
    content = at_one_time(7, offset, code=code)
    assert read(write(tmp_path, b"".join(content))).inputs["first_ns"] == [7]


@pytest.mark.parametrize("link", [113, 276, 101, 228, 0])
def test_link_types(tmp_path: Path, whole: Tables, link: int) -> None:
    found = read(write(tmp_path, as_pcap(raw(*KIND), link=link)))
    assert same(whole, found, ("frame_bytes", "source"))


def test_vlan_tags(tmp_path: Path, whole: Tables) -> None:
    assert same(whole, read(write(tmp_path, tagged(raw(*KIND)))), ("frame_bytes",))


def test_gzip_and_zstd(tmp_path: Path, whole: Tables) -> None:
    packed = gzip.compress(raw(*KIND)[:5000]) + gzip.compress(raw(*KIND)[5000:])
    assert same(whole, read(write(tmp_path, packed, "a.gz")))
    target = io.BytesIO()
    with pa.CompressedOutputStream(target, "zstd") as stream:
        stream.write(as_pcapng(raw(*KIND)))
    # pyarrow closes what it wrote to
    assert same(whole, read(Path(__file__).parent / "captured/loss/client.pcap.zst"))


def test_standard_input(whole: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(raw(*KIND))

    monkeypatch.setattr(sys, "stdin", Input)
    assert same(whole, analyse(["-"]))


@pytest.mark.parametrize("count", [2, 3])
def test_several_files_are_one_point(tmp_path: Path, whole: Tables, count: int) -> None:
    """Packets dealt out by subflow, as interfaces see them, or by time, as a capture
    that is cut into files has them."""
    content = raw(*KIND)
    head, at, records = content[:24], 24, []
    while at < len(content):
        captured = int.from_bytes(content[at + 8 : at + 12], "little")
        records.append(content[at : at + 16 + captured])
        at += 16 + captured
    ports = [frozenset((record[50:52], record[52:54])) for record in records]
    flows = list(dict.fromkeys(ports))
    dealt = [flows.index(each) % count for each in ports]
    parts = [
        b"".join(r for r, to in zip(records, dealt, strict=True) if to == number)
        for number in range(count)
    ]
    paths = [write(tmp_path, head + p, f"{i}.pcap") for i, p in enumerate(parts)]
    found = read(*paths)
    # In virtual time many packets have one time; whose comes first is left open.
    for name in ("packets", "payload_bytes", "retransmissions", "gaps", "rtt_sum_ns"):
        assert sorted(found.directions[name]) == sorted(whole.directions[name]), name
    assert sorted(found.data["bytes"]) == sorted(whole.data["bytes"])
    assert len(found.connections) == len(whole.connections)
    step = len(records) // count + 1
    parts = [b"".join(records[i : i + step]) for i in range(0, len(records), step)]
    paths = [write(tmp_path, head + p, f"t{i}.pcap") for i, p in enumerate(parts)]
    assert same(whole, read(*paths), ("source",))


def test_a_packet_seen_at_two_interfaces_counts_once(
    tmp_path: Path, whole: Tables
) -> None:
    one = write(tmp_path, raw(*KIND), "one.pcap")
    two = write(tmp_path, raw(*KIND), "two.pcap")
    found = read(one, two)
    assert same(whole, found, ("elsewhere_packets",))
    assert found.inputs["elsewhere"].tolist() == [0, whole.inputs["packets"][0]]
    assert "again at another interface" in faults(found)[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\n", "is no capture"),
        (b"hello, world", "is no capture"),
        (as_pcap(raw(*KIND), link=1)[:24][:-4] + b"\x9e\0\0\0", "link type 158"),
        (raw(*KIND)[:4] + b"\x09\0" + raw(*KIND)[6:40], "version 9"),
        (raw(*KIND)[:13], "cut short"),
        (lzma.compress(raw(*KIND)), "is no capture"),
        (b"\x1f\x8b", "cut short"),
        (b"\x28\xb5\x2f\xfd1234567890", "zstd"),
    ],
)
def test_unreadable(tmp_path: Path, content: bytes, reason: str) -> None:
    path = write(tmp_path, content)
    found = read(path)
    (line,) = unreadable(found)
    assert line.startswith(f"{path}: ")
    assert reason.lower() in line.lower()
    assert not len(found.connections)


@pytest.mark.parametrize("cut", [25, 40, 41, 500, 10_000])
@pytest.mark.parametrize("ng", [False, True])
def test_cut_short(tmp_path: Path, cut: int, ng: bool) -> None:
    content = (as_pcapng if ng else bytes)(raw(*KIND))
    found = read(write(tmp_path, content[:cut]))
    assert "cut short" in faults(found)[0]
    assert found.inputs["packets"][0] <= cut / 90
    assert bool(len(found.connections)) == bool(found.inputs["packets"][0])


def test_damaged_in_the_middle(tmp_path: Path, whole: Tables) -> None:
    content = bytearray(raw(*KIND))
    content[24:] = content[24:30_000] + b"\xff" * 16 + content[30_000:]
    found = read(write(tmp_path, bytes(content)))
    assert "damaged at byte" in faults(found)[0]
    assert 0 < found.inputs["packets"][0] < whole.inputs["packets"][0]


def test_gzip_cut_short(tmp_path: Path) -> None:
    packed = gzip.compress(raw(*KIND))
    found = read(write(tmp_path, packed[: len(packed) // 2]))
    assert "gzip" in faults(found)[0]
    assert found.inputs["packets"][0] > 100


@pytest.mark.parametrize("at", [-5, -1000, 20_000])
def test_gzip_damaged(tmp_path: Path, whole: Tables, at: int) -> None:
    """In its sum, near its end, and in the middle: what comes before counts."""
    packed = bytearray(gzip.compress(raw(*KIND), 1))
    packed[at] ^= 0xFF
    found = read(write(tmp_path, bytes(packed)))
    (line, *_) = faults(found)
    assert "what comes before it counts" in line
    part = at % len(packed) / len(packed)
    expected = part * whole.inputs["packets"][0]
    assert found.inputs["packets"][0] >= expected * 0.9 > 100


def test_a_link_type_that_tells_of_check_sums(tmp_path: Path, whole: Tables) -> None:
    """The upper half of the field is no part of it."""
    content = raw(*KIND)
    head = content[:20] + (0x24000001).to_bytes(4, "little")
    assert same(whole, read(write(tmp_path, head + content[24:])))


@pytest.mark.parametrize("snap", [20, 34, 50, 60, 66])
def test_snapped_packets(tmp_path: Path, snap: int) -> None:
    out = [raw(*KIND)[:24]]
    at, content = 24, raw(*KIND)
    while at < len(content):
        captured = int.from_bytes(content[at + 8 : at + 12], "little")
        kept = min(snap, captured)
        record = content[at : at + 8] + kept.to_bytes(4, "little")
        out.append(record + content[at + 12 : at + 16 + kept])
        at += 16 + captured
    found = read(write(tmp_path, b"".join(out)))
    assert found.inputs["packets"][0] > 500
    if snap < 54:
        assert not len(found.connections)
        assert found.inputs["snapped"][0] == found.inputs["packets"][0]
    else:
        assert (found.connections["unknown"] & 16).all()
        assert found.directions["packets"].sum() == found.inputs["packets"][0]
        assert found.directions["payload_bytes"].sum() > 900_000


def test_little_memory_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, raw(*KIND))
    found = read(path, memory_bytes=(2 << 20) + 20_000)
    assert found.short_of_memory
    assert found.inputs["packets"][0] > 1000
    with pytest.raises(ValueError, match="at once"):
        read(path, memory_bytes=1000)
