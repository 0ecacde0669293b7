"""Runs over time: lines of a run, and the figure in a page."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from matplotlib.figure import Figure

from analysis.figures import palette
from analysis.figures.kinds.over_time import drawing as over_time_drawing
from analysis.figures.kinds.over_time.data import OverTimeData, Panel
from analysis.figures.style import Look
from analysis.run import (
    artefacts,
    capacity_lines,
    clock,
    fair_shares,
    series,
)
from analysis.run.readers import trace
from analysis.run.readers.outcome import Process
from analysis.run.series import Line
from tests.calls import Command

pytestmark = pytest.mark.slow

EXPERIMENT = """\
name: shared
topology: two_links
parameters: {single1.users: 3}
design: {method: grid, factors: {link1.capacity: [10 Mbit/s, 20 Mbit/s]}}
cases:
  lia:  {protocol: mptcp, congestion_control: lia}
  olia: {protocol: mptcp, congestion_control: olia}
  max:  {protocol: mptcp, congestion_control: lia_rfc6356}
traffic:
  - {tool: iperf3, from: multi, to: server_multi, duration: 20 s}
  - {tool: iperf3, from: single1, to: server_single1, duration: 10 s, start: 5 s,
     transport: {protocol: tcp, congestion_control: reno}}
phases: {alone: 0 s..5 s, together: 5 s..15 s}
trace: 100 ms
metrics: [goodput]
"""
FIGURES = """\
figures:
  - {kind: over_time, quantities: [cwnd, srtt], users: [multi], point: 1}
  - {kind: over_time, quantities: [goodput], average: 5 s, case: lia}
  - {kind: over_time, quantities: [alpha]}
  - {kind: over_time, quantities: [cwnd, alpha], case: olia}
"""


@pytest.fixture
def results(tmp_path: Path, command: Command) -> Path:
    (tmp_path / "f.yaml").write_text(EXPERIMENT + FIGURES)
    out = tmp_path / "out"
    done = command("run", tmp_path / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    return out


def test_lines_of_users_and_paths(results: Path) -> None:
    folder = next((results / "runs").iterdir())
    run = artefacts.load(folder)
    windows = series.lines(run, folder / "artefacts", "cwnd", ())
    assert set(windows) == {"multi, path 1", "multi, path 2", "single1"}
    only = series.lines(run, folder / "artefacts", "srtt", ("multi",))
    assert set(only) == {"path 1", "path 2"}
    assert (only["path 1"].values == 40).all()
    goodput = series.lines(run, folder / "artefacts", "goodput", ())
    assert set(goodput) == {"multi", "single1 (mean of 3)"}
    single = goodput["single1 (mean of 3)"]
    assert single.times[0] == pytest.approx(5.5, abs=0.01)
    reports = run.reports[1].server.intervals
    assert single.values[0] == pytest.approx(8e-6 * reports[0].bytes / 3, rel=0.01)
    with pytest.raises(ValueError, match="no subflow has alpha"):
        series.lines(run, folder / "artefacts", "alpha", ())


def test_fairness_over_time_on_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two entries with 3 and 1 Mbit/s have (3 + 1)^2 / (2 * (9 + 1)) = 0.8. Alone, and
    beside background only, an entry has no index."""
    times = np.arange(10.0)
    lines = {
        "a": series.Line(times, np.full(10, 3.0)),
        "b": series.Line(times[4:], np.ones(6)),
        "beside": series.Line(times, np.full(10, 9.0)),
    }
    monkeypatch.setattr(series, "reported", lambda _run, _users: lines)
    entries = [
        SimpleNamespace(title=name, background=name == "beside") for name in lines
    ]
    run = cast(artefacts.Artefacts, SimpleNamespace(traffic=entries))
    found = series.fairness(run, ())
    assert found.times.tolist() == [4, 5, 6, 7, 8, 9]
    assert found.values.tolist() == pytest.approx([0.8] * 6)
    del lines["b"]
    with pytest.raises(ValueError, match="fairness needs two entries"):
        series.fairness(run, ())


def test_fairness_of_a_run(results: Path) -> None:
    folder = next((results / "runs").iterdir())
    run = artefacts.load(folder)
    line = series.lines(run, folder / "artefacts", "jain", ())[""]
    assert line.times[0] >= 5 and line.times[-1] <= 15
    assert ((line.values >= 0.5) & (line.values <= 1)).all()


