"""Links that change in guests, against what paper says."""

import csv
import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from mpbench.backends.base import Bounds
from topologies.shaping import FRAME_BYTES

from .lab import Lab, contents, job_of

RENO = {"protocol": "tcp", "congestion_control": "reno", "path": 1}
MPTCP = {"protocol": "mptcp", "congestion_control": "lia", "scheduler": "lowrtt"}
FLOW = {"tool": "iperf3", "from": "client", "to": "server"}
LIMITED = {"net.ipv4.tcp_wmem": "4096 16384 32768"}
"""A sender that keeps so little under way that no queue builds up."""


def run(folder: Path, **spec: Any) -> tuple[dict[str, Any], Path]:
    """The row of an experiment with one run, which is ok, and its artefacts."""
    spec.setdefault("topology", "two_path")
    job = job_of(folder, **spec)
    bounds = Bounds(job["time_limit_s"], wall_s=120.0, silence_s=60.0)
    ended, artefacts = Lab(folder).execute(job, bounds)
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found, artefacts


def received(artefacts: Path) -> list[float]:
    """Rates that the receiver of iperf3 reports for each interval, in Mbit/s."""
    report = json.loads((artefacts / "traffic-0-server.json").read_text())
    return [each["sum"]["bits_per_second"] / 1e6 for each in report["intervals"]]


def traced(artefacts: Path, column: str) -> dict[int, dict[float, float]]:
    """The column of the data connection by path and time; of a path with several
    subflows, that of the newest."""
    rows = list(csv.DictReader(io.StringIO((artefacts / "trace.csv").read_text())))
    most = max(rows, key=lambda each: int(each["bytes_acked"]))
    ends = ("token",) if most["token"] else ("local", "remote")
    ours = [each for each in rows if all(each[end] == most[end] for end in ends)]
    newest = list(dict.fromkeys(each["local"] for each in ours))
    found: dict[int, dict[float, float]] = {}
    for each in sorted(ours, key=lambda each: newest.index(each["local"])):
        of_path = found.setdefault(int(each["path"]), {})
        of_path[float(each["time_s"])] = float(each[column])
    return found


def made(artefacts: Path) -> list[tuple[float, float]]:
    """When each change was made, and when it was due."""
    rows = csv.DictReader(io.StringIO((artefacts / "changes.csv").read_text()))
    return [(float(r["time_s"]), float(r["at_s"])) for r in rows]


HELD = {"net.ipv4.tcp_wmem": "4096 16384 400000"}
"""A sender that keeps no more under way than the queues below hold."""

LOOP = {
    "0 s": {"capacity": "20 Mbit/s"},
    "1 s": {"capacity": "2 Mbit/s"},
    "2 s": {"capacity": 0},
    "3 s": {"capacity": "10 Mbit/s"},
}


@pytest.mark.parametrize("on_fabric", [False, True])
def test_a_link_carries_the_integral_of_its_capacity(
    tmp_path: Path, on_fabric: bool
) -> None:
    """More than the link can carry goes in, so what comes out is its capacity."""
    found, artefacts = run(
        tmp_path,
        fabric=on_fabric,
        parameters={"path1.queue": 4, "path1.delay": 0},
        changes={"path1": {"at": LOOP, "repeat": "4 s"}},
        cases={"only": RENO},
        traffic=[{**FLOW, "tool": "cbr", "rate": "30 Mbit/s", "duration": "20 s"}],
    )
    bits = (20 + 2 + 0 + 10) * 1e6 * 5
    # The queue and the bucket hold a few packets more at the end.
    assert 0 <= found["path1.bytes"] * 8 - bits <= 8 * FRAME_BYTES * 8
    assert found["path1.mean_capacity_mbps"] == pytest.approx(8, rel=1e-3)
    assert found["utilisation"] == pytest.approx(1472 / FRAME_BYTES, rel=2e-3)
    times = made(artefacts)
    assert len(times) >= 20 and all(0 <= t - due < 2e-5 for t, due in times)


