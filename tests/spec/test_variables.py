"""Factors with names of the user's own, from which parameters are computed."""

import csv
from typing import Any

import pandas as pd
import pytest

from analysis.campaign.columns import label, plain
from analysis.figures.data import parameter_column
from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.runs import Plan
from tests.calls import Command

FILE = """\
name: own
topology: two_path
parameters: {path2.delay: = path1.delay * rtt_ratio}
design:
  method: grid
  factors:
    rtt_ratio: [1, 8]
    path1.delay: [5 ms, 20 ms]
cases:
  lia: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s}
metrics: [goodput]
figures:
  - {kind: line, metric: goodput, by: rtt_ratio}
  - {kind: box, metric: goodput, criterion: {factor: rtt_ratio, difference: none}}
"""
NETWORK = """\
name: own
network:
  links:
    a: {capacity: = rate * 2, delay: = after / 1000, loss: = lost}
    b: {like: a, queue: = rate * after / 1514 B}
  users: {client: {paths: [a, b], users: = crowd}}
design:
  method: grid
  factors: FACTORS
cases:
  lia: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: client, to: server_client, duration: 5 s}
"""
FACTORS = "{rate: [1 Mbit/s], after: [2 s], lost: [1 %], crowd: [3 users]}"


def plan(text: str) -> Plan:
    return make_plan(loads(text, "f.yaml"), {})


def test_parameters_follow_from_the_factor() -> None:
    made = plan(FILE)
    assert made.factor_keys == ("factor.rtt_ratio", "path1.delay_ms")
    delays = [run.job.parameters["path2.delay_ms"] for run in made.runs]
    assert delays == [5.0, 20.0, 40.0, 160.0]
    assert len({run.job.seed for run in made.runs}) == 4


def test_a_run_has_the_job_of_a_file_with_this_value() -> None:
    """But for the seed, which follows from the point."""
    head, _, _ = FILE.partition("figures:")
    start, _, rest = head.partition("design:")
    fixed = start.replace("rtt_ratio", "8").replace("delay:", "delay: ", 1)
    fixed = fixed.replace("{path2", "{path1.delay: 20 ms, path2")
    one = {**dump(plan(FILE).runs[3].job), "seed": 0}
    other = {**dump(plan(fixed + "cases:" + rest.partition("cases:")[2]).runs[0].job)}
    assert one == {**other, "seed": 0}


def test_units_are_those_of_the_values() -> None:
    made = plan(NETWORK.replace("FACTORS", FACTORS))
    assert made.factor_keys == (
        "factor.rate_mbps",
        "factor.after_s",
        "factor.lost_percent",
        "factor.crowd",
    )
    values = made.runs[0].job.parameters
    assert (values["a.capacity_mbps"], values["a.delay_ms"]) == (2.0, 2.0)
    assert (values["a.loss_percent"], values["client.users"]) == (1.0, 3)
    assert values["b.queue_packets"] == round(1e6 * 2 / 8 / 1514)


@pytest.mark.parametrize(
    ("given", "column"),
    [
        ("[100 ms]", "factor.after_ms"),
        ("[0, 500 us]", "factor.after_ms"),
        ("[1 min]", "factor.after_s"),
        ("{values: [1, 2], unit: s}", "factor.after_s"),
    ],
)
def test_times_in_ms_or_s(given: str, column: str) -> None:
    text = NETWORK.replace("FACTORS", FACTORS.replace("[2 s]", given))
    text = text.replace("rate * after / 1514 B", "100 + 0 * after / 1 s")
    assert column in plan(text).factor_keys