def test_goodput_of_things_with_two_times() -> None:
    """1 MB from 0 to 1 s and 1 MB from 0.5 to 1 s: 8 Mbit/s, then 24."""
    line = series.spread([0.0, 0.5], [1.0, 1.0], [1e6, 1e6], 0.5)
    assert line.times.tolist() == [0.25, 0.75]
    assert line.values.tolist() == pytest.approx([8.0, 24.0])
    line = series.spread([2.0], [2.0], [1e6], 0.1)
    assert line.values.tolist() == pytest.approx([80.0])


@pytest.mark.parametrize(("named", "room"), [(True, 0.12), (False, 0.04)])
def test_no_line_crosses_the_names_of_phases(named: bool, room: float) -> None:
    figure = Figure()
    axes = list(figure.subplots(1, 2, sharey=True))
    values = np.array([1.0, 100.0, 50.0])
    panel = drawing_panel(values)
    for axis in axes:
        axis.plot(values)
    over_time_drawing._from_zero(axes, [panel, panel], named)
    low, high = axes[0].get_ylim()
    assert low == 0 and 1 - 100 / high >= room
    assert named or 1 - 100 / high < 0.1


def drawing_panel(values: np.ndarray) -> Panel:
    line = series.Line(np.arange(len(values), dtype=float), values)
    made = SimpleNamespace(quantity="goodput", theory=(), lines={"a": line})
    return cast(Panel, made)


def test_means_over_even_stretches() -> None:
    line = series.Line(np.arange(0, 4, 0.5), np.arange(8.0))
    averaged = series.average(line, 2.0)
    assert averaged.times.tolist() == [1, 3]
    assert averaged.values.tolist() == [1.5, 5.5]
    assert series.average(line, None) is line


