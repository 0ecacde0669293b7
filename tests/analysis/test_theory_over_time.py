"""Theory beside single runs over time: levels on paper, and what is drawn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import Theory
from analysis.figures import palette, style
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.theory_over_time import Expected, Level, expected
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.report.loading import load_campaign
from mpbench.theory.planned import PlannedSettings
from tests.analysis import requests
from tests.calls import Command

TCP, MPTCP = 1448 / 1514, 1428 / 1514
PACKET_BITS = 1514 * 8
FILE = """\
name: shared
topology: two_links
parameters: {single1.users: 3, link1.capacity: 10 Mbit/s, link2.capacity: 10 Mbit/s}
design: {method: grid, factors: {link1.delay: [10 ms, 20 ms]}}
cases:
  lia:   {protocol: mptcp, congestion_control: lia}
  cubic: {protocol: mptcp, congestion_control: cubic}
traffic:
  - {tool: iperf3, from: multi, to: server_multi, duration: 20 s}
  - {tool: iperf3, from: single1, to: server_single1, duration: 10 s, start: 5 s,
     transport: {protocol: tcp, congestion_control: reno}}
trace: 100 ms
metrics: [goodput]
"""
MAX_MIN, FLUID = Theory(model="max_min"), Theory(model="fluid")


def levels(theory: Theory, quantity: str, point: int = 0) -> dict[str, Expected]:
    stretches = PlannedSettings(loads(FILE)).over_time(point, "lia")
    return {e.names[0]: e for e in expected(theory, stretches, quantity)}


def values(line: Expected) -> list[tuple[float, float, float]]:
    return [(each.start_s, each.end_s, each.value) for each in line.levels]


def test_goodput_changes_when_somebody_comes_or_goes() -> None:
    """Alone, the user of both links has 20 Mbit/s of packets. Three TCPs on the first
    link then have it to themselves, and one connection's third of it is shown."""
    found = levels(MAX_MIN, "goodput")
    alone, beside = 20 * MPTCP, 10 * MPTCP
    multi = [(0, 5, alone), (5, 15, beside), (15, 20, alone)]
    assert np.array(values(found["multi"])) == pytest.approx(np.array(multi))
    (single,) = values(found["single1"])
    assert single == pytest.approx((5, 15, 10 / 3 * TCP))


def test_windows_are_rates_times_round_trip_times() -> None:
    """A link alone carries its capacity; 20 ms there and back are 16.5 packets."""
    found = levels(FLUID, "cwnd")
    (second,) = values(found["multi, path 2"])
    rtt_s = 0.02
    assert second == pytest.approx((0, 20, 10e6 * rtt_s / PACKET_BITS), rel=1e-3)
    rates = levels(FLUID, "throughput")
    (single,) = values(rates["single1"])
    (window,) = values(found["single1"])
    assert window[2] == pytest.approx(single[2] / TCP * 1e6 * rtt_s / PACKET_BITS)
    # Rates on the first link sum up to its capacity.
    first = values(rates["multi, path 1"])[1][2] / MPTCP + 3 * single[2] / TCP
    assert first == pytest.approx(10, rel=1e-3)
    assert levels(MAX_MIN, "cwnd") == {}


NAMED = """\
name: named
network:
  links:
    wifi: {capacity: 10 Mbit/s, delay: 10 ms}
    lte:  {capacity: 10 Mbit/s, delay: 20 ms}
  users: {phone: {paths: [wifi, lte], to: server}}
cases: {lia: {protocol: mptcp, congestion_control: lia}}
traffic:
  - {tool: iperf3, from: phone, to: server, duration: 10 s%s}
"""


@pytest.mark.parametrize(
    ("more", "host"), [("", "phone"), (", reverse: true", "server")]
)
def test_levels_have_the_names_of_the_users_paths(more: str, host: str) -> None:
    """A download is sent by the server, over the paths of the user."""
    stretches = PlannedSettings(loads(NAMED % more)).over_time(0, "lia")
    found = expected(FLUID, stretches, "cwnd")
    assert [each.names for each in found] == [
        (f"{host}, wifi", "wifi"),
        (f"{host}, lte", "lte"),
    ]


