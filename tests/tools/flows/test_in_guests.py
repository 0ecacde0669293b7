"""Many connections in the guest: every byte arrives, and times are those on paper."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run.connections import Flow
from analysis.run.row import row
from mpbench.store import manifest
from tests.virtual.lab import MPTCP, TCP, Lab, job_of
from tools.flows import reader as flows

PAYLOAD, FRAME, FIRST_WINDOW, BURST = 1448, 1514, 10, 2
QUIET = {
    "path1.capacity": "20 Mbit/s",
    "path2.capacity": "20 Mbit/s",
    "path1.delay": "10 ms",
    "path2.delay": "10 ms",
}
ENDS = {"tool": "flows", "from": "client", "to": "server"}


def run(
    folder: Path, case: dict[str, Any], *traffic: dict[str, Any], **more: Any
) -> Path:
    """The folder of a run with these entries, which ended as it should."""
    spec: dict[str, Any] = {"topology": "two_path", "parameters": QUIET, **more}
    entries = [{**ENDS, **entry} for entry in traffic]
    job = job_of(folder, cases={"only": case}, traffic=entries, **spec)
    ended, artefacts = Lab(folder).execute(job)
    console = (artefacts / "console.log").read_text(errors="replace")
    assert ended.status == "finished", f"{ended.reason}\n{console[-2000:]}"
    return artefacts.parent


def measured(folder: Path) -> dict[str, Any]:
    found = row(folder)
    assert found["verdict"] == "ok", found["reason"]
    return found


def listed(folder: Path, index: int = 0) -> tuple[Flow, ...]:
    return flows.read(folder / "artefacts", index).flows


def tcp_s(size: int, mbps: float, rtt_s: float) -> float:
    """Time of a transfer on an idle link.

    A handshake, a round trip for each window of slow start after which the link is
    idle, the bits of all other frames, and half a round trip. The shaper lets two
    packets through at once after it was idle.
    """
    packet_s = FRAME * 8 / (mbps * 1e6)
    left, window, trips = size / PAYLOAD, FIRST_WINDOW, 1
    while left > window and (window - BURST) * packet_s < rtt_s:
        left, window, trips = left - window, 2 * window, trips + 1
    return (trips + 0.5) * rtt_s + max(0.0, left - BURST) * packet_s


def test_a_transfer_on_an_idle_link_takes_as_long_as_on_paper(tmp_path: Path) -> None:
    sizes = {"list": ["1 kB", "70 kB", "1 MB"]}
    apart = {"arrivals": {"every": "4 s"}, "connections": 6}
    for name, reverse in (("to", False), ("back", True)):
        (tmp_path / name).mkdir()
        found = run(tmp_path / name, TCP, {"size": sizes, "reverse": reverse, **apart})
        assert measured(found)["unfinished_flows"] == 0
        for flow in listed(found):
            assert flow.size is not None and flow.completed_s is not None
            took_s = flow.completed_s - flow.start_s
            # The server sends when the handshake's last packet has arrived.
            paper_s = tcp_s(flow.size, 20, 0.02) + (0.01 if reverse else 0.0)
            assert took_s == pytest.approx(paper_s, rel=0.02)
            assert flow.received_bytes == flow.size
            assert flow.connected_s == pytest.approx(flow.start_s + 0.02, abs=2e-4)


def test_transfers_over_both_paths(tmp_path: Path) -> None:
    entry = {"size": "4 MB", "arrivals": {"every": "5 s"}, "connections": 2}
    found = run(tmp_path, MPTCP, entry)
    measured(found)
    for flow in listed(found):
        assert flow.completed_s is not None
        # Above what one path can carry, and below what both can.
        mbps = 8e-6 * 4_000_000 / (flow.completed_s - flow.start_s)
        assert 20 * PAYLOAD / FRAME < mbps < 40 * PAYLOAD / FRAME
        assert flow.subflows == 2


def test_tcp_beside_mptcp_with_a_controller_on_each_socket(tmp_path: Path) -> None:
    web = {
        "name": "web",
        "size": "70 kB",
        "arrivals": "5 /s",
        "duration": "4 s",
        "transport": {**TCP, "congestion_control": "cubic", "path": 2},
    }
    olia = {**MPTCP, "congestion_control": "olia"}
    bulk = {"name": "bulk", "duration": "5 s", "connections": 2}
    other = {**bulk, "name": "other", "transport": olia, "start": "1 s"}
    folder = run(tmp_path, MPTCP, bulk, web, other, trace="100 ms")
    found = measured(folder)
    report = flows.read(folder / "artefacts", 1)
    assert (report.protocol, report.controller) == ("tcp", "cubic")
    assert all(flow.subflows == 1 for flow in report.flows)
    assert [flow.subflows for flow in listed(folder, 0)] == [2, 2]
    for flow in listed(folder, 2):
        assert (flow.start_s, flow.ended_s) == pytest.approx((1, 6))
    assert found["web.flows"] == len(report.flows) > 5
    assert found["bulk.goodput_mbps"] > 5 and found["other.goodput_mbps"] > 5
    # Only the TCPs have no token of an MPTCP connection in the trace.
    lines = (folder / "artefacts" / "trace.csv").read_text().splitlines()
    names = lines[0].split(",")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]
    ports = {row["remote"].rpartition(":")[2] for row in rows if not row["token"]}
    assert ports == {"8002"}
    used = {(row["remote"].rpartition(":")[2], row["controller"]) for row in rows}
    assert {("8001", "lia"), ("8003", "olia")} <= used
    assert not {("8001", "olia"), ("8003", "lia")} & used


def test_users_come_and_go(tmp_path: Path) -> None:
    ends = {"from": "multi", "to": "server_multi"}
    start, duration = {"min": "0 s", "max": "2 s"}, {"min": "2 s", "max": "4 s"}
    folder = run(
        tmp_path,
        MPTCP,
        {**ends, "start": start, "duration": duration},
        topology="shared_bottleneck",
        parameters={"multi.users": 4},
    )
    found = measured(folder)
    assert found["flows"] == 4 and 0.5 < found["user_jain"] <= 1
    drawn = [(flow.start_s, flow.ended_s) for flow in listed(folder)]
    assert len(set(drawn)) == 4
    # Nothing of a connection arrives after its end.
    text = (folder / "artefacts" / flows.INTERVALS).read_text().splitlines()[2:-1]
    for line in text:
        number, interval, _ = map(int, line.split(","))
        assert interval < drawn[number][1]


def test_users_share_one_load(tmp_path: Path) -> None:
    links = {"lte1..2": {"capacity": "10 Mbit/s"}, "wifi": {"capacity": "20 Mbit/s"}}
    users = {"phone1": ["wifi", "lte1"], "phone2": ["wifi", "lte2"]}
    entry = {
        **{"tool": "flows", "from": "users", "to": "servers", "assign": "in turn"},
        **{"size": "100 kB", "arrivals": {"every": "0.5 s"}, "connections": 8},
    }
    network = {"links": links, "users": users}
    job = job_of(tmp_path, cases={"only": MPTCP}, traffic=[entry], network=network)
    ended, artefacts = Lab(tmp_path).execute(job)
    assert ended.status == "finished"
    found = measured(artefacts.parent)
    assert (found["flows"], found["unfinished_flows"]) == (8, 0)
    assert [flow.source for flow in listed(artefacts.parent)] == [
        "phone1",
        "phone2",
    ] * 4
    for flow in listed(artefacts.parent):
        assert flow.destination == f"server_{flow.source}"


def test_a_transfer_that_is_given_up_is_counted(tmp_path: Path) -> None:
    entry = {"size": "9 MB", "timeout": "1 s", "connections": 2}
    folder = run(tmp_path, TCP, entry)
    found = measured(folder)
    assert (found["flows"], found["unfinished_flows"]) == (2, 2)
    assert found["completion_time_s"] is None
    for flow in listed(folder):
        assert flow.error == "timeout" and flow.ended_s == pytest.approx(1)
        assert 0 < flow.received_bytes < 9_000_000


def test_thousands_of_connections_at_once_lose_none(tmp_path: Path) -> None:
    parameters = {"path1.capacity": "200 Mbit/s", "path1.queue": 10_000}
    entry = {"size": "2 kB", "connections": 5000}
    folder = run(tmp_path, TCP, entry, parameters=parameters)
    found = measured(folder)
    assert (found["flows"], found["unfinished_flows"]) == (5000, 0)
    assert found["received_bytes"] == 5000 * 2000


@pytest.mark.parametrize(
    "scheduler",
    ["default", "lowrtt", "redundant", "roundrobin", "blest", "ecf", "stms"],
)
def test_connections_that_fall_back_lose_none(tmp_path: Path, scheduler: str) -> None:
    """A server that gets no key with the first data falls back to TCP. The data that
    did not fit into the first window follows before the end of the stream."""
    parameters = {"path1.capacity": "200 Mbit/s", "path1.queue": 400}
    case = {**MPTCP, "scheduler": scheduler}
    entry = {"size": "20 kB", "connections": 1500}
    folder = run(tmp_path, case, entry, parameters=parameters)
    file = folder / "artefacts/nstat-client.json"
    counters = json.loads(file.read_text())["kernel"]
    assert counters["MPTcpExtMPCapableDataFallback"] > 50
    found = measured(folder)
    assert (found["flows"], found["unfinished_flows"]) == (1500, 0)
    assert found["received_bytes"] == 1500 * 20_000


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    entry = {
        "size": {"pareto": {"mean": "50 kB", "shape": 1.5}},
        "arrivals": {"poisson": ["5 /s", "30 /s"], "every": "1 s"},
        "duration": "4 s",
    }
    taken = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        folder = run(tmp_path / name, MPTCP, entry)
        taken.append(manifest.take(folder / "artefacts"))
        orders = (folder / "boot" / "flows.txt").read_text()
        assert orders.count("\nflow ") == len(listed(folder))
        job = json.loads((folder / "job.json").read_text())
        assert job["traffic"][0]["drawn"]["flows"] == len(listed(folder))
    assert manifest.compare(*taken) == []
