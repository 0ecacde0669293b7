"""Published deviations over designs beside ours."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.campaign import sensitivity
from analysis.published import deviations
from analysis.published.judging import Verdict
from analysis.report import deviations_page
from tests.calls import Command

PUBLISHED = Path(__file__).parents[2] / "results" / "published"
HEAD = ",".join(deviations.COLUMNS)


def frame(*medians: float, experiment: str = "bulk-low-bdp") -> pd.DataFrame:
    """Designs of three runs: their quartiles lie 0.1 below and above the median."""
    designs = [
        pd.DataFrame(
            {
                "case": "mptcp",
                "verdict": "ok",
                "aggregation_benefit": [median - 0.2, median, median + 0.2],
            }
        )
        for median in medians
    ]
    made = sensitivity.frame(sensitivity.lines(designs, ["aggregation_benefit"], []))
    return made.assign(experiment=experiment, points=98)


@pytest.mark.parametrize(("table", "numbers"), [("3.2", 6), ("4.1", 30), ("5.2", 24)])
def test_the_published_files(table: str, numbers: int) -> None:
    """All numbers are there, once, of campaigns and cases that there are."""
    from mpbench.experiment_files import load

    printed = deviations.read(PUBLISHED / f"thesis-table-{table}.csv")
    assert len(printed) == numbers
    places = {(p.row, p.environment, p.statistic) for p in printed}
    assert len(places) == numbers
    experiments = PUBLISHED.parents[1] / "experiments" / "thesis"
    for each in printed:
        spec = load(experiments / f"{each.experiment}.yaml")
        assert each.case in spec.cases
        assert each.metric in spec.metrics
        assert each.statistic in sensitivity.QUANTILES
        known = {p.key: name for name, p in spec.variable().items()}
        assert spec.design is not None
        crossed = spec.design.crossed
        assert {known[key] for key in each.group} == set(crossed)
        for key, value in each.group.items():
            assert value in (crossed[known[key]].values or ())


def test_printed_decimals_and_places() -> None:
    first, *_ = deviations.read(PUBLISHED / "thesis-table-4.1.csv")
    assert (first.percent, first.decimals) == (0.037, 3)
    assert dict(first.group) == {"traffic.size_bytes": 8000}


def test_the_f_test_of_three_and_three() -> None:
    """F(2, 2) has the distribution function x / (1 + x): p by hand."""
    assert deviations.apart(1.0, 1.0, 3) == pytest.approx(1)
    for ratio in (2.0, 0.5):
        assert deviations.apart(1.0, ratio, 3) == pytest.approx(2 / 5)
    edge = 39**0.5
    assert deviations.apart(1.0, edge, 3) == pytest.approx(0.05)
    assert deviations.apart(0.0, 1.0, 3) == 0
    assert deviations.apart(0.0, 0.0, 3) == 1


def test_page() -> None:
    printed = deviations.read(PUBLISHED / "thesis-table-3.2.csv")
    text = "\n".join(deviations_page.page(printed, frame(0.10, 0.12, 0.14)))
    assert "| bulk | Low-BDP | median | 1.740 | 1.000 | undecided | p = " in text
    assert (
        "| bulk | Low-BDP | 25th percentile | 0.194 | 1.000 | undecided | p = " in text
    )
    assert (
        "| bulk | High-BDP | median | 1.297 | - | not measured | - | not run |" in text
    )
    assert "3 of the 6 numbers were not measured here." in text
    assert "0 of 3 pairs differ" in text
    assert "- bulk-low-bdp: 3 designs of 98 points" in text


def test_a_difference_is_marked() -> None:
    printed = deviations.read(PUBLISHED / "thesis-table-3.2.csv")
    text = "\n".join(deviations_page.page(printed, frame(0.10, 0.2, 0.3)))
    assert "| 25th percentile | 0.194 | 5.000 | **differs** | p = 0.003 |" in text
    assert "1 of 3 pairs differ" in text


def test_the_largest_designs_count() -> None:
    """After points were added, those of the most points are set beside."""
    both = pd.concat([frame(0.1, 0.2), frame(0.1, 0.1).assign(points=147)])
    printed = deviations.read(PUBLISHED / "thesis-table-3.2.csv")
    found = deviations.ours(printed[0], both)
    assert found is not None and found["points"] == 147


def test_command(command: Command, tmp_path: Path) -> None:
    table = tmp_path / "sensitivity.csv"
    frame(0.1, 0.2, 0.3).to_csv(table, index=False)
    page = tmp_path / "new" / "table-3.2.md"
    published = str(PUBLISHED / "thesis-table-3.2.csv")
    done = command("deviations", published, str(table), "--out", str(page))
    assert done.status == 0, done.err
    first = page.read_bytes()
    assert first.startswith(b"# Thesis Table 3.2\n")
    command("deviations", published, str(table), "--out", str(page))
    assert page.read_bytes() == first


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "p.csv:1: the columns are not source, row"),
        (f"{HEAD}\n", "p.csv: no rows"),
        (f"{HEAD}\ns,r,e,x,c,,m,median,much\n", "p.csv:2: could not convert"),
        (f"{HEAD}\ns,r,e,x,c,size=big,m,median,1\n", "p.csv:2: could not convert"),
    ],
)
def test_bad_published_files(
    command: Command, tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "p.csv").write_text(text)
    (tmp_path / "t.csv").write_text("")
    out = str(tmp_path / "page.md")
    done = command(
        "deviations", str(tmp_path / "p.csv"), str(tmp_path / "t.csv"), "--out", out
    )
    assert done.status == 2 and words in done.err
    assert not Path(out).exists()


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "\0\xff"])
def test_bad_tables(command: Command, tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode("latin-1"))
    published = str(PUBLISHED / "thesis-table-3.2.csv")
    out = str(tmp_path / "page.md")
    done = command("deviations", published, str(tmp_path / "t.csv"), "--out", out)
    assert done.status == 2, done.out
    assert "t.csv: no column case; give a sensitivity.csv" in done.err


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("designs", "x"),
        ("points", ""),
        ("relative_deviation", "inf"),
        ("design2", "many"),
        ("designs", "9"),
    ],
)
def test_tables_without_a_number(
    command: Command, tmp_path: Path, column: str, value: str
) -> None:
    """The message names line and column."""
    table = tmp_path / "t.csv"
    changed = frame(0.1, 0.2, 0.3).astype(object)
    changed.loc[1, column] = value
    changed.to_csv(table, index=False)
    published = str(PUBLISHED / "thesis-table-3.2.csv")
    out = str(tmp_path / "page.md")
    done = command("deviations", published, str(table), "--out", out)
    assert done.status == 2, done.out
    named = "design4" if value == "9" else column
    assert f"t.csv:3: {named}: " in done.err
    assert done.err.count("\n") == 1


def test_no_such_file(command: Command, tmp_path: Path) -> None:
    published = str(PUBLISHED / "thesis-table-3.2.csv")
    done = command("deviations", published, "none.csv", "--out", str(tmp_path / "p"))
    assert done.status == 2
    assert "none.csv: No such file or directory" in done.err


def test_equal_deviations_of_three_designs_are_undecided() -> None:
    """The 90 % interval of a ratio of 1 is 0.23 to 4.36: F(2, 2) at 5 % is 19.0."""
    assert deviations.judged(1.0, 1.0, 3) is Verdict.UNDECIDED
    assert deviations.judged(0.194, 5.0, 3) is Verdict.DIFFERS
    assert deviations.judged(0.0, 0.0, 3) is Verdict.AGREES
