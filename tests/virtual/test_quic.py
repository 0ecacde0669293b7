"""Endpoints of the box in guests, against answers that are known on paper.

They are built by `mpbench endpoint build`, and left out where they are not.
"""

import csv
from pathlib import Path

import pytest

from mpbench import endpoints
from tests.calls import Command

from .lab import Lab  # noqa: F401  (marks these tests as booting guests)

FILE = """\
name: box
topology: two_path
parameters:
  path1.capacity: 10 Mbit/s
  path2.capacity: 10 Mbit/s
  path1.delay: 10 ms
  path2.delay: 10 ms
  path1.queueing_delay: 50 ms
  path2.queueing_delay: 50 ms
CASES
traffic:
  - {TRAFFIC, from: client, to: server}
metrics: [goodput]
"""
QUIC = """\
cases:
  mpquic: {protocol: mpquic, program: NAME, congestion_control: cubic}
  quic: {protocol: quic, program: NAME, congestion_control: cubic, path: 1}
"""
TCP = "  tcp: {protocol: tcp, congestion_control: cubic, path: 1}\n"
RTT_S = 0.02


@pytest.fixture(params=endpoints.NAMES)
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    if endpoints.lookup(found) is None:
        pytest.skip(f"`mpbench endpoint build {found}` builds it")
    return found


def run(
    folder: Path, command: Command, cases: str, traffic: str, text: str = FILE
) -> dict[str, dict[str, str]]:
    """The rows of a file's runs, by case. All are ok."""
    file, out = folder / "box.yaml", folder / "out"
    file.write_text(text.replace("CASES", cases).replace("TRAFFIC", traffic))
    done = command("run", file, "--out", out)
    assert done.status == 0, done.out + done.err
    with (out / "runs.csv").open() as table:
        return {row["case"]: row for row in csv.DictReader(table)}


def test_goodput(tmp_path: Path, command: Command, name: str) -> None:
    """One path has TCP's goodput within 2 %, and two equal paths have twice that."""
    cases = QUIC.replace("NAME", name) + TCP
    rows = run(tmp_path, command, cases, "tool: iperf3, duration: 15 s, read: packet")
    both, one, tcp = (
        float(rows[case]["goodput_mbps"]) for case in ("mpquic", "quic", "tcp")
    )
    assert one == pytest.approx(tcp, rel=0.02)
    assert both == pytest.approx(2 * one, rel=0.02)
    assert float(rows["mpquic"]["path1.share"]) == pytest.approx(0.5, abs=0.02)


def test_packets_that_gather(tmp_path: Path, command: Command, name: str) -> None:
    """The goodput stays, and the same run gives the same bytes."""
    late = QUIC.replace("NAME", name).replace("cubic", "cubic, gather: 3 ms")
    cases = QUIC.replace("NAME", name) + late.replace("quic:", "quic_late:")[7:]
    rows = run(tmp_path, command, cases, "tool: iperf3, duration: 5 s")
    for case in ("mpquic", "quic"):
        each, gathered = rows[case], rows[f"{case}_late"]
        goodput = float(each["goodput_mbps"])
        assert float(gathered["goodput_mbps"]) == pytest.approx(goodput, rel=0.03)
    done = command("verify", tmp_path / "out", "--sample", "2")
    assert done.status == 0, done.out + done.err


def test_gathering_does_not_limit_goodput(
    tmp_path: Path, command: Command, name: str
) -> None:
    """In 10 ms more packets arrive than an endpoint has buffers, and all are read."""
    late = QUIC.replace("NAME", name).replace("cubic", "cubic, gather: 10 ms")
    file = FILE.replace("capacity: 10 Mbit/s", "capacity: 80 Mbit/s")
    traffic = "tool: iperf3, duration: 3 s, read: packet"
    rows = run(tmp_path, command, late, traffic, file)
    assert float(rows["mpquic"]["goodput_mbps"]) > 120
    assert float(rows["quic"]["goodput_mbps"]) > 65