def test_ranges_are_spread_and_constrained() -> None:
    text = FILE.replace("method: grid", "points: 9").replace(
        "[1, 8]", "{min: 1, max: 8, step: 0.5}"
    )
    text = text.replace("[5 ms, 20 ms]", "{min: 5 ms, max: 20 ms}").replace(
        "cases:", "  constraints: [path2.delay > 40, rtt_ratio < 6]\ncases:"
    )
    made = plan(text)
    assert len(made.runs) == 9
    for run in made.runs:
        ratio = run.factors["factor.rtt_ratio"]
        assert ratio < 6 and ratio * 2 == int(ratio * 2)
        assert float(run.job.parameters["path2.delay_ms"] or 0) > 40


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "rtt_ratio: [",
            "ratio: [",
            "f.yaml:7: design.factors.ratio: two_path and the traffic have no such",
        ),
        (
            "= path1.delay * rtt_ratio",
            "10 ms",
            "f.yaml:7: design.factors.rtt_ratio: two_path and the traffic have no such"
            " parameter; known:",
        ),
        (
            "= path1.delay * rtt_ratio",
            "10 ms",
            "A name of your own needs an expression that uses it, such as",
        ),
        ("[1, 8]", "[1 ms, 8 ms]", "gives data to the power 0 times time to the power"),
        ("[1, 8]", "[1, 8 ms]", "1 has no unit beside others that have one; write '1"),
        ("[1, 8]", "[1 ms, 8 Mbit/s]", "'8 Mbit/s' is a data rate; a time is needed"),
        ("[1, 8]", "[1 furlong]", "unknown unit 'furlong'"),
        ("[1, 8]", "[1e300]", "is out of range; rtt_ratio is -1e+09 to 1e+09"),
        ("[1, 8]", "[1e400]", "is not a finite number"),
        ("[1, 8]", "[.nan]", "'.nan' is not a quantity"),
        ("[1, 8]", "[nan]", "'nan' is not a quantity"),
        ("[1, 8]", "[one]", "'one' is not a quantity; write e.g. '1.5'"),
        ("[1, 8]", "[true]", "true is not a quantity"),
        ("[1, 8]", "[]", "an empty list"),
        ("[1, 8]", "{min: 8, max: 1}", "min 8 is above max 1; exchange them"),
        (
            "[1, 8]",
            "[1, 10000]",
            "path2.delay, point 2: '= path1.delay * rtt_ratio' gives 50000 ms"
            " where path1.delay = 5 ms, rtt_ratio = 10000; path2.delay is 0 to 10000",
        ),
        ("[1, 8]", "[-1, 8]", "gives -5 ms where path1.delay = 5 ms, rtt_ratio = -1;"),
        (
            "    path1.delay:",
            "    path2.delay: [1 ms]\n    path1.delay:",
            "a factor of the design too",
        ),
    ],
)
def test_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        plan(FILE.replace(old, new, 1))
    assert message in " ".join(str(caught.value).splitlines())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ms", "'ms' has a meaning of its own in expressions; take another name"),
        ("lambda", "'lambda' has a meaning of its own"),
        ("abs", "'abs' has a meaning of its own"),
        ("A" * 31, "a name has up to 30 letters"),
    ],
)
def test_names(name: str, message: str) -> None:
    head, _, _ = FILE.partition("figures:")
    with pytest.raises(UserError) as caught:
        plan(head.replace("rtt_ratio", name))
    assert message in str(caught.value)


def test_a_factor_that_another_one_replaces() -> None:
    """A factor counts more than what a link of the network has."""
    text = NETWORK.replace("FACTORS", FACTORS.replace("}", ", a.loss: [2 %]}"))
    with pytest.raises(UserError, match=r"design\.factors\.lost: nothing is"):
        plan(text)


def test_a_metric_of_the_same_name_has_another_column() -> None:
    runs = pd.DataFrame({"factor.goodput": [2.0], "goodput_mbps": [9.0]})
    assert parameter_column(runs, "goodput") == "factor.goodput"
    assert label("factor.after_ms") == "after [ms]"
    assert plain("factor.rtt_ratio") == "rtt ratio"


@pytest.mark.slow
def test_runs_and_their_report(tmp_path: Any, command: Command) -> None:
    file, out = tmp_path / "f.yaml", tmp_path / "out"
    file.write_text(FILE)
    command("run", file, "--backend", "fake", "--out", out)
    done = command("report", out)
    assert done.status == 0, done.err
    page = (out / "report/README.md").read_text()
    assert "line-goodput-rtt-ratio.png" in page and "Not drawn" not in page
    assert '"key":"factor.rtt_ratio"' in (out / "report/dashboard.html").read_text()
    rows = list(csv.DictReader((out / "runs.csv").open()))
    assert [row["factor.rtt_ratio"] for row in rows] == ["1.0", "1.0", "8.0", "8.0"]
    assert "path1.delay * rtt_ratio*" in command("network", file).out
