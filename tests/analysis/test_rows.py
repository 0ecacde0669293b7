"""Verdict, reason and metrics of captured runs."""

import json
from typing import Any

import pytest

from analysis.run import row as rows
from tests.analysis.conftest import Change, MakeRun
from topologies.shaping import queue_packets

OK = (
    "mptcp",
    "mptcp-parallel",
    "mptcp-reverse",
    "mptcp-sized",
    "mptcp-lossy",
    "tcp",
    "guest-mptcp",
    "guest-tcp",
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
        ("fallback", "invalid", "fell back to TCP: MPCapableFallbackSYNACK is 2"),
        ("no-join", "invalid", "0 of 2 further subflows joined"),
        ("no-join", "invalid", "path 2 carried 516 bytes only"),
        ("edge-drops", "invalid", "packets dropped by tbf of c1 on client"),
        ("interrupted", "failed", "traffic-0-client: exit status 1: interrupt"),
        ("killed", "failed", "traffic-0-client: killed by signal 9"),
        ("refused", "failed", "unable to connect to server: Connection refused"),
    ],
)
def test_unsound_runs_say_why(
    make_run: MakeRun, scenario: str, verdict: str, reason: str
) -> None:
    row = rows.row(make_run(scenario))
    assert row["verdict"] == verdict
    assert reason in row["reason"]
    assert "\n" not in row["reason"]


def set_parameter(name: str, value: Any) -> Change:
    return lambda job: job["parameters"].update({name: value})


def set_transport(name: str, value: Any) -> Change:
    return lambda job: job["transport"].update({name: value})


def set_traffic(**values: Any) -> Change:
    return lambda job: job["traffic"][0].update(values)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (set_parameter("path1.capacity_mbps", 20.1), "rate is 20 Mbit/s, asked for"),
        (set_parameter("path2.delay_ms", 10.1), "delay is 10 ms, asked for 10.1"),
        (set_parameter("path2.jitter_ms", 0.0), "jitter is 0.099 ms, asked for 0"),
        (set_parameter("path1.loss_percent", 0.5), "loss is 0 %, asked for 0.5"),
        (set_parameter("path1.queue_packets", 100), "queue is 1000 packets, asked"),
        (set_parameter("path2.queue_packets", 52), "packets, asked for 52"),
        (set_parameter("path3.capacity_mbps", 9.0), "path 3 was not built"),
        (set_transport("congestion_control", "lia"), "is cubic, asked for lia"),
        (set_transport("scheduler", "lowrtt"), "scheduler is default, asked for"),
        (set_transport("protocol", "tcp"), "but 2 connections tried MPTCP"),
        (set_traffic(duration_s=5.0), "lasted 4.2"),
        (set_traffic(parallel=2), "1 streams, not 2"),
        (
            set_traffic(reverse=True),
            "the client sent the data; it should have received them",
        ),
        (set_traffic(duration_s=None, bytes=10**9), "bytes sent of 1000000000"),
    ],
)
def test_what_was_not_as_asked_is_invalid(
    make_run: MakeRun, change: Change, reason: str
) -> None:
    row = rows.row(make_run("mptcp", change))
    assert row["verdict"] == "invalid"
    assert reason in row["reason"]
    assert row["goodput_mbps"] > 0


def test_a_machine_short_of_memory_makes_no_measurement(make_run: MakeRun) -> None:
    run = make_run("mptcp")
    path = run / "artefacts/nstat-server.json"
    counters = json.loads(path.read_text())
    counters["kernel"]["TcpExtTCPMemoryPressures"] = 2
    path.write_text(json.dumps(counters))
    row = rows.row(run)
    assert row["verdict"] == "invalid"
    assert "TCP was short of memory 2 times (server)" in row["reason"]


def test_tcp_on_a_path_not_its_own_is_invalid(make_run: MakeRun) -> None:
    row = rows.row(make_run("tcp", set_transport("path", 2)))
    assert "path 1 carried" in row["reason"] and "not to be used" in row["reason"]
    assert "path 2 carried 516 bytes only" in row["reason"]


@pytest.mark.parametrize(
    "name", ["outcome.json", "traffic-0-server.json", "nstat-client.json"]
)
@pytest.mark.parametrize("content", [None, "", "{", "[1]", '{"format": 9}'])
def test_lost_and_broken_artefacts_fail_the_run(
    make_run: MakeRun, name: str, content: str | None
) -> None:
    run = make_run("mptcp")
    path = run / "artefacts" / name
    path.unlink()
    if content is not None:
        path.write_text(content)
    row = rows.row(run)
    assert row["verdict"] in ("failed", "invalid")
    assert row["protocol"] == "mptcp" and row["reason"]
    assert row["verdict"] == "failed" or "goodput_mbps" in row


def test_the_guests_own_failure_is_the_reason(make_run: MakeRun) -> None:
    run = make_run("guest-tcp")
    (run / "artefacts/outcome.json").write_text(
        '{"format": 1, "status": "failed", "error": "NetworkError: r1: tc failed"}'
    )
    row = rows.row(run)
    assert (row["verdict"], row["reason"]) == ("failed", "NetworkError: r1: tc failed")


def test_goodput_counts_the_receiver_within_the_time_asked(make_run: MakeRun) -> None:
    row = rows.row(make_run("mptcp"))
    assert row["measured_s"] == pytest.approx(4, abs=0.001)
    mbps = row["received_bytes"] * 8 / row["measured_s"] / 1e6
    assert row["goodput_mbps"] == pytest.approx(mbps)
    # 30 Mbit/s of capacity, less headers; the sender's intervals say 31.9.
    assert 27 < row["goodput_mbps"] < 30 * 1448 / 1514
    assert row["aggregation_benefit"] == pytest.approx((mbps - 20) / 10)
    assert row["aggregation_benefit"] < row["aggregation_benefit_bound"]
    assert row["path1.share"] + row["path2.share"] == pytest.approx(1)
    assert row["path1.share"] == pytest.approx(2 / 3, abs=0.01)
    assert row["jain"] is None


def test_streams_have_a_fairness(make_run: MakeRun) -> None:
    row = rows.row(make_run("mptcp-parallel"))
    assert 1 / 3 < row["jain"] <= 1


def test_plain_tcp_has_no_aggregation_benefit(make_run: MakeRun) -> None:
    row = rows.row(make_run("guest-tcp"))
    assert row["aggregation_benefit"] is None and row["scheduler"] is None
    assert row["utilisation"] == pytest.approx(1448 / 1514, abs=0.005)


def test_queue_by_equation_3_2() -> None:
    """10^3 x delay x capacity / (8 x MTU), at least 10 packets."""
    assert queue_packets(100, 12) == 100
    assert queue_packets(0, 100) == 10
    assert queue_packets(100, 6.342786) == 52
