"""Link layers and tags: what they carry is read as if Ethernet carried it."""

import struct
from pathlib import Path

import pytest

from analysis.capture.analyse import Tables, analyse
from analysis.capture.faults import faults
from tests.capture.encapsulations import (
    KIND,
    LINKS,
    MAC,
    TAGS,
    Carry,
    frames,
    in_frame,
    llc,
    packet,
    radiotap,
    rewritten,
    wifi,
    write,
)
from tests.capture.formats import as_pcap
from tests.capture.kinds import raw, tables
from tests.capture.test_formats import same

LEVELS = 24
"""Headers that are read, one inside the other."""
OF_THE_LINK = ("frame_bytes", "source")


def whole() -> Tables:
    return tables(*KIND)


def count() -> int:
    return int(whole().inputs["packets"][0])


@pytest.mark.parametrize("name", LINKS)
def test_links(tmp_path: Path, name: str) -> None:
    found = analyse([rewritten(tmp_path / "a.pcap", *LINKS[name])])
    assert same(whole(), found, OF_THE_LINK)
    assert found.inputs["tcp_packets"].tolist() == [count()]


@pytest.mark.parametrize("name", TAGS)
def test_tags(tmp_path: Path, name: str) -> None:
    found = analyse([rewritten(tmp_path / "a.pcap", 1, in_frame(TAGS[name]))])
    assert same(whole(), found, OF_THE_LINK)
    assert not faults(found)


def test_each_link_that_is_read_has_a_test(tmp_path: Path) -> None:
    """And Wireshark's user links are none, but for the one that Apple uses."""
    tested = {number for number, _ in LINKS.values()}
    path = tmp_path / "a.pcap"
    for number in range(400):
        path.write_bytes(raw(*KIND)[:20] + struct.pack("<I", number))
        assert (analyse([path]).inputs["fault"][0] == 0) == (number in tested), number


def test_nflog_in_the_other_byte_order(tmp_path: Path) -> None:
    """Lengths of attributes are written as the machine writes them."""
    path = rewritten(tmp_path / "a.pcap", *LINKS["NFLOG"])
    little, swapped = path.read_bytes(), tmp_path / "b.pcap"
    content = bytearray(as_pcap(little, big=True, link=1))
    content[20:24] = struct.pack(">I", 239)
    at = 24
    while at < len(content):
        length = struct.unpack_from(">I", content, at + 8)[0]
        at, end, place = at + 16, at + 16 + length, at + 20
        while place + 4 <= end:
            size, number = struct.unpack_from("<HH", content, place)
            struct.pack_into(">HH", content, place, size, number)
            place += size + -size % 4
        at = end
    swapped.write_bytes(bytes(content))
    assert same(whole(), analyse([swapped]), OF_THE_LINK)


def amsdu(first: bytes, second: bytes) -> bytes:
    parts = []
    for frame in (first, second):
        body = llc(frame)
        part = MAC + MAC + struct.pack(">H", len(body)) + body
        parts.append(part + bytes(-len(part) % 4))
    head = wifi(first, control=0x88, tail=b"\x80\x00")
    return head[: len(head) - len(llc(first))] + b"".join(parts)


def test_several_packets_of_a_frame(tmp_path: Path) -> None:
    """An A-MSDU carries each packet and the next one."""
    each = [f for f in frames() if len(f) < 1400]
    out = [raw(*KIND)[:20] + struct.pack("<I", 127)]
    for number in range(0, len(each) - 1, 2):
        data = radiotap(amsdu(each[number], each[number + 1]))
        out.append(struct.pack("<IIII", 1, number, len(data), len(data)) + data)
    path = tmp_path / "a.pcap"
    path.write_bytes(b"".join(out))
    found = analyse([path])
    pairs = len(each) // 2
    assert found.inputs["packets"].tolist() == [pairs]
    assert found.inputs["tcp_packets"].tolist() == [2 * pairs]
    ip_bytes = sum(struct.unpack(">H", f[16:18])[0] for f in each[: 2 * pairs])
    assert found.directions["ip_bytes"].sum() == ip_bytes
    sizes = (path.stat().st_size - 24) - 16 * pairs
    assert found.directions["frame_bytes"].sum() == sizes


