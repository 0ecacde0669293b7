"""Fragments of IP packets are put together, within bounds."""

import random
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.capture.analyse import Settings, Tables, analyse
from analysis.capture.faults import faults
from tests.capture.encapsulations import (
    IPV4,
    IPV6,
    KIND,
    VXLAN,
    frames,
    gre,
    ipv4,
    ipv6,
    udp,
)
from tests.capture.formats import HEAD
from tests.capture.formats import frames as records
from tests.capture.kinds import raw, tables
from tests.capture.test_formats import same

BUT = ("frame_bytes", "ip_bytes", "source")
Piece = tuple[int, bytes]
"""An ethertype and a packet."""


def ethernet(kind: int, body: bytes) -> bytes:
    return bytes(12) + struct.pack(">H", kind) + body


def cut(packet: bytes, size: int, number: int) -> list[Piece]:
    """An IPv4 packet as fragments of so many bytes of payload."""
    head, body = packet[:20], packet[20:]
    return [
        (
            IPV4,
            fragment(head, body[at : at + size], at, at + size < len(body), number),
        )
        for at in range(0, len(body), size)
    ]


def fragment(head: bytes, part: bytes, at: int, more: bool, number: int) -> bytes:
    place = at // 8 | (0x2000 if more else 0)
    middle = struct.pack(">HHH", 20 + len(part), number, place)
    return head[:2] + middle + head[8:] + part


def cut_6(protocol: int, body: bytes, size: int, number: int) -> list[Piece]:
    """The same of IPv6, behind a header of options."""
    pieces = []
    for at in range(0, len(body), size):
        more = at + size < len(body)
        head = struct.pack(">BBHI", protocol, 0, at | more, number)
        options = bytes([44, 0]) + bytes(6)
        pieces.append((IPV6, ipv6(60, options + head + body[at : at + size])))
    return pieces


def capture(
    path: Path, pieces: Iterator[tuple[int, list[Piece]]], snap: int = 65535
) -> Path:
    """pieces : the time of each packet in microseconds, and what it was cut into"""
    out = [raw(*KIND)[: HEAD.size]]
    for micros, each in pieces:
        for kind, body in each:
            data = ethernet(kind, body)
            kept = data[:snap]
            head = (*divmod(micros, 10**6), len(kept), len(data))
            out.append(struct.pack("<IIII", *head) + kept)
    path.write_bytes(b"".join(out))
    return path


def packets() -> Iterator[tuple[int, int, bytes]]:
    """Number, time in microseconds and IP packet of each that is not too long."""
    times = [r.seconds * 10**6 + r.micros for r in records(raw(*KIND))]
    for number, (micros, frame) in enumerate(zip(times, frames(), strict=True)):
        yield number, micros, frame[14:]


def whole() -> Tables:
    return tables(*KIND)


def inner(packet: bytes, how: str, number: int) -> list[Piece]:
    """A packet in fragments of 512 bytes, or of 24, within a tunnel or without."""
    size = 512 if len(packet) > 512 else 24
    match how:
        case "TCP":
            return cut(packet, size, number)
        case "VXLAN":
            body = udp(4789, VXLAN + ethernet(IPV4, packet))
            return cut(ipv4(17, body), size, number)
        case "ERSPAN":
            body = gre(0x88BE, bytes(8) + ethernet(IPV4, packet), 0x1000)
            return cut(ipv4(47, body), size, number)
        case "IPv6":
            return cut_6(4, packet, size, number)
    # in a tunnel that is cut as well
    pieces = []
    for place, (_, part) in enumerate(cut(packet, size, number)):
        pieces += cut(ipv4(4, part), 256 if size > 256 else 16, 100 * number + place)
    return pieces


HOWS = ("TCP", "VXLAN", "ERSPAN", "IPv6", "twice")
ORDERS = ("in order", "from the end", "at random", "doubled")


@pytest.mark.parametrize(
    ("how", "order"),
    [(how, order) for how in HOWS for order in ORDERS][:-1],
)
def test_fragments_are_put_together(tmp_path: Path, how: str, order: str) -> None:
    chance = random.Random(3)
    made = []
    for number, micros, packet in packets():
        pieces = inner(packet, how, number)
        if order == "from the end":
            pieces.reverse()
        elif order == "at random":
            chance.shuffle(pieces)
        elif order == "doubled":
            pieces = [p for piece in pieces[:-1] for p in (piece, piece)] + pieces[-1:]
        made.append((micros, pieces))
    found = analyse([capture(tmp_path / "a.pcap", iter(made))])
    but = (*BUT, "cut_options") if order == "at random" else BUT
    assert same(whole(), found, but)
    row = found.inputs[0]
    if how != "twice":
        assert row["reassembled"] == len(made)
        assert row["joined_fragments"] == row["packets"]
    assert (row["fragments"], row["malformed"], row["snapped"]) == (0, 0, 0)
    assert f"{row['reassembled']} packets were put together" in "".join(faults(found))


