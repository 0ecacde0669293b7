"""Published cells beside ours, and windows by phase, against hand-made numbers."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.campaign.campaign import Campaign
from analysis.figures import cells as cells_figure
from analysis.published import cells
from analysis.published.judging import Verdict
from analysis.report import campaign_page, cells_section, users_section
from analysis.run import trace_metrics
from analysis.run.readers import trace
from tests import made_jobs

PUBLISHED = sorted(
    path
    for path in (Path(__file__).parents[2] / "results" / "published").glob("*.csv")
    if cells.is_cells(path)
)
(TABLE_5_3,) = (path for path in PUBLISHED if path.stem == "thesis-table-5.3")
RUNS = pd.DataFrame(
    {
        "case": ["lia"] * 3 + ["olia"] + ["lia"],
        "multi.users": [1, 1, 1, 1, 30],
        "multi.goodput_mbps": [6.0, 7.0, 8.0, 5.0, 9.0],
        "jain": [0.99, 0.99, 0.99, None, None],
    }
)


def cell(**changes: str) -> cells.Cell:
    given = {
        **{"source": "Table 1", "row": "throughput", "column": "LIA", "case": "lia"},
        **{"point": "multi.users=1", "metric": "multi.goodput_mbps", "unit": "kbit/s"},
        **{"scale": "", "value": "6922", "margin": "", "note": "", **changes},
    }
    return cells._cell(given, "f.csv:2")


def test_the_mean_with_student_s_interval() -> None:
    found = cells.compare(cell(scale="1.1"), RUNS)
    assert found.ours == pytest.approx(1.1 * 7000) and found.n == 3
    low, high = stats.t.interval(0.95, 2, 7700, stats.sem([6600, 7700, 8800]))
    assert found.margin == pytest.approx((high - low) / 2)
    assert found.difference == pytest.approx(778)
    assert found.verdict is Verdict.UNDECIDED  # The interval is wider than 10 %.
    assert cells.compare(cell(value="2000"), RUNS).verdict is Verdict.DIFFERS


def test_what_cannot_be_compared_says_why() -> None:
    assert cells.compare(cell(case="balia"), RUNS).why_not == "not run"
    assert cells.compare(cell(point="x=1"), RUNS).why_not == "no column x"
    assert cells.compare(cell(metric="a.goodput_mbps"), RUNS).why_not.startswith("no c")
    missing = cells.compare(cell(case="olia", metric="jain", unit=""), RUNS)
    assert missing.why_not == "no run has jain" and missing.verdict is None
    once = cells.compare(cell(point="multi.users=30", value="9000"), RUNS)
    assert (once.ours, once.margin) == (9000, None)
    assert once.verdict is Verdict.UNDECIDED and once.rounds is True


def test_printed_digits_and_margins_count() -> None:
    same = pd.DataFrame(
        {"case": ["lia"] * 2, "jain": [0.9924, 0.9924], "goodput_mbps": [1.0, 2.0]}
    )
    for value, margin, agrees in (
        ("0.992", "", True),
        ("0.9920", "", False),
        ("0.9920", "0.001", True),
    ):
        one = cell(point="", metric="jain", unit="", value=value, margin=margin)
        wanted = Verdict.AGREES if agrees else Verdict.DIFFERS
        compared = cells.compare(one, same)
        assert compared.verdict is wanted and compared.chance == 1
        assert compared.rounds is (value == "0.992")


def test_the_chance_of_a_cell_is_that_of_redrawn_runs() -> None:
    """Against a second implementation, run by run."""
    values = [0.990, 0.991, 0.992, 0.993, 0.9965]
    runs = pd.DataFrame({"case": "lia", "jain": values})
    one = cell(point="", metric="jain", unit="", value="0.9910")
    compared = cells.compare(one, runs)
    generator = np.random.default_rng(3)
    same = 0
    for _ in range(1000):
        drawn = generator.choice(values, 5)
        low, high = stats.t.interval(0.95, 4, drawn.mean(), stats.sem(drawn))
        same += bool(low - 0.00005 <= 0.991 <= high + 0.00005)
    assert compared.verdict is Verdict.AGREES
    assert compared.chance == pytest.approx(same / 1000, abs=0.05)
    assert compared.fragile is (compared.chance is not None and compared.chance < 0.9)


def test_a_drop_share_is_of_the_packets_that_came() -> None:
    runs = pd.DataFrame(
        {"case": "lia", "l.queue_drops": [1, 2], "l.bytes": [1514 * 99, 1514 * 98]}
    )
    one = cell(point="", metric="l.queue_drop_share", unit="%", value="1.5")
    assert cells.compare(one, runs).ours == pytest.approx(1.5)


def test_drop_shares_of_many_links_come_without_a_warning() -> None:
    """pandas warns of a table whose columns were inserted one by one."""
    links = {f"l{n}.queue_drops": [n] for n in range(150)}
    links |= {f"l{n}.bytes": [1514 * (100 - n % 90)] for n in range(150)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shares = cells.with_drop_shares(pd.DataFrame(links))
    assert shares["l10.queue_drop_share"].tolist() == [0.1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "many"}, "f.csv:2: could not convert"),
        (
            {"unit": "furlongs"},
            "f.csv:2: multi.goodput_mbps cannot be compared in 'furl",
        ),
        ({"point": "multi.users"}, "f.csv:2: point 'multi.users'; write"),
    ],
)
def test_a_cell_that_is_wrong(change: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cell(**change)


def test_a_file_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("source,row\n")
    assert not cells.is_cells(path)
    with pytest.raises(ValueError, match=r"f\.csv:1: columns must be source,row"):
        cells.read(path)


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_every_published_file_can_be_read(path: Path) -> None:
    assert cells.read(path)


def test_totals_of_thesis_table_5_3_are_those_printed() -> None:
    """The medians of the parts add up to nearly the printed medians of the sums."""
    found = {
        (c.row, c.case): c.value for c in cells.read(TABLE_5_3) if c.unit == "kbit/s"
    }
    for case in ("lia", "olia", "balia", "wvegas"):
        parts = found["MPTCP throughput", case] + found["SP-TCP throughput", case]
        assert parts == pytest.approx(found["total throughput", case], rel=0.015)


def test_the_page() -> None:
    other = cell(case="balia", note="A note.")
    compared = [cells.compare(one, RUNS) for one in (cell(), other)]
    text = "\n".join(cells_section.lines(compared, {"Table 1": "a.png"}))
    assert "### Table 1" in text and "- A note." in text and "](a.png)" in text
    assert (
        "throughput, kbit/s | LIA | 6922 | 7000 ± 2484 | 3 | +78 (+1.1%) | undecided"
        in text
    )
    assert "| - (not run) | 0 | - | not measured | - | - |" in text
    assert not list(cells_section.lines((), {}))


def test_the_figure(tmp_path: Path) -> None:
    """Theirs and ours of two rows, one without ours; the page has it, and no other."""
    given = (cell(), cell(case="balia"), cell(row="index", metric="jain", unit=""))
    runs = RUNS.assign(verdict="ok", point=0, repetition=0, protocol="mptcp")
    for folder in (tmp_path / "a", tmp_path / "b"):
        contents = campaign_page.Contents(cells=given)
        written = campaign_page.write(Campaign("t", runs), contents, folder)
    assert written.page is not None and not written.undrawn
    assert "![Table 1, ours beside the published](table-1.png)" in (
        written.page.read_text()
    )
    drawn = sorted(path.name for path in folder.glob("*.*g"))
    assert drawn == ["table-1.png", "table-1.svg"]
    for name in drawn:
        assert (tmp_path / "a" / name).read_bytes() == (folder / name).read_bytes()


def test_what_a_scale_shows() -> None:
    assert cells_figure._range(1, 3) == (0, 3)
    assert cells_figure._range(0.99, 1) == pytest.approx((0.87, 1.12))
    assert cells_figure._range(6, 10) == (6, 10)


def test_users_and_phases_of_the_page() -> None:
    runs = RUNS.assign(verdict="ok", **{"alone.multi.goodput_mbps": 1.0})
    text = "\n".join(users_section.lines(Campaign("a", runs)))
    assert "| case | n | multi [Mbit/s] | alone: multi [Mbit/s] |" in text
    assert not list(users_section.lines(Campaign("a", runs[["case", "verdict"]])))
    # Multi is alone in its phase, which therefore has the same goodput.
    runs = runs.assign(**{"alone.goodput_mbps": 1.0, "both.goodput_mbps": 2.0})
    text = "\n".join(users_section.lines(Campaign("a", runs)))
    assert "| case | n | multi [Mbit/s] | alone: multi [Mbit/s] | both [Mbit/s] |" in (
        text
    )


def test_windows_by_phase(tmp_path: Path) -> None:
    """A window of 10 that grows by one per second from 10 s on, up to 20 and stays."""
    lines = [",".join(trace.COLUMNS)]
    for second in range(40):
        cwnd = min(20, max(10, second))
        ends = "10.0.0.1:5,10.0.0.2:6"
        acked = 200_000 * second
        lines.append(f"{second}.0,u,2,{ends},ab,0,0,{cwnd},9,20000,0,{acked}")
    (tmp_path / "trace.csv").write_text("\n".join(lines) + "\n")
    entry = {"tool": "iperf3", "from": "u", "to": "s", "duration_s": 40.0}
    job = {
        **{
            "format": 2,
            "parameters": {},
            "links": [],
            "transport": {"protocol": "mptcp"},
        },
        **{"traffic": [entry], "trace_s": 1.0},
        "report": {"names": ["user"], "phases": {"all": [0, 10], "late": [10, 40]}},
    }
    found = trace_metrics.columns(tmp_path, made_jobs.whole(job))
    assert {name: value for name, value in found.items() if "srtt" not in name} == {
        "all.user.path2.cwnd": 10,
        "all.user.path2.rise_s": 0,
        "all.user.path2.cwnd_is_1": 0,
        "late.user.path2.cwnd": 20,
        "late.user.path2.rise_s": 10,
        "late.user.path2.cwnd_is_1": 0,
    }
    quiet = made_jobs.whole({**job, "trace_s": None})
    assert trace_metrics.columns(tmp_path, quiet) == {}
    # A second path, with one segment in three seconds of four, then nine.
    for second in range(40):
        cwnd = 9 if second % 4 == 3 else 1
        ends = "10.0.1.1:5,10.0.0.2:6"
        acked = 200_000 * second
        lines.append(f"{second}.0,u,1,{ends},ab,1,0,{cwnd},9,20000,0,{acked}")
    (tmp_path / "trace.csv").write_text("\n".join(lines) + "\n")
    found = trace_metrics.columns(tmp_path, made_jobs.whole(job))
    assert found["late.user.path1.cwnd_is_1"] == pytest.approx(22 / 30)
    assert found["late.user.path2.cwnd_is_1"] == 0
    # With one segment there, path 2 has 10 of 11 and more.
    assert found["late.user.one_sided"] == pytest.approx(22 / 30)


def test_identical_repetitions_have_no_interval() -> None:
    """Three seeds of a network without noise say what one says."""
    runs = pd.DataFrame(
        {"case": "lia", "point": 0, "repetition": range(3), "jain": 0.9924}
    )
    one = cells.compare(cell(point="", metric="jain", unit="", value="0.992"), runs)
    assert (one.n, one.margin, one.verdict) == (1, None, Verdict.UNDECIDED)


def test_networks_are_the_values_of_a_cell() -> None:
    """Five repetitions of two networks are two values."""
    runs = pd.DataFrame(
        {
            "case": "lia",
            "point": [0] * 5 + [1] * 5,
            "repetition": [*range(5)] * 2,
            "jain": [0.8, 0.81, 0.79, 0.8, 0.8, 0.9, 0.91, 0.89, 0.9, 0.9],
        }
    )
    one = cells.compare(cell(point="", metric="jain", unit="", value="0.85"), runs)
    assert one.n == 2 and one.ours == pytest.approx(0.85)
    assert one.margin == pytest.approx(12.706 * 0.05, rel=1e-3)


def test_large_cells_have_no_exponent() -> None:
    one = cells.compare(
        cell(value="123456"), RUNS.assign(**{"multi.goodput_mbps": [12_340.0] * 5})
    )
    row = cells_section._row(one)
    assert not any("e+" in each for each in row)
