"""Each metric that a run lacks has its reason in the row, the table and the page."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from analysis.campaign import absent as of_campaign
from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.report import metrics_section
from analysis.run import absent, needs, run_metrics, together
from tests.analysis.test_conservation import ENTRY, iperf3, made

TIMES = ((0.0, 10.0), (0.0, 10.0))
BOTH = (iperf3(10.0, 6e6), iperf3(10.0, 3e6))


def reasons(run: Any) -> dict[str, str]:
    row = run_metrics.row(run)
    return absent.read(absent.column(run, row)[absent.COLUMN])


def test_the_text_is_read_as_it_is_written() -> None:
    told = {"a": "it needs x", "b": "it needs x", "c": "nothing arrived"}
    assert absent.written(told) == "a, b: it needs x; c: nothing arrived"
    assert absent.read(absent.written(told)) == told
    assert absent.read(None) == absent.read("") == {}


def test_every_absent_metric_of_a_run_has_a_reason() -> None:
    run = made({**ENTRY, "duration_s": 10.0}, reports=BOTH[:1], client_s=TIMES[:1])
    row = run_metrics.row(run)
    told = reasons(run)
    missing = {m for m in needs.METRICS if row.get(needs.column(m, "path1")) is None}
    assert set(told) == missing and all(told.values())
    assert told["jain"] == "a single stream has no fairness"
    assert told["aggregation_benefit"] == absent.TCP
    assert told["completion_time"] == f"it needs {needs.ONE_DOWNLOAD}"
    assert "goodput" not in told


def test_columns_of_each_path_are_known_by_the_end_of_their_names() -> None:
    run = made({**ENTRY, "duration_s": 10.0}, reports=BOTH[:1], client_s=TIMES[:1])
    row = {"path1.a.b": 1, "x.a_b": 2, "c": 3, "path1.d": None, ".e": 4, "u.v.d.": 5}
    names = ("a", "b", "a.b", "a_b", "_b", "c", "d", "d.", "e", "", "v.d", "path1.a.b")
    found = absent._known(run, row).of_each
    for name in names:
        ends = any(n.endswith(f".{name}") and row[n] is not None for n in row)
        assert (name in found) == ends, name


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"reverse": True}, together.BOTH_WAYS), ({"start_s": 10.0}, together.IN_TURN)],
)
def test_entries_that_are_not_added_say_so(change: dict[str, Any], reason: str) -> None:
    pair = {**ENTRY, "duration_s": 10.0}
    times = (TIMES[0], (10.0, 20.0)) if "start_s" in change else TIMES
    told = reasons(made(pair, {**pair, **change}, reports=BOTH, client_s=times))
    for metric in ("goodput", "jain", "utilisation"):
        assert told[metric] == reason


def rows() -> list[dict[str, Any]]:
    usual = {"point": 0, "repetition": 0, "verdict": "ok", "reason": ""}
    capacities = {"path1.capacity_mbps": 10.0, "path2.capacity_mbps": 10.0}
    return [
        {
            "id": case,
            "case": case,
            **usual,
            **capacities,
            "protocol": "tcp" if path else "mptcp",
            "path": path,
            "goodput_mbps": 9.0,
            absent.COLUMN: "jain: a single stream has no fairness",
        }
        for case, path in (("lia", None), ("tcp1", 1))
    ]


def test_the_table_says_which_other_run_is_missing() -> None:
    frame = table.build(rows()).set_index("case")
    told = {case: absent.read(text) for case, text in frame[absent.COLUMN].items()}
    benefit = "experimental_aggregation_benefit"
    assert told["lia"][benefit].startswith("no run of tcp alone on path2 is ok")
    assert told["tcp1"][benefit] == absent.TCP
    assert told["lia"]["jain"] == told["tcp1"]["jain"]


def test_the_page_shows_the_reasons() -> None:
    asked = ("goodput", "jain", "experimental_aggregation_benefit")
    made_ = Campaign("a", table.build(rows()), metrics=asked)
    text = "\n".join(metrics_section.lines(made_))
    assert "- `jain`: a single stream has no fairness." in text
    assert "`experimental_aggregation_benefit`: " in text and "path2" in text
    runs = made_.runs.assign(jain=pd.Series([1.0, None]))
    text = "\n".join(metrics_section.lines(replace(made_, runs=runs)))
    assert "- `jain`: `tcp1`: a single stream has no fairness." in text
    assert of_campaign.reasons(runs.drop(columns=absent.COLUMN), "jain") == ()


def test_rows_without_reasons_have_those_of_their_protocol() -> None:
    """Runs that were kept before rows had reasons, or are of a stranger's table."""
    runs = pd.DataFrame({"protocol": ["tcp", "tcp"]})
    for metric in ("aggregation_benefit", "experimental_aggregation_benefit"):
        assert of_campaign.reasons(runs, metric) == (absent.TCP,)
    assert of_campaign.reasons(runs, "goodput") == ()
    both = pd.DataFrame({"protocol": ["tcp", "mptcp"]})
    assert of_campaign.reasons(both, "aggregation_benefit") == ()
    assert of_campaign.reasons(both.iloc[1:], "aggregation_benefit") == ()
    assert of_campaign.reasons(pd.DataFrame({"case": ["a"]}), "jain") == ()
