"""Theory in figures: printed numbers, closed forms, and what is drawn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import FLUID_CONTROLLERS, Theory
from analysis.figures import style
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.theory import predict
from analysis.models import max_min, scenarios
from analysis.models.controllers import CONTROLLERS
from mpbench.experiment_files import load, loads
from mpbench.plan import make_plan
from mpbench.plan.settings import setting_of
from mpbench.theory.planned import PlannedSettings
from tests.analysis import requests

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
RTT_S = 0.15
TCP, MPTCP = 1448 / 1514, 1428 / 1514
PACKET_BITS = 1514 * 8
FLUID = Theory(model="fluid")


def goodput(
    file: str, case: str, part: str | None, theory: Theory = FLUID, point: int = 0
) -> float:
    settings = PlannedSettings(load(EXPERIMENTS / file))
    return predict(theory, settings(point, case, part), "goodput", part)


def test_the_controllers_are_those_of_the_models() -> None:
    assert set(FLUID_CONTROLLERS) == set(CONTROLLERS)


def test_figures_2_and_3_of_nsdi11() -> None:
    """Sec. 2.2: EWTCP gives each user 8.5 Mb/s if round trips are alike, COUPLED 12; on
    four links, COUPLED gives each 10 Mb/s."""
    alike = Theory(model="fluid", rtt=0.1)
    for user in "abc":
        ring = goodput("nsdi11/efficient-paths.yaml", "ewtcp", user, alike)
        assert ring / MPTCP == pytest.approx(8.5, abs=0.05)
        best = goodput("nsdi11/efficient-paths.yaml", "coupled", user)
        assert best / MPTCP == pytest.approx(12, abs=0.01)
        row = goodput("nsdi11/four-links.yaml", "coupled", user)
        assert row / MPTCP == pytest.approx(10, abs=0.01)


def test_rtt_compensation_of_nsdi11() -> None:
    """Sec. 5 prints 130, 315 and 305 pkt/s, of a simulation with queues; without
    queueing the model has 125, 312 and 312."""
    file, unit = "nsdi11/rtt-mismatch.yaml", 1e6 / PACKET_BITS
    s1 = goodput(file, "lia", "single1") / TCP * unit
    s2 = goodput(file, "lia", "single2") / TCP * unit
    m = goodput(file, "lia", "multi") / MPTCP * unit
    assert (s1, s2, m) == pytest.approx((130, 315, 305), rel=0.05)
    assert (s1, s2, m) == pytest.approx((125, 312, 312), abs=1)


def test_table_3_of_balia() -> None:
    """It measured 2.60 and 2.65 Mbit/s of a user for max and semicoupled."""
    file = "balia/friendliness.yaml"
    users = 30
    found = [
        goodput(file, case, "multi", Theory(model="fluid", controller=name))
        for case, name in (("max", "max"), ("semicoupled", "semicoupled_balia"))
    ]
    # The paper's rates count whole packets.
    assert np.array(found) / MPTCP / users == pytest.approx((2.60, 2.65), abs=0.03)
    own = goodput(file, "semicoupled", "multi")
    assert own == pytest.approx(found[1])


@pytest.mark.parametrize("point", [0, 4, 8])
def test_scenario_a_is_the_closed_form(point: int) -> None:
    """Both copies of the network have the fixed point and the optimum of the paper."""
    file = "olia/olia-scenario-a.yaml"
    run = load(EXPERIMENTS / file)
    work = next(r for r in make_plan(run, {}).runs if r.point == point)
    n1 = int(work.factors["type1_red.users"])
    c1 = work.factors["server_red.capacity_mbps"] / n1
    fixed = Theory(model="fluid", controller="max")
    probing = Theory(model="probing", queueing=RTT_S - 0.08)
    assert probing.words == "optimum with probing cost (theory)"
    closed = scenarios.lia_a(n1, 10, c1, 1).second
    best = scenarios.probing_a(n1, 10, c1, 1, RTT_S, 1514).second
    for user in ("type2_red", "type2_tail"):
        part = f"settled.{user}"
        found = goodput(file, "lia", part, fixed, point) / TCP / 10
        assert found == pytest.approx(closed, rel=1e-4)
        found = goodput(file, "olia", part, probing, point) / TCP / 10
        assert found == pytest.approx(best, rel=1e-6)


def test_probing_is_the_optimum_of_the_scenarios() -> None:
    """Any network's linear programs give the closed forms of the paper's three."""
    for n1, c1 in ((5, 1.0), (10, 0.5), (30, 2.0)):
        found = max_min.probing(scenarios.network_c(n1, 10, c1, 1, RTT_S))
        closed = scenarios.probing_c(n1, 10, c1, 1, RTT_S)
        rates = np.array([found["multi"], found["single"]]) / 1e6
        assert rates == pytest.approx([closed.first, closed.second])
    for cx in (20, 27, 36, 50):
        for several in (True, False):
            network = scenarios.network_b(15, cx, 36, RTT_S, several)
            found = max_min.probing(network)
            closed = scenarios.probing_b(15, cx, 36, RTT_S, several)
            rates = np.array([found["blue"], found["red"]]) / 1e6
            assert rates == pytest.approx([closed.first, closed.second])
    with pytest.raises(ValueError, match="one segment per round-trip time"):
        max_min.probing(scenarios.network_c(30, 10, 1, 1, 0.02))


FILE = """\
name: x
network:
  links: {one: {capacity: 10 Mbit/s}, two: {capacity: 10 Mbit/s}}
  users: {multi: [one, two], single: {paths: [two], users: 1}}
