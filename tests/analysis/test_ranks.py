"""Figures of single flows and links by rank."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from analysis.campaign.campaign import Campaign
from analysis.figures import style
from analysis.figures.drawn_figure import UndrawableError
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.report.loading import load_campaign
from tests.analysis import requests
from tests.calls import Command

EXPERIMENT = """\
name: ranked
topology: two_path
cases:
  lia:  {protocol: mptcp, congestion_control: lia}
  reno: {protocol: tcp, congestion_control: reno, path: 1}
repetitions: 2
traffic:
  - {tool: flows, name: bulk, from: client, to: server, duration: 5 s, connections: 6}
  - {tool: command, name: look, from: client, to: server, start: 1 s, duration: 0.1 s,
     client: [ss, -tin]}
metrics: [goodput, flow_goodput, loss_probability]
figures:
  - {kind: ranks, metric: flow_goodput}
  - {kind: ranks, metric: loss_probability}
"""


@pytest.fixture
def campaign(tmp_path: Path, command: Command) -> Campaign:
    (tmp_path / "f.yaml").write_text(EXPERIMENT)
    out = tmp_path / "out"
    done = command("run", tmp_path / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    return load_campaign(out)[0]


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    kept: list[Figure] = []
    monkeypatch.setattr(style, "save", lambda picture, _: kept.append(picture))
    return kept


def draw(campaign: Campaign, folder: Path, metric: str, **more: object) -> str:
    made = {"kind": "ranks", "metric": metric, **more}
    target = style.Target(folder, "f", style.Look())
    return requests.draw(made, campaign, target).note


def test_flows_are_in_order_and_their_mean_is_the_column(
    campaign: Campaign, tmp_path: Path, pictures: list[Figure]
) -> None:
    note = draw(campaign, tmp_path, "flow_goodput")
    assert note.endswith("over whole runs: 12 values per case.")
    curves = {line.get_label(): line for line in pictures[0].axes[0].lines}
    assert set(curves) == {"lia (n = 12)", "reno (n = 12)"}
    means = campaign.ok_runs.groupby("case")["bulk.flow_goodput_mbps"].mean()
    for case in ("lia", "reno"):
        curve = curves[f"{case} (n = 12)"]
        values = np.asarray(curve.get_ydata(), float)
        assert (np.diff(values) >= 0).all()
        assert values.mean() == pytest.approx(means[case])
        assert np.asarray(curve.get_xdata(), float)[-1] == 100
    draw(campaign, tmp_path, "flow_goodput", case="lia", log="y")
    assert pictures[1].axes[0].get_yscale() == "log"


def test_links_have_a_value_per_direction(
    campaign: Campaign, tmp_path: Path, pictures: list[Figure]
) -> None:
    draw(campaign, tmp_path, "loss_probability", case="lia")
    (curve,) = pictures[0].axes[0].lines
    values = np.asarray(curve.get_ydata(), float)
    assert len(values) == 8  # two links, two directions, two repetitions
    runs = campaign.ok_runs
    most = max(
        runs.loc[runs["case"] == "lia", f"{link}.{way}.loss_probability"].max()
        for link in ("path1", "path2")
        for way in ("up", "down")
    )
    assert values.max() == pytest.approx(100 * most)


def test_what_cannot_be_drawn(campaign: Campaign, tmp_path: Path) -> None:
    with pytest.raises(UndrawableError, match="point 7 has no flows"):
        draw(campaign, tmp_path, "flow_goodput", point=7)
    with pytest.raises(UndrawableError, match="ranks of flow_goodput and loss"):
        draw(campaign, tmp_path, "jain")
    text = EXPERIMENT.replace("ranks, metric: flow_goodput", "ranks, metric: goodput")
    with pytest.raises(UserError, match=r"figures\[0\].metric: no ranks of goodput"):
        loads(text)