def test_bytes_of_a_cut_packet_are_those_of_its_fragments(tmp_path: Path) -> None:
    made = [(micros, cut(p, 512, number)) for number, micros, p in packets()]
    found = analyse([capture(tmp_path / "a.pcap", iter(made))])
    pieces = [body for _, each in made for _, body in each]
    assert found.directions["ip_bytes"].sum() == sum(map(len, pieces))
    assert found.directions["frame_bytes"].sum() == sum(len(p) + 14 for p in pieces)


@pytest.mark.parametrize("snap", [94, 110, 300])
def test_fragments_that_are_snapped(tmp_path: Path, snap: int) -> None:
    """The first fragment has the headers."""
    made = [(micros, cut(p, 512, number)) for number, micros, p in packets()]
    found = analyse([capture(tmp_path / "a.pcap", iter(made), snap)])
    assert same(whole(), found, BUT)


def one(number: int = 7) -> tuple[bytes, list[Piece]]:
    """A packet of 4,000 bytes, and its fragments."""
    longest = max((p for _, _, p in packets()), key=len)
    made = ipv4(6, longest[20:].ljust(3980, b"\0")[:3980])
    return made, cut(made, 1024, number)


def read(
    path: Path, pieces: list[Piece], gap_s: float = 0, **settings: object
) -> Tables:
    """gap_s : between the first fragment and the others"""
    times = [(0 if place == 0 else round(gap_s * 1e6)) for place in range(len(pieces))]
    made = ((at, [piece]) for at, piece in zip(times, pieces, strict=True))
    chosen = Settings(**settings)  # type: ignore[arg-type]
    return analyse([capture(path, made)], settings=chosen)


@pytest.mark.parametrize("missing", [0, 1, -1])
def test_what_is_not_whole_is_told(tmp_path: Path, missing: int) -> None:
    _, pieces = one()
    del pieces[missing]
    found = read(tmp_path / "a.pcap", pieces)
    assert not len(found.connections)
    (line,) = faults(found)
    assert f"{len(pieces)} fragments of IP packets were left out" in line


@pytest.mark.parametrize(("gap_s", "whole"), [(29.9, True), (30.1, False)])
def test_fragments_wait_for_thirty_seconds(
    tmp_path: Path, gap_s: float, whole: bool
) -> None:
    _, pieces = one()
    found = read(tmp_path / "a.pcap", pieces, gap_s)
    assert found.inputs["reassembled"].tolist() == [int(whole)]
    assert found.inputs["fragments"].tolist() == [0 if whole else len(pieces)]


@pytest.mark.parametrize(("gap_s", "whole"), [(59.9, True), (60.1, False)])
def test_fragments_of_ipv6_wait_for_sixty(
    tmp_path: Path, gap_s: float, whole: bool
) -> None:
    pieces = cut_6(4, one()[0], 1024, 9)
    found = read(tmp_path / "a.pcap", pieces, gap_s)
    assert found.inputs["reassembled"].tolist() == [int(whole)]


def overlapping(kind: str) -> list[Piece]:
    packet, pieces = one()
    head, body = packet[:20], packet[20:]
    match kind:
        case "by a block, before":
            pieces.insert(1, (IPV4, fragment(head, body[1016:1032], 1016, True, 7)))
        case "by a block, after":
            pieces.insert(0, (IPV4, fragment(head, body[1016:1032], 1016, True, 7)))
        case "over two":
            pieces.insert(2, (IPV4, fragment(head, body[1016:3000], 1016, True, 7)))
        case "two ends":
            pieces.insert(0, pieces.pop())
            pieces.insert(1, (IPV4, fragment(head, body[2048:2500], 2048, False, 7)))
        case "beyond the end":
            at = len(body) // 8 * 8
            pieces.insert(0, pieces.pop())
            pieces.insert(1, (IPV4, fragment(head, bytes(64), at, True, 7)))
        case "the end within":
            pieces.insert(3, (IPV4, fragment(head, bytes(100), 1024, False, 7)))
    return pieces


@pytest.mark.parametrize(
    "kind",
    [
        "by a block, before",
        "by a block, after",
        "over two",
        "two ends",
        "beyond the end",
        "the end within",
    ],
)
def test_packets_whose_fragments_overlap_are_given_up(
    tmp_path: Path, kind: str
) -> None:
    pieces = overlapping(kind)
    found = read(tmp_path / "a.pcap", pieces)
    assert found.inputs["reassembled"].tolist() == [0]
    assert found.inputs["fragments"].tolist() == [len(pieces)]
    assert not len(found.connections)


def test_a_fragment_within_another_says_nothing_new(tmp_path: Path) -> None:
    packet, pieces = one()
    pieces.insert(1, (IPV4, fragment(packet[:20], packet[28:36], 8, True, 7)))
    found = read(tmp_path / "a.pcap", pieces)
    assert found.inputs["reassembled"].tolist() == [1]
    assert found.inputs["joined_fragments"].tolist() == [len(pieces)]


