"""Data that the plots of a connection are drawn from, and the plots that exist."""

import struct
from pathlib import Path

import pandas as pd
import pytest

from analysis.capture import drawing
from analysis.capture.analyse import Settings, analyse
from analysis.capture.frames import frames
from tests.calls import Command
from tests.capture.kinds import path
from tests.capture.packets import Wire

pytestmark = pytest.mark.slow

CLIENT, SERVER = (0x0A000101, 4001), (0x0A090001, 5201)
FORTH, BACK = (CLIENT, SERVER), (SERVER, CLIENT)
SCALE = b"\x03\x03\x07"
"""The window scale option, of 7 bits."""


@pytest.fixture
def invoke(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    return Command(monkeypatch, capsys)


def events(wire: Wire, target: Path) -> pd.DataFrame:
    settings = Settings(events=drawing.ALL_EVENTS)
    return frames(analyse([wire.write(target)], settings=settings)).events


@pytest.mark.parametrize(
    ("forth", "back", "window"),
    [(SCALE, SCALE, 60000 << 7), (SCALE, b"", 60000), (b"", b"", 60000)],
)
def test_the_window_is_scaled_if_both_ends_do(
    tmp_path: Path, forth: bytes, back: bytes, window: int
) -> None:
    wire = Wire()
    wire.open(0, FORTH, (forth, back, b""))
    wire.add(1, FORTH, payload=100)
    wire.add(1.1, BACK)
    acks = events(wire, tmp_path / "a.pcap").query("kind == 'ack' and direction == 1")
    assert acks["value"].tolist()[-1] == window
    assert acks["position"].tolist()[-1] == 101
    assert acks["value"].tolist()[0] == 60000  # of the SYN, which is not scaled


def test_a_scale_that_was_not_captured_is_not_guessed(tmp_path: Path) -> None:
    wire = Wire()
    wire.add(1, FORTH, payload=100)
    wire.add(1.1, BACK)
    acks = events(wire, tmp_path / "a.pcap").query("kind == 'ack'")
    assert (acks["value"] == 2**64 - 1).all()


def test_segments_sacks_and_the_flight(tmp_path: Path) -> None:
    """The second of three segments comes late to this point, and the first again."""
    wire = Wire()
    wire.open(0, FORTH)
    first = wire.next[FORTH]
    for start in (0, 200, 100, 0):
        wire.next[FORTH] = first + start
        wire.add(1 + len(wire.records) / 1000, FORTH, payload=100)
    wire.next[FORTH] = first + 100
    block = struct.pack(">BBII", 5, 10, first + 200, first + 300)
    wire.add(1.01, BACK, options=block)
    rows = events(wire, tmp_path / "a.pcap")
    segments = rows[rows["kind"] == "segment"]
    assert segments["position"].tolist() == [1, 201, 101, 1]
    assert segments["value"].tolist() == [0, 0, 2, 1]
    assert rows[rows["kind"] == "flight"]["length"].tolist() == [100, 300, 300, 300]
    (sack,) = rows[rows["kind"] == "sack"].to_dict("records")
    assert (sack["position"], sack["length"]) == (201, 100)


@pytest.mark.parametrize(
    ("kind", "far", "count"),
    [("loss", True, 7), ("lossy", False, 6), ("plain", True, 6)],
)
def test_every_plot(
    invoke: Command, tmp_path: Path, kind: str, far: bool, count: int
) -> None:
    words = ["--far", path(kind, "server")] if far else []
    called = invoke("analyse", path(kind, "client"), *words, "--plots", tmp_path / "p")
    assert called.status == 0
    names = sorted(file.name for file in (tmp_path / "p").iterdir())
    assert len(names) == count
    for plot in ("data", "flight", "goodput", "rtt", "subflow-0-sequence"):
        assert any(name.endswith(f"-{plot}.png") for name in names)
    assert far == any(name.endswith("-delay.png") for name in names)
    assert all(file.stat().st_size > 10_000 for file in (tmp_path / "p").iterdir())


def test_labels_have_ports(invoke: Command, tmp_path: Path) -> None:
    target = tmp_path / "plot.svg"
    invoke("analyse", path("loss", "client"), "--plot", target)
    assert "10.0.1.1:43052" in target.read_text()
    ipv6 = tmp_path / "ipv6.svg"
    invoke("analyse", path("ipv6", "client"), "--plot", ipv6)
    assert "[fd00:7:1::1]:35248" in ipv6.read_text()


def test_plots_of_nothing(invoke: Command, tmp_path: Path) -> None:
    words = ("--plots", tmp_path / "p", "--connection", "9")
    called = invoke("analyse", path("short", "client"), *words)
    assert called.status == 2
    assert "connection 9: not there" in called.err