def test_many_small_steps_add_up(tmp_path: Path) -> None:
    steps = {f"{10 * n:03d} ms": {"capacity": f"{1 + n % 7} Mbit/s"} for n in range(70)}
    found, _ = run(
        tmp_path,
        parameters={"path1.queue": 4, "path1.delay": 0},
        changes={"path1": {"at": steps, "repeat": "700 ms"}},
        cases={"only": RENO},
        traffic=[{**FLOW, "tool": "cbr", "rate": "10 Mbit/s", "duration": "7 s"}],
    )
    bits = 4e6 * 7
    assert 0 <= found["path1.bytes"] * 8 - bits <= 8 * FRAME_BYTES * 8


def test_delays_change_at_once(tmp_path: Path) -> None:
    _, artefacts = run(
        tmp_path,
        parameters={"path1.delay": "20 ms", "path1.capacity": "1 Gbit/s"},
        changes={
            "path1": {
                "at": {
                    "3 s": {"delay": "60 ms"},
                    "6 s": {"delay": {"up": "5 ms", "down": "35 ms"}},
                }
            }
        },
        trace="100 ms",
        cases={"only": {**RENO, "sysctls": LIMITED}},
        traffic=[{**FLOW, "duration": "9 s"}],
    )
    srtt_us = traced(artefacts, "srtt_us")[1]
    for at_s, rtt_ms in ((2.9, 40), (5.9, 120), (8.9, 40)):
        (near,) = [value for time, value in srtt_us.items() if abs(time - at_s) < 0.05]
        assert near / 1e3 == pytest.approx(rtt_ms, rel=0.12)


def test_a_delay_that_shrinks_reorders_nothing(tmp_path: Path) -> None:
    found, artefacts = run(
        tmp_path,
        parameters={"path1.queue": 5000, "path1.capacity": "20 Mbit/s"},
        changes={
            "path1": {
                "at": {"0 s": {"delay": "80 ms"}, "1 s": {"delay": "1 ms"}},
                "repeat": "2 s",
            }
        },
        cases={"only": {**RENO, "sysctls": HELD}},
        traffic=[{**FLOW, "duration": "9 s"}],
    )
    server = json.loads((artefacts / "nstat-server.json").read_text())["kernel"]
    assert server["TcpExtTCPOFOQueue"] == 0
    assert found["path1.queue_drops"] == 0 and found["goodput_mbps"] > 10


def test_queues_and_losses_change(tmp_path: Path) -> None:
    found, artefacts = run(
        tmp_path,
        parameters={"path1.queue": 10, "path1.delay": "5 ms"},
        changes={
            "path1": {
                "at": {
                    "2 s": {"queue": {"up": 200, "down": 50}},
                    "4 s": {"loss": "2 %"},
                    "5 s": {"loss": {"up": 0, "down": "1 %"}},
                }
            }
        },
        cases={"only": RENO},
        traffic=[{**FLOW, "duration": "6 s"}],
    )
    assert found["path1.queue_packets"] == 200
    table = json.loads((artefacts / "qdisc-end.json").read_text())["r1"]
    netem = {q["dev"]: q for q in table if q["kind"] == "netem"}
    loss = netem["r1-client"]["options"]["loss-random"]["loss"]
    assert loss == pytest.approx(0.01)
    # The link that lost packets loses none at the end.
    assert "loss-random" not in netem["r1-hub"]["options"]
    assert netem["r1-hub"]["drops"] > 0


def test_nothing_passes_in_an_outage(tmp_path: Path) -> None:
    _, artefacts = run(
        tmp_path,
        changes={"path1": {"at": {"2 s": {"capacity": 0}, "3500 ms": {
            "capacity": "10 Mbit/s"}}}},
        cases={"only": RENO},
        traffic=[{**FLOW, "duration": "8 s", "interval": "0.1 s"}],
    )  # fmt: skip
    rates = received(artefacts)
    # The reports begin with the connection, about 0.1 s after the traffic.
    assert min(rates[5:19]) > 3
    assert max(rates[21:34]) == 0
    # TCP sends again by its timer, whose last wait may be as long as the outage.
    assert max(rates[36:55]) > 5


