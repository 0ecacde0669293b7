"""CDFs, groups of boxes and tables: what they show, and what they refuse."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis import contrasts, drawings, page, table
from analysis.figures import curves, style, wanted
from tests.analysis import campaign

FACTORS = campaign.FACTORS
CDF = {"kind": "cdf", "metric": "traffic_split"}
SIGNED = {"criterion": {"factor": "capacity", "difference": "signed"}}


def runs(points: int = 30, sizes: int = 3) -> pd.DataFrame:
    rows = campaign.rows(points)
    for row in rows:
        row["traffic.size_bytes"] = 8000 * 16 ** (row["point"] % sizes)
    return table.build(rows)


def draw(figure: dict, frame: pd.DataFrame, folder: Path, **look):
    (asked,) = wanted.read([figure])
    target = style.Target(folder, asked.name, style.Look(**look))
    return drawings.draw(asked, frame, FACTORS, target)


def test_a_cdf_has_a_curve_for_each_sign(tmp_path: Path) -> None:
    frame = runs()
    drawn = draw({**CDF, **SIGNED, "after": "Fig. 3.6"}, frame, tmp_path)
    assert drawn.title == (
        "Distribution of share of path 1 by the sign of the capacity difference"
        " (path 1 less path 2) (after Fig. 3.6)"
    )
    counted = drawn.summary.set_index("case")["n"]
    mptcp = frame[frame["case"] == "mptcp"]
    difference = mptcp["path1.capacity_mbps"] - mptcp["path2.capacity_mbps"]
    assert counted["path 1's capacity higher"] == (difference > 0).sum()
    assert counted["path 1's capacity lower"] == (difference < 0).sum()
    assert (tmp_path / f"{drawn.name}.svg").stat().st_size > 1000


def test_a_cdf_without_criterion_has_a_curve_a_case(tmp_path: Path) -> None:
    drawn = draw({"kind": "cdf", "metric": "goodput"}, runs(5), tmp_path)
    assert list(drawn.summary["case"]) == ["mptcp", "tcp1", "tcp2"]
    assert list(drawn.summary["n"]) == [5, 5, 5]


def test_a_curve_rises_by_one_nth_at_each_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(style, "save", lambda figure, target: seen.append(figure))
    values = pd.Series([3.0, 1.0, 2.0, 2.0])
    curves.draw({"": {"x": values}}, "x", (), style.Target(tmp_path, "x"))
    (line,) = seen[0].axes[0].lines
    x, y = line.get_xdata(), line.get_ydata()
    for at in (0.999, 1.0, 1.5, 2.0, 3.0):
        expected = float((values <= at).mean())
        assert y[np.searchsorted(x, at, side="right") - 1] == expected


def test_groups_have_a_box_for_each_value_and_case(tmp_path: Path) -> None:
    figure = {"kind": "groups", "metric": "goodput", "by": "traffic.size"}
    drawn = draw(figure, runs(), tmp_path)
    assert list(drawn.summary["batch"][:3]) == ["8 kB", "128 kB", "2.05 MB"]
    assert len(drawn.summary) == 9
    frame = runs()
    chosen = (frame["case"] == "tcp1") & (frame["traffic.size_bytes"] == 8000)
    row = drawn.summary.query("case == 'tcp1' and batch == '8 kB'").iloc[0]
    assert row["median"] == frame.loc[chosen, "goodput_mbps"].median()


def test_groups_of_a_factor_with_many_values_are_refused(tmp_path: Path) -> None:
    figure = {"kind": "groups", "metric": "goodput", "by": "path1.capacity"}
    with pytest.raises(wanted.UndrawableError, match=r"has 30 values.*kind box"):
        draw(figure, runs(), tmp_path)


def test_a_table_has_a_row_a_case_and_a_column_a_value() -> None:
    frame = runs()
    (asked,) = wanted.read([{"kind": "table", "metric": "goodput", "by": "path1.loss"}])
    frame["path1.loss_percent"] = (frame["point"] % 2).astype(float)
    drawn = contrasts.table(asked, frame)
    assert drawn.head == ("case", "n", "0 %", "1 %")
    assert [cells[:2] for cells in drawn.cells] == [
        ("mptcp", "30"),
        ("tcp1", "30"),
        ("tcp2", "30"),
    ]


def test_a_table_has_a_column_a_part() -> None:
    frame = runs(3)
    frame["early.big.goodput_mbps"] = 2.0
    frame["late.goodput_mbps"] = np.where(frame["case"] == "tcp1", np.nan, 3.0)
    (asked,) = wanted.read([{"kind": "table", "metric": "goodput"}])
    drawn = contrasts.table(asked, frame)
    assert drawn.head == ("case", "n", "goodput [Mbit/s]", "early: big", "late")
    assert drawn.cells[1][3:] == ("2.00 (2.00 to 2.00)", "-")


@pytest.mark.parametrize("kind", ["cdf", "groups", "table"])
def test_what_is_missing_is_said(kind: str, tmp_path: Path) -> None:
    by = {} if kind == "cdf" else {"by": "path1.loss"}
    with pytest.raises(wanted.UndrawableError, match="no run has the metric jain"):
        draw({"kind": kind, "metric": "jain", **by}, runs(3), tmp_path)
    if by:
        with pytest.raises(wanted.UndrawableError, match=r"parameter path1\.loss"):
            draw({"kind": kind, "metric": "goodput", **by}, runs(3), tmp_path)


def test_a_metric_of_words_is_not_drawn(tmp_path: Path) -> None:
    frame = runs(3).assign(goodput_mbps="fast")
    with pytest.raises(wanted.UndrawableError, match="not a number"):
        draw({"kind": "cdf", "metric": "goodput"}, frame, tmp_path)


@pytest.mark.parametrize("columns, inches", [(1, 3.5), (2, 7.16)])
def test_figures_for_a_paper(columns: int, inches: float, tmp_path: Path) -> None:
    look = style.Look("serif", columns, ("pdf", "svg"))
    report = page.Report("x", runs(10), FACTORS, look=look)
    written = page.write(report, tmp_path, page=False)
    assert written.page is None and not (tmp_path / "README.md").exists()
    names = {path.name for path in tmp_path.glob("*.pdf")}
    assert {"goodput.pdf", "factors.pdf", "figures.pdf"} <= names
    for path in tmp_path.glob("*.svg"):
        assert f'width="{inches * 72:g}pt"' in path.read_text()
    assert b"DejaVuSerif" in (tmp_path / "factors.pdf").read_bytes()


def test_figures_for_a_paper_are_the_same_each_time(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        look = style.Look(formats=("pdf",))
        report = page.Report("x", runs(4), FACTORS, look=look)
        page.write(report, tmp_path / name, page=False)
        files = sorted((tmp_path / name).glob("*.pdf"))
        made.append({file.name: file.read_bytes() for file in files})
    assert made[0] == made[1] and len(made[0]) > 3
