"""Payload that is captured before the mapping that covers it."""

from pathlib import Path

import pytest

from analysis.capture.analyse import Settings, analyse
from analysis.capture.frames import Frames, frames
from tests.capture.packets import (
    ACK,
    FIN,
    KEYS,
    Wire,
    capable,
    dss,
    joined,
    opened_mptcp,
)

CLIENT, SERVER = (0x0A000101, 4001), (0x0A090001, 5201)
SECOND = (0x0A000201, 4002)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)


def sent(wire: Wire, first: int, segments: int, at_s: float, size: int = 100) -> None:
    """Segments of `size` bytes, all mapped by an option on the last of them."""
    start = wire.next[FORTH] - 1000
    for place in range(segments):
        last = place == segments - 1
        mapping = dss(first, start, size * segments) if last else b""
        wire.add(at_s + place / 10, FORTH, payload=size, options=mapping)


def one_mapping(segments: int, size: int = 100) -> tuple[Wire, int]:
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.add(0.5, FORTH, payload=100, options=dss(first, 1, 100))
    sent(wire, first + 100, segments, 1, size)
    return wire, first


def read(wire: Wire, path: Path, **settings: object) -> Frames:
    chosen = Settings(**settings)  # type: ignore[arg-type]
    return frames(analyse([wire.write(path)], settings=chosen))


@pytest.mark.parametrize("segments", [2, 5, 40])
def test_a_mapping_on_the_last_segment(tmp_path: Path, segments: int) -> None:
    wire, _ = one_mapping(segments)
    found = read(wire, tmp_path / "a.pcap", interval_s=1.0)
    data = found.data.iloc[0]
    assert data["bytes"] == 100 + 100 * segments
    assert (data["missing_bytes"], data["unmapped_bytes"]) == (0, 0)
    assert data["ooo_packets"] == data["reinjected_packets"] == 0
    assert data["last_at_s"] == pytest.approx(1 + (segments - 1) / 10)
    assert found.subflows["data_bytes"].sum() == data["bytes"]
    assert found.series["data_bytes"].sum() == data["bytes"]


def test_what_is_repeated_elsewhere_is_a_reinjection(tmp_path: Path) -> None:
    wire, first = one_mapping(3)
    joined(wire, 5, (SECOND, SERVER))
    wire.add(6, (SECOND, SERVER), payload=200, options=dss(first + 100, 1, 200))
    found = read(wire, tmp_path / "a.pcap")
    data = found.data.iloc[0]
    assert (data["bytes"], data["reinjected_bytes"]) == (400, 200)


def test_a_mapping_that_never_comes(tmp_path: Path) -> None:
    wire, _ = one_mapping(1)
    for number in range(5):
        wire.add(3 + number, FORTH, payload=100)
    wire.add(9, FORTH, FIN | ACK)
    found = read(wire, tmp_path / "a.pcap")
    data = found.data.iloc[0]
    assert (data["bytes"], data["unmapped_bytes"]) == (200, 500)
    assert data["unmapped_packets"] == 5
    assert "mapping was not captured" in found.connections["unknown"][0]


def test_what_waits_is_bounded(tmp_path: Path) -> None:
    """5,000 segments wait for their mapping; the latest of them get it."""
    wire, _ = one_mapping(5000, size=10)
    found = read(wire, tmp_path / "a.pcap")
    data = found.data.iloc[0]
    assert data["bytes"] + data["unmapped_bytes"] == 100 + 50_000
    assert 500 * 10 < data["bytes"] < 1100 * 10


def test_data_before_the_first_mapping_of_all(tmp_path: Path) -> None:
    """Nothing says yet that the connection maps its data. They count once, in series
    and plots as well."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    sent(wire, first, 3, 1)
    found = read(wire, tmp_path / "a.pcap", interval_s=1.0, events=("data",))
    assert found.data["bytes"][0] == 300
    assert found.subflows["data_bytes"].sum() == 300
    assert found.series["data_bytes"].sum() == 300
    told = found.events.sort_values("at_s")
    assert told["length"].tolist() == [100, 100, 100]
    assert told["position"].tolist() == [1, 101, 201]
    assert found.connections["fallback"].isna().all()


def test_the_new_part_of_a_segment_before_the_first_mapping(tmp_path: Path) -> None:
    """A segment whose other part had come before is mapped later like any other."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    wire.next[FORTH] += 10
    wire.add(1, FORTH, payload=100)
    wire.add(1.1, FORTH, payload=110, again=110)
    wire.add(1.2, FORTH, payload=90, options=dss(first, 1, 200))
    found = read(wire, tmp_path / "a.pcap", interval_s=1.0)
    data = found.data.iloc[0]
    assert (data["bytes"], data["missing_bytes"], data["unmapped_bytes"]) == (200, 0, 0)
    assert found.subflows["data_bytes"].sum() == 200
    assert found.series["data_bytes"].sum() == 200


def test_data_of_a_fallback_have_events(tmp_path: Path) -> None:
    """No mapping ever comes: the events tell their places on the subflow."""
    wire = Wire()
    wire.open(0, FORTH, (capable(), capable(KEYS[1]), capable(*KEYS)))
    for number in range(100):
        wire.add(1 + number / 100, FORTH, payload=10)
        wire.add(1.005 + number / 100, BACK)
    found = read(wire, tmp_path / "a.pcap", interval_s=1.0, events=("data",))
    assert found.connections["fallback"].notna().all()
    assert (
        found.subflows["data_bytes"].sum() == found.series["data_bytes"].sum() == 1000
    )
    told = found.events.sort_values("at_s")
    assert told["position"].tolist() == [1 + 10 * number for number in range(100)]


def test_data_that_another_subflow_brings_before_the_mapping(tmp_path: Path) -> None:
    """A receiver cannot use payload without its mapping (RFC 8684, 3.3.1). So the copy
    that was mapped first is the first, and the other one is sent again."""
    wire = Wire()
    first, _ = opened_mptcp(wire, 0, FORTH)
    joined(wire, 0.2, (SECOND, SERVER))
    wire.add(0.5, FORTH, payload=100, options=dss(first, 1, 100))
    wire.add(1, FORTH, payload=100)
    wire.add(2, (SECOND, SERVER), payload=100, options=dss(first + 100, 1, 100))
    wire.add(3, FORTH, payload=100, options=dss(first + 100, 101, 200))
    found = read(wire, tmp_path / "a.pcap")
    data = found.data.iloc[0]
    assert (data["bytes"], data["reinjected_bytes"]) == (300, 100)
    ahead = found.subflows.query("direction == 0").set_index("source_port")
    assert ahead["data_bytes"].to_dict() == {CLIENT[1]: 200, SECOND[1]: 100}
    assert ahead["reinjected_bytes"].to_dict() == {CLIENT[1]: 100, SECOND[1]: 0}
