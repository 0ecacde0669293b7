"""Packets inside tunnels, and those that carry no TCP."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.capture.analyse import Tables, analyse
from analysis.capture.faults import faults
from tests.capture.formats import HEAD, RECORD
from tests.capture.formats import frames as records
from tests.capture.kinds import raw, tables
from tests.capture.test_formats import same

KIND = ("loss", "client")
ETHERNET = bytes(12)
VXLAN = struct.pack(">II", 0x08000000, 7 << 8)
GENEVE = struct.pack(">BBHI", 1, 0, 0x6558, 7 << 8) + bytes(4)


def ipv4(protocol: int, body: bytes) -> bytes:
    length = 20 + len(body)
    head = (0x45, 0, length, 0, 0, 64, protocol, 0, 0xC0A80001, 0xC0A80002)
    return struct.pack(">BBHHHBBHII", *head) + body


def ipv6(following: int, body: bytes) -> bytes:
    return struct.pack(">IHBB", 6 << 28, len(body), following, 64) + bytes(32) + body


def udp(port: int, body: bytes) -> bytes:
    return struct.pack(">HHHH", 5555, port, 8 + len(body), 0) + body


def gre(kind: int, body: bytes, flags: int = 0) -> bytes:
    options = 4 * sum(bool(flags & bit) for bit in (0x8000, 0x2000, 0x1000))
    return struct.pack(">HH", flags, kind) + bytes(options) + body


def label(number: int, last: bool) -> bytes:
    return struct.pack(">I", number << 12 | last << 8 | 64)


TUNNELS: dict[str, Callable[[bytes], tuple[int, bytes]]] = {
    "VXLAN": lambda frame: (0x0800, ipv4(17, udp(4789, VXLAN + frame))),
    "VXLAN at Linux's port": lambda frame: (
        0x0800,
        ipv4(17, udp(8472, VXLAN + frame)),
    ),
    "VXLAN over IPv6": lambda frame: (0x86DD, ipv6(17, udp(4789, VXLAN + frame))),
    "Geneve": lambda frame: (0x0800, ipv4(17, udp(6081, GENEVE + frame))),
    "GRE": lambda frame: (0x0800, ipv4(47, gre(0x0800, frame[14:]))),
    "GRE with a key and numbers": lambda frame: (
        0x0800,
        ipv4(47, gre(0x0800, frame[14:], 0x3000)),
    ),
    "GRE with Ethernet": lambda frame: (0x0800, ipv4(47, gre(0x6558, frame))),
    "IP in IP": lambda frame: (0x0800, ipv4(4, frame[14:])),
    "IP in IPv6": lambda frame: (0x86DD, ipv6(4, frame[14:])),
    "MPLS": lambda frame: (0x8847, label(16, False) + label(17, True) + frame[14:]),
    "MPLS pseudowire": lambda frame: (0x8847, label(16, True) + bytes(4) + frame),
    "VXLAN in GRE": lambda frame: (
        0x0800,
        ipv4(47, gre(0x0800, ipv4(17, udp(4789, VXLAN + frame)))),
    ),
}


def rewritten(path: Path, change: Callable[[bytes], tuple[int, bytes]]) -> Path:
    """The capture with each frame changed to an ethertype and what follows it. Lengths
    are those of the whole frame, though its headers alone were captured."""
    out = [raw(*KIND)[: HEAD.size]]
    for frame in records(raw(*KIND)):
        cut = frame.length - len(frame.data)
        kind, body = change(frame.data + bytes(cut))
        whole = ETHERNET + struct.pack(">H", kind) + body
        data = whole[: len(whole) - cut]
        head = (frame.seconds, frame.micros, len(data), len(whole))
        out.append(RECORD.pack(*head) + data)
    path.write_bytes(b"".join(out))
    return path


def whole() -> Tables:
    return tables(*KIND)


@pytest.mark.parametrize("tunnel", TUNNELS)
def test_tcp_inside_is_read(tmp_path: Path, tunnel: str) -> None:
    found = analyse([rewritten(tmp_path / "a.pcap", TUNNELS[tunnel])])
    assert same(whole(), found, ("frame_bytes",))
    count = int(whole().inputs["packets"][0])
    assert found.inputs["tunnelled_packets"].tolist() == [count]
    (line,) = faults(found)
    assert line.endswith(f"{count} packets were read inside tunnels")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frame: (0x0806, bytes(28)), "no IP"),
        (lambda frame: (0x0800, ipv4(17, udp(53, frame))), "UDP"),
        (lambda frame: (0x0800, ipv4(17, udp(4789, bytes(8) + frame))), "UDP"),
        (lambda frame: (0x0800, ipv4(1, frame)), "other protocols"),
        (lambda frame: (0x0800, ipv4(47, gre(0x0800, frame[14:], 1))), "other"),
        (lambda frame: (0x8847, label(1, False)), "no IP"),
    ],
)
def test_what_carries_no_tcp_is_told(
    tmp_path: Path, change: Callable[[bytes], tuple[int, bytes]], said: str
) -> None:
    found = analyse([rewritten(tmp_path / "a.pcap", change)])
    count = int(whole().inputs["packets"][0])
    (line,) = faults(found)
    assert f"{count} packets carry no TCP ({count} {said}" in line
    assert not len(found.connections)


def test_tunnels_without_end(tmp_path: Path) -> None:
    """Four levels are read, and no more."""

    def nested(frame: bytes, levels: int) -> tuple[int, bytes]:
        body = frame[14:]
        for _ in range(levels):
            body = ipv4(4, body)
        return 0x0800, body

    four = analyse([rewritten(tmp_path / "4.pcap", lambda frame: nested(frame, 4))])
    assert same(whole(), four, ("frame_bytes",))
    many = analyse([rewritten(tmp_path / "9.pcap", lambda frame: nested(frame, 9))])
    assert not len(many.connections)


def test_a_clock_that_steps_back_is_told(tmp_path: Path) -> None:
    out, count = [raw(*KIND)[: HEAD.size]], 0
    for number, frame in enumerate(records(raw(*KIND))):
        back = number >= 500
        count += back
        out.append(
            RECORD.pack(
                frame.seconds + 100 - 50 * back,
                frame.micros,
                len(frame.data),
                frame.length,
            )
        )
        out.append(frame.data)
    path = tmp_path / "back.pcap"
    path.write_bytes(b"".join(out))
    (line,) = faults(analyse([path]))
    assert f"the times of {count} packets lie before" in line
    assert "by up to 50.0" in line or "by up to 49." in line
