"""Cases compared in the same networks: the section of a report and its picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.campaign import comparison, table
from analysis.campaign.campaign import Campaign
from analysis.figures.style import Look, Target
from analysis.report import compared_cases_section as section
from analysis.report.campaign_page import Contents, write


def campaign(
    goodput: Mapping[str, Sequence[float | None]],
    metrics: tuple[str, ...] = ("goodput",),
    repetitions: int = 1,
    columns: Mapping[str, Mapping[str, Any]] | None = None,
) -> Campaign:
    """Runs of each case by the goodput in its networks; None for a run that failed.

    columns : more columns, by case
    """
    rows = []
    for case, values in goodput.items():
        for number, value in enumerate(values):
            point, repetition = divmod(number, repetitions)
            rows.append(
                {
                    "id": f"{case}{number}",
                    "point": point,
                    "case": case,
                    "repetition": repetition,
                    "verdict": "failed" if value is None else "ok",
                    "reason": "",
                    "protocol": "tcp" if case.startswith("tcp") else "mptcp",
                    "congestion_control": "lia",
                    "path1.capacity_mbps": 10.0 + point,
                    "goodput_mbps": value,
                    **{
                        name: by_case[case] for name, by_case in (columns or {}).items()
                    },
                }
            )
    return Campaign("made-up", table.build(rows), ("path1.capacity_mbps",), metrics)


def test_differences_are_of_the_same_network() -> None:
    """A network of which one run failed takes no part in either median."""
    made = campaign({"a": [10, 20, 30, 40, None], "b": [11, 19, 33, 40, 90]})
    (found,) = section.compared(made)
    assert found.cases == ("a", "b")
    assert found.differences.tolist() == [1, -1, 3, 0]
    assert (found.first, found.second) == (25, 26)
    assert (found.above, found.below) == (2, 1)
    assert found.median.estimate == 0.5


def test_the_interval_is_that_of_mpbench_compare() -> None:
    """Two campaigns of a case each, compared by `comparison.lines`, give the same."""
    rng = np.random.default_rng(7)
    first = rng.uniform(1, 100, 40)
    second = first * rng.uniform(0.9, 1.2, 40)
    (found,) = section.compared(campaign({"a": list(first), "b": list(second)}))
    one, other = campaign({"a": list(first)}), campaign({"b": list(second)})
    keys = ["path1.capacity_mbps"]
    pairs = comparison.pairs(one.runs, other.runs, keys, {"a": "b"}, "goodput")
    expected = comparison.interval(
        pairs["difference"].to_numpy(), np.median, np.random.default_rng(section.SEED)
    )
    assert found.median == expected
    assert expected.low is not None and 0 < expected.low < expected.estimate


def test_repetitions_of_a_network_are_one_sample() -> None:
    """Three networks twice: n is 3, and a mean that rounding alone moves is equal."""
    values = [1.0, 3.0, 0.1, 0.2, 5.0, 7.0]
    other = [2.0, 4.0, 0.2, 0.1, 8.0, 9.0]
    (found,) = section.compared(campaign({"a": values, "b": other}, repetitions=2))
    assert found.differences.tolist() == [1.0, 0.0, 2.5]
    assert (found.above, found.below) == (2, 0)


def test_repetitions_of_a_single_network_are_the_samples() -> None:
    made = campaign({"a": [1, 2, 3, 4], "b": [2, 2, 5, 9]}, repetitions=4)
    (found,) = section.compared(made)
    assert found.differences.tolist() == [1, 0, 2, 5]


def test_too_few_networks_are_not_compared() -> None:
    assert section.compared(campaign({"a": [1, 2, None], "b": [2, None, 3]})) == []
    assert section.compared(campaign({"a": [1, 2, 3]})) == []
    assert section.compared(campaign({"a": [None] * 3, "b": [None] * 3})) == []
    assert list(section.lines([], None)) == []


def test_which_cases_are_compared() -> None:
    """Every two of four; of five, each with the first."""
    four = {name: [1.0, 2.0, 3.0] for name in "dcba"}
    names = [found.name for found in section.compared(campaign(four))]
    assert names == ["c - d", "b - d", "a - d", "b - c", "a - c", "a - b"]
    names = [f.name for f in section.compared(campaign({**four, "e": [1.0] * 3}))]
    assert names == ["c - d", "b - d", "a - d", "e - d"]


def test_metrics_that_a_case_does_not_have() -> None:
    """A share of the traffic says nothing of TCP, and a metric may be no number."""
    values = [1.0, 2.0, 3.0]
    made = campaign(
        {"lia": values, "tcp1": values, "olia": values},
        ("traffic_split", "goodput", "completion_time"),
        columns={"path1.share": {"lia": 0.5, "tcp1": 1.0, "olia": 0.25}},
    )
    of_share = [f for f in section.compared(made) if f.metric == "traffic_split"]
    assert {f.metric for f in section.compared(made)} == {"traffic_split", "goodput"}
    assert [f.name for f in of_share] == ["olia - lia"]


@pytest.mark.parametrize("formats", [("png", "svg"), ("pdf",)])
def test_the_same_results_give_the_same_picture(
    formats: tuple[str, ...], tmp_path: Path
) -> None:
    made = campaign({"a": [1, 2, 3], "b": [2, 2, 5], "c": [0.5, 4, 3]})
    found = section.compared(made)
    seen = []
    for name in ("one", "two"):
        target = Target(tmp_path / name, "", Look(formats=formats))
        assert section.draw(found, made, target) == f"cases-compared.{formats[0]}"
        seen.append([p.read_bytes() for p in sorted((tmp_path / name).iterdir())])
    assert seen[0] == seen[1] and len(seen[0]) == len(formats)


def test_the_section_of_a_page(tmp_path: Path) -> None:
    """Names that would be mathematics, a table's cell or HTML stay text."""
    made = campaign({"a|$x^{": [1, 2, 3], "<b>$": [2, 2, 5]})
    page = write(made, Contents(), tmp_path).page
    assert page is not None
    text = page.read_text()
    section_text = text.partition("## Cases compared")[2]
    assert "![Differences between cases in the same network](cases-compared.png)" in (
        section_text
    )
    row = next(line for line in section_text.splitlines() if line.startswith("| good"))
    assert r"&lt;b>$ - a\|$x^{ | 3 | 2.00 | 2.00 | +1.00 |" in row
    assert row.endswith("| 2 | 0 |")
    assert (tmp_path / "cases-compared.svg").is_file()
