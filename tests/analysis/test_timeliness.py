"""A machine that did not keep up with the network of a native run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from tests.analysis.conftest import MakeRun

LOST = {"traffic_s": 4.0, "lost_s": 0.02, "longest_s": 0.004}


def native(run: Path, **changes: float) -> Path:
    """Make the run one in real time, whose guest code told the time lost."""
    path = run / "artefacts" / "outcome.json"
    path.write_text(
        json.dumps({**json.loads(path.read_text()), "lost": LOST | changes})
    )
    return run


def rewrite(run: Path, end: str, change: Callable[[dict[str, Any]], None]) -> None:
    path = run / "artefacts" / f"traffic-0-{end}.json"
    document = json.loads(path.read_text())
    for interval in document["intervals"]:
        change(interval)
    path.write_text(json.dumps(document))


def verdict(run: Path) -> tuple[str, str]:
    found = row(run)
    return str(found["verdict"]), found["reason"] or ""


@pytest.mark.parametrize("scenario", ["tcp", "mptcp", "mptcp-reverse"])
def test_a_quiet_machine_is_ok(make_run: MakeRun, scenario: str) -> None:
    assert verdict(native(make_run(scenario))) == ("ok", "")


def test_time_lost(make_run: MakeRun) -> None:
    status, reason = verdict(native(make_run("tcp"), lost_s=0.9, longest_s=0.3))
    assert status == "invalid"
    assert reason == (
        "the machine was too busy: timers were late by 0.90 s in 4.0 s of traffic, "
        "at most 300 ms"
    )


def test_a_round_trip_that_no_queue_explains(make_run: MakeRun) -> None:
    run = native(make_run("tcp"))

    def slow(interval: dict[str, Any]) -> None:
        for stream in interval["streams"]:
            stream["rtt"] = 3_000_000

    rewrite(run, "client", slow)
    status, reason = verdict(run)
    assert status == "invalid"
    assert (
        "a round trip took 3000 ms, but delays and full queues make at most" in reason
    )


def test_a_path_that_a_tcp_had_to_itself_and_did_not_fill(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("analysis.run.timeliness.LEAST_S", 1.0)

    def slow(interval: dict[str, Any]) -> None:
        for part in (interval["sum"], *interval["streams"]):
            part["bytes"] = part["bytes"] * 2 // 3

    run = native(make_run("tcp"))
    assert verdict(run)[0] == "ok"
    rewrite(run, "server", slow)
    status, reason = verdict(run)
    assert status == "invalid"
    assert "a TCP with a path to itself got 1" in reason


def test_in_virtual_time_none_of_this_is_asked(make_run: MakeRun) -> None:
    run = make_run("tcp")
    rewrite(run, "client", lambda interval: interval["streams"][0].update(rtt=10**8))
    assert verdict(run) == ("ok", "")
