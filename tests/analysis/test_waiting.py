"""Shares of time in which data were held back, data out of order, interruptions."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis.run import absent, row
from analysis.run.events import HEAD, parse
from analysis.run.explain.subflows import Subflow
from analysis.run.explain.times import LIMITS, shares

CAPTURED = Path(__file__).parent / "captured/events"
MakeRun = Callable[..., Path]
ENDS = "10.0.1.2:40000,10.2.0.2:5201"


def subflow(*values: str) -> Subflow:
    """A subflow of 10 s at the client, with the value of its last state."""
    lines = [f"0.5,client,0,40000,,{ENDS},MPCapableSYNTX,1"]
    lines += [f"10.5,client,0,40000,,{ENDS},tcp_closed,{value}" for value in values]
    events = parse("\n".join([HEAD, *lines, ""]), "events.csv").all
    local, _, remote = ENDS.partition(",")
    return Subflow("client", local, remote, events, ())


@pytest.mark.parametrize(
    ("mptcp", "wanted"),
    [(False, (0.1, 0.2, 0.4, 0.3)), (True, (0.1, 0.0, 0.6, 0.3))],
)
def test_the_shares_of_a_subflow(mptcp: bool, wanted: tuple[float, ...]) -> None:
    """10 s, of which 7 with data; MPTCP's send buffer counts as the network."""
    one = subflow("acked=5 received=0 busy_ms=7000 rwnd_ms=1000 sndbuf_ms=2000")
    found = shares(one, "client", mptcp)
    assert found is not None
    assert found[0] == 5
    assert found[1] == pytest.approx(wanted)
    assert sum(found[1]) == pytest.approx(1)


def test_a_subflow_without_data_or_state_has_no_shares() -> None:
    assert shares(subflow(), "client", True) is None
    assert shares(subflow("acked=0 busy_ms=0"), "client", True) is None
    assert shares(subflow("acked=5 busy_ms=1"), "server", True) is None


def test_more_busy_time_than_time_is_all_of_it() -> None:
    found = shares(subflow("acked=5 busy_ms=10400"), "client", True)
    assert found is not None and found[1] == (0, 0, 1, 0)


@pytest.fixture
def noted(make_run: MakeRun) -> Path:
    """A made run of 4 s with events: the second subflow has data for half the time."""
    run = make_run("mptcp")
    lines = []
    for host, acked, busy in (("10.0.1.2", 3000, 4000), ("10.0.2.2", 1000, 2000)):
        ends = f"{host}:40000,10.2.0.2:5201"
        name = "MPCapableSYNTX" if acked == 3000 else "MPJoinSynTx"
        lines.append(f"0.0,client,0,40000,,{ends},{name},1")
        value = f"acked={acked} busy_ms={busy} rwnd_ms=400 sndbuf_ms=0"
        lines.append(f"4.0,client,0,40000,,{ends},tcp_closed,{value}")
    text = "\n".join([HEAD, *lines, ""])
    (run / "artefacts" / "events.csv").write_text(text)
    return run


def test_the_columns_of_a_run(noted: Path) -> None:
    """Means weighted by 3000 and 1000 acknowledged bytes."""
    found = row.row(noted)
    assert [found[name] for name in LIMITS] == [
        pytest.approx(0.1),
        None,
        pytest.approx(0.75 * 0.9 + 0.25 * 0.4),
        pytest.approx(0.25 * 0.5),
    ]
    assert "limited_by_buffer: subflows of MPTCP share" in found["absent"]
    assert found["out_of_order_ratio"] >= 0 and found["duplicate_ratio"] >= 0


def test_columns_that_a_run_cannot_have(make_run: MakeRun) -> None:
    found = row.row(make_run("tcp"))
    assert [found[name] for name in LIMITS] == [None] * 4
    reasons = absent.read(found["absent"])
    assert {reasons[name] for name in LIMITS} == {absent.EVENTS}
    assert reasons["duplicate_ratio"] == reasons["out_of_order_ratio"] == absent.TCP


