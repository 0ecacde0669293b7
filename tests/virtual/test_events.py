"""Events that a guest's kernel writes, and what `explain` says about the same runs."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from analysis.run import events
from analysis.run.events import Events
from analysis.run.explain import explain
from mpbench.backends.base import Bounds

from .lab import Lab, job_of

MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}
FLOW = {"tool": "iperf3", "from": "client", "to": "server", "duration": "5 s"}
PER_PACKET = ("OFOQueue", "OFOQueueTail", "OFOMerge", "DuplicateData", "MPTCPRetrans")


def run(folder: Path, **spec: Any) -> tuple[Path, Events]:
    """The folder of an experiment with one run, and its events."""
    spec.setdefault("topology", "two_path")
    job = job_of(folder, **spec)
    bounds = Bounds(job["time_limit_s"], wall_s=120.0, silence_s=60.0)
    ended, artefacts = Lab(folder).execute(job, bounds)
    assert ended.status == "finished", ended.reason
    noted = events.load(artefacts)
    assert noted is not None
    return artefacts.parent, noted


def counters(folder: Path, host: str) -> dict[str, int]:
    document = json.loads((folder / f"artefacts/nstat-{host}.json").read_text())
    found: dict[str, int] = document["kernel"]
    return found


@pytest.fixture(scope="module")
def dark(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Events]:
    """A run whose first path carries nothing for two seconds."""
    return run(
        tmp_path_factory.mktemp("dark"),
        cases={"case": MPTCP},
        changes={"path1": {"at": {"1 s": {"loss": "100 %"}, "3 s": {"loss": 0}}}},
        traffic=[FLOW],
    )


@pytest.mark.parametrize("host", ["client", "server"])
def test_each_increment_of_a_counter_is_an_event(
    dark: tuple[Path, Events], host: str
) -> None:
    """The second implementation is the kernel's own sum."""
    folder, noted = dark
    seen: Counter[str] = Counter()
    for event in noted.all:
        if event.host == host:
            seen[event.name] += event.number or 1
    checked = 0
    for name, value in counters(folder, host).items():
        short = name.removeprefix("MPTcpExt")
        if short != name and short in (*seen, "MPJoinSynTx", "MPJoinAckRx"):
            assert seen[short] == value, short
            checked += value > 0
    assert checked >= 4
    for name in ("TCPTimeouts", "TCPSynRetrans", "TCPAbortOnTimeout"):
        counted = counters(folder, host)[f"TcpExt{name}"]
        assert noted.count(name, host=host) == counted, name
    assert not any(seen[name] for name in PER_PACKET)


def test_a_dark_path_is_told_with_its_times(dark: tuple[Path, Events]) -> None:
    folder, noted = dark
    (stale,) = noted.named("SubflowStale")
    assert 1.0 < stale.time_s < 3.0
    assert (stale.host, stale.connection, stale.address) == ("client", 0, "10.0.1.2")
    (recovered,) = noted.named("SubflowRecover")
    assert recovered.time_s > 3.0 and recovered.ends == stale.ends
    (said,) = [found.sentence for found in explain(folder)]
    assert said.startswith("path 1: its subflow went stale at ")
    assert said.endswith("path 1 carried nothing from 1 s to 3 s")


def test_a_run_that_is_well_has_events_and_no_sentence(tmp_path: Path) -> None:
    folder, noted = run(tmp_path, cases={"case": MPTCP}, traffic=[FLOW])
    assert explain(folder) == ()
    joined = [event for event in noted.named("sub_established", host="server")]
    assert [event.connection for event in joined] == [0, 0]
    assert len({event.port for event in joined}) == 2
    closed = noted.named("tcp_closed", "tcp_open", host="server")
    received = sum(event.count("received") for event in closed)
    report = json.loads((folder / "artefacts/traffic-0-server.json").read_text())
    assert received >= report["end"]["sum_received"]["bytes"]


def test_tcp_has_events_too(tmp_path: Path) -> None:
    case = {"protocol": "tcp", "congestion_control": "reno", "path": 2}
    _, noted = run(tmp_path, cases={"case": case}, traffic=[{**FLOW, "start": "1 s"}])
    opened = list(noted.named("tcp_connect"))
    assert [event.address for event in opened] == ["10.0.2.2", "10.0.2.2"]
    assert all(1.0 <= event.time_s < 1.2 and not event.subflow for event in opened)
    assert noted.count("tcp_established") == 4
    assert noted.count("created", "MPCapableSYNTX") == 0
