"""CDFs, groups of boxes and tables: what they show, and what they refuse."""

import re
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import Criterion
from analysis.figures import defaults, palette, style, titles
from analysis.figures.data import criterion_label
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.kinds.cdf import data as cdf_data
from analysis.figures.kinds.cdf import drawing as cdf_drawing
from analysis.figures.kinds.cdf.data import CdfData
from analysis.figures.kinds.goodput import data as goodput_data
from analysis.figures.kinds.goodput import drawing as goodput_drawing
from analysis.figures.kinds.goodput.request import Goodput
from analysis.figures.kinds.groups import drawing as groups_drawing
from analysis.figures.kinds.groups.data import GroupsData
from analysis.figures.kinds.groups.request import Groups
from analysis.figures.kinds.heat_map import data as heat_map_data
from analysis.figures.kinds.heat_map import drawing as heat_map_drawing
from analysis.figures.kinds.heat_map.request import HeatMap
from analysis.figures.kinds.histogram import data as histogram_data
from analysis.figures.kinds.histogram import drawing as histogram_drawing
from analysis.figures.kinds.histogram.request import Histogram
from analysis.figures.kinds.scatter.request import Scatter
from analysis.figures.titles import file_name
from analysis.report import campaign_page, figures_section
from analysis.report.campaign_page import Contents
from tests.analysis import campaign, requests
from tests.analysis.requests import asked

pytestmark = pytest.mark.slow

FACTORS = campaign.FACTORS
ROOT = Path(__file__).parents[2]
CDF: dict[str, Any] = {"kind": "cdf", "metric": "traffic_split"}
SIGNED = {"criterion": {"factor": "capacity", "difference": "signed"}}


def runs(points: int = 30, sizes: int = 3) -> pd.DataFrame:
    rows = campaign.rows(points)
    for row in rows:
        row["traffic.size_bytes"] = 8000 * 16 ** (row["point"] % sizes)
    return table.build(rows)


def draw(
    figure: dict[str, Any], frame: pd.DataFrame, folder: Path, **look: Any
) -> DrawnFigure:
    target = style.Target(folder, file_name(asked(**figure)), style.Look(**look))
    return requests.draw(figure, Campaign("x", frame, FACTORS), target)


def paper(
    frame: pd.DataFrame, folder: Path, look: style.Look, *figures: dict[str, Any]
) -> campaign_page.Written:
    """The figures of a campaign without a page."""
    wanted = tuple(asked(**figure) for figure in figures)
    contents = Contents(figures=wanted, look=look)
    return campaign_page.write(Campaign("x", frame, FACTORS), contents, folder, False)


def test_a_cdf_has_a_curve_for_each_sign(tmp_path: Path) -> None:
    frame = runs()
    drawn = draw({**CDF, **SIGNED, "after": "Fig. 3.6"}, frame, tmp_path)
    assert drawn.title == (
        "Distribution of share of path 1 by the sign of the capacity difference"
        " (path 1 less path 2) (after Fig. 3.6)"
    )
    counted = drawn.summary.set_index("batch")["n"]
    mptcp = frame[frame["case"] == "mptcp"]
    difference = mptcp["path1.capacity_mbps"] - mptcp["path2.capacity_mbps"]
    assert counted["path 1's capacity higher"] == (difference > 0).sum()
    assert counted["path 1's capacity lower"] == (difference < 0).sum()
    assert (tmp_path / f"{drawn.name}.svg").stat().st_size > 1000


def test_a_cdf_without_criterion_has_a_curve_a_case(tmp_path: Path) -> None:
    drawn = draw({"kind": "cdf", "metric": "goodput"}, runs(5), tmp_path)
    assert list(drawn.summary["case"]) == ["mptcp", "tcp1", "tcp2"]
    assert list(drawn.summary["n"]) == [5, 5, 5]


def test_a_curve_rises_by_one_nth_at_each_value() -> None:
    values = pd.Series([3.0, 1.0, 2.0, 2.0])
    panels = {"": {"x": values}}
    made = CdfData(panels=panels, label="x", lines=(), numbers={"x": 0})
    [figure] = cdf_drawing.draw(made, style.Look())
    (line,) = figure.axes[0].lines
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    for at in (0.999, 1.0, 1.5, 2.0, 3.0):
        expected = float((values <= at).mean())
        assert y[np.searchsorted(x, at, side="right") - 1] == expected


