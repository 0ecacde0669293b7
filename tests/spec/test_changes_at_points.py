"""Changes whose times and values differ between the points of a design."""

import csv
from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.runs import Plan
from tests.calls import Command

HEAD = """\
name: handover
topology: two_path
parameters: {path1.capacity: 20 Mbit/s}
"""
CHANGES = """\
changes:
  path1:
    at:
      1 s: {capacity: = path1.capacity * depth}
      = handover: {up: false}
      = handover + outage: {up: true, capacity: = path1.capacity}
"""
FACTORS = """\
    handover: [2 s, 4 s]
    outage: [500 ms]
    depth: [25 %]
"""
TAIL = """\
cases:
  lia: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 6 s}
metrics: [goodput]
figures:
  - {kind: line, metric: goodput, by: handover}
"""
FILE = f"{HEAD}{CHANGES}design:\n  method: grid\n  factors:\n{FACTORS}{TAIL}"


def plan(text: str) -> Plan:
    return make_plan(loads(text, "f.yaml"), {})


def of(changes: str, factors: str) -> str:
    """A file with these changes of path 1 and these factors."""
    head, _, _ = TAIL.partition("metrics:")
    design = f"design:\n  method: grid\n  factors: {factors}\n"
    return f"{HEAD}changes:\n  path1: {changes}\n{design}{head}"


def series(made: Plan, number: int = 0) -> dict[str, tuple[list[float], list[float]]]:
    return {
        one["quantity"]: (one["at_s"], one["values"])
        for one in dump(made.runs[number].job)["changes"]
    }


def test_the_time_and_the_depth_of_a_change_follow_from_factors() -> None:
    made = plan(FILE)
    assert made.factor_keys == (
        "factor.handover_s",
        "factor.outage_ms",
        "factor.depth_percent",
    )
    assert series(made, 0) == {
        "capacity_mbps": ([1.0, 2.5], [5.0, 20.0]),
        "up": ([2.0, 2.5], [0.0, 1.0]),
    }
    assert series(made, 1)["up"] == ([4.0, 4.5], [0.0, 1.0])


def test_a_run_has_the_job_of_a_file_with_these_times() -> None:
    """But for the seed, which follows from the point."""
    text = FILE.partition("figures:")[0]
    for name, value in (("outage", "500 ms"), ("depth", "0.25"), ("handover", "4 s")):
        text = text.replace(f"= {name}", f"= {value}").replace(
            f"* {name}", f"* {value}"
        )
    text = text.replace("= 4 s + outage", "4.5 s").replace("= 4 s:", "4 s:")
    text = text.replace(f"design:\n  method: grid\n  factors:\n{FACTORS}", "")
    one, other = (
        {**dump(p.runs[n].job), "seed": 0}
        for p, n in ((plan(FILE), 1), (plan(text), 0))
    )
    assert one == other


def test_a_period_and_the_ends_of_draws() -> None:
    made = plan(
        of(
            "{every: = period, delay: {min: 1 ms, max: = slowest}, loss:"
            " {up: {min: 0, max: = lost}, down: {min: 0, max: 1 %}}}",
            "{period: [1 s, 2 s], slowest: [3 ms], lost: [2 %]}",
        )
    )
    times, delays = series(made)["delay_ms"]
    assert times == [0, 1, 2, 3, 4, 5] and all(1 <= d <= 3 for d in delays)
    assert series(made, 1)["delay_ms"][0] == [0, 2, 4]
    # What holds at 0 s is the middle of the range.
    assert made.runs[0].job.parameters["path1.delay_ms"] == 2.0


def test_steps_that_repeat_after_a_period() -> None:
    made = plan(
        of(
            "{at: {0 s: {queue: = full}, 1 s: {queue: 10}}, repeat: = period}",
            "{period: [2 s], full: [64 KiB]}",
        ).replace("= full", "= full / 1514 B")
    )
    (one,) = made.runs[0].job.changes
    assert (one.values, one.period_s) == ((43.0, 10.0), 2.0)
    assert made.runs[0].job.parameters["path1.queue_packets"] == 43


def test_a_change_at_0_s_that_follows_from_a_parameter_leaves_the_parameter() -> None:
    changes = "{at: {0 s: {delay: = 2 * path2.delay * far}}}"
    made = plan(of(changes, "{far: [3]}"))
    assert made.runs[0].job.parameters["path1.delay_ms"] == 10.0
    assert series(made)["delay_ms"] == ([0.0], [60.0])


def test_a_factor_changes_where_the_change_follows_from_it() -> None:
    factors = "{depth: [50 %], path1.capacity: [10 Mbit/s, 30 Mbit/s]}"
    changes = "{at: {2 s: {capacity: = path1.capacity * depth}}}"
    text = of(changes, factors).replace("parameters: {path1.capacity: 20 Mbit/s}\n", "")
    made = plan(text)
    assert [series(made, n)["capacity_mbps"][1] for n in (0, 1)] == [[5.0], [15.0]]
    with pytest.raises(UserError, match="capacity is a factor of the design too"):
        plan(text.replace("= path1.capacity * depth", "= 10 Mbit/s * depth"))