@pytest.mark.slow
def test_figures_of_a_page(results: Path, command: Command, tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        page = tmp_path / name
        done = command("report", results, "--format", "md", "--out", page)
        assert done.status == 0, done.err
        made.append({each.name: each.read_bytes() for each in page.iterdir()})
    assert made[0] == made[1]
    text = made[0]["README.md"].decode()
    assert "over-time-cwnd-srtt-multi-point-1.png" in made[0]
    assert "over-time-goodput-lia.svg" in made[0]
    assert "The figure shows point 1, repetition 0 (link1 capacity [Mbit/s] 20)" in text
    assert (
        "The values are means over 5 s. The shaded phases are alone from 0 to 5 s,"
        " together from 5 to 15 s" in text
    )
    missing = "lia, olia, max, point 0, repetition 0: no subflow has alpha"
    assert f"Not drawn: {missing}" in text
    assert " No panel shows alpha: no subflow has alpha." in text


def test_what_is_usual_shows_users_over_time(tmp_path: Path, command: Command) -> None:
    (tmp_path / "f.yaml").write_text(EXPERIMENT)
    out = tmp_path / "out"
    done = command("run", tmp_path / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    assert command("report", out, "--format", "md").status == 0
    assert (out / "report/over-time-goodput.png").stat().st_size > 10_000
    assert (out / "report/over-time-cwnd.png").stat().st_size > 10_000


def test_intervals_begin_when_the_test_does() -> None:
    """Half of what iperf3's client takes beyond the time asked goes before."""

    def began(
        tool: str,
        duration_s: float | None,
        end_s: float | None,
        connected_s: tuple[float | None, ...] = (),
    ) -> float:
        entry = SimpleNamespace(
            tool=tool, duration_s=duration_s, start_s=4.9, flows=None, forward=False
        )
        process = Process("traffic-0-client", 0, 5.0, end_s)
        run = SimpleNamespace(
            traffic=(entry,),
            outcome=SimpleNamespace(processes=(process,)),
            reports=(None,),
            connected_s=connected_s,
        )
        return clock.began_s(cast(artefacts.Artefacts, run), 0)

    assert began("iperf3", 40.0, 45.6) == pytest.approx(5.3)
    assert began("iperf3", 40.0, 44.0) == 5.0
    assert began("iperf3", None, 45.6) == began("iperf3", 40.0, None) == 5.0
    assert began("cbr", 40.0, 45.6) == 5.0
    assert began("iperf3", 40.0, 45.6, (5.2,)) == 5.2
    assert began("iperf3", 40.0, 45.6, (None,)) == pytest.approx(5.3)


def test_state_of_controllers_in_a_trace() -> None:
    head = [*trace.COLUMNS, "controller", "alpha_2^-16", "beta_2^-16"]
    row = "0.1,a,1,10.0.0.1:5,10.0.0.2:6,ff,0,0,10,20,20000,0,1448"
    text = f"{','.join(head)}\n{row},olia,-32768,16384\n{row},,,\n"
    frame = trace.parse(text, "trace.csv")
    assert frame["alpha"].iloc[0] == -0.5 and frame["beta"].iloc[0] == 0.25
    assert frame["alpha"].isna().tolist() == [False, True]
    plain = trace.parse(f"{','.join(trace.COLUMNS)}\n{row}\n", "trace.csv")
    assert plain["alpha"].isna().all()


def test_monitor_intervals_in_a_trace() -> None:
    """Before the first interval, and without intervals, the values are missing."""
    state = ("rate_kbps", "state", "interval", "interval_kbps")
    results = ("utility_2^-20", "loss_2^-20", "slope_2^-20")
    head = ",".join((*trace.COLUMNS, *state, *results))
    row = "0.1,a,1,10.0.0.1:5,10.0.0.2:6,ff,0,0,10,20,20000,0,1448"
    rows = f"{row},4000,1,0,0,0,0,0\n{row},8500,2,7,8000,-2097152,10486,-524288\n"
    frame = trace.parse(f"{head}\n{rows}{row},,,,,,,\n", "trace.csv")
    assert frame["rate_mbps"].to_list()[:2] == [4, 8.5]
    assert frame["phase"].to_list()[:2] == [1, 2]
    for name, value in (
        ("interval_mbps", 8),
        ("utility", -2),
        ("interval_loss_percent", 1.00002),
        ("rtt_slope", -0.5),
    ):
        assert frame[name].isna().tolist() == [True, False, True]
        assert frame[name].iloc[1] == pytest.approx(value, rel=1e-5)


def test_the_number_of_a_scheduler_in_a_trace() -> None:
    row = "0.1,a,1,10.0.0.1:5,10.0.0.2:6,ff,0,0,10,20,20000,0,1448"
    head = ",".join((*trace.COLUMNS, "scheduler_number"))
    frame = trace.parse(f"{head}\n{row},-7\n{row},\n", "trace.csv")
    assert frame["scheduler_number"].iloc[0] == -7
    assert frame["scheduler_number"].isna().tolist() == [False, True]
    plain = trace.parse(f"{','.join(trace.COLUMNS)}\n{row}\n", "trace.csv")
    assert plain["scheduler_number"].isna().all()


CHANGING = """\
name: handover
topology: two_path
changes:
  path1: {at: {4 s: {capacity: 0}, 6 s: {capacity: 20 Mbit/s}}}
  path2: {at: {8 s: {up: false}}}
cases:
  lia: {protocol: mptcp, congestion_control: lia}
  tcp1: {protocol: tcp, congestion_control: reno, path: 1}
traffic: [{tool: iperf3, from: client, to: server, duration: 10 s}]
trace: 100 ms
metrics: [goodput, utilisation]
figures: [{kind: over_time, quantities: [goodput, throughput, cwnd]}]
"""


def test_capacities_and_outages_beside_the_lines(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "f.yaml").write_text(CHANGING)
    out = tmp_path / "out"
    done = command("run", tmp_path / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0 and "2 ok" in done.out, done.out
    found = {}
    for folder in (out / "runs").iterdir():
        run = artefacts.load(folder)
        found[run.job.transport.protocol] = run
    mptcp, tcp = found["mptcp"], found["tcp"]
    assert capacity_lines.steps(mptcp, "goodput", (), 10.0) == {
        "client to server": [(0, 20), (4, 10), (6, 30), (8, 20)]
    }
    assert capacity_lines.steps(mptcp, "throughput", (), 10.0) == {
        "path 1": [(0, 10), (4, 0), (6, 20)],
        "path 2": [(0, 10), (8, 0)],
    }
    assert capacity_lines.steps(tcp, "rate", (), 10.0) == {
        "client": [(0, 10), (4, 0), (6, 20)]
    }
    assert capacity_lines.steps(mptcp, "cwnd", (), 10.0) == {}
    spans = [(o.link, o.begin_s, o.end_s) for o in capacity_lines.outages(mptcp, 10.0)]
    assert spans == [("path 1", 4, 6), ("path 2", 8, 10)]
    assert len(capacity_lines.outages(tcp, 10.0)) == 1
    done = command("report", out, "--format", "md", "--out", tmp_path / "page")
    page = (tmp_path / "page" / "README.md").read_text()
    assert "outages: path 1 from 4 to 6 s, path 2 from 8 to" in page
    (picture,) = (tmp_path / "page").glob("over-time-*.svg")
    assert "capacity" in picture.read_text() and "#f9ddd0" in picture.read_text()


SHARED = """\
name: shared
topology: two_links
changes: {link1: {at: {0 s: {capacity: 20 Mbit/s}, 5 s: {capacity: 0}}}}
parameters: {link2.capacity: 10 Mbit/s}
cases: {lia: {protocol: mptcp, congestion_control: lia}}
traffic:
  - {tool: iperf3, from: multi, to: server_multi, duration: 10 s}
  - {tool: iperf3, from: single2, to: server_single2, duration: 10 s,
     transport: {protocol: tcp, congestion_control: reno}}
metrics: [goodput]
"""


def test_fair_shares_follow_the_capacities(tmp_path: Path, command: Command) -> None:
    (tmp_path / "f.yaml").write_text(SHARED)
    out = tmp_path / "out"
    done = command("run", tmp_path / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    (folder,) = (out / "runs").iterdir()
    run = artefacts.load(folder)
    columns = fair_shares.columns(run)
    # Multi has link 1, 20 Mbit/s, and single2 link 2; then both share link 2.
    share = 1448 / 1514
    assert columns["multi.fair_mbps"] == pytest.approx(share * (20 + 5) / 2)
    assert columns["single2.fair_mbps"] == pytest.approx(share * (10 + 5) / 2)
    goodput = series.lines(run, folder / "artefacts", "goodput", ("single2",))
    values = goodput["single2"].values
    fair = np.array([share * (10 if n < 5 else 5) for n in range(10)])
    expected = np.abs(values - fair).mean()
    assert columns["single2.distance_mbps"] == pytest.approx(expected)
    still = SHARED.replace("changes:", "# changes:")
    (tmp_path / "g.yaml").write_text(still.replace("name: shared", "name: still"))
    command("run", tmp_path / "g.yaml", "--backend", "fake", "--out", tmp_path / "g")
    (folder,) = (tmp_path / "g" / "runs").iterdir()
    assert fair_shares.columns(artefacts.load(folder)) == {}


def test_a_path_of_its_own_has_its_capacity_beside_shared_ones(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "f.yaml").write_text(SHARED)
    out = tmp_path / "out"
    done = command("run", tmp_path / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    (folder,) = (out / "runs").iterdir()
    run = artefacts.load(folder)
    assert capacity_lines.steps(run, "throughput", ("multi",), 10.0) == {
        "path 1": [(0, 20), (5, 0)]
    }
    assert capacity_lines.steps(run, "goodput", (), 10.0) == {}


def test_a_path_has_one_colour_in_all_cases() -> None:
    """TCP on a path is as MPTCP's first subflow on it; one that joins later is not."""
    numbers = over_time_drawing._numbers(["wifi (1)", "lte", "wifi (2)", "wifi", "lte"])
    assert numbers == {"wifi (1)": 0, "lte": 1, "wifi (2)": 2, "wifi": 0}


def test_lines_differ_without_their_colours() -> None:
    """In print without colours, each line of a panel has its own mark or dashes."""
    looks = [palette.time_line(number, 12, 100) for number in range(12)]
    assert len({(look["marker"], str(look["ls"])) for look in looks}) == 12
    places = {look["markevery"] for look in looks}
    assert len(places) == 12 and all(step == 20 for _, step in places)
    assert "marker" not in palette.time_line(0, 1, 100)


@pytest.mark.parametrize(("number", "count"), [(0, 1), (0, 2), (1, 2), (11, 12)])
def test_a_line_of_one_value_is_seen(number: int, count: int) -> None:
    """It has no length, so only its mark shows it."""
    assert palette.time_line(number, count, 1)["markevery"] == (0, 1)


def test_marked_lines_have_their_marks_in_the_legend() -> None:
    line = Line(np.arange(50.0), np.arange(50.0))
    lines = {"wifi": line, "lte": line}
    panel = Panel("a", "goodput", "goodput", lines, {}, "capacity", (), ())
    data = OverTimeData(panels=[panel], phases={}, span=(0, 50), models=())
    (figure,) = over_time_drawing.draw(data, Look())
    (legend,) = figure.legends
    assert [str(each.get_marker()) for each in legend.get_lines()] == ["o", "s"]