design:
  method: grid
  factors:
    two.capacity: [5 Mbit/s, 10 Mbit/s, 30 Mbit/s]
cases:
  lia:  {protocol: mptcp, congestion_control: lia}
  olia: {protocol: mptcp, congestion_control: olia}
  cubic: {protocol: mptcp, congestion_control: cubic}
traffic:
  - {tool: iperf3, from: multi, to: server_multi, duration: 10 s}
  - {tool: iperf3, from: single, to: server_single, duration: 10 s,
     transport: {protocol: tcp, congestion_control: reno}}
"""


def campaign() -> Campaign:
    rows = [
        {
            "id": f"{run.point}{run.case}{repetition}",
            "point": run.point,
            "case": run.case,
            "repetition": repetition,
            **run.factors,
            "verdict": "ok",
            "reason": "",
            "protocol": "mptcp",
            "goodput_mbps": 12.0,
            "multi.goodput_mbps": 8.0 + repetition,
            "single.goodput_mbps": 4.0,
        }
        for run in make_plan(loads(FILE), {}).runs
        for repetition in range(2)
    ]
    factors = ("two.capacity_mbps",)
    settings = PlannedSettings(loads(FILE))
    return Campaign("x", table.build(rows), factors, settings=settings)


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The pictures that are drawn, instead of their files."""
    drawn: list[Figure] = []
    monkeypatch.setattr(style, "save", lambda picture, _: drawn.append(picture))
    return drawn


def draw(request: dict[str, Any], loaded: Campaign) -> DrawnFigure:
    figure = {"metric": "goodput", **request}
    return requests.draw(figure, loaded, style.Target(Path(), "f"))


def named(picture: Figure) -> dict[str, Any]:
    handles, names = picture.axes[0].get_legend_handles_labels()
    return dict(zip(names, handles, strict=True))


def test_lines_of_theory(pictures: list[Figure]) -> None:
    request = {"kind": "line", "by": "two.capacity", "part": "single"}
    theory = [{"model": "max_min"}, {"model": "fluid"}]
    drawn = draw({**request, "theory": theory}, campaign())
    lines = named(pictures[0])
    # A fair TCP has its link if that is the narrower one, and else half of all.
    fair = lines["max-min fair (theory)"]
    assert list(fair.get_xdata()) == [5, 10, 30]
    assert fair.get_ydata() / TCP == pytest.approx([5, 10, 20])
    assert "cubic: equilibrium (theory)" not in lines
    equilibrium = lines["lia: equilibrium (theory)"]
    measured = lines["lia"].lines[0]
    assert equilibrium.get_color() == measured.get_color()
    assert equilibrium.get_linestyle() != measured.get_linestyle()
    assert all(equilibrium.get_ydata() < fair.get_ydata())
    assert "max-min fair (theory): 4.78 at 5, 9.56 at 10, 19.1 at 30" in drawn.note


