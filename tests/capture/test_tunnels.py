"""Packets inside tunnels, and those that carry no TCP."""

from pathlib import Path

import pytest

from analysis.capture.analyse import Tables, analyse
from analysis.capture.faults import faults
from tests.capture.encapsulations import (
    KIND,
    TUNNELS,
    Inside,
    gre,
    gtp,
    in_frame,
    ipv4,
    ipv6,
    label,
    rewritten,
    udp,
)
from tests.capture.formats import HEAD, RECORD
from tests.capture.formats import frames as records
from tests.capture.kinds import raw, tables
from tests.capture.test_formats import same


def whole() -> Tables:
    return tables(*KIND)


@pytest.mark.parametrize("tunnel", TUNNELS)
def test_tcp_inside_is_read(tmp_path: Path, tunnel: str) -> None:
    found = analyse([rewritten(tmp_path / "a.pcap", 1, in_frame(TUNNELS[tunnel]))])
    assert same(whole(), found, ("frame_bytes", "source"))
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
        (lambda frame: (0x0800, ipv4(17, udp(2152, bytes(8) + frame))), "UDP"),
        (
            lambda frame: (0x0800, ipv4(17, udp(2152, gtp(0) + bytes(60) + frame))),
            "UDP",
        ),
        (
            lambda frame: (
                0x0800,
                ipv4(17, udp(2152, gtp(4, b"\0\0\0\x85\0") + frame)),
            ),
            "UDP",
        ),
        (lambda frame: (0x0800, ipv4(17, udp(1701, b"\xc8\x02" + frame))), "UDP"),
        (lambda frame: (0x0800, ipv4(17, udp(5247, b"\x01" + frame))), "UDP"),
        (lambda frame: (0x0800, ipv4(1, frame)), "other protocols"),
        (lambda frame: (0x0800, ipv4(50, frame)), "encrypted"),
        (lambda frame: (0x86DD, ipv6(50, frame)), "encrypted"),
        (lambda frame: (0x86DD, ipv6(58, frame)), "other protocols"),
        (lambda frame: (0x0800, ipv4(47, gre(0x0800, frame[14:], 1))), "other"),
        (lambda frame: (0x8847, label(1, False)), "no IP"),
    ],
)
def test_what_carries_no_tcp_is_told(tmp_path: Path, change: Inside, said: str) -> None:
    found = analyse([rewritten(tmp_path / "a.pcap", 1, in_frame(change))])
    count = int(whole().inputs["packets"][0])
    (line,) = faults(found)
    assert f"{count} packets without TCP ({count} {said}" in line
    assert not len(found.connections)


def test_tunnels_without_end(tmp_path: Path) -> None:
    """Four levels are read, and no more."""

    def nested(frame: bytes, levels: int) -> tuple[int, bytes]:
        body = frame[14:]
        for _ in range(levels):
            body = ipv4(4, body)
        return 0x0800, body

    def read(levels: int) -> Tables:
        inside = in_frame(lambda frame: nested(frame, levels))
        return analyse([rewritten(tmp_path / "a.pcap", 1, inside)])

    four, many = read(4), read(5)
    assert same(whole(), four, ("frame_bytes", "source"))
    assert not len(many.connections)


def test_a_clock_that_steps_back_is_told(tmp_path: Path) -> None:
    content = raw("loss", "client")
    out, count = [content[: HEAD.size]], 0
    for number, frame in enumerate(records(content)):
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