def test_points_are_constrained_by_times() -> None:
    text = FILE.replace("method: grid", "points: 6")
    text = text.replace("[2 s, 4 s]", "{min: 2 s, max: 5 s}")
    text = text.replace("[500 ms]", "{min: 100 ms, max: 3 s}")
    limit = "  constraints: [handover + outage / 1000 < 5.9]\n"
    made = plan(text.replace("cases:", f"{limit}cases:"))
    assert len(made.runs) == 6
    assert all(series(made, n)["up"][0][1] < 5.9 for n in range(6))
    with pytest.raises(UserError, match="is not before the end of the traffic, at 6 s"):
        plan(text)


def test_a_computed_change_comes_before_the_end_of_the_traffic() -> None:
    text = of("{at: {'= begin': {delay: 9 ms}}}", "{begin: {values: [5.999 s]}}")
    assert plan(text).runs
    with pytest.raises(UserError, match="6 s is not before the end of the traffic"):
        plan(text.replace("5.999 s", "6 s"))


def test_files_differ_by_their_expressions() -> None:
    one, two = (
        loads(FILE.replace("* depth", how)) for how in ("* depth", "* 2 * depth")
    )
    assert one.digest != two.digest


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "= handover:",
            "= handovr:",
            "f.yaml:8: changes.path1.at.= handovr: two_path has no parameter 'handovr';"
            " did you mean 'handover'?",
        ),
        ("* depth", "* depth * 1 s", "gives an amount of data; a data rate is needed"),
        ("= handover:", "= depth:", "'= depth' gives a number; a time is needed"),
        ("= handover:", "= handover +:", "the end stands where a quantity, a name"),
        ("= handover:", "= sleep(1):", "no function 'sleep'"),
        ("= handover:", "= handover.x:", "has no parameter 'handover.x'"),
        (
            "[2 s, 4 s]",
            "[0.7 s, 4 s]",
            "f.yaml:8: changes.path1.at.= handover, point 0: stands behind 1 s; sort",
        ),
        (
            "[2 s, 4 s]",
            "[2 s, 5.8 s]",
            "f.yaml:9: changes.path1.at.= handover + outage, point 1: 6.3 s is not bef",
        ),
        (
            "[2 s, 4 s]",
            "[1 s]",
            "f.yaml:6: changes.path1.at: two changes come at the same time, 1 s; keep",
        ),
        ("[500 ms]", "[0 s]", "two changes come at the same time"),
        ("[500 ms]", "[-3 s]", "'= handover + outage' gives -1 s: -1 s is not within"),
        (
            "[25 %]",
            "[1e8 %]",
            "'= path1.capacity * depth' gives 2e+07 Mbit/s: 2e+07 Mbit/s is out of",
        ),
        ("* depth", "/ (depth - depth)", "gives inf; it must give a finite number"),
        ("* depth", "* depth * 0 / 0", "gives nan; it must give a finite number"),
        ("[25 %]", "[.inf]", "'.inf' is not a quantity"),
        (
            "= path1.capacity * depth",
            "= path1.queue * 1 Mbit/s * depth",
            "needs path1.q",
        ),
        ("by: handover", "by: outag", "no such parameter"),
    ],
)
def test_refused(old: str, new: str, message: str) -> None:
    text = FILE.replace(old, new, 1)
    if new == "[1 s]":
        text = text.replace("by: handover", "by: depth")
    with pytest.raises(UserError) as caught:
        plan(text)
    assert message in " ".join(str(caught.value).splitlines())


@pytest.mark.parametrize(
    ("changes", "factors", "message"),
    [
        (
            "{every: = p, delay: {min: 5 ms, max: = m}}",
            "{p: [1 s], m: [1 ms]}",
            "changes.path1.delay: min 5 is above max 1",
        ),
        (
            "{every: = p, delay: {min: 1 ms, max: = m}}",
            "{p: [0 s], m: [2 ms]}",
            "changes.path1.every: '= p' gives 0 s: 0 s is not within 0.001 to 86400",
        ),
        (
            "{at: {1 s: {queue: = n}}, repeat: = p}",
            "{p: [1 s], n: [5]}",
            "at.1 s: not before the end of the period of 1 s; give an earlier time",
        ),
        ("{at: {1 s: {delay: = n}}}", "{n: [5]}", "gives a number; a time is needed"),
        ("{trace: x, repeat: = p}", "{p: [1 s]}", "a period is for 'at'; write 'repea"),
    ],
)
def test_refused_together(changes: str, factors: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        plan(of(changes, factors))
    assert message in str(caught.value)


@pytest.mark.slow
def test_runs_and_their_report(tmp_path: Any, command: Command) -> None:
    file, out = tmp_path / "f.yaml", tmp_path / "out"
    file.write_text(FILE)
    command("run", file, "--backend", "fake", "--out", out)
    done = command("report", out)
    assert done.status == 0, done.err
    rows = list(csv.DictReader((out / "runs.csv").open()))
    assert [row["factor.handover_s"] for row in rows] == ["2.0", "4.0"]
    page = (out / "report/README.md").read_text()
    assert "line-goodput-handover.png" in page and "Not drawn" not in page
