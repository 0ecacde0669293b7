"""Figures of kind line and scatter, and boxes of a single value."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import stats

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.figures import palette, style
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.intervals import mean_interval
from analysis.figures.kinds.line import data as line_data
from analysis.figures.kinds.line import drawing as line_drawing
from analysis.figures.kinds.scatter.drawing import _moved
from analysis.figures.style import counted_ids
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from tests.analysis import campaign, requests

from .test_figure_kinds import many

LINE: dict[str, Any] = {"kind": "line", "metric": "goodput", "by": "traffic.size"}
SCATTER: dict[str, Any] = {
    "kind": "scatter",
    "metric": "goodput",
    "criterion": {"factor": "capacity"},
}


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The pictures that are drawn, instead of their files."""
    drawn: list[Figure] = []
    monkeypatch.setattr(style, "save", lambda picture, _: drawn.append(picture))
    return drawn


def draw(request: dict[str, Any], loaded: Campaign, folder: Path) -> DrawnFigure:
    return requests.draw(request, loaded, style.Target(folder, "f"))


def bars_of(picture: Figure) -> list[Any]:
    """The marks with intervals of a picture, one container per case."""
    (axis,) = picture.axes
    return list(axis.containers)


def by_repetition(values: dict[float, list[float]]) -> Campaign:
    """One case whose goodputs at each size are given, one per repetition."""
    (row, *_) = [r for r in campaign.rows(1) if r["case"] == "mptcp"]
    rows = [
        {
            **row,
            "id": f"{number}-{repetition}",
            "point": number,
            "repetition": repetition,
            "traffic.size_bytes": size,
            "goodput_mbps": goodput,
        }
        for number, (size, goodputs) in enumerate(values.items())
        for repetition, goodput in enumerate(goodputs)
    ]
    return Campaign("x", table.build(rows), ("traffic.size_bytes",))


def test_marks_of_one_value_stand_beside_each_other() -> None:
    """Bars of twelve cases at one place cannot be told apart."""
    x, same = np.array([0.0, 0.5, 1.0]), np.zeros(3)
    curves = [line_data.Curve(x, same, same, same) for _ in range(4)]
    places = line_drawing._apart(curves, log=False)
    assert np.mean(places, axis=0) == pytest.approx(x)
    assert np.diff(np.ravel(np.column_stack(places))).min() > 0, "in the cases' order"
    assert np.ptp(np.array(places)[:, 0]) < 0.25, "nearer to its own value"
    by_factors = [line_data.Curve(10 ** (x + 1), same, same, same) for _ in range(4)]
    logs = np.log10(line_drawing._apart(by_factors, log=True)) - 1
    assert logs == pytest.approx(np.array(places))
    alone = line_drawing._apart(curves[:1], log=False)
    assert alone[0].tolist() == x.tolist()


@pytest.mark.parametrize("count", [2, 3, 10, 100])
def test_the_interval_is_students(count: int) -> None:
    values = np.random.default_rng(count).normal(3, 2, count)
    mean, half = mean_interval(values)
    low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (mean - half, mean + half) == pytest.approx((low, high), rel=1e-12)


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    draws = np.random.default_rng(1).normal(5, 1, (4000, 4))
    covered = [abs(mean - 5) <= half for mean, half in map(mean_interval, draws)]
    # Four standard errors of a share of 0.95 among 4000.
    assert np.mean(covered) == pytest.approx(0.95, abs=4 * (0.95 * 0.05 / 4000) ** 0.5)


def test_a_single_value_has_no_interval() -> None:
    mean, half = mean_interval(np.array([2.0]))
    assert mean == 2.0 and np.isnan(half)


def test_a_line_has_means_and_intervals(tmp_path: Path, pictures: list[Figure]) -> None:
    loaded = by_repetition({8e3: [1.0, 2.0, 3.0], 64e3: [4.0, 4.0, 4.0], 5e5: [9.0]})
    drawn = draw(LINE, loaded, tmp_path)
    (container,) = bars_of(pictures[0])
    line = container.lines[0]
    assert list(line.get_xdata()) == [8e3, 64e3, 5e5]
    assert list(line.get_ydata()) == [2.0, 4.0, 9.0]
    (bars,) = container.lines[2]
    drawn_bars = [one for one in bars.get_segments() if len(one)]
    heights = [segment[1][1] - segment[0][1] for segment in drawn_bars]
    half = float(stats.t.ppf(0.975, 2)) / 3**0.5
    assert heights == pytest.approx([2 * half]), "a mark with n = 1 has no bar"
    assert list(drawn.summary["n"]) == [3, 1, 1], "identical repetitions are one"


@pytest.mark.parametrize("cases", [1, 2, 12])
@pytest.mark.parametrize("request_", [LINE, SCATTER], ids=["line", "scatter"])
def test_every_case_is_drawn_and_named(
    cases: int, request_: dict[str, Any], tmp_path: Path, pictures: list[Figure]
) -> None:
    draw(request_, many(cases), tmp_path)
    (axis,) = pictures[0].axes
    assert len(bars_of(pictures[0])) == cases
    names = [f"case-{number + 1}" for number in range(cases)]
    legend = axis.get_legend()
    shown = [text.get_text() for text in legend.get_texts()] if legend else names
    assert shown == names
    looks = {
        (line.get_color(), str(line.get_linestyle()), line.get_marker())
        for line in (container.lines[0] for container in bars_of(pictures[0]))
    }
    assert len(looks) == cases
    pictures[0].draw_without_rendering()
    assert axis.get_window_extent().height > 60