@pytest.mark.parametrize("flags", [(1, 2), (1, 9)])
def test_a_radio_hears_a_packet_twice(tmp_path: Path, flags: tuple[int, int]) -> None:
    """To the access point and from there, or repeated by the radio."""
    out = [raw(*KIND)[:20] + struct.pack("<I", 105)]
    for number, frame in enumerate(frames()):
        for times in flags:
            data = wifi(frame, flags=times)
            out.append(struct.pack("<IIII", 1, number, len(data), len(data)) + data)
    path = tmp_path / "a.pcap"
    path.write_bytes(b"".join(out))
    found = analyse([path])
    assert found.inputs["elsewhere"].tolist() == [count()]
    sums = (found.directions["payload_bytes"].sum(), found.data["bytes"].sum())
    assert sums == (
        whole().directions["payload_bytes"].sum(),
        whole().data["bytes"].sum(),
    )


NOT_READ: dict[str, tuple[int, Carry, str]] = {
    "encrypted 802.11": (
        105,
        lambda f: wifi(f, flags=0x41, tail=bytes(8)),
        "encrypted",
    ),
    "MACsec": (
        1,
        in_frame(lambda f: (0x88E5, b"\x0c" + bytes(5) + f[12:])),
        "encrypted",
    ),
    "management": (105, lambda f: wifi(f, control=0x80), "no IP"),
    "802.11 without data": (105, lambda f: wifi(f, control=0x48), "no IP"),
    "another version of 802.11": (105, lambda f: wifi(f, control=0x09), "no IP"),
    "a fragment of 802.11": (105, lambda f: wifi(f, flags=5), "no IP"),
    "spanning tree": (1, lambda f: f[:12] + b"\0\x26\x42\x42\x03" + bytes(35), "no IP"),
    "ARP in LLC": (
        1,
        lambda f: f[:12] + b"\0\x26\xaa\xaa\x03\0\0\0\x08\x06" + bytes(28),
        "no IP",
    ),
    "another organisation's SNAP": (
        1,
        lambda f: f[:12] + b"\0\x26\xaa\xaa\x03\0\0\x0c" + f[12:],
        "no IP",
    ),
    "a PKTAP that is no packet": (
        258,
        lambda f: struct.pack("<III", 108, 0, 1).ljust(108, b"\0") + f,
        "no IP",
    ),
    "a PKTAP of an unknown link": (
        258,
        lambda f: struct.pack("<III", 108, 1, 147).ljust(108, b"\0") + f,
        "no IP",
    ),
    "NFLOG without a packet": (239, lambda f: bytes(4) + b"\x06\0\x01\0" * 2, "no IP"),
    "PPP's control": (9, lambda f: b"\xff\x03\xc0\x21" + bytes(30), "no IP"),
    "encrypted PPP": (9, lambda f: b"\xff\x03\x00\x53" + packet(f), "encrypted"),
    "a fragment of multilink": (
        9,
        lambda f: b"\xff\x03\x00\x3d\x80\0\0\x01\x00\x21" + packet(f),
        "no IP",
    ),
    "DOCSIS of another kind": (143, lambda f: b"\xc0" + bytes(5) + f, "no IP"),
}


@pytest.mark.parametrize("name", NOT_READ)
def test_what_is_not_read(tmp_path: Path, name: str) -> None:
    link, carry, said = NOT_READ[name]
    found = analyse([write(tmp_path / "a.pcap", link, [carry(f) for f in frames()])])
    assert not len(found.connections)
    (line,) = faults(found)
    assert f"{count()} packets without TCP ({count()} {said})" in line


def test_links_whose_frames_may_begin_with_llc(tmp_path: Path) -> None:
    links = {number for number, _ in LINKS.values()}
    each = [llc(frame) for frame in frames()]
    read = {n for n in links if len(analyse([write(tmp_path / "a", n, each)]).data)}
    assert read == {11, 100, 19, 106}


@pytest.mark.parametrize(("levels", "read"), [(LEVELS, True), (LEVELS + 1, False)])
def test_frames_in_frames(tmp_path: Path, levels: int, read: bool) -> None:
    def nested(frame: bytes) -> bytes:
        for _ in range(levels):
            frame = bytes(12) + b"\x65\x58" + frame
        return frame

    found = analyse([rewritten(tmp_path / "a.pcap", 1, nested)])
    assert found.inputs["tcp_packets"].tolist() == [count() if read else 0]


def test_frames_in_frames_without_end(tmp_path: Path) -> None:
    """Each header costs work, so their number is bounded."""

    def nested(frame: bytes) -> bytes:
        for _ in range(1000):
            frame = bytes(12) + b"\x65\x58" + frame
        return frame

    found = analyse([rewritten(tmp_path / "a.pcap", 1, nested)])
    assert not len(found.connections)
    assert found.inputs["not_ip_packets"].tolist() == [count()]
