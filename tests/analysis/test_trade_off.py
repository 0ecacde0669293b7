"""A metric against another one, and pictures with many cases."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from PIL import Image

from analysis.campaign.figure_request import Criterion, FigureRequest
from analysis.figures import drawing, style
from analysis.figures.drawn_figure import UndrawableError
from analysis.figures.kinds.box.request import Box
from analysis.figures.kinds.cdf.request import Cdf
from analysis.figures.kinds.goodput.request import Goodput
from analysis.figures.kinds.groups.request import Groups
from analysis.figures.kinds.scatter.request import Scatter
from analysis.figures.kinds.trade_off import drawing as trade_off_drawing
from analysis.figures.kinds.trade_off.data import data
from analysis.figures.kinds.trade_off.request import TradeOff
from analysis.figures.style import DPI, PAGE_INCHES, Look, Target
from analysis.report import campaign_page
from analysis.report.campaign_page import Contents
from tests.analysis.questions import GOODPUT, X, Y, campaign, networks, row

BOTH = TradeOff(metric="goodput", against="smoothed_rtt", over="a")
NAMES = "abcdefghijkl"


def test_each_network_is_a_mark_and_ratios_are_paired() -> None:
    made = data(BOTH, networks(8, lambda x, y, c: 1.25 if c == "b" else 1.0))
    plain, over = made.panels
    assert [len(cloud.x) for cloud in plain.clouds.values()] == [8, 8]
    assert plain.clouds["a"].y.mean() < plain.clouds["b"].y.mean()
    assert over.clouds["b"].middle == pytest.approx((0.8, 1.25), abs=0.01)
    assert over.clouds["a"].middle == (1, 1) and over.clouds["a"].outline is None
    assert plain.clouds["b"].outline is not None
    assert made.note.startswith("Better is up and to the left.")
    assert over.labels == ("smoothed RTT, over a", "goodput, over a")


def test_the_marks_of_the_baseline_make_no_outliers_of_others() -> None:
    """Its own ratios are all 1, which left half of the others out."""

    def ratio(x: float, y: float, case: str) -> float:
        near = 0.9 + 0.2 * (y - 13) / 25
        return 1.0 if case == "a" else 0.5 if y < 13 else 1.6 if y > 38 else near

    made = data(BOTH, networks(16, ratio))
    over = made.panels[1]
    assert not over.ranges and "lie outside" not in made.note
    spread = data(BOTH, networks(16, lambda x, y, c: 1.0 if c == "a" else 3.0))
    low, high = (spread.panels[1].clouds[c].middle[1] for c in "ab")
    assert (low, high) == pytest.approx((1, 3), rel=0.01)
    assert not spread.panels[1].ranges, "1 stays in the figure"


def test_a_case_far_from_the_others_stays_in_the_figure() -> None:
    """The range leaves its marks out, so an arrow stands at the edge, and the note
    has its medians."""
    ratio = dict.fromkeys("abcde", 1.0) | {"f": 0.01}
    made = data(
        replace(BOTH, over="a"), networks(8, lambda x, y, c: ratio[c], tuple("abcdef"))
    )
    over = made.panels[1]
    edge = over.nearest(over.clouds["f"].middle)
    assert edge[1] == over.ranges["y"].ends[0] > over.clouds["f"].middle[1]
    assert over.nearest(over.clouds["b"].middle) == over.clouds["b"].middle
    assert re.search(
        r"The arrow of the second panel points to the medians of f: \S+ across, 0\.01",
        made.note,
    )
    with style.styled(Look()):
        axis = trade_off_drawing.draw(made, Look())[0].axes[1]
        assert len(axis.texts) == 1


def test_equal_marks_are_all_seen() -> None:
    """Marks have no filling, so the last one does not cover those below it."""
    made = data(BOTH, networks(8, lambda x, y, c: 1.0))
    with style.styled(Look()):
        for axis in trade_off_drawing.draw(made, Look())[0].axes:
            marks = [
                line for line in axis.lines if line.get_marker() not in ("None", "")
            ]
            assert marks
            assert all(line.get_markerfacecolor() == "none" for line in marks)


def test_few_networks_have_no_ellipse() -> None:
    made = data(BOTH, networks(4, lambda x, y, c: 1.0))
    assert all(cloud.outline is None for cloud in made.panels[0].clouds.values())


def test_an_outlier_is_outside_and_told() -> None:
    rows = [
        row(p, c, 10.0 + p, **{X: p, "srtt_ms": 9000.0 if p == 3 else 50.0 + p})
        for p in range(12)
        for c in ("a", "b")
    ]
    made = data(replace(BOTH, over=None), campaign(rows))
    [panel] = made.panels
    assert set(panel.ranges) == {"x"} and panel.ranges["x"].beyond == 2
    told = "2 of 24 marks lie outside the figure, the farthest at 9000 ms."
    assert f"In smoothed RTT, {told}" in made.note
    outline = panel.clouds["a"].outline
    assert outline is not None and outline[:, 0].max() < 100


def test_a_metric_that_no_run_has() -> None:
    with pytest.raises(UndrawableError, match="no run has the metric jain"):
        data(replace(BOTH, against="jain"), networks(3, lambda x, y, c: 1.0))
    with pytest.raises(UndrawableError, match="no run of z"):
        data(replace(BOTH, case="z"), networks(3, lambda x, y, c: 1.0))


@pytest.mark.parametrize(
    "request_",
    [
        Box(metric="goodput", criterion=Criterion(factor="delay")),
        Cdf(metric="goodput"),
        Groups(metric="goodput", criterion=Criterion(factor="delay")),
        Scatter(metric="goodput", criterion=Criterion(factor="delay")),
    ],
    ids=lambda request: request.kind,
)
def test_no_cut_hides_a_group_of_few_networks(
    request_: Box | Cdf | Groups | Scatter, tmp_path: Path
) -> None:
    """The one network with a large difference of delays has the only large value."""
    rows = [
        row(point, "a", value, **{X: 10.0, Y: 10.0 + (40 if value == 400 else point)})
        for point, value in enumerate([*map(float, range(10, 20)), 400.0])
    ]
    if request_.kind in ("cdf", "scatter"):  # Their groups are the cases.
        rows[-1]["case"] = "b"
    drawn: list[Figure] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "save", lambda picture, _: drawn.append(picture))
        made = drawing.draw(request_, campaign(rows), Target(tmp_path, "f", Look()))
    axis = drawn[0].axes[0]
    ends = axis.get_xlim() if request_.kind == "cdf" else axis.get_ylim()
    assert ends[0] < 10 and ends[1] > 400
    assert "outside" not in made.note


@pytest.mark.parametrize("count", [1, 4, 12])
@pytest.mark.parametrize(
    "request_",
    [
        BOTH,
        Goodput(),
        Cdf(metric="goodput"),
        Box(metric="goodput", criterion=Criterion(factor="delay")),
    ],
    ids=lambda request: request.kind,
)
def test_no_picture_is_taller_than_a_page(
    count: int, request_: FigureRequest, tmp_path: Path
) -> None:
    made = networks(8, lambda x, y, c: 1.0, NAMES[:count])
    runs = made.runs.assign(
        **{"path1.capacity_mbps": 50.0, "path2.capacity_mbps": 50.0}
    )
    target = Target(tmp_path, "f", Look(formats=("png",)))
    drawn = drawing.draw(request_, replace(made, runs=runs), target)
    files = sorted(tmp_path.iterdir())
    assert {file.stem for file in files} == {drawn.name, *drawn.more}
    for file in files:
        with Image.open(file) as picture:
            assert picture.height <= PAGE_INCHES * DPI


def test_the_page_begins_with_the_answer_and_its_picture(tmp_path: Path) -> None:
    asked = replace(GOODPUT, better={"goodput": "more", "smoothed_rtt": "less"})
    made = networks(8, lambda x, y, c: 1.25 if c == "b" else 1.0)
    contents = Contents(look=Look(formats=("png",)))
    campaign_page.write(replace(made, question=asked), contents, tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert text.startswith(
        "# made\n\n**Does `b` have higher goodput and lower smoothed RTT than `a`?**"
        "\n\n`b` is better than `a` in goodput (+"
    )
    assert text.index("(answer.png)") < text.index("| case |")
    assert (tmp_path / "answer.png").stat().st_size > 1000
    campaign_page.write(replace(made, question=GOODPUT), contents, tmp_path)
    assert "(answer.png)" not in (tmp_path / "README.md").read_text()
    assert not (tmp_path / "answer.png").exists()


def test_figures_longer_than_a_page_are_all_on_the_page(tmp_path: Path) -> None:
    made = networks(8, lambda x, y, c: 1.0, NAMES)
    figures: tuple[Any, ...] = (
        Box(metric="goodput", criterion=Criterion(factor="delay")),
    )
    contents = Contents(figures=figures, look=Look(formats=("png",)))
    campaign_page.write(made, contents, tmp_path)
    shown = re.findall(
        r"\((goodput-delay[^)]*)\)", (tmp_path / "README.md").read_text()
    )
    assert shown == [
        "goodput-delay.png",
        "goodput-delay-page-2.png",
    ]
