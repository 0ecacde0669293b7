"""Which packets count as seen again at another interface of the same capture point."""

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from analysis.capture.analyse import Tables, analyse
from tests.capture.formats import HEAD, RECORD, Frame, as_pcapng, block
from tests.capture.formats import frames as records
from tests.capture.kinds import raw, tables

KIND = ("loss", "client")


def whole() -> Tables:
    return tables(*KIND)


def content() -> list[Frame]:
    return list(records(raw(*KIND)))


def pcap(frames: Sequence[Frame]) -> bytes:
    out = [raw(*KIND)[: HEAD.size]]
    for frame in frames:
        out.append(
            RECORD.pack(frame.seconds, frame.micros, len(frame.data), frame.length)
        )
        out.append(frame.data)
    return b"".join(out)


def on_interfaces(
    frames: Sequence[tuple[Frame, int]], count: int, link: int = 1
) -> bytes:
    """pcapng with `count` interfaces of a link type."""
    out = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))]
    out += [block(1, struct.pack("<HHI", link, 0, 0))] * count
    for frame, interface in frames:
        at = frame.seconds * 10**6 + frame.micros
        head = struct.pack(
            "<IIIII",
            interface,
            at >> 32,
            at & 0xFFFFFFFF,
            len(frame.data),
            frame.length,
        )
        out.append(block(6, head + frame.data))
    return b"".join(out)


def same(found: Tables) -> None:
    assert found.inputs["elsewhere"].sum() == 0
    for name in ("packets", "payload_bytes", "data_bytes", "missing_bytes"):
        assert np.array_equal(found.directions[name], whole().directions[name]), name
    assert np.array_equal(found.data["bytes"], whole().data["bytes"])


def test_two_sections_of_one_file(tmp_path: Path) -> None:
    """`cat a.pcapng b.pcapng` is a legal file of two sections."""
    frames = content()
    middle = len(frames) // 2
    path = tmp_path / "both.pcapng"
    path.write_bytes(
        as_pcapng(pcap(frames[:middle])) + as_pcapng(pcap(frames[middle:]))
    )
    same(analyse([path]))


def test_a_flow_that_moves_between_interfaces(tmp_path: Path) -> None:
    """`mergecap -I none` gives each file's packets an interface of their own."""
    frames = content()
    middle = len(frames) // 2
    path = tmp_path / "moved.pcapng"
    dealt = [(frame, int(place >= middle)) for place, frame in enumerate(frames)]
    path.write_bytes(on_interfaces(dealt, 2))
    same(analyse([path]))


@pytest.mark.parametrize("files", [False, True])
def test_a_bond_that_alternates(tmp_path: Path, files: bool) -> None:
    frames = content()
    if files:
        paths = [tmp_path / name for name in ("a.pcap", "b.pcap")]
        for way, path in enumerate(paths):
            path.write_bytes(pcap(frames[way::2]))
    else:
        paths = [tmp_path / "bond.pcapng"]
        dealt = [(frame, place % 2) for place, frame in enumerate(frames)]
        paths[0].write_bytes(on_interfaces(dealt, 2))
    found = analyse(paths)
    # In virtual time many packets have one time; whose comes first is left open.
    assert found.inputs["elsewhere"].sum() == 0
    assert sorted(found.directions["packets"]) == sorted(whole().directions["packets"])
    assert sorted(found.data["bytes"]) == sorted(whole().data["bytes"])


def test_two_capture_points_of_two_interfaces_each(tmp_path: Path) -> None:
    """A packet that one point shows twice does not count as seen again at the other."""
    frames = content()
    files = [tmp_path / name for name in ("a.pcap", "b.pcap", "c.pcap", "d.pcap")]
    for way, path in enumerate(files):
        path.write_bytes(pcap(frames[way % 2 :: 2]))
    found = analyse(files[:2], files[2:])
    assert found.inputs["elsewhere"].sum() == 0
    assert found.directions["unmatched"].sum() == 0
    assert found.directions["matched"].sum() > 100