SETUP = b"\xbf" + (425).to_bytes(4, "little")
"""`mov $__NR_io_uring_setup, %edi`, of a call of syscall()."""


def test_without_io_uring(tmp_path: Path, command: Command, name: str) -> None:
    """On a kernel that has no io_uring, an endpoint polls, and its results are those
    of another run of the network. Four builds that differ in unused bytes alone had
    18.39 to 18.54 Mbit/s."""
    program = endpoints.find(name).path.read_bytes()
    assert program.count(SETUP) == 1
    polls = program.replace(SETUP, b"\xbf" + (0x7FFF).to_bytes(4, "little"))
    (tmp_path / "polls").write_bytes(polls)
    given = "plugins: {programs: {polls: polls}}\n"
    other = QUIC.replace("NAME", "polls").replace("quic:", "quic_polls:")[7:]
    cases = given + QUIC.replace("NAME", name) + other
    rows = run(tmp_path, command, cases, "tool: iperf3, duration: 5 s, read: packet")
    for case in ("mpquic", "quic"):
        mine, its = rows[case], rows[f"{case}_polls"]
        for key in ("goodput_mbps", "endpoint.path1_sent_packets"):
            assert float(mine[key]) == pytest.approx(float(its[key]), rel=0.02)
    done = command("verify", tmp_path / "out")
    assert done.status == 0, done.out + done.err


def test_the_handshake_takes_one_round_trip(
    tmp_path: Path, command: Command, name: str
) -> None:
    """A small download over relays takes two: to connect, and to be answered.

    noq takes some milliseconds more, and less than another round trip.
    """
    cases = QUIC.replace("NAME", name)
    rows = run(tmp_path, command, cases, "tool: curl, size: 1 kB")
    slack_s = {"noq": 0.005, "picoquic": 0.001}[name]
    for row in rows.values():
        assert 0 < float(row["completion_time_s"]) - 2 * RTT_S < slack_s
        assert not row["connect_time_s"] and not row["retransmissions"]
    done = command("verify", tmp_path / "out")
    assert done.status == 0, done.out + done.err


def test_a_dark_path_is_an_outcome(tmp_path: Path, command: Command, name: str) -> None:
    cases = QUIC.replace("NAME", name) + "changes: {path2: {at: {0 s: {up: false}}}}\n"
    cases = cases.replace("path: 1}", "path: 1, qlog: true, keys: true}")
    rows = run(tmp_path, command, cases, "tool: iperf3, duration: 3 s, reverse: true")
    both, one = (float(rows[case]["goodput_mbps"]) for case in ("mpquic", "quic"))
    assert both == pytest.approx(one, rel=0.05) and 8 < one < 10
    kept = {path.name for path in tmp_path.glob("out/runs/*/artefacts/*")}
    assert "traffic-0-client-keys.log" in kept
    logs = list(tmp_path.glob("out/runs/*/artefacts/*qlog"))
    assert logs and all(path.read_bytes().endswith(b"}\n") for path in logs)
    done = command("verify", tmp_path / "out")
    assert done.status == 0, done.out + done.err


EXCHANGES = {
    "pingpong": ("tool: pingpong, size: 1 kB, number: 20", "pingpong.median_ms"),
    "sync": (
        "tool: sync, files: [{count: 20, size: 20 kB}], connections: 4",
        "sync.time_s",
    ),
}


@pytest.mark.parametrize("tool", EXCHANGES)
def test_exchanges_over_relays(
    tmp_path: Path, command: Command, name: str, tool: str
) -> None:
    """Each exchange over QUIC takes about the time that it takes over TCP.

    Four connections of noq have sent 400 kB an eighth later than four of TCP.
    """
    cases = QUIC.replace("NAME", name) + TCP
    traffic, key = EXCHANGES[tool]
    rows = run(tmp_path, command, cases, traffic)
    both, one, tcp = (float(rows[case][key]) for case in ("mpquic", "quic", "tcp"))
    assert one == pytest.approx(tcp, rel=0.15)
    assert both <= 1.15 * tcp