def test_groups_have_a_box_for_each_value_and_case(tmp_path: Path) -> None:
    figure: dict[str, Any] = {
        "kind": "groups",
        "metric": "goodput",
        "by": "traffic.size",
    }
    drawn = draw(figure, runs(), tmp_path)
    assert list(drawn.summary["group"][::3]) == ["8 kB", "128 kB", "2.05 MB"]
    assert (drawn.group_label, len(drawn.summary)) == ("traffic size", 9)
    frame = runs()
    chosen = (frame["case"] == "tcp1") & (frame["traffic.size_bytes"] == 8000)
    row = drawn.summary.query("case == 'tcp1' and group == '8 kB'").iloc[0]
    assert row["median"] == frame.loc[chosen, "goodput_mbps"].median()


def test_groups_of_a_factor_with_many_values_are_refused(tmp_path: Path) -> None:
    figure: dict[str, Any] = {
        "kind": "groups",
        "metric": "goodput",
        "by": "path1.capacity",
    }
    with pytest.raises(UndrawableError, match=r"has 30 values.*kind box"):
        draw(figure, runs(), tmp_path)


def test_a_table_has_a_row_a_case_and_a_column_a_value(tmp_path: Path) -> None:
    frame = runs()
    frame["path1.loss_percent"] = (frame["point"] % 2).astype(float)
    figure = {"kind": "table", "metric": "goodput", "by": "path1.loss"}
    drawn = draw(figure, frame, tmp_path)
    assert drawn.head == ("case", "n", "0 %", "1 %")
    assert [cells[:2] for cells in drawn.cells] == [
        ("mptcp", "15"),
        ("tcp1", "15"),
        ("tcp2", "15"),
    ]


def test_a_table_has_a_column_a_part(tmp_path: Path) -> None:
    frame = runs(3)
    frame["early.big.goodput_mbps"] = 2.0
    frame["late.goodput_mbps"] = np.where(frame["case"] == "tcp1", np.nan, 3.0)
    drawn = draw({"kind": "table", "metric": "goodput"}, frame, tmp_path)
    assert drawn.head == ("case", "n", "goodput [Mbit/s]", "early: big", "late")
    assert drawn.cells[1][3:] == ("2.00 (2.00 to 2.00)", "-")


@pytest.mark.parametrize("kind", ["cdf", "groups", "table"])
def test_what_is_missing_is_said(kind: str, tmp_path: Path) -> None:
    by = {} if kind == "cdf" else {"by": "path1.loss"}
    with pytest.raises(UndrawableError, match="no run has the metric jain"):
        draw({"kind": kind, "metric": "jain", **by}, runs(3), tmp_path)
    if by:
        with pytest.raises(UndrawableError, match=r"parameter path1\.loss"):
            draw({"kind": kind, "metric": "goodput", **by}, runs(3), tmp_path)