def test_a_scatter_has_a_mark_for_each_network(
    tmp_path: Path, pictures: list[Figure]
) -> None:
    loaded = many(2, points=6)
    draw(SCATTER, loaded, tmp_path)
    for container in bars_of(pictures[0]):
        assert np.size(container.lines[0].get_xdata()) == 6


@pytest.mark.parametrize("log", ["x", "y", "both"])
def test_axes_can_be_logarithmic(
    log: str, tmp_path: Path, pictures: list[Figure]
) -> None:
    loaded = by_repetition({1.0: [1.0, 2.0], 10.0: [10.0], 1000.0: [90.0]})
    draw({**LINE, "log": log}, loaded, tmp_path)
    axis = pictures[0].axes[0]
    wanted = ["log" if log in (name, "both") else "linear" for name in ("x", "y")]
    assert [axis.get_xscale(), axis.get_yscale()] == wanted
    pictures[0].draw_without_rendering()


def test_nothing_below_zero_goes_on_a_logarithmic_axis(
    tmp_path: Path, pictures: list[Figure]
) -> None:
    loaded = by_repetition({1.0: [0.0], 10.0: [10.0]})
    with pytest.raises(UndrawableError, match="logarithmic y axis; leave log out"):
        draw({**LINE, "log": "y"}, loaded, tmp_path)


PANELS = {**LINE, "by": "path1.loss", "panels": "traffic.size"}


def means(axis: Axes) -> Line2D:
    """The first case's line of means, which has bars of error."""
    (container, *_) = axis.containers
    assert isinstance(container, ErrorbarContainer)
    line = container.lines[0]
    assert isinstance(line, Line2D)
    return line


@pytest.mark.parametrize("cases", [1, 12])
def test_a_second_factor_has_panels(
    cases: int, tmp_path: Path, pictures: list[Figure]
) -> None:
    frame = many(cases, points=12).runs
    frame["path1.loss_percent"] = frame["point"] // 3 % 2
    drawn = draw(PANELS, Campaign("x", frame), tmp_path)
    (picture,) = pictures
    titles = [axis.get_title() for axis in picture.axes]
    assert titles == [f"traffic size {size}" for size in ("8 kB", "128 kB", "2.05 MB")]
    for axis in picture.axes:
        assert len(axis.containers) == cases
        assert np.round(np.asarray(means(axis).get_xdata())).tolist() == [0, 1]
    assert len(picture.legends) == (cases > 1)
    # Each panel has its own mean, and not one over all panels.
    of_panel = frame[
        (frame["traffic.size_bytes"] == 8000) & (frame["case"] == "case-1")
    ]
    wanted = of_panel.groupby("path1.loss_percent")["goodput_mbps"].mean()
    marks = np.asarray(means(picture.axes[0]).get_ydata())
    assert marks.tolist() == pytest.approx(list(wanted))
    assert set(drawn.summary["batch"]) == {"8 kB", "128 kB", "2.05 MB"}
    picture.draw_without_rendering()
    assert all(axis.get_window_extent().height > 60 for axis in picture.axes)


def test_too_many_panels_are_told(tmp_path: Path, pictures: list[Figure]) -> None:
    frame = many(1, points=17).runs
    frame["traffic.size_bytes"] = frame["point"]
    frame["path1.loss_percent"] = 1.0
    with pytest.raises(UndrawableError, match="17 values, more than the 16 panels"):
        draw(PANELS, Campaign("x", frame), tmp_path)


def test_title_and_labels_are_the_users(tmp_path: Path, pictures: list[Figure]) -> None:
    words = {"title": "Ours <b>", "labels": {"x": "size $ [B]", "y": r"$\frac"}}
    drawn = draw({**LINE, **words}, many(1), tmp_path)
    assert drawn.title == "Ours <b>"
    pictures[0].draw_without_rendering()
    assert pictures[0].axes[0].get_xlabel() == r"size \$ [B]"


def test_words_are_no_axis(tmp_path: Path, pictures: list[Figure]) -> None:
    frame = many(1).runs.assign(**{"traffic.size_bytes": "small"})
    with pytest.raises(UndrawableError, match="kind groups shows words"):
        draw(LINE, Campaign("x", frame), tmp_path)


def test_a_single_value_is_a_mark_in_the_colour_of_its_case(
    tmp_path: Path, pictures: list[Figure]
) -> None:
    loaded = by_repetition({8e3: [1.0], 64e3: [2.0]})
    draw({**LINE, "kind": "groups"}, loaded, tmp_path)
    marks = [line for line in pictures[0].axes[0].lines if line.get_marker() == "o"]
    assert [np.asarray(line.get_ydata()).tolist() for line in marks] == [[1.0, 2.0]]
    assert marks[0].get_color() == palette.colour(0)


