"""Captures of any number of connections and intervals, in bounded memory."""

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.capture import collect, export, library, spool
from analysis.capture.analyse import Settings, analyse
from analysis.capture.frames import frames
from tests.calls import Command
from tests.capture.generated_flows import write
from tests.capture.kinds import path

pytestmark = pytest.mark.slow


@pytest.fixture
def invoke(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    return Command(monkeypatch, capsys)


@pytest.mark.parametrize("closed", [True, False])
def test_more_connections_than_the_memory_holds(tmp_path: Path, closed: bool) -> None:
    """30,000 connections of some 3 kB each in 16 MiB: all are counted, whole."""
    capture = tmp_path / "flows.pcap"
    write(capture, 30_000, closed)
    tables = analyse([capture], settings=Settings(memory_bytes=16 << 20))
    assert not tables.short_of_memory
    assert tables.inputs["untracked"].tolist() == [0]
    assert tables.connections["connection"].tolist() == list(range(30_000))
    assert (tables.directions["packets"].reshape(-1, 2).sum(axis=1) == 3).all()
    assert (tables.retired_early > 0) == (not closed)


def test_closed_connections_leave_before_memory_is_short(tmp_path: Path) -> None:
    """A capture of 120 s whose connections are reset within one."""
    capture = tmp_path / "flows.pcap"
    write(capture, 20_000, closed=True)
    content = np.fromfile(capture, np.uint8)[24:].reshape(-1, 70)
    seconds = np.ascontiguousarray(content[:, :4]).view("<u4")
    seconds[:, 0] += np.arange(len(content), dtype=np.uint32) // 500
    content[:, :4] = seconds.view(np.uint8)
    capture.write_bytes(capture.read_bytes()[:24] + content.tobytes())
    used = {}
    for linger_s in (1.0, 1000.0):
        settings = Settings(memory_bytes=400 << 20, linger_s=linger_s)
        tables = analyse([capture], settings=settings)
        assert tables.retired_early == 0
        assert len(tables.connections) == 20_000
        used[linger_s] = tables.memory_bytes
    assert used[1.0] < used[1000.0] / 5


def test_the_summary_counts_all(invoke: Command, tmp_path: Path) -> None:
    capture = tmp_path / "flows.pcap"
    write(capture, 10_000)
    called = invoke("analyse", capture, "--memory", "10 MiB")
    assert called.out.startswith("10000 TCP connections; 0.030 s")
    assert "and 9980 smaller connections" in called.out
    assert "the memory of 10 MiB was used up" in called.err
    assert "--memory allows more" in called.err
    assert "memory" not in invoke("analyse", capture).err


@pytest.mark.parametrize(
    ("size", "reason"),
    [("10", "10"), ("2 s", "a time"), ("1 kB", "at least 8 MiB"), ("1e30 GB", "8 MiB")],
)
def test_memory_that_cannot_be(invoke: Command, size: str, reason: str) -> None:
    called = invoke("analyse", path("short", "client"), "--memory", size)
    assert called.status == 2
    assert reason in called.err
    assert "Traceback" not in called.err


@pytest.mark.parametrize("kind", ["loss", "announced", "wrap"])
def test_pieces_make_the_same_document(
    kind: str, invoke: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text written in small pieces is the text written at once."""
    ends = path(kind, "client"), path(kind, "server")
    tables = analyse([ends[0]], [ends[1]], Settings(interval_s=0.001))
    whole = export.document(frames(tables), tables.names, [])
    monkeypatch.setattr(spool, "PIECE", 50)
    monkeypatch.setattr(collect, "PIECE", 1)
    words = ("--far", ends[1], "--interval", "0.001", "--json")
    text = invoke("analyse", ends[0], *words).out
    found = json.loads(text)
    whole["faults"] = found["faults"]
    assert found == json.loads(json.dumps(whole))
    assert text == json.dumps(whole, indent=1) + "\n"


def test_tables_in_pieces(
    invoke: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With columns whose first piece has no value."""
    near = path("loss", "client")
    whole = frames(analyse([near], settings=Settings(interval_s=0.01)))
    monkeypatch.setattr(spool, "PIECE", 50)
    monkeypatch.setattr(collect, "PIECE", 1)
    folder = tmp_path / "out"
    words = ("--parquet", folder, "--csv", folder, "--interval", "0.01")
    invoke("analyse", near, *words)
    for name, frame in whole.all().items():
        found = pd.read_parquet(folder / f"{name}.parquet")
        assert list(found.columns) == list(frame.columns)
        assert export.records(found) == export.records(frame)
        assert len(pd.read_csv(folder / f"{name}.csv")) == len(frame)


def test_nothing_stays_of_tables_that_are_not_written(
    invoke: Command, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.pcap"
    bad.write_bytes(b"hello, world")
    good = path("short", "client")
    called = invoke("analyse", good, bad, "--csv", tmp_path / "out")
    assert called.status == 2
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("count", [0, 10, 999, 5000])
def test_sorted_pieces(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "PIECE", 100)
    kind = library.row_type("series")
    rows = np.zeros(count, kind)
    rows["interval"] = np.random.default_rng(1).integers(0, 300, count)
    rows["packets"] = np.arange(count)
    spooled = spool.Spool(tmp_path, "series", kind)
    for first in range(0, count, 37):
        spooled.add(rows[first : first + 37])
    pieces = list(spooled.sorted_pieces("interval"))
    assert max(map(len, pieces), default=0) <= 300
    joined = np.concatenate([rows[:0], *pieces])
    assert sorted(joined["packets"]) == list(range(count))
    for one, two in itertools.pairwise(pieces):
        assert one["interval"].max() < two["interval"].min()
