"""iperf3: its keys in the commands of a run, and the beginning of its intervals."""

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from analysis.run.events import Event
from analysis.run.traffic import Traffic
from jobs import dump, load
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tools.iperf3 import results
from tools.iperf3.processes import processes
from tools.iperf3.record import Iperf3

FILE = """\
name: bulk
topology: two_path
cases: {only: {protocol: mptcp, congestion_control: cubic}}
traffic: [{tool: iperf3, from: client, to: server, duration: 5 sMORE}]
"""


def entry(more: str) -> dict[str, Any]:
    (run,) = make_plan(loads(FILE.replace("MORE", more)), {}).runs
    found: dict[str, Any] = dump(run.job)["traffic"][0]
    return found


@pytest.mark.parametrize(
    "more, said", [("", False), (", nodelay: true", True), (", nodelay: false", False)]
)
def test_nagle_is_switched_off_where_the_file_says_so(more: str, said: bool) -> None:
    assert ("nodelay" in entry(more)) == said, "the usual value is no part of the job"
    (run,) = make_plan(loads(FILE.replace("MORE", more)), {}).runs
    job = load(json.loads(json.dumps(dump(run.job))))
    one: Any = job.traffic[0]
    server, client = processes(0, one, job.transport, lambda *_: "10.0.0.1")
    assert ("--no-delay" in client.argv) == said
    assert "--no-delay" not in server.argv


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("", None),
        (", reverse: true", None),
        (", reverse: true, size: 3 MB", "--end=3000000"),
        (", reverse: true, size: 3 MB, read: bulk", "--end=3000000"),
        (", reverse: true, size: 3 MB, read: packet", None),
        (", size: 3 MB", None),
    ],
)
def test_a_reader_that_ends_after_some_bytes_knows_them(
    more: str, said: str | None
) -> None:
    text = FILE.replace("MORE", more)
    text = text.replace(", duration: 5 s", "") if "size" in more else text
    (run,) = make_plan(loads(text), {}).runs
    job = load(json.loads(json.dumps(dump(run.job))))
    one: Any = job.traffic[0]
    server, client = processes(0, one, job.transport, lambda *_: "10.0.0.1")
    ends = [word for word in client.argv if word.startswith("--end")]
    assert ends == ([said] if said else [])
    assert not any(word.startswith("--end") for word in server.argv)


def connection(port: int, at_s: float, host: str, name: str = "established") -> Event:
    ends = (f"10.0.0.1:{port}", "10.0.0.2:5201")
    return Event(at_s, host, 0, port, "0:0", *ends, name, "")


@pytest.mark.parametrize(
    ("forward", "streams", "ports", "at_s"),
    [
        (True, 1, (1, 2), 0.2),
        (False, 1, (1, 2), 2.2),
        (True, 2, (1, 2, 3), 0.3),
        (True, 2, (1, 2), None),
        (True, 1, (1, 2, 3), None),
        (True, 1, (1,), None),
        (True, 1, (), None),
    ],
)
def test_the_receiver_has_the_last_connection_with_data(
    forward: bool, streams: int, ports: tuple[int, ...], at_s: float | None
) -> None:
    entry = SimpleNamespace(
        source="a", destination="b", forward=forward, parallel=streams
    )
    events = [
        connection(port, later_s + port / 10, host, name)
        for port in ports
        for host, later_s, name in (
            ("b", 0.0, "tcp_established"),
            ("a", 2.0, "established"),
            ("b", 5.0, "sub_established"),
            ("b", 6.0, "tcp_established"),
        )
    ]
    found = results.connected_s(cast(Traffic[Iperf3], entry), events)
    assert found == (None if at_s is None else pytest.approx(at_s))