FILE = """\
name: x
topology: two_path
design:
  method: grid
  factors:
    path1.loss: [0 %, 1 %]
    path2.loss: [0 %, 1 %]
cases:
  a: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 1 s}
figures:
  - FIGURE
"""


def load(figure: str) -> Any:
    return loads(FILE.replace("FIGURE", figure), "x.yaml")


def test_an_experiment_file_can_ask_for_them() -> None:
    spec = load(
        "{kind: line, metric: goodput, by: path1.loss, log: y, title: Loss, "
        "labels: {x: loss}, panels: path2.loss}"
    )
    (figure,) = spec.figures
    assert figure.panels == "path2.loss"
    assert (figure.log, figure.title, figure.labels.x) == ("y", "Loss", "loss")
    assert load("{kind: scatter, metric: goodput, by: path1.loss}").figures


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ("{kind: scatter, metric: goodput}", "either a factor"),
        ("{kind: line, metric: goodput}", "needs it"),
        ("{kind: line, metric: goodput, by: path1.loss, log: z}", "both"),
        ("{kind: box, metric: goodput, criterion: {factor: loss}, log: x}", "has none"),
        ("{kind: line, metric: goodput, by: path1.loss, labels: {z: a}}", "labels"),
        (
            "{kind: line, metric: goodput, by: path1.loss, panels: path1.loss}",
            r"\(by\)",
        ),
        ("{kind: line, metric: goodput, by: path1.loss, panels: path1.delay}", "same"),
        (
            "{kind: cases, metric: goodput, panels: path2.loss}",
            "none",
        ),
    ],
)
def test_mistakes_are_told_with_their_line(figure: str, message: str) -> None:
    with pytest.raises(UserError, match=rf"x\.yaml:1[0-9].*{message}"):
        load(figure)


def test_intervals_of_two_values_do_not_flatten_the_axis(
    tmp_path: Path, pictures: list[Figure]
) -> None:
    """t of one degree of freedom is 12.7: 8 and 10 have an interval of 18 Mbit/s."""
    sizes = {1e6: [8.0, 10.0], 2e6: [12.0, 12.1], 4e6: [11.0, 11.0]}
    drawn = draw(LINE, by_repetition(sizes), tmp_path)
    (axis,) = pictures[-1].axes
    low, high = axis.get_ylim()
    # The means are 9, 12.05 and 11: as much again as their span, on either side.
    assert (low, high) == pytest.approx((9 - 3.05, 12.05 + 3.05))
    assert "1 of 2 intervals reaches beyond the figure" in drawn.note


def test_intervals_of_more_values_are_shown(
    tmp_path: Path, pictures: list[Figure]
) -> None:
    sizes = {1e6: [8.0, 10.0, 1.0, 17.0], 2e6: [9.1, 9.1, 9.2, 9.2]}
    drawn = draw(LINE, by_repetition(sizes), tmp_path)
    (axis,) = pictures[-1].axes
    mean, half = mean_interval(np.array(sizes[1e6]))
    assert axis.get_ylim()[1] > mean + half
    assert "beyond the figure" not in drawn.note


@pytest.mark.parametrize(
    ("halves", "counts", "ends"),
    [
        ([4.0, 0.0], [3, 4], (1.0, 7.0)),  # the means span 2, and all 7: less than 1/3
        ([4.0, 0.0], [4, 4], None),
        ([2.0, 0.0], [3, 4], None),  # 2 of 4 are more than a third
        ([np.nan, np.nan], [1, 1], None),
    ],
)
def test_the_ends_of_an_axis(
    halves: list[float], counts: list[int], ends: tuple[float, float] | None
) -> None:
    x = np.array([1.0, 2.0])
    curve = line_data.Curve(x, np.array([3.0, 5.0]), np.array(halves), np.array(counts))
    assert line_data.shown_ends([curve]) == ends


@pytest.mark.parametrize("log", [False, True])
def test_cases_at_few_places_stand_side_by_side(log: bool) -> None:
    data: Any = SimpleNamespace(
        beside=True,
        log="x" if log else None,
        at={(0, "a"): 10.0, (1, "a"): 100.0, (2, "b"): 1000.0},
        numbers={"a": 0, "b": 1},
        panels=[SimpleNamespace(cases={"a": None, "b": None})],
    )
    found = _moved(data)
    # 0.6 of the least distance, 90 or a factor of 10, is for two cases.
    by = 10**0.15 if log else 0.15 * 90
    wanted = (10 / by, 10 * by) if log else (10 - by, 10 + by)
    assert (found["a"](10), found["b"](10)) == pytest.approx(wanted)


def test_clips_and_marks_of_a_picture_are_numbered() -> None:
    svg = '<clipPath id="p567e785c8f"/><g clip-path="url(#p567e785c8f)"/>'
    other = svg.replace("p567e785c8f", "p0123456789")
    assert counted_ids(svg) == '<clipPath id="p1"/><g clip-path="url(#p1)"/>'
    assert counted_ids(other) == counted_ids(svg)
