"""Data that go into the page, without a browser."""

import base64
import json
import re
import shutil
import zlib
from pathlib import Path
from typing import Any

import pytest

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.campaign.directions import Direction
from analysis.campaign.question import Question
from analysis.dashboard.details import detail
from analysis.dashboard.html import dashboard
from analysis.dashboard.payload import payload
from tests import made_jobs
from tests.analysis import campaign
from tests.calls import Command

CAPTURED = Path(__file__).parents[1] / "analysis" / "captured"


def source(
    points: int = 4, name: str = "small", folder: Path | None = None
) -> Campaign:
    """A campaign; in `folder` every run is one and the same captured run."""
    rows = campaign.rows(points)
    linked(rows, folder, "guest-mptcp")
    return Campaign(
        name=name,
        runs=table.build(rows),
        factors=campaign.FACTORS,
        folder=folder,
        shown=f"results/{name}",
    )


def linked(rows: list[dict[str, Any]], folder: Path | None, scenario: str) -> None:
    for row in rows if folder else ():
        link = folder / row["id"]
        if not link.exists():
            link.symlink_to(CAPTURED / scenario)


def captured(scenario: str, folder: Path) -> Path:
    """A run's folder as it stands in results."""
    run = folder / scenario
    shutil.copytree(CAPTURED / scenario, run / "artefacts")
    job = run / "artefacts" / "job.json"
    if job.exists():
        known = made_jobs.document(json.loads(job.read_text()))
        known["topology"] = made_jobs.TOPOLOGY  # the plan resolves links now
        (run / "job.json").write_text(json.dumps(known))
    return run


def column(data: dict[str, Any], key: str) -> dict[str, Any]:
    return next(column for column in data["columns"] if column["key"] == key)


def test_columns_have_a_value_a_run() -> None:
    data = payload([source()])
    assert data["count"] == 12
    assert all(len(column["v"]) == 12 for column in data["columns"])
    goodput = column(data, "goodput_mbps")
    rows = campaign.rows(4)
    for value, row in zip(goodput["v"], rows, strict=True):
        assert value == pytest.approx(row["goodput_mbps"], rel=1e-5)
    assert (goodput["label"], goodput["unit"]) == ("goodput", "Mbit/s")
    benefit = column(data, "aggregation_benefit")["v"]
    assert [value is None for value in benefit] == [False, True, True] * 4


def test_tcp_has_no_share_of_a_path() -> None:
    """Its one path has all bytes. The report has a dash, and so has the dashboard."""
    runs = table.build(campaign.rows(4))
    runs["path1.share"], runs["path2.share"] = 0.75, 0.25
    runs["absent"] = "traffic_split, jain: no"
    runs.loc[runs["protocol"] == "tcp", "absent"] = "jain: no"
    data = payload([Campaign("x", runs, campaign.FACTORS)])
    assert column(data, "path1.share")["v"] == [0.75, None, None] * 4
    assert column(data, "path2.share")["v"] == [0.25, None, None] * 4
    assert data["absent"]["0"] == "traffic_split, jain: no"
    assert data["absent"]["1"] == "traffic_split: TCP takes one path; jain: no"


def test_differences_come_signed_and_absolute() -> None:
    data = payload([source()])
    signed = column(data, "capacity_difference_mbps")["v"]
    absolute = column(data, "|capacity_difference_mbps|")
    assert absolute["v"] == [abs(value) for value in signed]
    assert absolute["label"] == "|capacity difference|"
    assert data["start"]["x1"] == "|capacity_difference_mbps|"


def test_a_difference_that_never_varies_is_no_axis() -> None:
    """The capacities are fixed and a name of one's own varies: it is the axis."""
    runs = table.build(campaign.rows(4))
    runs["path1.capacity_mbps"], runs["path2.capacity_mbps"] = 30.0, 20.0
    runs["capacity_difference_mbps"] = 10.0
    runs["factor.lost_s"] = runs["point"] + 1.0
    data = payload([Campaign("x", runs, ("factor.lost_s",))])
    assert all("capacity_difference" not in one["key"] for one in data["columns"])
    assert "capacity_difference" not in data["start"]["x1"]


