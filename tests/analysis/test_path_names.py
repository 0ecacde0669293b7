"""Metrics are about the user's paths in the user's order, whatever links are called."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis.campaign import columns, table
from analysis.dashboard import payload
from analysis.figures import words
from analysis.published import statistics
from analysis.run import (
    artefacts,
    capacity_lines,
    labels,
    metrics,
    path_names,
    series,
)
from analysis.run.row import row
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.report.loading import load_campaign
from tests.calls import Command

TEXT = """\
name: named
network:
  links: {{{links}}}
  users: {{phone: {{paths: [{paths}], to: server}}}}
cases:
  lia: {{protocol: mptcp, congestion_control: lia, scheduler: lowrtt}}
  t1: {{protocol: tcp, congestion_control: cubic, path: 1}}
  t2: {{protocol: tcp, congestion_control: cubic, path: 2}}
{third}traffic:
  - {{tool: iperf3, from: phone, to: server, duration: 3 s}}
metrics: [goodput, experimental_aggregation_benefit, traffic_split]
trace: 100 ms
{more}
"""
THIRD = "  t3: {protocol: tcp, congestion_control: cubic, path: 3}\n"
RATES = (40, 10, 20)


def text(paths: tuple[str, ...], more: str = "", rates: tuple[int, ...] = RATES) -> str:
    """An experiment over paths of one link each, of 40, 10 and 20 Mbit/s."""
    links = ", ".join(
        f"{name}: {{capacity: {mbps} Mbit/s, delay: 10 ms, loss: 0 %}}"
        for name, mbps in zip(paths, rates, strict=False)
    )
    third = THIRD if len(paths) == 3 else ""
    return TEXT.format(links=links, paths=", ".join(paths), third=third, more=more)


def campaign(folder: Path, command: Command, what: str) -> Path:
    (folder / "f.yaml").write_text(what)
    out = folder / "out"
    done = command("run", folder / "f.yaml", "--backend", "fake", "--out", out)
    assert done.status == 0, done.out + done.err
    return out


@pytest.mark.parametrize("more", ["", "changes: {wifi: {at: {1 s: {up: false}}}}"])
def test_lines_over_time_have_the_users_names_of_paths(
    tmp_path: Path, command: Command, more: str
) -> None:
    """One path of a transport too; and its capacity stands beside it."""
    out = campaign(tmp_path, command, text(("wifi", "lte"), more))
    for folder in (out / "runs").iterdir():
        run = artefacts.load(folder)
        named = {None: {"wifi", "lte"}, 1: {"wifi"}, 2: {"lte"}}
        path = run.job.transports["phone"].path
        lines = series.lines(run, folder / "artefacts", "throughput", ())
        assert set(lines) == named[path]
        beside = capacity_lines.steps(run, "throughput", (), 3.0)
        assert set(beside) == (named[path] & {"wifi"} if more else set())


def rows(out: Path) -> dict[str, dict[str, Any]]:
    found = []
    for place in sorted((out / "runs").iterdir()):
        made = row(place)
        case = made["protocol"] if made["path"] is None else f"t{made['path']}"
        found.append({"point": 0, "repetition": 0, "case": case, **made})
    frame = table.build(found)
    return {str(one["case"]): dict(one) for _, one in frame.iterrows()}


def names(what: str) -> tuple[str, ...]:
    job = make_plan(loads(what, "f.yaml"), {}).runs[0].job
    return path_names.of_job(job)


def test_a_path_of_one_link_has_its_name() -> None:
    assert names(text(("wifi", "lte"))) == ("wifi", "lte")
    assert names(text(("path2", "wifi"))) == ("phone.path1", "phone.path2")
    assert names(text(("path2", "path1"))) == ("phone.path1", "phone.path2")
    assert names(text(("path1", "path2", "third"))) == ("path1", "path2", "third")


def test_other_paths_are_numbered() -> None:
    more = "wifi: {capacity: 9 Mbit/s}, lte: {capacity: 9 Mbit/s}, core: {delay: 1 ms}"
    links = more.replace("core: {", "core: {capacity: 50 Mbit/s, ")
    shared = TEXT.format(links=links, paths="wifi core, lte core", third="", more="")
    assert names(shared) == ("path1", "path2")
    taken = shared.replace("wifi", "path2").replace("lte", "path1")
    assert names(taken) == ("phone.path1", "phone.path2")


@pytest.mark.parametrize(
    "paths", [("path1", "path2"), ("wifi", "lte"), ("path2", "path1")]
)
def test_metrics_are_about_the_paths_in_the_users_order(
    tmp_path: Path, command: Command, paths: tuple[str, str]
) -> None:
    made = rows(campaign(tmp_path, command, text(paths)))
    mptcp, alone = made["mptcp"], [made[f"t{n}"]["goodput_mbps"] for n in (1, 2)]
    if paths == ("path2", "path1"):  # `path2` would be said of two paths
        paths = ("phone.path1", "phone.path2")
    assert [mptcp[f"{name}.tcp_goodput_mbps"] for name in paths] == alone
    benefit = metrics.experimental_aggregation_benefit(mptcp["goodput_mbps"], alone)
    assert mptcp["experimental_aggregation_benefit"] == benefit
    assert mptcp["first_path_quality"] == mptcp["first_path_use"] == "best"
    assert mptcp["capacity_difference_mbps"] == 30
    assert [mptcp[f"{name}.capacity_mbps"] for name in paths] == [40, 10]
    assert 0.75 < mptcp[f"{paths[0]}.share"] < 0.85
    assert mptcp["mean_loss_percent"] == 0


def test_a_path_with_the_number_of_another_is_named_by_both() -> None:
    job = make_plan(loads(text(("path2", "wifi")), "f.yaml"), {}).runs[0].job
    named = [path_names.words(job, "phone", number) for number in (1, 2)]
    assert named == ["path 1 (path2)", "wifi"]


def test_three_paths_of_which_two_have_numbers(
    tmp_path: Path, command: Command
) -> None:
    found = rows(campaign(tmp_path, command, text(("path1", "path2", "third"))))
    mptcp = found["mptcp"]
    alone = [mptcp[f"{n}.tcp_goodput_mbps"] for n in ("path1", "path2", "third")]
    assert alone == [found[f"t{n}"]["goodput_mbps"] for n in (1, 2, 3)]
    assert "mean_loss_percent" not in mptcp


def test_the_report_has_the_users_names(tmp_path: Path, command: Command) -> None:
    more = (
        "design: {method: grid, factors: {lte.capacity: [5 Mbit/s, 10 Mbit/s]}}\n"
        "figures:\n  - {kind: goodput}\n"
        "  - {kind: box, metric: experimental_aggregation_benefit,"
        " criterion: {factor: capacity, difference: signed}}\n"
        "  - {kind: line, metric: traffic_split, by: lte.capacity}\n"
        "  - {kind: over_time, quantities: [cwnd], case: lia}\n"
    )
    out = campaign(tmp_path, command, text(("wifi", "lte"), more))
    done = command("report", out, "--format", "md")
    assert done.status == 0 and "Not drawn" not in done.out, done.out
    page = (out / "report/README.md").read_text()
    assert "Not drawn" not in page
    assert "hare of wifi" in page and "wifi less lte" in page
    assert "path 1" not in page and "path 2" not in page
    assert "wifi.tcp_goodput_mbps" in (out / "report/points.csv").read_text()


def test_the_column_of_a_metric_follows_the_names() -> None:
    plain = table.build([{"path1.capacity_mbps": 1.0, "protocol": "tcp"}])
    assert columns.column_of("traffic_split", plain) == "path1.share"
    named = table.build([{path_names.COLUMN: "wifi,lte", "protocol": "tcp"}])
    assert columns.column_of("traffic_split", named) == "wifi.share"
    assert columns.column_of("goodput", named) == "goodput_mbps"


def test_published_statistics_follow_the_names() -> None:
    """With two paths of other names, the first of the user is still the first one."""
    found = pd.DataFrame(
        {
            path_names.COLUMN: ["wifi,lte"] * 8,
            "capacity_difference_mbps": [1.0, 2.0, -1.0, -2.0] * 2,
            "wifi.share": [0.3, 0.7, 0.6, 0.9] * 2,
            "wifi.tcp_goodput_mbps": [2.0, 3.0, 1.0, 1.0] * 2,
            "lte.tcp_goodput_mbps": [1.0, 1.0, 2.0, 3.0] * 2,
            "goodput_mbps": [6.0, 6.0, 2.0, 2.0] * 2,
        }
    )
    asked = statistics.Question(
        "goodput_mbps", "capacity_difference_mbps", None, None, ()
    )
    assert statistics.weaker_path(found, asked).value == 0.75
    assert statistics.first_path(found, asked).value == 4


SWAPPED = ("path2", "path1")
"""The link `path1` is path 2 of its user."""


def test_a_link_is_never_taken_for_the_path_whose_number_it_has(
    tmp_path: Path, command: Command
) -> None:
    more = (
        "design: {method: grid, factors: {path1.capacity: [5 Mbit/s, 10 Mbit/s]}}\n"
        "figures:\n  - {kind: goodput}\n"
        "  - {kind: line, metric: traffic_split, by: path1.capacity}\n"
    )
    out = campaign(tmp_path, command, text(SWAPPED, more))
    assert command("report", out, "--format", "md").status == 0
    page = (out / "report/README.md").read_text()
    assert "link path1 capacity" in page and "path 1 capacity" not in page
    assert "phone path 1 share" in page and "phone.path1" not in page
    shown = payload.payload([load_campaign(out)[0]])
    named = {column["label"] for column in shown["columns"]}
    assert "link path1 capacity" in named and "path 1 capacity" not in named
    assert shown["paths"] == ["phone path 1", "phone path 2"]
    assert columns.label("path1.capacity_mbps") == "path 1 capacity [Mbit/s]"


def test_labels_of_links_that_are_no_paths() -> None:
    frame = pd.DataFrame({"path1.delay_ms": [1.0], "path2.delay_ms": [1.0]})
    for named, first in ((None, "path 1"), ("", "link path1"), ("path1", "path 1")):
        known = frame.assign(path_names=named) if named is not None else frame
        with columns.links_named(known):
            assert columns.label("path1.share") == f"share of {first}"
            assert columns.label("path1.burst_loss_length") == (
                f"{first} burst loss length"
            )
            assert columns.label("van.path1.share") == "van path 1 share"
            assert columns.path_words("path1") == first
            assert (
                words.by("path1.burst_loss.length") == f" by {first} burst loss length"
            )
            assert words.spaced("footpath.queueing_delay") == "footpath queueing delay"
            assert labels.label("path1") == first
    assert labels.label("path1") == "path 1"


def test_a_verdict_names_a_link_as_one(tmp_path: Path, command: Command) -> None:
    """A link `path1` that is path 2 reads as a link, because `path 1` is another."""
    out = campaign(tmp_path, command, text(SWAPPED))
    folder = next((out / "runs").iterdir())
    place = folder / "job.json"
    place.write_text(
        place.read_text().replace('"loss_percent": 0.0', '"loss_percent": 9.0')
    )
    made = row(folder)
    assert made["verdict"] == "invalid"
    assert "link path1 forward: loss" in made["reason"], made["reason"]


def test_the_share_of_a_link_is_not_that_of_the_first_path() -> None:
    """Two users have a first path each, so the run has none."""
    frame = pd.DataFrame({"path1.share": [0.5], "path1.delay_ms": [1.0]})
    found = frame.assign(path_names="")
    found["van.path1.share"] = 0.7
    assert columns.metric_columns("traffic_split", found, ("van",)) == [
        "van.path1.share"
    ]
    assert columns.metric_columns(
        "traffic_split", frame.assign(path_names="path1"), ()
    ) == ["path1.share"]


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("train.wifi.share", "train wifi share"),
        ("train.path1.share", "train path 1 share"),
        ("before.train.path1.share", "before train path 1 share"),
        ("before.train.goodput_mbps", "before train goodput [Mbit/s]"),
        ("before.game.srtt_ms", "before game smoothed RTT [ms]"),
        ("path1.queueing_delay_ms", "path 1 queueing delay [ms]"),
    ],
)
def test_names_of_traffic_phases_and_links_are_words(column: str, text: str) -> None:
    assert columns.label(column) == text
