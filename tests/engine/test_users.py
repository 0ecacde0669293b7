"""Several users through the whole command, without a kernel."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from mpbench.spec import builtin
from tests.calls import Command

LIA = {"protocol": "mptcp", "congestion_control": "lia"}
RENO = {"protocol": "tcp", "congestion_control": "reno"}


def experiment(topology: str) -> dict[str, Any]:
    users = builtin.describe(topology).users
    traffic = [
        {
            **{"tool": "iperf3", "from": user.host, "to": user.server},
            "duration": "12 s",
            **({} if len(user.paths) > 1 else {"transport": RENO}),
        }
        for user in users
    ]
    return {
        **{"name": "users", "topology": topology, "cases": {"lia": LIA}},
        **{"traffic": traffic, "repetitions": 2},
    }


def run(command: Command, values: dict[str, Any]) -> pd.DataFrame:
    Path("f.yaml").write_text(yaml.safe_dump(values))
    called = command("run", "f.yaml", "--backend", "fake", "-j", "1")
    assert called.status == 0, called.out + called.err
    return pd.read_csv("results/users/runs.csv")


@pytest.mark.parametrize("topology", builtin.names())
def test_every_topology(
    command: Command, topology: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = run(command, experiment(topology))
    assert list(table["verdict"]) == ["ok", "ok"]
    hosts = builtin.describe(topology).initiators
    if len(hosts) > 1:
        total = table[[f"{host}.goodput_mbps" for host in hosts]].sum(axis=1)
        assert total.to_list() == pytest.approx(table["goodput_mbps"].to_list())
        assert table["jain"].notna().all()
    for link in builtin.describe(topology).links:
        assert (table[f"{link}.bytes"] > 0).all()


def test_other_phases_are_measured_and_nothing_is_executed(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = experiment("two_links")
    values["traffic"][1] |= {"start": "4 s", "duration": "4 s", "name": "guest"}
    before = run(command, values)
    hosts = [p.read_bytes() for p in sorted(Path("results").rglob("host.json"))]
    phases = {"alone": "0 s..4 s", "crowded": "4 s..8 s", "after": "9 s..12 s"}
    table = run(command, {**values, "phases": phases})
    assert "after.multi.path1.cwnd" not in table
    assert hosts == [p.read_bytes() for p in sorted(Path("results").rglob("host.json"))]
    assert list(table["id"]) == list(before["id"])
    assert table["alone.guest.goodput_mbps"].isna().all()
    assert table["after.guest.goodput_mbps"].isna().all()
    guest = table["crowded.guest.goodput_mbps"]
    assert guest.to_list() == pytest.approx(table["guest.goodput_mbps"].to_list())
    for row in table.itertuples():
        job = json.loads(Path(f"results/users/runs/{row.id}/job.json").read_text())
        assert job["report"]["phases"].keys() == phases.keys()


def test_windows_of_a_phase_come_from_the_trace(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = {**experiment("two_links"), "trace": "500 ms", "phases": {"a": "2 s..9 s"}}
    table = run(command, values)
    assert (table["a.multi.path1.cwnd"] > 2).all()
    assert (table["a.multi.path2.rise_s"] == 0).all()
