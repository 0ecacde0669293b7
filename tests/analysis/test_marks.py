"""Events that figures over time and the dashboard mark."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from analysis.dashboard.details import detail
from analysis.figures import style
from analysis.figures.kinds.over_time import mark_drawing
from analysis.figures.kinds.over_time.data import OverTimeData, Panel, _marked
from analysis.figures.kinds.over_time.drawing import draw
from analysis.run.explain.facts import load
from analysis.run.mark_kinds import KINDS
from analysis.run.marks import Mark, chosen, marks
from analysis.run.series import Line
from tests.calls import Command

CAPTURED = Path(__file__).parent / "captured/events"


def found(run: Path) -> list[tuple[float, str, str]]:
    return [(round(m.time_s, 1), m.kind, m.what) for m in marks(load(run))]


def test_a_path_that_was_dark_for_a_while() -> None:
    assert found(CAPTURED / "dark-mptcp-cubic") == [
        (4.3, "stale", "path 1"),
        (8.4, "recovered", "path 1"),
    ]


def test_subflows_that_end_before_their_connection() -> None:
    """Two connections: their ends on one path are more than 1 s apart."""
    assert [kind for _, kind, _ in found(CAPTURED / "alldark-ended")] == ["closed"] * 4


@pytest.mark.parametrize("name", ["well-mptcp-cubic", "well-tcp-cubic", "backup"])
def test_a_run_that_is_well_has_no_marks(name: str) -> None:
    assert found(CAPTURED / name) == []


@pytest.mark.parametrize(
    ("event", "value", "kind"),
    [
        ("sub_priority", "backup=1", "backup"),
        ("DssFallback", "1", "fallback"),
        ("SubflowStale", "1", "stale"),
        ("sub_closed", "error=104", "closed"),
        ("sub_established", "", "join"),
    ],
)
def test_an_event_in_the_middle_is_marked_once(
    event: str, value: str, kind: str, tmp_path: Path
) -> None:
    """Both ends note it, or two connections do."""
    run = Path(shutil.copytree(CAPTURED / "well-mptcp-cubic", tmp_path / "run"))
    path = run / "artefacts/events.csv"
    head, *lines = path.read_text().splitlines(keepends=True)
    first = next(n for n, one in enumerate(lines) if ",sub_established," in one)
    _, host, *which, _, _ = lines[first].split(",")
    added = [",".join([t, host, *which, event, value]) + "\n" for t in ("3.0", "3.4")]
    late = next(n for n, one in enumerate(lines) if float(one.split(",")[0]) > 3.4)
    path.write_text("".join([head, *lines[:late], *added, *lines[late:]]))
    ((time_s, name, _),) = found(run)
    assert (time_s, name) == (3.0, kind)


MARKS = (Mark(1.0, "stale", "path 1"), Mark(2.0, "closed", "path 2"))


def test_some_kinds_are_chosen() -> None:
    assert chosen(MARKS, None) == MARKS
    assert chosen(MARKS, ["closed"]) == MARKS[1:]
    assert chosen(MARKS, []) == ()


def panel(case: str) -> Panel:
    lines = {"a": Line(np.array([0.0, 4.0]), np.array([1.0, 2.0]))}
    return Panel(case, "goodput", "goodput", lines, {}, "capacity", (), (), MARKS)


@pytest.mark.parametrize("cases", [1, 12])
def test_each_kind_has_one_entry_of_the_legend(cases: int) -> None:
    panels = [panel(f"c{number}") for number in range(cases)]
    data = OverTimeData(panels=panels, phases={}, span=(0, 4), models=[], note="")
    figures = draw(data, style.Look())
    assert len(figures) == (1 if cases == 1 else 2)
    for figure in figures:
        (legend,) = figure.legends
        named = [text.get_text() for text in legend.get_texts()]
        assert named == ["a", "stale", "closed"]
        shown = [axis for axis in figure.axes if axis.get_visible()]
        assert len(shown) == cases / len(figures)
        assert all(len(axis.collections) == 2 for axis in shown)


def test_marks_outside_the_time_shown_are_left_out() -> None:
    figure = Figure()
    axis = figure.subplots()
    mark_drawing.draw(axis, MARKS, (1.5, 4.0))
    assert [line.get_label() for line in axis.lines] == ["closed"]
    assert mark_drawing.LOOKS.keys() == KINDS.keys()


def test_the_note_names_the_first_marks() -> None:
    assert _marked([panel("a")], (0, 4)) == (
        " The marks are events: stale at 1.0 s (path 1), closed at 2.0 s (path 2)."
    )
    many = _marked([panel(f"c{n}") for n in range(12)], (0, 4))
    assert "stale at 1.0 s (path 1, c0)" in many and many.endswith(", 18 more.")
    assert _marked([panel("a")], (3, 4)) == ""


def test_the_dashboard_has_them() -> None:
    shown = detail(CAPTURED / "dark-mptcp-cubic", "ok")["marks"]
    assert [(m["kind"], m["what"]) for m in shown] == [
        ("stale", "path 1"),
        ("recovered", "path 1"),
    ]
    assert "marks" not in detail(CAPTURED / "well-mptcp-cubic", "ok")


def test_an_unknown_event_is_refused(tmp_path: Path, command: Command) -> None:
    (tmp_path / "f.yaml").write_text(
        "name: f\ntopology: two_path\n"
        "cases: {a: {protocol: mptcp, congestion_control: cubic}}\n"
        "traffic: [{tool: iperf3, from: client, to: server, duration: 2 s}]\n"
        "figures: [{kind: over_time, quantities: [goodput], events: [stail]}]\n"
    )
    done = command("plan", tmp_path / "f.yaml", "--backend", "fake")
    assert done.status == 2
    assert "figures[0].events[0]: unknown event 'stail'; did you mean 'stale'" in (
        done.err
    )


def test_marks_within_a_second_of_the_first_belong_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = [Mark(time_s, "stale", "path 1") for time_s in (1.0, 2.0, 2.5)]
    monkeypatch.setattr("analysis.run.marks._all", lambda facts: every)
    assert [one.time_s for one in marks(load(CAPTURED / "backup"))] == [1.0, 2.5]
