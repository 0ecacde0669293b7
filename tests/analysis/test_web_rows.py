"""Verdict, reason and metrics of captured downloads and requests."""

import json
from typing import Any

import pytest

from analysis.run import row as rows
from analysis.run import validity
from analysis.run.artefacts import load
from tests.analysis.conftest import Change, MakeRun

OK = (
    "curl",
    "curl-tcp",
    "curl-small",
    "curl-timeout",
    "ab",
    "ab-keep-alive",
)


@pytest.mark.parametrize("scenario", OK)
def test_sound_runs_are_ok(make_run: MakeRun, scenario: str) -> None:
    row = rows.row(make_run(scenario))
    assert (row["verdict"], row["reason"]) == ("ok", "")
    assert row["goodput_mbps"] > 0
    json.dumps(row, allow_nan=False)


@pytest.mark.parametrize(
    ("scenario", "verdict", "reason"),
    [
        ("curl-not-found", "invalid", "HTTP status 404, not 200"),
        ("curl-not-found", "invalid", "153 bytes received of 200000"),
        ("curl-fallback", "invalid", "0 MPTCP connections, but the traffic needs 1"),
        ("curl-fallback", "invalid", "fell back to TCP: MPCapableFallbackSYNACK"),
        ("curl-refused", "failed", "traffic-0-client: exit status 7: curl: (7) Failed"),
        ("curl-deaf-server", "failed", "traffic-0-server: port 80 does not listen"),
        ("ab-failed", "invalid", "51 of 60 requests failed (51 length)"),
        ("ab-not-found", "invalid", "60 of 60 answers had no HTTP status 2xx"),
        ("ab-refused", "failed", "exit status 111: apr_socket_recv: Connection refuse"),
        ("ab-silence", "failed", "apr_pollset_poll: The timeout specified has expired"),
    ],
)
def test_unsound_runs_say_why(
    make_run: MakeRun, scenario: str, verdict: str, reason: str
) -> None:
    row = rows.row(make_run(scenario))
    assert row["verdict"] == verdict
    assert reason in row["reason"]
    assert "\n" not in row["reason"]


def ask(**values: Any) -> Change:
    return lambda job: job["traffic"][0].update(values)


@pytest.mark.parametrize(
    ("scenario", "change", "reason"),
    [
        ("curl", ask(bytes=2_000_001), "2000000 bytes received of 2000001"),
        ("ab", ask(duration_s=5.0), "s of 5"),
        ("ab", ask(concurrency=2), "1 requests at a time, not 2"),
        ("ab", ask(keep_alive=True), "0 of 19 answers kept alive"),
        ("ab", ask(bytes=300_001), "5700000 bytes received of 5700019"),
        ("ab-keep-alive", ask(requests=61), "60 requests of 61"),
    ],
)
def test_not_what_was_asked(
    make_run: MakeRun, scenario: str, change: Change, reason: str
) -> None:
    row = rows.row(make_run(scenario, change))
    assert row["verdict"] == "invalid"
    assert reason in row["reason"]


def test_a_timeout_that_nobody_asked_for_is_a_failure(make_run: MakeRun) -> None:
    row = rows.row(make_run("curl-timeout", ask(timeout_s=None)))
    assert row["verdict"] == "failed"
    assert "exit status 28: curl: (28) Operation timed out" in row["reason"]


def test_numbers_of_a_download(make_run: MakeRun) -> None:
    row = rows.row(make_run("curl"))
    assert row["completion_time_s"] == 0.970552
    assert row["goodput_mbps"] == pytest.approx(16e6 / 0.970552 / 1e6)
    assert row["joined_subflows"] == 1
    assert 0.3 < row["path1.share"] < 0.7


def test_a_download_that_broke_off_has_no_completion_time(make_run: MakeRun) -> None:
    row = rows.row(make_run("curl-timeout"))
    assert row["completion_time_s"] is None and row["timed_out"]
    assert row["goodput_mbps"] == pytest.approx(1.84, abs=0.01)


def test_numbers_of_requests(make_run: MakeRun) -> None:
    row = rows.row(make_run("ab-keep-alive"))
    assert row["requests"] == 60
    assert row["requests_per_s"] * row["measured_s"] == pytest.approx(60)
    assert row["request_time_ms"] == pytest.approx(4e3 / row["requests_per_s"])
    assert row["request_time_p50_ms"] <= row["request_time_p95_ms"]
    assert row["request_time_p99_ms"] <= row["request_time_max_ms"]
    assert row["connections"] == 4


def test_percentiles_of_few_requests_are_the_slowest(make_run: MakeRun) -> None:
    row = rows.row(make_run("ab"))
    assert row["request_time_p99_ms"] == row["request_time_max_ms"]


def test_a_short_connection_need_not_join(make_run: MakeRun) -> None:
    """8 kB are there before a second subflow can be; one that lives must have it."""
    small = make_run("curl-small")
    assert rows.row(small)["joined_subflows"] == 0
    run = load(small)
    # 1 s for a lost SYN, and four round trips of 20 ms with queues of 83 packets
    queue_s = 83 * 1514 * 8 / 10e6
    assert [link.queue_packets for link in run.job.links] == [83, 83]
    assert validity.join_deadline_s(run) == pytest.approx(1 + 4 * (0.020 + queue_s))


@pytest.mark.parametrize(
    ("scenario", "seconds", "joins"), [("curl", 5.0, 1), ("ab", 5.0, 19)]
)
def test_a_long_connection_must_join(
    make_run: MakeRun, scenario: str, seconds: float, joins: int
) -> None:
    folder = make_run(scenario)
    for host in ("client", "server"):
        path = folder / "artefacts" / f"nstat-{host}.json"
        counted = json.loads(path.read_text())["kernel"]
        left = {k: v for k, v in counted.items() if "MPJoin" not in k}
        path.write_text(json.dumps({"kernel": left}))
    assert rows.row(folder)["verdict"] == "ok", "too short to tell"
    if scenario == "curl":
        path = folder / "artefacts" / "traffic-0-client.json"
        report = json.loads(path.read_text())
        path.write_text(json.dumps({**report, "time_total": seconds}))
    else:
        path = folder / "artefacts" / "traffic-0-percentiles.csv"
        head, _, *rest = path.read_text().splitlines()
        path.write_text("\n".join([head, f"0,{seconds * 1e3}", *rest]))
    reason = rows.row(folder)["reason"]
    assert f"0 of {joins} further subflows joined (client)" in reason
    assert f"0 of {joins} further subflows joined (server)" in reason