def test_fragments_of_others_are_others(tmp_path: Path) -> None:
    """The same number with another protocol, another sender, and another number."""
    packet, pieces = one()
    others = [packet[:9] + b"\x2f" + packet[10:], packet[:15] + b"\x09" + packet[16:]]
    mixed = list(pieces[:-1])
    for other in others:
        mixed += cut(other, 1024, 7)[-1:]
    mixed += cut(packet, 1024, 8)[-1:]
    found = read(tmp_path / "a.pcap", mixed)
    assert found.inputs["reassembled"].tolist() == [0]
    found = read(tmp_path / "b.pcap", [*mixed, pieces[-1]])
    assert found.inputs["reassembled"].tolist() == [1]
    assert found.inputs["fragments"].tolist() == [3]


def first_halves(count: int) -> list[Piece]:
    packet, _ = one()
    return [cut(packet, 2048, number)[0] for number in range(count)]


def test_the_number_that_waits_is_bounded(tmp_path: Path) -> None:
    """1,024 packets wait; the oldest goes when another comes."""
    packet, _ = one()
    rest = [cut(packet, 2048, number)[1:] for number in (0, 475, 1499)]
    pieces = [*first_halves(1500), *(p for each in rest for p in each)]
    found = read(tmp_path / "a.pcap", pieces)
    assert found.inputs["reassembled"].tolist() == [1]
    dropped = found.inputs["dropped_fragments"][0]
    assert 1500 - 1024 <= dropped <= 1500 - 1024 + 2 * len(rest[0])
    told = "".join(faults(found))
    assert f"{dropped} fragments were left out because more waited" in told


@pytest.mark.parametrize(("waiting", "dropped"), [(1024, 0), (1025, 1)])
def test_1024_packets_wait(tmp_path: Path, waiting: int, dropped: int) -> None:
    found = read(tmp_path / "a.pcap", first_halves(waiting))
    assert found.inputs["dropped_fragments"].tolist() == [dropped]


def test_fragments_of_another_capture_are_others(tmp_path: Path) -> None:
    _, pieces = one()
    path, other = tmp_path / "a.pcap", tmp_path / "b.pcap"
    capture(path, iter([(0, pieces[:2])]))
    capture(other, iter([(0, pieces[2:])]))
    assert analyse([path, other]).inputs["reassembled"].tolist() == [0, 0]
    capture(other, iter([(0, pieces)]))
    assert analyse([path, other]).inputs["reassembled"].tolist() == [0, 1]


def test_fragments_are_bounded_by_the_memory(tmp_path: Path) -> None:
    pieces = first_halves(1000)
    small = read(tmp_path / "a.pcap", pieces, memory_bytes=(2 << 20) + 400_000)
    assert small.memory_bytes < 2_700_000
    assert small.inputs["dropped_fragments"][0] > 900
    assert read(tmp_path / "a.pcap", pieces).inputs["dropped_fragments"][0] == 0


def test_too_many_pieces(tmp_path: Path) -> None:
    """Every second fragment of 8 bytes: 64 wait, a 65th gives the packet up."""
    packet, _ = one()
    pieces = cut(packet, 8, 7)[:140]
    for count, whole in ((127, True), (129, False)):
        some = pieces[:count:2] + pieces[1:count:2] + pieces[count:]
        rest = [
            (IPV4, fragment(packet[:20], packet[20 + 1120 :], 1120, False, 7)),
        ]
        found = read(tmp_path / "a.pcap", [*some, *rest])
        assert found.inputs["reassembled"][0] == whole, count


@pytest.mark.parametrize("what", ["too long", "no whole block", "nothing"])
def test_fragments_that_cannot_be(tmp_path: Path, what: str) -> None:
    packet, pieces = one()
    head = packet[:20]
    bad = {
        "too long": fragment(head, bytes(64), 65504, True, 7),
        "no whole block": fragment(head, bytes(63), 0, True, 7),
        "nothing": fragment(head, b"", 8, True, 7),
    }[what]
    found = read(tmp_path / "a.pcap", [(IPV4, bad), *pieces])
    assert found.inputs["malformed"].tolist() == [1]
    assert found.inputs["reassembled"].tolist() == [1]


def test_fragments_of_other_protocols_do_not_wait(tmp_path: Path) -> None:
    pieces = cut(ipv4(1, bytes(2000)), 1000, 7)
    found = read(tmp_path / "a.pcap", pieces)
    assert found.inputs["other_packets"].tolist() == [len(pieces)]
    found = read(tmp_path / "a.pcap", cut_6(58, bytes(2000), 1000, 7))
    assert found.inputs["other_packets"].tolist() == [2]
    found = read(tmp_path / "a.pcap", cut(ipv4(17, udp(53, bytes(2000))), 1000, 7))
    assert found.inputs["udp_packets"].tolist() == [1]


def test_congestion_that_a_fragment_met(tmp_path: Path) -> None:
    _, pieces = one()
    for place in range(len(pieces)):
        marked = list(pieces)
        body = marked[place][1]
        marked[place] = (IPV4, body[:1] + b"\x03" + body[2:])
        found = read(tmp_path / "a.pcap", marked)
        assert found.directions["ce_packets"].sum() == 1