def test_a_metric_of_words_is_not_drawn(tmp_path: Path) -> None:
    frame = runs(3).assign(goodput_mbps="fast")
    with pytest.raises(UndrawableError, match="not a number"):
        draw({"kind": "cdf", "metric": "goodput"}, frame, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("columns, inches", [(1, 3.5), (2, 7.16)])
def test_figures_for_a_paper(columns: int, inches: float, tmp_path: Path) -> None:
    look = style.Look("serif", columns, ("pdf", "svg"))
    written = paper(runs(10), tmp_path, look)
    assert written.page is None and not (tmp_path / "README.md").exists()
    names = {path.name for path in tmp_path.glob("*.pdf")}
    assert {"goodput.pdf", "factors.pdf", "figures.pdf"} <= names
    for path in tmp_path.glob("*.svg"):
        assert f'width="{inches * 72:g}pt"' in path.read_text()
    assert b"DejaVuSerif" in (tmp_path / "factors.pdf").read_bytes()


def page_boxes(file: Path) -> list[list[float]]:
    """The MediaBox of each page of a PDF, in points."""
    found = re.findall(rb"/MediaBox \[([^]]*)\]", file.read_bytes())
    return [[float(number) for number in box.split()] for box in found]


@pytest.mark.parametrize("columns, points", [(1, 252.0), (2, 515.52), (None, None)])
def test_a_table_for_a_paper_is_a_page(
    columns: int | None, points: float | None, tmp_path: Path
) -> None:
    figure = {"kind": "table", "metric": "goodput", "by": "path1.capacity"}
    look = style.Look(columns=columns, formats=("pdf",))
    assert paper(runs(4), tmp_path, look, figure).undrawn == ()
    (alone,) = tmp_path.glob("table-*.pdf")
    (box,) = page_boxes(alone)
    (compared,) = page_boxes(tmp_path / "cases-compared.pdf")
    assert page_boxes(tmp_path / "figures.pdf") == [compared, box]
    assert points is None or box[2] == pytest.approx(points, abs=0.01)
    assert not list(tmp_path.glob("table-*.svg"))


@pytest.mark.slow
def test_figures_for_a_paper_are_the_same_each_time(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        look = style.Look(formats=("pdf",))
        paper(runs(4), tmp_path / name, look)
        files = sorted((tmp_path / name).glob("*.pdf"))
        made.append({file.name: file.read_bytes() for file in files})
    names = ("cases-compared", "factors", "figures", "goodput")
    assert made[0] == made[1]
    assert tuple(made[0]) == tuple(f"{name}.pdf" for name in names)


def test_groups_of_a_factor_hold_batches_of_a_criterion(tmp_path: Path) -> None:
    frame = runs()
    figure: dict[str, Any] = {
        "kind": "groups",
        "metric": "goodput",
        "by": "traffic.size",
    }
    figure |= {"criterion": {"factor": "delay", "difference": "signed"}, "batches": 3}
    with pytest.raises(UndrawableError, match="several cases"):
        draw(figure, frame, tmp_path)
    drawn = draw({**figure, "case": "mptcp"}, frame, tmp_path)
    assert list(drawn.summary["group"][::3]) == ["8 kB", "128 kB", "2.05 MB"]
    assert set(drawn.summary["case"]) == {"mptcp"}
    batches = list(dict.fromkeys(drawn.summary["batch"]))
    assert len(batches) == 3 and batches[1].startswith("]-")
    assert drawn.summary["n"].sum() == 30


def test_groups_of_a_criterion_hold_cases(tmp_path: Path) -> None:
    frame = runs()
    figure = {"kind": "groups", "metric": "goodput", "batches": 4}
    figure["criterion"] = {"factor": "path1.delay", "difference": "none"}
    drawn = draw(figure, frame, tmp_path)
    assert list(dict.fromkeys(drawn.summary["case"])) == ["mptcp", "tcp1", "tcp2"]
    assert drawn.summary["n"].sum() == 90 and len(drawn.summary) == 12


def test_groups_of_words_stand_best_first(tmp_path: Path) -> None:
    figure: dict[str, Any] = {"kind": "groups", "metric": "goodput", "case": "mptcp"}
    figure["criterion"] = {"factor": "first_path_quality", "difference": "none"}
    drawn = draw(figure, runs(), tmp_path)
    assert list(drawn.summary["batch"]) == ["best", "worst"]
    assert drawn.summary["n"].sum() == 30
    assert drawn.title.endswith("against the quality of the first path, mptcp")


def test_panels_of_a_factor(tmp_path: Path) -> None:
    cdf = draw({**CDF, **SIGNED, "by": "traffic.size"}, runs(), tmp_path)
    assert len(dict.fromkeys(cdf.summary["group"])) == 3
    box = {"kind": "box", "metric": "goodput", "case": "mptcp", "by": "traffic.size"}
    drawn = draw({**box, "criterion": {"factor": "delay"}}, runs(), tmp_path)
    assert list(dict.fromkeys(drawn.summary["group"])) == ["8 kB", "128 kB", "2.05 MB"]


def test_the_model_stands_beside_what_was_sent(tmp_path: Path) -> None:
    rows = campaign.rows(5)
    for row in rows:
        row |= {"path1.loss_percent": 1.0, "path2.loss_percent": 2.0 + row["point"]}
        row |= {f"path{path}.bytes": 5e6 for path in (1, 2)} | {"measured_s": 30.0}
    frame = table.build(rows)
    drawn = draw({"kind": "model", "by": "path2.loss"}, frame, tmp_path)
    assert [cells[:2] for cells in drawn.cells] == [("path 1", "5"), ("path 2", "5")]
    errors = frame["path1.model_error_packets_per_s"].dropna().astype(float)
    expected = float(np.sqrt((errors**2).mean()))
    assert float(drawn.cells[0][2]) == pytest.approx(expected, rel=0.01)
    with pytest.raises(UndrawableError, match="random loss"):
        draw({"kind": "model", "by": "path2.delay"}, runs(3), tmp_path)


def test_a_case_without_values_has_no_box(tmp_path: Path) -> None:
    """As in a campaign under way, of whose last case nothing is there yet."""
    some, none = pd.Series([1.0, 2.0, 4.0]), pd.Series(dtype=float)
    cases = {
        "lia": {"8 kB": some, "2 MB": some},
        "olia": {"8 kB": none, "2 MB": none},
        "balia": {"8 kB": none, "2 MB": some},
    }
    look = style.Look(formats=("svg",))
    target = style.Target(tmp_path, "sizes", look)
    made = GroupsData(
        boxes=cases,
        labels=("size", "E_AB"),
        lines=(0.0,),
        legend_title="",
        numbers={"lia": 0, "olia": 1, "balia": 2},
    )
    style.save(groups_drawing.draw(made, look), target)
    text = (tmp_path / "sizes.svg").read_text()
    assert "<!-- lia -->" in text and "<!-- balia -->" in text
    assert "<!-- olia -->" not in text


def test_the_table_below_a_figure_names_its_columns(tmp_path: Path) -> None:
    """Sizes stand under the size, batches under `batch`, and cases under `case`."""
    by_size = {"kind": "groups", "metric": "goodput", "by": "traffic.size"}
    batches = {"criterion": {"factor": "delay"}, "batches": 3, "case": "mptcp"}
    for figure, head in (
        (by_size, "| traffic size | case | n |"),
        ({**by_size, **batches}, "| traffic size | batch | n |"),
        ({**CDF, **SIGNED}, "| difference | n |"),
    ):
        request = asked(**figure)
        campaign_ = Campaign("x", runs(), FACTORS)
        target = style.Target(tmp_path, "", style.Look())
        outcome = figures_section.draw(request, campaign_, target, "f")
        table_lines = [n for n in figures_section.lines(outcome, "png") if n[:1] == "|"]
        assert table_lines[0].startswith(head)


def test_a_symbol_keeps_its_capital_in_a_heading() -> None:
    assert titles.within_sentence("R_N of two schedulers") == "R_N of two schedulers"
    assert titles.within_sentence("Goodput") == "goodput"


def many(cases: int, points: int = 6) -> Campaign:
    """A campaign of so many cases of MPTCP, each with three repetitions."""
    networks = [row for row in campaign.rows(points) if row["case"] == "mptcp"]
    rows = [
        {
            **row,
            "case": f"case-{number + 1}",
            "repetition": repetition,
            "goodput_mbps": row["goodput_mbps"] * (1 - 0.01 * repetition),
            "traffic.size_bytes": 8000 * 16 ** (row["point"] % 3),
        }
        for number in range(cases)
        for repetition in range(3)
        for row in networks
    ]
    return Campaign("many", table.build(rows), (*FACTORS, "traffic.size_bytes"))


@pytest.mark.parametrize("cases", [1, 2, 5, 9, 12, 20])
@pytest.mark.parametrize(
    "figure",
    [
        {"kind": "goodput"},
        {"kind": "box", "metric": "goodput", "criterion": {"factor": "capacity"}},
        CDF,
        {"kind": "groups", "metric": "goodput", "by": "traffic.size"},
        {"kind": "line", "metric": "goodput", "by": "traffic.size"},
        {"kind": "scatter", "metric": "goodput", "by": "path1.capacity"},
        {
            "kind": "scatter",
            "metric": "goodput",
            "by": "path1.capacity",
            "panels": "traffic.size",
        },
        {
            "kind": "heat_map",
            "metric": "goodput",
            "by": "path1.capacity",
            "versus": "traffic.size",
        },
        {"kind": "cases", "metric": "goodput"},
    ],
    ids=lambda figure: str(figure["kind"]),
)
@pytest.mark.parametrize("columns", [None, 1])
def test_figures_of_many_cases_drop_and_hide_nothing(
    cases: int,
    figure: dict[str, Any],
    columns: int | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every case is in the legend or a title, nothing overlaps, no layout collapses."""
    drawn: list[Figure] = []
    monkeypatch.setattr(style, "save", lambda picture, _: drawn.append(picture))
    loaded = many(cases)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        target = style.Target(tmp_path, "f", style.Look(columns=columns))
        requests.draw(figure, loaded, target)
        for picture in drawn:
            picture.draw_without_rendering()
    texts = [text.get_text() for picture in drawn for text in picture.findobj(Text)]
    names = [f"case-{number + 1}" for number in range(cases)] if cases > 1 else []
    for name in names:
        assert any(re.match(rf"{name}\b", text) for text in texts), name
    for picture in drawn:
        _nothing_is_hidden(picture)


def _nothing_is_hidden(picture: Figure) -> None:
    """Legends and labels of a drawn picture are within it, and none overlap."""
    assert picture.get_size_inches()[1] <= style.PAGE_INCHES
    width, height = picture.get_size_inches() * picture.dpi
    legends = picture.findobj(Legend)
    for box in (legend.get_window_extent() for legend in legends):
        assert box.x0 >= -2 and box.x1 <= width + 2, (box, width)
        assert box.y0 >= -2 and box.y1 <= height + 2, (box, height)
    for axis in picture.axes:
        if axis.get_visible() and axis.get_label() != "<colorbar>":
            inside = axis.get_window_extent()
            assert inside.height > 60 and inside.width > 100, inside
            below = [
                text.get_window_extent()
                for place, text in zip(
                    axis.get_xticks(), axis.get_xticklabels(), strict=True
                )
                if text.get_text() and axis.viewLim.containsx(place)
            ]
            if not any(text.get_rotation() % 90 for text in axis.get_xticklabels()):
                assert all(a.x1 < b.x0 for a, b in pairwise(below)), below
            named = axis.xaxis.label.get_window_extent()
            assert named.x0 >= 0 and named.x1 <= width, named


@pytest.mark.parametrize("name", ["x$^$", "a$b$", "$A_B$ of $x$"])
@pytest.mark.parametrize(
    "figure",
    [
        {"kind": "goodput"},
        {
            "kind": "box",
            "metric": "goodput",
            "criterion": {"factor": "capacity"},
        },
        {"kind": "groups", "metric": "goodput", "by": "traffic.size"},
        {"kind": "line", "metric": "goodput", "by": "traffic.size"},
        {"kind": "cases", "metric": "goodput"},
    ],
    ids=lambda figure: str(figure["kind"]),
)
def test_a_stranger_s_name_is_no_formula(
    figure: dict[str, Any], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *_, **__: saved.append(self))
    loaded = many(2, points=3)
    runs = loaded.runs.replace({"case": {"case-1": name}})
    target = style.Target(tmp_path, "f", style.Look(formats=("png",)))
    requests.draw(figure, replace(loaded, runs=runs), target)
    (picture,) = saved
    picture.draw_without_rendering()
    named = [text for text in picture.findobj(Text) if text.get_text() == name]
    assert named and not any(text.get_parse_math() for text in named)


def test_repetitions_are_no_further_networks(tmp_path: Path) -> None:
    request = {"kind": "box", "metric": "goodput", "criterion": {"factor": "capacity"}}
    target = style.Target(tmp_path, "f", style.Look(formats=("svg",)))
    drawn = requests.draw(request, many(2), target)
    assert drawn.summary.groupby("case")["n"].sum().tolist() == [6, 6]
    one = many(2, points=1)
    drawn = requests.draw(request, one, target)
    assert drawn.summary.groupby("case")["n"].sum().tolist() == [3, 3]


def test_a_pdf_of_all_figures_has_fonts_that_can_be_searched(tmp_path: Path) -> None:
    paper(runs(4), tmp_path, style.Look(formats=("pdf",)))
    assert b"/Type3" not in (tmp_path / "figures.pdf").read_bytes()


def test_a_case_has_one_colour_in_figures_and_dashboard() -> None:
    source = (ROOT / "analysis/dashboard/assets/src/canvas.js").read_text()
    light = source.partition("LIGHT = [")[2].partition("]")[0]
    assert [c.upper() for c in re.findall(r"#\w{6}", light)] == list(palette.SERIES)


def test_default_figures_follow_the_metrics(tmp_path: Path) -> None:
    rows = campaign.rows(6)
    for row in rows:
        size = 8000 * 16 ** (row["point"] % 3)
        row |= {"completion_time_s": 1.0 + row["point"], "traffic.size_bytes": size}
    factors = (*FACTORS, "traffic.size_bytes")
    loaded = Campaign("x", table.build(rows), factors, ("completion_time",))
    histogram, groups = defaults.requests(loaded)
    assert isinstance(histogram, Histogram)
    assert isinstance(groups, Groups) and groups.metric == "completion_time"
    assert not any(request.after for request in defaults.requests(loaded))
    campaign_page.write(loaded, Contents(), tmp_path)
    assert "completion_time_s" in pd.read_csv(tmp_path / "points.csv")


def test_of_three_paths_no_two_give_the_default_figure_its_axis() -> None:
    """A metric is drawn against the first two factors that are numbers."""
    rows = campaign.rows(6)
    for row in rows:
        row |= {"path_names": "wifi,lte,satellite", "completion_time_s": 1.0}
        row |= {"factor.leave_s": 3.0 + row["point"], "lte.capacity_mbps": 1.0}
        row |= {"lte.burst_loss.length": 2, "queue": "codel"}
    factors = ("queue", "factor.leave_s", "lte.capacity_mbps", "lte.burst_loss.length")
    loaded = Campaign("x", table.build(rows), factors, ("completion_time",))
    drawn = [each for each in defaults.requests(loaded) if isinstance(each, Scatter)]
    assert [each.by for each in drawn] == ["leave", "lte.capacity"]


@pytest.mark.parametrize(
    ("paths", "text"),
    [
        (("path1", "path2"), "|capacity difference| [Mbit/s]"),
        (("wifi", "lte"), "|wifi - lte capacity| [Mbit/s]"),
        (("path1", "path2", "path3"), "|path 1 - path 2 capacity| [Mbit/s]"),
    ],
)
def test_a_difference_names_its_paths_where_there_is_a_doubt(
    paths: tuple[str, ...], text: str
) -> None:
    criterion = Criterion(factor="capacity")
    assert criterion_label("capacity_difference_mbps", criterion, paths) == text
    signed = replace(criterion, difference="signed")
    label = criterion_label("capacity_difference_mbps", signed, paths)
    assert label == text.replace("|", "")


def test_a_data_centre_has_no_bars_of_goodput_below_a_capacity() -> None:
    """Its capacities are those of classes of links, which many links have."""
    rows = campaign.rows(2)
    for row in rows:
        row["goodput_mbps"] = 6000.0
    loaded = Campaign("x", table.build(rows), FACTORS)
    assert "goodput" not in {request.kind for request in defaults.requests(loaded)}


def listed(values: list[float], capacity: list[float]) -> Campaign:
    """A network per pair of a size and a capacity, one case."""
    rows = [
        {
            **campaign.rows(1)[0],
            "id": f"{number:04x}",
            "point": number,
            "traffic.size_bytes": size,
            "path1.capacity_mbps": mbps,
        }
        for number, (size, mbps) in enumerate(
            (size, mbps) for size in values for mbps in capacity
        )
    ]
    factors = ("path1.capacity_mbps", "traffic.size_bytes")
    return Campaign("listed", table.build(rows), factors)


def test_a_listed_factor_has_a_bar_per_value() -> None:
    """Between listed values are no gaps, as ranges of one width would have."""
    made = histogram_data.data(Histogram(), listed([8000, 128_000, 2_048_000], [5, 9]))
    capacity, size = made.factors
    assert size.names == ["8 kB", "128 kB", "2.05 MB"] and size.bars == 3
    assert capacity.names == ["5", "9"]
    assert (size.label, capacity.label) == ("traffic size", "path 1 capacity [Mbit/s]")
    with style.styled(style.Look()):
        [picture] = histogram_drawing.draw(made, style.Look())
    heights = [
        [bar.get_height() for bar in axis.patches if isinstance(bar, Rectangle)]
        for axis in picture.axes
    ]
    assert heights == [[3, 3], [2, 2, 2]]


def test_a_spread_factor_has_ranges_and_strokes() -> None:
    loaded = Campaign("x", runs(20), ("path1.capacity_mbps",))
    [factor] = histogram_data.data(Histogram(batches=4), loaded).factors
    assert not factor.names and len(factor.edges) == 5 and not factor.log
    with style.styled(style.Look()):
        [picture] = histogram_drawing.draw(
            histogram_data.data(Histogram(batches=4), loaded), style.Look()
        )
    axis = picture.axes[0]
    bars = [bar for bar in axis.patches if isinstance(bar, Rectangle)]
    assert sum(bar.get_height() for bar in bars) == 20
    [strokes] = axis.collections
    assert len(strokes.get_paths()) == 20


def test_curves_of_equally_many_values_tell_their_number_once() -> None:
    """`(n = 24)` behind twelve names made a legend as tall as the figure."""
    values = pd.Series([1.0, 2.0, 3.0])
    numbers = {"a": 0, "b": 1}
    for second, axis_text, names in (
        (values, "part of the runs (n = 3)", ["a", "b"]),
        (values[:2], "part of the runs", ["a (n = 3)", "b (n = 2)"]),
    ):
        panels = {"": {"a": values, "b": second}}
        made = cdf_data.CdfData(panels=panels, label="x", lines=(), numbers=numbers)
        with style.styled(style.Look()):
            [picture] = cdf_drawing.draw(made, style.Look())
        [axis] = picture.axes
        legend = axis.get_legend()
        assert axis.get_ylabel() == axis_text and legend is not None
        assert [text.get_text() for text in legend.get_texts()] == names


def test_factors_of_one_quantity_share_their_scale() -> None:
    """By themselves, path 1 would be logarithmic and path 2 linear."""
    first = [1, 1.2, 1.5, 2, 2.5, 3, 12, 40]
    second = [1, 2, 4, 5.5, 6, 9, 20, 40]
    one, two = (
        histogram_data.data(Histogram(factors=(name,)), spread(first, second)).factors
        for name in ("path1.capacity", "path2.capacity")
    )
    assert (one[0].log, two[0].log) == (True, False)
    factors = histogram_data.data(Histogram(), spread(first, second)).factors
    assert len({factor.log for factor in factors}) == 1
    other = spread(first, [each * 3 for each in second], "path2.delay_ms")
    factors = histogram_data.data(Histogram(), other).factors
    assert [factor.log for factor in factors] == [True, False]


def test_values_of_a_range_have_no_bar_each_although_a_list_repeats_them() -> None:
    """Eight long numbers did not fit below an axis, and an even spread needs ranges."""
    few = [1.113, 1.217, 1.509, 2.041, 2.517, 3.001, 12.13, 40.03]
    made = spread([*few, *few], [*[0.0] * 8, *[0.5] * 8], "path1.loss_percent")
    known = replace(made, listed=("path1.loss_percent",))
    capacity, loss = histogram_data.data(Histogram(batches=5), known).factors
    assert not capacity.names and len(capacity.edges) == 6 and not capacity.log
    assert loss.names == ["0", "0.5"]
    both = replace(made, listed=("path1.capacity_mbps", "path1.loss_percent"))
    assert len(histogram_data.data(Histogram(), both).factors[0].names) == 8


def spread(
    first: list[float], second: list[float], name: str = "path2.capacity_mbps"
) -> Campaign:
    """A network per value of two factors, one case."""
    rows = [
        {
            **campaign.rows(1)[0],
            "id": f"{number:04x}",
            "point": number,
            "path1.capacity_mbps": one,
            name: other,
        }
        for number, (one, other) in enumerate(zip(first, second, strict=True))
    ]
    return Campaign("spread", table.build(rows), ("path1.capacity_mbps", name))


def test_bars_of_equal_capacities_are_told_apart() -> None:
    """By the values of the factors in which they differ."""
    made = goodput_data.data(Goodput(), listed([8000, 2_048_000], [5, 9]))
    assert made.other == "traffic size"
    assert list(made.others.values()) == ["8 kB", "8 kB", "2.05 MB", "2.05 MB"]
    with style.styled(style.Look()):
        [picture] = goodput_drawing.draw(made, style.Look())
    names = [text.get_text() for text in picture.axes[0].get_xticklabels()]
    assert len(set(names)) == 4 and names[0].endswith("8 kB")
    assert "below it traffic size" in picture.axes[0].get_xlabel()
    assert goodput_data.data(Goodput(), many(2)).others == {}


def test_the_line_over_bars_has_the_mean_of_a_capacity_that_changes() -> None:
    loaded = listed([8000, 2_048_000], [5, 9])
    steady = goodput_data.data(Goodput(), loaded)
    assert "that changes" not in steady.note
    assert list(steady.carried) == list(steady.capacities.sum(axis=1))
    name = str(next(iter(steady.capacities)))
    half = loaded.runs[name] / 2
    mean = name.replace("capacity_mbps", "mean_capacity_mbps")
    changed = replace(loaded, runs=loaded.runs.assign(**{mean: half}))
    made = goodput_data.data(Goodput(), changed)
    lost = steady.capacities[name] / 2
    assert list(made.carried) == list(steady.carried - lost)
    assert "Of a link that changes it has the mean" in made.note
    assert made.capacities.equals(steady.capacities)
    with style.styled(style.Look()):
        [picture] = goodput_drawing.draw(made, style.Look())
    [lines] = [c for c in picture.axes[0].collections if c.get_label()]
    heights = sorted(np.asarray(path.vertices)[0, 1] for path in lines.get_paths())
    assert heights == pytest.approx(sorted(made.carried))


def test_colours_make_no_difference_of_what_is_none() -> None:
    """Values that differ by 1e-9 have the colours of equal ones."""
    loaded = listed([8000, 2_048_000], [5, 9])
    other = loaded.runs.assign(
        case="b", goodput_mbps=lambda r: r["goodput_mbps"] + 1e-9
    )
    both = replace(loaded, runs=pd.concat([loaded.runs, other], ignore_index=True))
    plain = HeatMap(metric="goodput", by="path1.capacity", versus="traffic.size")
    made = heat_map_data.data(replace(plain, over="mptcp"), both)
    assert heat_map_drawing.norm_of(made)(1e-7) == pytest.approx(0.5, abs=1e-5)
    norm = heat_map_drawing.norm_of(heat_map_data.data(plain, both))
    assert norm.vmax - norm.vmin > 0.0099 * norm.vmin  # type: ignore[operator]


def test_panels_of_one_number_of_values_share_a_legend() -> None:
    """Twelve curves per panel are named once, above all panels."""
    rng = np.random.default_rng(1)
    names = [f"a-case-with-a-long-name-{n}" for n in range(12)]
    curves = {name: pd.Series(rng.random(12)) for name in names}
    panels = {"loss 0 %": curves, "loss 1 %": curves}
    numbers = {name: n for n, name in enumerate(names)}
    made = cdf_data.CdfData(panels=panels, label="x", lines=(), numbers=numbers)
    with style.styled(style.Look()):
        [picture] = cdf_drawing.draw(made, style.Look())
        [legend] = picture.legends
        assert [text.get_text() for text in legend.get_texts()] == names
        assert not any(axis.get_legend() for axis in picture.axes)
        assert [axis.get_title("left") for axis in picture.axes] == list(panels)
        fewer = {name: values[:9] for name, values in curves.items()}
        apart = replace(made, panels={"loss 0 %": curves, "loss 1 %": fewer})
        [picture] = cdf_drawing.draw(apart, style.Look())
    assert not picture.legends and all(axis.get_legend() for axis in picture.axes)
