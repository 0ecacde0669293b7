"""Captures without a packet, or with none of TCP, say so in the row and on the page."""

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from analysis.run import absent, needs
from analysis.run import row as rows
from mpbench.commands import capture
from tests.analysis.conftest import MakeRun
from tests.capture.encapsulations import ipv4, udp

FRAME = bytes(12) + b"\x08\x00" + ipv4(17, udp(5001, bytes(100)))
METRICS = (
    "capture_traffic_split",
    "capture_retransmission_ratio",
    "capture_reinjection_ratio",
    "mean_loss_probability",
)
CASES = (((), "no packet"), ((FRAME, FRAME), "2 packets, none of TCP"))


def write(path: Path, frames: Sequence[bytes]) -> Path:
    """A capture with a packet per second."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)]
    for second, frame in enumerate(frames):
        parts += [struct.pack("<IIII", second, 0, len(frame), len(frame)), frame]
    path.write_bytes(b"".join(parts))
    return path


def ask(job: dict[str, Any]) -> None:
    job["capture"] = {"interfaces": ["client-eth1"], "full": False}


@pytest.mark.parametrize(("frames", "told"), CASES)
def test_the_row_says_it(make_run: MakeRun, frames: Any, told: str) -> None:
    run = make_run("mptcp", ask)
    write(run / "artefacts/capture-client-eth1.pcap", frames)
    reasons = absent.read(rows.row(run)[absent.COLUMN])
    assert [reasons[name] for name in METRICS] == [f"its captures have {told}"] * 4


def test_captures_that_were_removed(make_run: MakeRun) -> None:
    reasons = absent.read(rows.row(make_run("mptcp", ask))[absent.COLUMN])
    assert reasons["mean_loss_probability"] == "its captures are not there"
    without = absent.read(rows.row(make_run("tcp"))[absent.COLUMN])
    assert without["mean_loss_probability"] == f"it needs {needs.CAPTURE}"


@pytest.mark.parametrize(("frames", "told"), CASES)
def test_what_removed_captures_lacked_is_in_the_row(
    make_run: MakeRun, frames: Any, told: str
) -> None:
    run = make_run("mptcp", ask)
    file = write(run / "artefacts/capture-client-eth1.pcap", frames)
    before = rows.row(run)
    (run / "row.json").write_text(json.dumps(before))
    file.unlink()
    assert rows.row(run) == before


def test_what_removed_captures_gave_is_in_the_row(make_run: MakeRun) -> None:
    run = make_run("mptcp", ask)
    gave = {
        "capture_retransmission_ratio": 0.01,
        "capture_reinjection_ratio": 0,
        "capture_ooo_ratio": None,
        "path1.capture_share": 0.25,
        "path2.loss_probability": 0.5,
        "mean_loss_probability": 0.5,
    }
    (run / "row.json").write_text(json.dumps({**gave, "goodput_mbps": 1e9}))
    found = rows.row(run)
    assert {name: found[name] for name in gave} == gave
    assert found["goodput_mbps"] < 1e9
    reasons = absent.read(found[absent.COLUMN])
    assert "capture_retransmission_ratio" not in reasons


@pytest.mark.parametrize("value", ["0.5", float("nan"), float("inf"), -0.1, True, [1]])
def test_a_row_with_other_values_gives_none(make_run: MakeRun, value: object) -> None:
    run = make_run("mptcp", ask)
    (run / "row.json").write_text(json.dumps({"capture_retransmission_ratio": value}))
    assert rows.row(run).get("capture_retransmission_ratio") is None


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1', "[" * 100_000])
def test_a_row_that_cannot_be_read_gives_none(make_run: MakeRun, text: str) -> None:
    run = make_run("mptcp", ask)
    (run / "row.json").write_text(text)
    reasons = absent.read(rows.row(run)[absent.COLUMN])
    assert reasons["mean_loss_probability"] == "its captures are not there"


@pytest.mark.parametrize(("frames", "told"), CASES)
def test_the_command_says_it(tmp_path: Path, frames: Any, told: str) -> None:
    file = write(tmp_path / "client-eth1.pcap", frames)
    assert list(capture._contents(file)) == [f"{file.stat().st_size} bytes", told]
