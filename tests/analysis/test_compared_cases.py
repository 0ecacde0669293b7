"""Cases compared in the same networks: the section of a report and its picture."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

from analysis.campaign import comparison, table
from analysis.campaign.campaign import Campaign
from analysis.campaign.question import Question
from analysis.figures.style import Look, Target
from analysis.report import compared_cases as cases
from analysis.report import compared_cases_picture as picture
from analysis.report import compared_cases_section as section
from analysis.report import metrics_section
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
    (found,) = cases.compared(made).found
    assert found.cases == ("a", "b")
    assert found.differences.tolist() == [1, -1, 3, 0]
    assert (found.first, found.second) == (25, 26)
    assert (found.above, found.below) == (2, 1)
    assert found.median.estimate == 0.5


def test_the_baseline_of_the_question_is_the_reference() -> None:
    """The signs are those of the answer: `b` less the baseline `a`, as `c` is."""
    made = campaign({"b": [11, 19, 33], "c": [1, 2, 3], "a": [10, 20, 30]})
    asked = Question("a", {"goodput": "more"}, asked=True)
    found = cases.compared(replace(made, question=asked)).found
    assert [line.name for line in found] == ["b - a", "c - a", "c - b"]
    usual = cases.compared(made).found
    assert [line.name for line in usual] == ["c - b", "a - b", "a - c"]
    absent = replace(made, question=Question("d", {"goodput": "more"}))
    assert [line.name for line in cases.compared(absent).found] == [
        line.name for line in usual
    ]


def test_long_names_leave_the_axis_its_place() -> None:
    long = "lia-with-a-very-long-name-of-a-variant-from-a-second-draft - lia"
    short = ["olia - lia", "lia-with-a-very-lon…-second-draft - lia"]
    assert picture.shortened(["olia - lia", long]) == short
    assert max(map(len, short)) <= picture.MOST_LETTERS
    assert picture.shortened(["x" * picture.MOST_LETTERS]) == ["x" * 40]
    alike = [f"{'x' * 30}{middle}{'x' * 30}" for middle in "ab"]
    assert picture.shortened(alike) == alike


def test_the_interval_is_that_of_mpbench_compare() -> None:
    """Two campaigns of a case each, compared by `comparison.lines`, give the same."""
    rng = np.random.default_rng(7)
    first = rng.uniform(1, 100, 40)
    second = first * rng.uniform(0.9, 1.2, 40)
    made = campaign({"a": list(first), "b": list(second)})
    (found,) = cases.compared(made).found
    one, other = campaign({"a": list(first)}), campaign({"b": list(second)})
    keys = ["path1.capacity_mbps"]
    pairs = comparison.pairs(one.runs, other.runs, keys, {"a": "b"}, "goodput")
    expected = comparison.interval(
        pairs["difference"].to_numpy(), np.median, np.random.default_rng(cases.SEED)
    )
    assert found.median == expected
    assert expected.low is not None and 0 < expected.low < expected.estimate


def test_repetitions_of_a_network_are_one_sample() -> None:
    """Three networks twice: n is 3, and a mean that rounding alone moves is equal."""
    values = [1.0, 3.0, 0.1, 0.2, 5.0, 7.0]
    other = [2.0, 4.0, 0.2, 0.1, 8.0, 9.0]
    made = campaign({"a": values, "b": other}, repetitions=2)
    (found,) = cases.compared(made).found
    assert found.differences.tolist() == [1.0, 0.0, 2.5]
    assert (found.above, found.below) == (2, 0)


def test_repetitions_of_a_single_network_are_the_samples() -> None:
    made = campaign({"a": [1, 2, 3, 4], "b": [2, 2, 5, 9]}, repetitions=4)
    (found,) = cases.compared(made).found
    assert found.differences.tolist() == [1, 0, 2, 5]


def test_too_few_networks_are_not_compared() -> None:
    few = cases.compared(campaign({"a": [1, 2, None], "b": [2, None, 3]}))
    assert not few.found
    assert few.left_out == (
        "goodput: `b` - `a`: 1 network in common; 3 can be compared, and an interval"
        " needs 6",
    )
    page = "\n".join(section.lines(few, ()))
    assert "Not compared:" in page and f"- {few.left_out[0]}." in page
    for other in (campaign({"a": [1, 2, 3]}), campaign({"a": [None], "b": [None]})):
        assert list(section.lines(cases.compared(other), ())) == []


def test_a_case_that_is_left_out_has_a_reason() -> None:
    values = [1.0, 2, 3]
    made = campaign(
        {"a": values, "b": values, "tcp1": values, "dead": [None] * 3},
        ("goodput", "traffic_split", "jain"),
        columns={
            "path1.share": {"a": 0.5, "b": 0.6, "tcp1": 1.0, "dead": None},
            "jain": {"a": 1.0, "b": 0.9, "tcp1": None, "dead": None},
        },
    )
    left_out = cases.compared(made).left_out
    assert "`dead`: no run is ok" in left_out
    assert "share of path 1: `tcp1`: TCP has one path" in left_out
    assert "Jain's fairness index: `tcp1`: no run that is ok has it" in left_out
    many = campaign({case: values for case in "abcde"})
    assert any(
        "each is compared with `a` alone" in r for r in cases.compared(many).left_out
    )


def _with_sizes(sizes: Sequence[float], listed: tuple[str, ...]) -> Campaign:
    """Eight networks, each with every size; the second case takes twice the time."""
    rows = []
    for network in range(8):
        for number, size in enumerate(sizes):
            for case, factor in (("a", 1.0), ("b", 2.0)):
                rows.append(
                    {
                        "id": f"{network}{number}{case}",
                        "point": network * len(sizes) + number,
                        "case": case,
                        "repetition": 0,
                        "verdict": "ok",
                        "reason": "",
                        "protocol": "mptcp",
                        "path1.capacity_mbps": 10.0 + network,
                        "traffic.size_bytes": size,
                        "completion_time_s": factor * size * (1 + network),
                    }
                )
    factors = ("path1.capacity_mbps", "traffic.size_bytes")
    return Campaign(
        "sizes", table.build(rows), factors, ("completion_time",), listed=listed
    )


@pytest.mark.parametrize("count", [3, 13])
def test_sizes_are_no_networks(count: int) -> None:
    """A row per value of a listed factor, with the networks as n."""
    sizes = [float(10**5 * (1 + i)) for i in range(count)]
    made = _with_sizes(sizes, ("traffic.size_bytes",))
    compared = cases.compared(made)
    assert compared.split == ("traffic.size_bytes",)
    assert [len(line.differences) for line in compared.found] == [8] * count
    assert [line.place for line in compared.found] == [
        (f"{size:.12g}",) for size in sizes
    ]
    text = "\n".join(metrics_section.lines(made))
    assert text.count("| a | ") == text.count("| b | ") == count
    assert all(f"| a | {size:.12g} | 8 |" in text for size in sizes)


def test_points_of_a_grid_are_networks_in_comparisons() -> None:
    every = ("path1.capacity_mbps",)
    made = campaign({"a": range(1, 8), "b": range(2, 9)})
    made = replace(made, listed=every)
    (found,) = cases.compared(made).found
    assert len(found.differences) == 7
    text = "\n".join(metrics_section.lines(made))
    assert text.count("\n| a | 1") == 7 and "| a | 12 | 1 | 3.00 |" in text


def test_so_many_values_of_a_list_are_not_called_networks() -> None:
    made = _with_sizes([float(i + 1) for i in range(30)], ("traffic.size_bytes",))
    text = "\n".join(metrics_section.lines(made))
    assert (
        "n counts points of the design: networks, each with every traffic size" in text
    )


def test_entries_have_columns_of_their_own() -> None:
    """The first table has a column per entry, and no total of what is not added."""
    values = {"down.goodput_mbps": {"a": 45.0, "b": 46.0}}
    values["up.goodput_mbps"] = {"a": 13.0, "b": 12.0}
    made = campaign({"a": [1.0] * 6, "b": [1.0] * 6}, columns=values)
    runs = made.runs.assign(goodput_mbps=np.nan)
    made = replace(made, runs=runs, entries=("down", "up"))
    text = "\n".join(metrics_section.lines(made))
    assert "| case | n | down goodput [Mbit/s] | up goodput [Mbit/s] |" in text
    compared = cases.compared(made)
    assert [line.column for line in compared.found] == list(values)


def test_which_cases_are_compared() -> None:
    """Every two of four; of five, each with the first."""
    four = {name: [1.0, 2.0, 3.0] for name in "dcba"}
    names = [found.name for found in cases.compared(campaign(four)).found]
    assert names == ["c - d", "b - d", "a - d", "b - c", "a - c", "a - b"]
    five = cases.compared(campaign({**four, "e": [1.0] * 3}))
    names = [f.name for f in five.found]
    assert names == ["c - d", "b - d", "a - d", "e - d"]


def test_metrics_that_a_case_does_not_have() -> None:
    """A share of the traffic says nothing of TCP, and a metric may be no number."""
    values = [1.0, 2.0, 3.0]
    made = campaign(
        {"lia": values, "tcp1": values, "olia": values},
        ("traffic_split", "goodput", "completion_time"),
        columns={"path1.share": {"lia": 0.5, "tcp1": 1.0, "olia": 0.25}},
    )
    found = cases.compared(made).found
    of_share = [f for f in found if f.metric == "traffic_split"]
    assert {f.metric for f in found} == {"traffic_split", "goodput"}
    assert [f.name for f in of_share] == ["olia - lia"]


@pytest.mark.parametrize("formats", [("png", "svg"), ("pdf",)])
def test_the_same_results_give_the_same_picture(
    formats: tuple[str, ...], tmp_path: Path
) -> None:
    made = campaign({"a": [1, 2, 3], "b": [2, 2, 5], "c": [0.5, 4, 3]})
    found = cases.compared(made)
    seen = []
    for name in ("one", "two"):
        target = Target(tmp_path / name, "", Look(formats=formats))
        [drawn] = picture.draw(found, made, target)
        assert drawn == f"cases-compared.{formats[0]}"
        seen.append([p.read_bytes() for p in sorted((tmp_path / name).iterdir())])
    assert seen[0] == seen[1] and len(seen[0]) == len(formats)


def test_a_case_far_from_the_others_has_its_number_at_the_edge() -> None:
    goodput = {
        "a": [100.0 + n for n in range(8)],
        **{
            name: [100.4 + n + place / 9 for n in range(8)]
            for place, name in enumerate("bcde")
        },
        "f": [5.0 + n for n in range(8)],
    }
    made = cases.compared(campaign(goodput))
    figure, axis = pyplot.subplots()
    try:
        picture._panel(axis, made.found, (), dict.fromkeys("abcdef", 0))
        assert [text.get_text() for text in axis.texts] == [
            "\u2190 -95.0 (-95.0 to -95.0)"
        ]
    finally:
        pyplot.close(figure)


def test_an_axis_holds_the_interval_of_a_case_that_is_not_so_far() -> None:
    """Two cases are equal to the first, two differ at times, and one is worse."""
    apart: list[float] = [
        0,
        0.12,
        -0.03,
        -0.36,
        0.59,
        0.37,
        -0.08,
        1.42,
        2.12,
        -0.29,
        0.53,
        0.07,
    ]
    apart += [-1.17, 0.29, 0.1, 0.03, 0.01, -0.01, 0.11, -0.17, -0.06, 0.22, 1.78]
    worse = [-1.73, -0.25, -2.12, -1.98, 1.42, 0.16, -0.39, -3.79, 5.33, -0.17, -0.13]
    worse += [-2.27, -2.64, -2.32, -0.11, 1.02, -4.93, -0.95, -1.46, -1.1, -0.96, -7.34]
    worse += [-0.88]
    shifts: dict[str, Sequence[float]] = {
        "a": [0] * 23,
        "b": [0] * 23,
        "c": apart,
        "d": apart,
        "e": worse,
    }
    shifts["f"] = [0] * 23
    made = cases.compared(
        campaign({case: [10 + n for n in of] for case, of in shifts.items()})
    )
    least = next(line.median.low for line in made.found if line.name == "e - a")
    figure, axis = pyplot.subplots()
    try:
        picture._panel(axis, made.found, (), dict.fromkeys("abcdef", 0))
        assert least is not None and axis.get_xlim()[0] <= least < -1
        assert not axis.texts
    finally:
        pyplot.close(figure)


def test_lines_of_a_listed_value_stand_below_its_name() -> None:
    """A row that says 0.5 does not say what is 0.5."""
    one = cases.compared(campaign({"a": [1, 2, 3], "b": [2, 2, 5]})).found[0]
    places = [("0",), ("0.5",), ("0.5",)]
    lines = [replace(one, place=place) for place in places]
    figure, axis = pyplot.subplots()
    try:
        picture._panel(axis, lines, ("path1.loss_percent",), {"a": 0, "b": 1})
        names = [text.get_text() for text in axis.get_yticklabels()]
    finally:
        pyplot.close(figure)
    heads = ["path 1 loss 0 %", "path 1 loss 0.5 %"]
    assert names == [heads[0], "b - a", heads[1], "b - a", "b - a"]
    assert picture._place_words(("traffic.size_bytes",), ("8000",)) == (
        "traffic size 8 kB"
    )
    parts = picture._parts_of_pages(lines, 3)
    assert [len(part) for part in parts] == [1, 2], "headings are rows too"
    assert [len(p) for p in picture._parts_of_pages(lines, 5)] == [3]


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
