"""`mpbench analyse FILE...`."""

import csv
import json
import os
import re
from pathlib import Path
from threading import Thread

import pandas as pd
import pytest

from analysis.capture.analyse import Settings, analyse
from analysis.capture.frames import frames
from tests.calls import Command
from tests.capture.kinds import path, raw


@pytest.fixture
def invoke(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    return Command(monkeypatch, capsys)


@pytest.fixture
def near() -> Path:
    return path("loss", "client")


def test_summary(invoke: Command, near: Path) -> None:
    output = invoke("analyse", near, "--far", path("loss", "server")).out
    first, *lines = output.splitlines()
    assert first == (
        "2 MPTCP connections; at the far point 2 MPTCP connections; 0.761 s"
    )
    text = "\n".join(lines)
    for part in (
        "MPTCP version 1, 10.0.1.1:43052 -> 10.9.0.1:5201, 2 subflows",
        "handshake 10.",
        "949.1 kB, goodput 11.2",
        "21 packets reinjected (29.86 kB)",
        "mean loss 2.154%",
        "joined at 0.022 s in 20 ms",
        "7 retransmitted (1.78%, 7 fast)",
        "one way 10 ms least",
    ):
        assert part in text, part


def test_json(invoke: Command, near: Path) -> None:
    document = json.loads(invoke("analyse", near, "--json", "--interval", "0.1").out)
    assert document["format"] == 1
    assert document["faults"] == []
    bulk = document["connections"][1]
    assert (bulk["kind"], bulk["subflows"], bulk["fallback"]) == ("mptcp", 2, None)
    assert bulk["directions"][0]["bytes"] == 949_109
    assert len(bulk["subflow_directions"]) == 4
    assert {row["connection"] for row in document["series"]} == {0, 1}
    assert {row["kind"] for row in document["events"]} == {"reinjection"}


def test_summary_tells_signals_and_what_was_never_answered(invoke: Command) -> None:
    lines = invoke("analyse", path("announced", "client")).out.splitlines()
    assert "  signals: -> 1 REMOVE_ADDR, 1 MP_PRIO; <- 1 ADD_ADDR" in lines
    dead = "  subflow 1: 10.0.1.1:33879 -> 10.1.2.1:5300, never answered"
    assert [line for line in lines if "never answered" in line] == [dead]
    closed = invoke("analyse", path("closed", "client")).out
    assert "signals: -> 2 MP_FASTCLOSE, 2 MP_TCPRST, 10 RST; <- 1 MP_TCPRST" in closed


def test_a_fall_back_is_said_of_no_other(invoke: Command) -> None:
    kinds = ("two", "fallback", "stripped")
    text = invoke("analyse", *(path(kind, "client") for kind in kinds)).out
    counts = "2 MPTCP connections, 2 connections that fell back to TCP; "
    assert text.startswith(counts)
    told = [line for line in text.splitlines() if "fell back to TCP: " in line]
    assert told == ["  fell back to TCP: handshake"] * 2


def test_a_pipe_is_a_capture(invoke: Command, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(raw("two", "client"),))
    writer.start()
    assert invoke("analyse", pipe).out.startswith("2 MPTCP connections")
    writer.join()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables(invoke: Command, near: Path, tmp_path: Path, kind: str) -> None:
    invoke("analyse", near, f"--{kind}", tmp_path / "out", "--interval", "0.1")
    names = {p.name for p in (tmp_path / "out").iterdir()}
    frames = ("connections", "data", "subflows", "series", "events")
    assert names == {f"{name}.{kind}" for name in frames}
    file = tmp_path / "out" / f"data.{kind}"
    if kind == "csv":
        rows = list(csv.DictReader(file.open()))
        assert rows[2]["bytes"] == "949109"
    else:
        assert pd.read_parquet(file)["bytes"][2] == 949_109


def test_each_column_is_defined(near: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "captures.md"
    _, _, text = page.read_text().partition("## What is computed")
    named = set(re.findall(r"`([a-z0-9_]+)\b", text))
    stems = tuple(re.findall(r"`([a-z_]+_)\*`", text))
    found = frames(analyse([near], settings=Settings(interval_s=0.1)))
    for name, frame in found.all().items():
        columns = [str(c) for c in frame.columns if not str(c).startswith(stems)]
        assert not set(columns) - named, name


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_plot(invoke: Command, near: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"plot.{suffix}"
    invoke("analyse", near, "--plot", target)
    assert target.stat().st_size > 10_000
    if suffix == "svg":
        text = target.read_text()
        assert text.count("#1f77b4") > 5  # either subflow's colour
        assert text.count("#ff7f0e") > 5
        for label in ("acknowledged", "reinjected", "retransmitted"):
            assert f"<!-- {label}" in text


def test_plot_of_tcp_has_what_was_acknowledged(invoke: Command, tmp_path: Path) -> None:
    target = tmp_path / "plot.svg"
    invoke("analyse", path("plain", "client"), "--plot", target)
    assert "<!-- acknowledged" in target.read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["{hello}"], "is no capture"),
        (["{empty}"], "is empty"),
        (["{good}", "{missing}"], "No such file"),
        (["{missing}"], "no such capture"),
        (["/dev/null"], "is empty"),
        (["{good}", "{folder}"], "is a folder"),
        (["{good}", "--dry-run"], "is for a results folder"),
        (["{folder}", "--json"], "--json is for captures"),
        (["{good}", "--plot", "{folder}/none/x.png"], "No such file"),
        (["{good}", "--plot", "{folder}/x.xyz"], "xyz"),
        (["{good}", "--plot", "{folder}/x.png", "--connection", "9"], "connection 9"),
        (["{good}", "--interval", "0"], "0"),
    ],
)
def test_bad_input(
    invoke: Command, tmp_path: Path, arguments: list[str], reason: str
) -> None:
    names = {name: tmp_path / name for name in ("hello", "empty", "missing", "folder")}
    names["hello"].write_text("hello")
    names["empty"].write_text("")
    names["folder"].mkdir()
    names["good"] = path("short", "client")
    words = [word.format(**names) for word in arguments]
    called = invoke("analyse", *words)
    assert called.status == 2
    assert reason in called.err
    assert "Traceback" not in called.err + called.out


def test_what_can_be_read_of_a_damaged_file_is_told(
    invoke: Command, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.pcap"
    cut.write_bytes(raw("loss", "client")[:30_000])
    result = invoke("analyse", cut)
    assert "cut short after byte" in result.err
    assert "2 MPTCP connections" in result.out
