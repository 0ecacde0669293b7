"""`mpbench analyse FILE...`."""

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

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
    assert first == "4 MPTCP connections; 0.761 s"
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


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_plot(invoke: Command, near: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"plot.{suffix}"
    invoke("analyse", near, "--plot", target)
    assert target.stat().st_size > 10_000
    if suffix == "svg":
        text = target.read_text()
        assert text.count("#1f77b4") > 5  # either subflow's colour
        assert text.count("#ff7f0e") > 5


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["{hello}"], "is no capture"),
        (["{empty}"], "is empty"),
        (["{good}", "{missing}"], "No such file"),
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