def test_a_factor_of_words_has_the_places_of_its_words() -> None:
    runs = table.build(campaign.rows(2))
    runs["path1.discipline"] = ["red", None, "codel", "red", "drop_tail", "codel"]
    runs["note"] = "no factor"
    factors = ("path1.discipline", *campaign.FACTORS)
    data = payload([Campaign("x", runs, factors)])
    found = column(data, "path1.discipline")
    assert found["words"] == ["red", "codel", "drop_tail"]
    assert found["v"] == [0, None, 1, 0, 2, 1] and found["role"] == "word"
    assert "path1.discipline" not in data["start"].values()
    assert all(column["key"] != "note" for column in data["columns"])


def test_cases_are_described_by_what_their_runs_share() -> None:
    assert payload([source()])["cases"] == [
        {"name": "mptcp", "what": "mptcp, lia", "colour": 0, "mark": 0},
        {"name": "tcp1", "what": "tcp, reno, path 1", "colour": 1, "mark": 1},
        {"name": "tcp2", "what": "tcp, reno, path 2", "colour": 2, "mark": 2},
    ]


def test_several_campaigns_keep_their_cases_apart() -> None:
    data = payload([source(2, "one"), source(3, "two")])
    assert data["count"] == 15 and len(data["cases"]) == 6
    assert data["cases"][3]["name"] == "two: mptcp"
    assert data["campaign"] == [0] * 6 + [1] * 9


def test_no_run_is_refused() -> None:
    with pytest.raises(ValueError, match="no run"):
        payload([Campaign("x", table.build([]))])


def test_the_page_is_the_same_each_time_and_whole(tmp_path: Path) -> None:
    first, second = (dashboard("x", [source(folder=tmp_path)]) for _ in range(2))
    assert first == second
    assert "<!--" not in first.partition("<html")[2]
    assert not re.search(r"(src|href)=|https?://|@import|url\(", first)