def test_order_and_copies_are_per_first_sent_segment(make_run: MakeRun) -> None:
    run = make_run("mptcp")
    for host, share in (("client", 0), ("server", 1)):
        path = run / f"artefacts/nstat-{host}.json"
        document = json.loads(path.read_text())
        counted = {"MPTcpExtOFOQueue": 500, "MPTcpExtDuplicateData": 50}
        document["kernel"] |= {name: share * n for name, n in counted.items()}
        path.write_text(json.dumps(document))
    found = row.row(run)
    sent = found["sent_segments"]
    assert found["out_of_order_ratio"] == pytest.approx(500 / sent)
    assert found["duplicate_ratio"] == pytest.approx(50 / sent)


def silent(run: Path, *numbers: int) -> Path:
    """The run, whose receiver read nothing in intervals with these numbers."""
    path = run / "artefacts/traffic-0-server.json"
    document: dict[str, Any] = json.loads(path.read_text())
    for number in numbers:
        interval = document["intervals"][number]
        for one in (interval["sum"], *interval["streams"]):
            one["bytes"] = 0
            one["bits_per_second"] = 0
    path.write_text(json.dumps(document))
    return run


@pytest.mark.parametrize(
    ("numbers", "seconds"), [((), 0), ((1,), 1), ((1, 2), 2), ((0, 2), 1), ((3,), 1)]
)
def test_the_longest_interruption(
    numbers: tuple[int, ...], seconds: float, make_run: MakeRun
) -> None:
    found = row.row(silent(make_run("mptcp"), *numbers))
    assert found["interruption_s"] == seconds


def test_an_interruption_belongs_to_the_phase_of_its_intervals(
    make_run: MakeRun,
) -> None:
    run = silent(make_run("mptcp"), 1, 2)
    path = run / "job.json"
    job = json.loads(path.read_text())
    job["report"] = {"names": None, "phases": {"early": [0, 2], "late": [2, 4]}}
    path.write_text(json.dumps(job))
    found = row.row(run)
    assert found["interruption_s"] == 2
    assert (found["early.interruption_s"], found["late.interruption_s"]) == (1, 1)


@pytest.mark.parametrize("late_s", [0.0, 0.00005, 0.02])
def test_late_intervals_make_no_winner(late_s: float, make_run: MakeRun) -> None:
    run = silent(make_run("mptcp"), 1, 2)
    path = run / "artefacts/traffic-0-server.json"
    document: dict[str, Any] = json.loads(path.read_text())
    document["intervals"][2]["sum"]["end"] += late_s
    path.write_text(json.dumps(document))
    assert row.row(run)["interruption_s"] == 2


def test_captured_events_give_shares() -> None:
    """The path that waits for the connection's buffer has data for 39 % of its time."""
    path = CAPTURED / "starved/artefacts/events.csv"
    with path.open(newline="") as file:
        last = [r for r in csv.DictReader(file) if r["event"] == "tcp_closed"]
    busy = [r["value"] for r in last if r["local"].startswith("10.0.1.2:")]
    assert any("busy_ms=23290" in value for value in busy)


def test_stock_linux_writes_no_events_and_that_is_the_reason(make_run: MakeRun) -> None:
    run = make_run("mptcp")
    job = json.loads((run / "job.json").read_text())
    (run / "job.json").write_text(json.dumps({**job, "linux": {"lab": False}}))
    reasons = absent.read(row.row(run)["absent"])
    assert reasons["limited_by_window"] == absent.NO_EVENTS
    kernel = json.loads((run / "artefacts/nstat-client.json").read_text())["kernel"]
    del kernel["MPTcpExtOFOQueue"]
    text = json.dumps({"kernel": {**kernel, "TcpExtOther": 0}})
    (run / "artefacts/nstat-client.json").write_text(text)
    found = row.row(run)
    assert found["out_of_order_ratio"] is None
    assert absent.read(found["absent"])["out_of_order_ratio"] == absent.NO_COUNTER