def test_a_bridge_and_its_ports_count_once(tmp_path: Path) -> None:
    """Each packet at three interfaces, 40 us apart."""
    dealt = []
    for frame in content():
        for interface in range(3):
            micros = frame.micros + 40 * interface
            later = Frame(
                frame.seconds + micros // 10**6,
                micros % 10**6,
                frame.length,
                frame.data,
            )
            dealt.append((later, interface))
    dealt.sort(key=lambda pair: (pair[0].seconds, pair[0].micros))
    path = tmp_path / "bridge.pcapng"
    path.write_bytes(on_interfaces(dealt, 3))
    found = analyse([path])
    count = int(whole().inputs["packets"][0])
    assert found.inputs["elsewhere"].tolist() == [2 * count]
    assert sorted(found.directions["packets"]) == sorted(whole().directions["packets"])
    assert sorted(found.data["bytes"]) == sorted(whole().data["bytes"])


def cooked(version: int, way: int, device: int, frame: bytes) -> bytes:
    """A frame of Ethernet as `tcpdump -i any` saves it.

    way : 0 arrived for this host, 1 for all hosts, 4 left it
    """
    if version == 1:
        return struct.pack(">HHH8s", way, 1, 6, bytes(8)) + frame[12:]
    return (
        struct.pack(">2sHIHBB8s", frame[12:14], 0, device, 1, way, 6, b"") + frame[14:]
    )


@pytest.mark.parametrize(
    ("version", "ways", "devices", "seen_again"),
    [
        (1, (4, 0), (1, 1), True),
        (1, (0, 1), (1, 1), True),
        (1, (4, 4), (1, 1), False),
        (2, (4, 0), (1, 1), True),
        (2, (0, 1), (1, 1), True),
        (2, (4, 4), (1, 2), True),
        (2, (4, 0), (2, 3), True),
        (2, (4, 4), (1, 32769), True),
        (2, (4, 4), (1, 1), False),
    ],
)
def test_a_packet_that_all_interfaces_show_twice(
    tmp_path: Path,
    version: int,
    ways: tuple[int, int],
    devices: tuple[int, int],
    seen_again: bool,
) -> None:
    """Once on its way in and once on its way out, or at two devices."""
    link = 113 if version == 1 else 276
    out = [raw(*KIND)[: HEAD.size - 4], struct.pack("<I", link)]
    for frame in content():
        for way, device in zip(ways, devices, strict=True):
            data = cooked(version, way, device, frame.data)
            length = frame.length + len(data) - len(frame.data)
            out.append(RECORD.pack(frame.seconds, frame.micros, len(data), length))
            out.append(data)
    path = tmp_path / "any.pcap"
    path.write_bytes(b"".join(out))
    found = analyse([path])
    count = int(whole().inputs["packets"][0])
    assert found.inputs["elsewhere"].tolist() == [count * seen_again]
    if seen_again:
        assert found.directions["packets"].tolist() == (
            whole().directions["packets"].tolist()
        )


def test_two_interfaces_of_which_each_has_its_ways(tmp_path: Path) -> None:
    dealt = []
    for frame in content():
        for interface, way in ((0, 4), (1, 0)):
            data = cooked(1, way, 1, frame.data)
            length = frame.length + len(data) - len(frame.data)
            dealt.append((Frame(frame.seconds, frame.micros, length, data), interface))
    path = tmp_path / "ways.pcapng"
    path.write_bytes(on_interfaces(dealt, 2, link=113))
    count = int(whole().inputs["packets"][0])
    assert analyse([path]).inputs["elsewhere"].tolist() == [count]


def test_a_segment_that_is_sent_again_on_the_other_interface(tmp_path: Path) -> None:
    """The sender's clock has gone on, so it is another packet."""
    found = analyse([bonded(tmp_path / "again.pcapng")])
    assert found.inputs["elsewhere"].sum() == 0
    assert found.directions["retransmissions"].sum() == 1


def bonded(path: Path) -> Path:
    from tests.capture.packets import Wire
    from tests.capture.test_offload import FORTH, stamp

    wire = Wire()
    wire.open(0, FORTH)
    wire.add(1, FORTH, payload=100, options=stamp(1))
    wire.add(1.25, FORTH, payload=100, options=stamp(1.25), again=100)
    capture = wire.write(path.with_suffix(".pcap")).read_bytes()
    dealt = [(frame, place == 4) for place, frame in enumerate(records(capture))]
    path.write_bytes(on_interfaces([(f, int(i)) for f, i in dealt], 2))
    return path