def test_nothing_in_the_data_ends_the_script(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><!--"
    rows = campaign.rows(1)
    rows[0] |= {"case": evil, "verdict": "failed", "reason": evil}
    linked(rows, tmp_path, "tcp")
    made = Campaign(evil, table.build(rows), campaign.FACTORS, folder=tmp_path)
    text = dashboard(evil, [made])
    assert text.count("</script>") == 3 and "<script>alert" not in text
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    assert data and json.loads(data[1])["cases"][0]["name"] == evil


def test_details_come_back_out_of_their_chunks(tmp_path: Path) -> None:
    text = dashboard("x", [source(30, folder=tmp_path)])
    found = re.search(r'id="details">(.*?)</script>', text, re.DOTALL)
    assert found
    lines = found[1].split("\n")
    chunks = [json.loads(zlib.decompress(base64.b64decode(line))) for line in lines]
    assert [len(chunk) for chunk in chunks] == [32, 32, 26]


def test_a_run_of_the_guest_is_told_whole(tmp_path: Path) -> None:
    run = captured("guest-mptcp", tmp_path)
    told = detail(run, "ok")
    assert "unreadable" not in told and "console" not in told
    (series,) = told["series"]
    report = json.loads((run / "artefacts/traffic-0-server.json").read_text())
    asked_s = told["traffic"][0]["duration_s"]
    sums = [each["sum"] for each in report["intervals"]]
    whole = sum(each["bytes"] for each in sums if each["end"] <= asked_s + 0.05)
    lasted = zip(series["begin"], series["end"], series["mbps"], strict=True)
    moved = sum((end - begin) * mbps * 1e6 / 8 for begin, end, mbps in lasted)
    assert moved == pytest.approx(whole, rel=1e-4)
    assert [p["host"] for p in told["programs"]] == ["server", "client"]
    assert told["programs"][1]["command"].startswith("mptcpize run ")
    job = json.loads((run / "job.json").read_text())
    assert told["parameters"] == job["parameters"]
    assert told["seed"] == str(job["seed"])


@pytest.mark.parametrize("scenario", ["interrupted", "killed", "refused"])
def test_what_a_failed_run_left_is_told(scenario: str, tmp_path: Path) -> None:
    told = detail(captured(scenario, tmp_path), "failed")
    assert told["programs"] and any(
        "job.json: missing" in t for t in told["unreadable"]
    )


def test_a_damaged_report_is_named(tmp_path: Path) -> None:
    run = captured("guest-tcp", tmp_path)
    path = run / "artefacts/traffic-0-server.json"
    path.write_text(path.read_text()[:500])
    told = detail(run, "ok")
    assert told["series"] == []
    assert "traffic-0-server.json: broken JSON" in told["unreadable"][0]
    (run / "artefacts/outcome.json").write_text("[1]")
    assert len(detail(run, "ok")["unreadable"]) == 2


def test_an_empty_folder_tells_nothing_and_breaks_nothing(tmp_path: Path) -> None:
    told = detail(tmp_path, "failed")
    assert told["series"] == [] and told["programs"] == []
    assert len(told["unreadable"]) == 2


def test_the_command(small: Path, tmp_path: Path, command: Command) -> None:
    out = tmp_path / "all.html"
    twin = shutil.copytree(small, tmp_path / "twin")
    done = command("dashboard", small, twin, "--out", out)
    assert done.status == 0 and f"wrote {out}" in done.out
    assert out.read_text().count("thousand") > 1
    assert out.read_text().count('<details class="network">') == 2
    done = command("dashboard", small, small, "--out", out)
    assert done.status == 2 and "given twice" in done.err
    done = command("dashboard", small, "--out", small / "campaign.json" / "x.html")
    assert done.status == 2 and "cannot be written" in done.err
    done = command("dashboard", tmp_path)
    assert done.status == 2 and "not a results folder" in done.err


def test_a_run_is_verified_by_its_id(small: Path, command: Command) -> None:
    plan = json.loads((small / "campaign.json").read_text())["plan"]
    run = next(entry["id"] for entry in plan if entry["case"] == "lia")
    done = command("verify", small, "--run", run[:10])
    assert done.status == 0 and "1 same" in done.out
    done = command("verify", small, "--run", "zz")
    assert done.status == 2 and " zz: no run of" in done.err


def test_plots_begin_with_the_metrics_of_the_file() -> None:
    runs = table.build(campaign.rows(4))
    runs["retransmission_ratio"] = range(len(runs))
    data = payload([Campaign("x", runs, campaign.FACTORS, ("retransmission_ratio",))])
    assert data["start"]["y1"] == "retransmission_ratio"
    assert data["metrics"] == ["retransmission_ratio"]
    data = payload([Campaign("x", runs, campaign.FACTORS, ())])
    assert (
        data["start"]["y1"] == "experimental_aggregation_benefit"
        and data["metrics"] == []
    )


def test_a_case_looks_alike_in_several_campaigns() -> None:
    """One colour per name, and one mark per campaign."""
    runs = table.build(campaign.rows(2))
    other = runs[runs["case"] != "tcp1"].reset_index(drop=True)
    both = [
        Campaign(name, of, campaign.FACTORS) for name, of in (("x", runs), ("y", other))
    ]
    found = {c["name"]: (c["colour"], c["mark"]) for c in payload(both)["cases"]}
    assert found == {
        "x: mptcp": (0, 0),
        "x: tcp1": (1, 0),
        "x: tcp2": (2, 0),
        "y: mptcp": (0, 1),
        "y: tcp2": (2, 1),
    }


def test_the_second_plot_shows_the_metrics_of_the_question() -> None:
    better: dict[str, Direction] = {"goodput": "more", "retransmission_ratio": "less"}
    runs = table.build(campaign.rows(4))
    runs["retransmission_ratio"] = range(len(runs))
    asked = Question("mptcp", better)
    data = payload([Campaign("x", runs, campaign.FACTORS, question=asked)])
    start = data["start"]
    assert (start["x2"], start["y2"]) == ("retransmission_ratio", "goodput_mbps")
    one = Question("mptcp", {"goodput": "more"})
    data = payload([Campaign("x", runs, campaign.FACTORS, question=one)])
    assert data["start"]["x2"] != "retransmission_ratio"