def test_marks_of_theory(pictures: list[Figure]) -> None:
    request = {"kind": "scatter", "by": "two.capacity", "part": "multi"}
    draw({**request, "theory": [{"model": "max_min", "label": "fair"}]}, campaign())
    marks = named(pictures[0])["fair (theory)"]
    assert sorted(set(marks.get_xdata())) == [5, 10, 30]
    assert marks.get_linestyle() == "None"


def test_cases_side_by_side(pictures: list[Figure]) -> None:
    request = {"kind": "cases", "parts": ["multi", "single"], "theory": []}
    theory = [{"model": "fluid"}, {"model": "max_min"}]
    drawn = draw({**request, "theory": theory}, campaign())
    (axis,) = pictures[0].axes
    ticks = [text.get_text() for text in axis.get_xticklabels()]
    assert ticks == ["lia", "olia", "cubic"]
    names = ["equilibrium (theory)", "max-min fair (theory)", "multi", "single"]
    assert sorted(named(pictures[0])) == names
    assert "multi goodput, equilibrium (theory): " in drawn.note
    assert set(drawn.summary["batch"]) == {"multi", "single"}


def test_a_controller_without_a_model(pictures: list[Figure]) -> None:
    request = {"kind": "line", "by": "two.capacity", "case": "cubic"}
    with pytest.raises(UndrawableError, match="no controller cubic; the models have"):
        draw({**request, "theory": [{"model": "fluid"}]}, campaign())


def refusal(figure: str, text: str = FILE) -> str:
    with pytest.raises(Exception) as caught:
        make_plan(loads(f"{text}figures:\n  - {figure}\n", "f.yaml"), {})
    return str(caught.value)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("theory: [maxmin]", "unknown model 'maxmin'; did you mean 'max_min'?"),
        (
            "theory: [{model: fluid, controller: lai}]",
            "unknown controller of the models 'lai'; did you mean 'lia'?",
        ),
        (
            "theory: [{model: max_min, controller: lia}]",
            "controller is of the model fluid; max_min has none",
        ),
        (
            "theory: [{model: probing, queueing: 70}]",
            "70 has no unit; write '70 s'",
        ),
        (
            "case: cubic, theory: [fluid], by: two.capacity",
            "the fluid model does not know cubic; it knows tcp, ",
        ),
    ],
)
def test_refused(keys: str, message: str) -> None:
    by = "" if "by:" in keys else ", by: two.capacity"
    text = (
        FILE
        if "cubic" not in keys
        else "\n".join(line for line in FILE.splitlines() if "lia" not in line) + "\n"
    )
    figure = f"{{kind: line, metric: goodput, {keys}{by}}}"
    assert message in refusal(figure, text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "design:",
            "changes: {one: {at: {0 s: {capacity: 5 Mbit/s}}}}\ndesign:",
            "f.yaml:19: figures[0].theory[0]: the models need links that stay",
        ),
        ("single, duration: 10 s", "single, size: 1 MB", "transfers for a time"),
        (
            "single, duration: 10 s",
            "single, start: 1 s, duration: 2 s",
            "single comes and goes; name a phase in part",
        ),
        ("single, duration", "single, reverse: true, duration", "flow one way"),
    ],
)
def test_networks_that_no_model_knows(old: str, new: str, message: str) -> None:
    text = (
        FILE.replace("server_" + old, "server_" + new)
        if "single" in old
        else (FILE.replace(old, new))
    )
    figure = "{kind: line, metric: goodput, by: two.capacity, theory: [max_min]}"
    assert message in refusal(figure, text)


def test_a_phase_has_the_users_that_are_active() -> None:
    """[balia] Table V: five TCPs beside one user of two links of 20 Mbit/s, who leaves
    them the second link but for a sixth; before and after, it has both."""
    run = make_plan(load(EXPERIMENTS / "balia/responsiveness.yaml"), {}).runs[0]
    assert set(setting_of(run.job, "crowded").network.users) == {"multi", "single2"}
    assert set(setting_of(run.job, "after.multi").network.users) == {"multi"}
    fair = Theory(model="max_min")
    alone = predict(fair, setting_of(run.job, "after"), "goodput", "after")
    assert alone / MPTCP == pytest.approx(40)
    beside = predict(fair, setting_of(run.job, "crowded"), "goodput", "crowded.single2")
    assert beside / TCP == pytest.approx(20)
