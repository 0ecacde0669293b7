"""A design that grows, with real runs: those that there were stay, byte for byte."""

import json
from pathlib import Path

import pytest

from tests.calls import Command

EXPERIMENT = """\
name: growing
topology: two_path
design:
  points: 2
  candidates: 100
  factors:
    path1.capacity: {min: 1, max: 10, unit: Mbit/s}
    path2.delay: {min: 1, max: 25, unit: ms}
cases:
  mptcp: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 2 s}
metrics: [goodput]
"""


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path().rglob("runs/*/artefacts/*")}


def test_points_are_added_to_what_ran(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("growing.yaml").write_text(EXPERIMENT)
    done = command("sensitivity", "growing.yaml", "--designs", "2")
    assert done.status == 0, done.out + done.err
    before = contents()
    until = ("--until", "0.001%", "--add", "points", "--most", "3", "--json")
    done = command("sensitivity", "growing.yaml", "--designs", "2", *until)
    assert done.status == 3, done.out + done.err
    assert "2 designs of 3 points: 2 runs to do" in done.err
    after = contents()
    assert before.items() < after.items()
    rows = [json.loads(path.read_text()) for path in Path().rglob("row.json")]
    assert [row["verdict"] for row in rows] == ["ok"] * 6
    hosts = [json.loads(path.read_text()) for path in Path().rglob("host.json")]
    assert all(host["exit"]["cpu_s"] > 0.1 for host in hosts)
    assert {row["points"] for row in json.loads(done.out)} == {2, 3}