def test_an_outage_may_last_until_the_end(tmp_path: Path) -> None:
    found, artefacts = run(
        tmp_path,
        changes={"path2": {"at": {"2 s": {"capacity": 0}}}},
        cases={"only": MPTCP},
        traffic=[{**FLOW, "duration": "5 s"}],
    )
    assert min(received(artefacts)[3:]) > 5
    mbit = found["path2.mean_capacity_mbps"] * found["measured_s"]
    assert mbit == pytest.approx(20, rel=1e-3)


def switched(link: str, down_s: float, up_s: float) -> dict[str, Any]:
    return {link: {"at": {f"{down_s} s": {"up": False}, f"{up_s} s": {"up": True}}}}


@pytest.mark.parametrize("number", [1, 2])
def test_a_subflow_goes_and_comes_with_its_interface(
    tmp_path: Path, number: int
) -> None:
    found, artefacts = run(
        tmp_path,
        changes=switched(f"path{number}", 2, 4),
        trace="50 ms",
        cases={"only": MPTCP},
        traffic=[{**FLOW, "duration": "7 s", "interval": "0.5 s"}],
    )
    acked = traced(artefacts, "bytes_acked")[number]
    times = sorted(acked)
    grown = [b for a, b in pairwise(times) if acked[b] > acked[a]]
    # Down from 2 s; up at 4 s, with a new subflow that counts from 0.
    assert not [time for time in grown if 2.1 < time < 4]
    assert len([time for time in grown if 4.3 < time < 6.9]) > 40
    assert acked[times[-1]] < 5e6
    client = json.loads((artefacts / "nstat-client.json").read_text())["kernel"]
    server = json.loads((artefacts / "nstat-server.json").read_text())["kernel"]
    # The data connection and iperf3's control connection.
    assert client["MPTcpExtRmAddrTx"] == server["MPTcpExtRmAddr"] == 2
    assert found["joined_subflows"] == 4
    rates = received(artefacts)
    assert max(rates[5:7]) < 10.5 and min(rates[11:13]) > 17
    assert found["aggregation_benefit"] < found["aggregation_benefit_bound"]


def test_a_connection_outlives_a_time_without_any_path(tmp_path: Path) -> None:
    _, artefacts = run(
        tmp_path,
        changes={**switched("path1", 2, 4), **switched("path2", 2.5, 3.5)},
        cases={"only": MPTCP},
        traffic=[{**FLOW, "duration": "8 s", "interval": "0.5 s"}],
    )
    rates = received(artefacts)
    assert max(rates[6:7]) == 0 and min(rates[13:15]) > 15


def test_tcp_waits_for_its_interface(tmp_path: Path) -> None:
    found, artefacts = run(
        tmp_path,
        changes=switched("path1", 2, 3),
        cases={"only": RENO},
        traffic=[{**FLOW, "duration": "7 s", "interval": "0.5 s", "reverse": True}],
    )
    report = json.loads((artefacts / "traffic-0-client.json").read_text())
    rates = [each["sum"]["bits_per_second"] / 1e6 for each in report["intervals"]]
    assert rates[5] == 0 and min(rates[11:13]) > 9
    assert found["path2.bytes"] < 10_000


def test_the_same_changes_give_the_same_bytes(tmp_path: Path) -> None:
    spec: dict[str, Any] = {
        "topology": "two_path",
        "changes": {
            "path1": {"every": "300 ms",
                      "capacity": {"min": "1 Mbit/s", "max": "20 Mbit/s"},
                      "delay": {"min": "1 ms", "max": "50 ms"},
                      "loss": {"min": 0, "max": "1 %"}},
            "path2": {"at": {"1 s": {"up": False}, "2 s": {"up": True}}},
        },
        "trace": "100 ms",
        "cases": {"only": MPTCP},
        "traffic": [{**FLOW, "duration": "3 s"}],
    }  # fmt: skip
    job = job_of(tmp_path, **spec)
    kept: list[dict[str, bytes]] = []
    for _ in range(2):
        ended, artefacts = Lab(tmp_path / f"{len(kept)}").execute(job)
        assert ended.status == "finished", ended.reason
        kept.append(contents(artefacts))
    assert kept[0] == kept[1] and "changes.csv" in kept[0]
