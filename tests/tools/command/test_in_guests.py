"""Programs of users in a guest: servers, when they are ready, output, ends."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from analysis.run.row import row
from jobs import dump
from mpbench.backends.base import Exit
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tests.tools.command.test_command import documented, text
from tests.virtual.lab import Lab

DEAF_SERVER = """\
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(2)
print("now ready to serve", flush=True)
time.sleep(1000)
"""


def executed(folder: Path, whole: str) -> tuple[Exit, dict[str, Any]]:
    """The end of the only run of an experiment, and its row."""
    (run,) = make_plan(loads(whole), {}).runs
    ended, artefacts = Lab(folder).execute(dump(run.job))
    return ended, row(artefacts.parent)


def test_the_documented_example(tmp_path: Path) -> None:
    """A queue of 100 ms that a bulk transfer fills adds to the round trip of 50 ms."""
    _, found = executed(tmp_path, documented())
    assert (found["verdict"], found["reason"]) == ("ok", "")
    assert 50 <= found["ping.command.time_ms"] <= 160
    assert found["ping.command.lost_percent"] <= 20
    assert found["bulk.goodput_mbps"] == found["goodput_mbps"] > 7
    assert "ping.goodput_mbps" not in found


@pytest.mark.parametrize("protocol", ["tcp", "mptcp"])
def test_a_server_and_its_port(tmp_path: Path, protocol: str) -> None:
    changes = {
        "server": ["iperf3", "--server", "--port", "{port}"],
        "client": ["iperf3", "-c", "{address}", "-p", "{port}", "-t", "{duration}"],
        "numbers": [
            {
                "pattern": r"(?P<rate>[0-9.]+) Mbits/sec +receiver",
                "units": {"rate": "Mbit/s"},
            }
        ],
    }
    whole = yaml.safe_load(text(**changes))
    if protocol == "mptcp":
        case = {"protocol": "mptcp", "congestion_control": "lia"}
        whole["cases"] = {"mptcp": case}
    _, found = executed(tmp_path, yaml.safe_dump(whole))
    assert (found["verdict"], found["reason"]) == ("ok", "")
    assert found["goodput_mbps"] is None
    paths = 2 if protocol == "mptcp" else 1
    assert paths * 8 < found["command.rate_mbps"] < paths * 10


def test_a_server_that_says_that_it_is_ready_and_is_deaf_to_sigterm(
    tmp_path: Path,
) -> None:
    server = ["python3", "-c", DEAF_SERVER]
    client = ["python3", "-c", "print('n=3')"]
    numbers = [{"pattern": "n=(?P<n>[0-9]+)", "units": {"n": "1"}}]
    ended, found = executed(
        tmp_path,
        text(server=server, ready_line="ready", client=client, numbers=numbers),
    )
    assert ended.virtual_s is not None and 7 < ended.virtual_s < 9
    assert (found["verdict"], found["reason"]) == ("ok", "")
    assert found["command.n"] == 3


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"server": ["python3", "-c", "pass"], "ready_line": "up"},
            "no line of its output has 'up': the server ended at once",
        ),
        (
            {"client": ["yes"], "numbers": [], "file_limit": "2 MB"},
            "a file that it wrote reached the limit of 2 MB; `file_limit` of its entry",
        ),
        ({"client": ["ping", "-c", "x", "{address}"]}, "exit status"),
        ({"client": ["echo", "time"]}, "no line of the output gives 'time'"),
        ({"client": ["no-such-program"]}, "No such file or directory"),
    ],
)
def test_what_goes_wrong_is_said(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    _, found = executed(tmp_path, text(**changes))
    assert found["verdict"] in ("failed", "invalid")
    assert reason in found["reason"]


BURSTS = """\
import os, socket, time
BUFFER = 32  # SO_SNDBUFFORCE
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # sleeps exactly
opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
opened.setsockopt(socket.SOL_SOCKET, BUFFER, 1 << 27)
began = time.monotonic()
for number in range(4):
    time.sleep(max(0, began + number * 0.06 - time.monotonic()))
    for _ in range(1500):
        opened.sendto(bytes(1472), ("{address}", {port}))
print("bursts=4")
"""
SINK = """\
import socket, time
opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
opened.bind(("", {port}))
print("up", flush=True)
time.sleep(10)
"""


def test_a_wire_carries_any_burst(tmp_path: Path) -> None:
    """A link that only delays gets a burst in the instant in which it releases another.

    Each packet that arrives then releases many, so that thousands are on a wire.
    """
    entry = {
        "tool": "command",
        "from": "near",
        "to": "server_near",
        "duration": "2 s",
        "server": ["python3", "-c", SINK],
        "ready_line": "up",
        "client": ["python3", "-c", BURSTS],
        "numbers": [{"pattern": "bursts=(?P<n>[0-9]+)", "units": {"n": "1"}}],
    }
    network = {
        "links": {"far1..2": {"delay": "60 ms"}},
        "users": {"near": ["far1 far2"]},
    }
    case = {"protocol": "tcp", "congestion_control": "reno", "path": 1}
    spec = {"name": "bursts", "network": network, "cases": {"reno": case}}
    _, found = executed(tmp_path, yaml.safe_dump({**spec, "traffic": [entry]}))
    assert (found["verdict"], found["reason"]) == ("ok", "")
    assert found["command.n"] == 4