def test_a_level_belongs_to_the_line_of_that_name() -> None:
    one = Expected("m", "a", ("a", "a, path 2", "path 2"), (Level(0, 1, 2.0),))
    assert one.owner(["a, path 1", "a, path 2 (mean of 3)"]) == "a, path 2 (mean of 3)"
    assert one.owner(["path 1", "path 2"]) == "path 2"
    assert one.owner(["ab", "b"]) is None


@pytest.fixture
def loaded(tmp_path: Path, command: Command) -> Campaign:
    (tmp_path / "f.yaml").write_text(FILE)
    out = tmp_path / "out"
    done = command("run", tmp_path / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    return load_campaign(out)[0]


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The pictures that are drawn, instead of their files."""
    drawn: list[Figure] = []
    monkeypatch.setattr(style, "save", lambda picture, _: drawn.append(picture))
    return drawn


def draw(request: dict[str, Any], campaign: Campaign) -> DrawnFigure:
    figure = {"kind": "over_time", **request}
    return requests.draw(figure, campaign, style.Target(Path(), "f"))


def test_lines_beside_the_measured_ones(
    loaded: Campaign, pictures: list[Figure]
) -> None:
    theory = [{"model": "max_min"}, {"model": "fluid", "label": "fixed point"}]
    request = {"quantities": ["goodput", "cwnd", "srtt"], "theory": theory}
    drawn = draw({**request, "case": "lia"}, loaded)
    goodput, windows, times = pictures[0].axes
    found = [
        {
            str(line.get_label())
            for line in axis.get_lines()
            if line.get_color() == palette.NEUTRAL and line.get_linestyle() == "--"
        }
        for axis in (goodput, windows, times)
    ]
    assert "max-min fair (theory)" in found[0]
    assert "fixed point (theory)" in found[0] & found[1]
    assert "max-min fair (theory)" not in found[1] and not found[2]
    (legend,) = pictures[0].legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names[-2:] == ["max-min fair (theory)", "fixed point (theory)"]
    assert (
        "max-min fair (theory), goodput: 18.9 from 0 to 5 s, 9.43 from 5 to 15 s, 18.9"
        " from 15 to 20 s for multi; 3.19 for single1." in drawn.note
    )


def test_a_case_that_no_model_knows(loaded: Campaign, pictures: list[Figure]) -> None:
    request = {"quantities": ["goodput"], "theory": [{"model": "fluid"}]}
    drawn = draw(request, loaded)
    assert "goodput: lia: " in drawn.note and "cubic" not in drawn.note
    with pytest.raises(UndrawableError, match="cubic: no controller cubic"):
        draw({**request, "case": "cubic"}, loaded)


def test_only_the_users_that_are_shown(
    loaded: Campaign, pictures: list[Figure]
) -> None:
    request = {"quantities": ["goodput"], "users": ["single1"]}
    drawn = draw({**request, "theory": [{"model": "max_min"}]}, loaded)
    assert "for single1" in drawn.note and "multi" not in drawn.note


@pytest.mark.parametrize(
    ("figure", "old", "new", "message"),
    [
        (
            "quantities: [srtt], theory: [fluid]",
            "",
            "",
            "f.yaml:15: figures[0].theory[0]: fluid gives goodput and throughput and"
            " cwnd over time, not srtt; write quantities: [goodput]",
        ),
        (
            "quantities: [cwnd], theory: [fluid, max_min]",
            "",
            "",
            "figures[0].theory[1]: max_min gives goodput over time, not cwnd",
        ),
        (
            "quantities: [goodput], case: cubic, theory: [fluid]",
            "",
            "",
            "the fluid model does not know cubic; it knows tcp, ",
        ),
        (
            "quantities: [goodput], theory: [max_min]",
            "server_multi, duration: 20 s",
            "server_multi, size: 1 MB",
            "the models need transfers for a time, and multi is none",
        ),
        (
            "quantities: [goodput], theory: [maxmin]",
            "",
            "",
            "unknown model 'maxmin'; did you mean 'max_min'?",
        ),
    ],
)
def test_refused(figure: str, old: str, new: str, message: str) -> None:
    text = f"{FILE.replace(old, new)}figures:\n  - {{kind: over_time, {figure}}}\n"
    with pytest.raises(UserError) as caught:
        make_plan(loads(text, "f.yaml"), {})
    assert message in str(caught.value)
