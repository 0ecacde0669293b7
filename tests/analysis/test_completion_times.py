"""The figure of completion times: its curves, and what it cannot draw."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from analysis.campaign.campaign import Campaign
from analysis.figures import style
from analysis.figures.drawn_figure import UndrawableError
from mpbench.report.loading import load_campaign
from tests.analysis import requests
from tests.calls import Command

EXPERIMENT = """\
name: web
topology: two_path
cases:
  lia:  {protocol: mptcp, congestion_control: lia}
  reno: {protocol: tcp, congestion_control: reno, path: 1}
traffic:
  - {tool: flows, name: web, from: client, to: server, TRAFFIC}
figures: [{kind: completion_times, log: x}]
"""
SIZED = (
    "size: {list: [10 kB, 4 MB]}, arrivals: {every: 1 s}, duration: 8 s, timeout: 2 s"
)


def results(folder: Path, command: Command, traffic: str) -> Campaign:
    (folder / "f.yaml").write_text(EXPERIMENT.replace("TRAFFIC", traffic))
    out = folder / "out"
    done = command("run", folder / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    return load_campaign(out)[0]


def draw(campaign: Campaign, folder: Path, **more: object) -> str:
    target = style.Target(folder, "f", style.Look())
    return requests.draw({"kind": "completion_times", **more}, campaign, target).note


def test_curves_end_at_the_part_that_completed(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures: list[Figure] = []
    monkeypatch.setattr(style, "save", lambda picture, _: pictures.append(picture))
    campaign = results(tmp_path, command, SIZED)
    runs = campaign.ok_runs.set_index("case")
    note = draw(campaign, tmp_path)
    curves = {line.get_label(): line for line in pictures[0].axes[0].lines}
    assert set(curves) == {"lia (n = 8)", "reno (n = 8)"}
    for case in ("lia", "reno"):
        late = runs["unfinished_flows"][case]
        assert late == 4 and f"{late} of {case}" in note
        steps = np.asarray(curves[f"{case} (n = 8)"].get_ydata(), float)
        assert steps.max() == pytest.approx(1 - late / 8)
    draw(campaign, tmp_path, case="reno", log="x")
    assert pictures[1].axes[0].get_xscale() == "log"
    assert [line.get_label() for line in pictures[1].axes[0].lines] == ["reno (n = 8)"]


def test_what_cannot_be_drawn(tmp_path: Path, command: Command) -> None:
    campaign = results(tmp_path, command, "duration: 5 s")
    with pytest.raises(UndrawableError, match="no flow of point 0 completed"):
        draw(campaign, tmp_path)
    with pytest.raises(UndrawableError, match="no flow of point 7 completed"):
        draw(campaign, tmp_path, point=7)
