"""Theory in the dashboard: what the page has of it, without a browser."""

from pathlib import Path

import pytest

from analysis.campaign.campaign import Campaign
from analysis.dashboard.html import dashboard
from analysis.dashboard.payload import payload
from analysis.dashboard.theory import RunTheory
from mpbench.report.loading import load_campaign
from tests.calls import Command

TCP, MPTCP = 1448 / 1514, 1428 / 1514
FILE = """\
name: shared
topology: two_links
parameters: {single1.users: 3}
design: {method: grid, factors: {link1.capacity: [10 Mbit/s, 20 Mbit/s]}}
cases:
  lia:   {protocol: mptcp, congestion_control: lia}
  olia:  {protocol: mptcp, congestion_control: olia}
  cubic: {protocol: mptcp, congestion_control: cubic}
traffic:
  - {tool: iperf3, from: multi, to: server_multi, duration: 20 s}
  - {tool: iperf3, from: single1, to: server_single1, duration: 10 s, start: 5 s,
     transport: {protocol: tcp, congestion_control: reno}}
phases: {together: 5 s..15 s}
trace: 100 ms
metrics: [goodput]
figures:
  - {kind: over_time, quantities: [goodput, cwnd], theory: [max_min, fluid]}
  - {kind: line, metric: goodput, by: link1.capacity, part: together.single1,
     theory: [max_min, fluid]}
  - {kind: line, metric: goodput, by: link1.capacity, part: together.multi}
"""


@pytest.fixture
def loaded(tmp_path: Path, command: Command) -> Campaign:
    (tmp_path / "f.yaml").write_text(FILE)
    out = tmp_path / "out"
    done = command("run", tmp_path / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    return load_campaign(out)[0]


def test_plots_have_the_theory_of_their_metric(loaded: Campaign) -> None:
    data = payload([loaded])
    found = {curve["name"]: curve for curve in data["theory"]}
    assert set(found) == {
        "max-min fair (theory)",
        "lia: equilibrium (theory)",
        "olia: equilibrium (theory)",
    }
    assert {c["column"] for c in found.values()} == {"together.single1.goodput_mbps"}
    fair, lia = found["max-min fair (theory)"], found["lia: equilibrium (theory)"]
    # The TCPs have the first link to themselves, which is narrower or as wide.
    assert fair["case"] is None
    assert fair["v"] == pytest.approx([10 * TCP] * 3 + [20 * TCP] * 3, rel=1e-3)
    assert data["cases"][lia["case"]]["name"] == "lia"
    assert [value is None for value in lia["v"]] == [False, True, True] * 2


def test_a_run_has_the_theory_of_its_goodput_and_windows(loaded: Campaign) -> None:
    lines = RunTheory(loaded).of(0, "lia")
    assert set(lines) == {"goodput", "cwnd"}
    goodput = {line["name"]: line for line in lines["goodput"]}
    single = goodput["max-min fair (theory), single1"]
    # All three connections together, as the chart shows them.
    assert (single["from"], single["t"]) == ([5], [15])
    assert single["v"] == pytest.approx([10 * TCP], rel=1e-3)
    multi = goodput["max-min fair (theory), multi"]
    assert multi["v"] == pytest.approx([20 * MPTCP, 10 * MPTCP, 20 * MPTCP], rel=1e-3)
    names = [line["name"] for line in lines["cwnd"]]
    assert names == [
        "equilibrium (theory), multi, path 1",
        "equilibrium (theory), multi, path 2",
        "equilibrium (theory), single1",
    ]
    assert set(RunTheory(loaded).of(0, "cubic")) == {"goodput"}


def test_several_campaigns_keep_their_theory_apart(loaded: Campaign) -> None:
    data = payload([loaded, loaded])
    cases = {curve["case"] for curve in data["theory"]}
    names = {data["cases"][case]["name"] for case in cases if case is not None}
    assert names == {"shared: lia", "shared: olia"}
    assert '"theory":[]' not in dashboard("x", [loaded])


def test_no_theory_without_a_figure_that_asks(loaded: Campaign) -> None:
    plain = Campaign("x", loaded.runs, loaded.factors, folder=loaded.folder)
    assert payload([plain])["theory"] == []
    assert RunTheory(plain).of(0, "lia") == {}
