"""Requests and answers in turn: the keys, the reader, and both programs."""

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from analysis.run import traffic
from analysis.run.outcomes.endings import COMPLETE, GIVEN_UP
from analysis.run.tools import Lasted
from jobs import Job, dump, load
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import estimate, make_plan
from mpbench.plan.timing import time_limit_s
from tests.tools.placed import free_port, placed
from tests.tools.small import HEAD, entry_of, row_of
from tools.pingpong import reader, results
from tools.pingpong.processes import PROGRAM

ENTRY = entry_of("pingpong")
SETTINGS = {
    **{"request": 50, "answer": 1000, "nodelay": True, "writes": 3, "number": 20},
    **{"duration_s": None, "think_s": 0.0, "timeout_s": 5.0, "keepalive_s": 60},
}
REPORT = {
    **{"end": "complete", "error": "", "connected_s": 0.02, "seconds": 0.11},
    "times_ns": [30_000_000, 20_000_000, 60_000_000],
}


def job_of(keys: str) -> Job:
    (only,) = make_plan(loads(HEAD + ENTRY % keys), {}).runs
    return only.job


def test_an_entry_of_a_job() -> None:
    job = job_of("size: [50 B, 5 kB], number: 3, think: 10 ms, writes: 2")
    (entry,) = dump(job)["traffic"]
    assert (entry["request_bytes"], entry["answer_bytes"]) == (50, 5000)
    assert (entry["bytes"], entry["number"], entry["duration_s"]) == (5050, 3, None)
    assert (entry["think_s"], entry["writes"], entry["nodelay"]) == (0.01, 2, False)
    assert (entry["timeout_s"], entry["keepalive_s"]) == (30.0, None)
    assert load(dump(job)) == job


def test_one_size_is_that_of_both_ways() -> None:
    (entry,) = dump(job_of("size: 80 B, duration: 2 s"))["traffic"]
    assert (entry["request_bytes"], entry["answer_bytes"]) == (80, 80)


def test_sizes_and_thinking_can_vary() -> None:
    text = HEAD.replace(
        "cases:",
        "design:\n  method: grid\n  factors:\n    traffic.size: [50 B, 5 kB]\n"
        "    traffic.think: [1 ms, 1 s]\ncases:",
    )
    jobs = [r.job for r in make_plan(loads(text + ENTRY % "number: 2"), {}).runs]
    found = {
        (e["request_bytes"], e["answer_bytes"], e["think_s"]) for e in entries(jobs)
    }
    assert found == {(n, n, s) for n in (50, 5000) for s in (0.001, 1.0)}


def entries(jobs: list[Job]) -> list[dict[str, Any]]:
    return [dump(job)["traffic"][0] for job in jobs]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("size: 50 B", "says neither how long nor how many; write 'number: 1000'"),
        (
            "size: 50 B, number: 2, duration: 1 s",
            "number: duration and number are both",
        ),
        ("number: 2", "size: missing"),
        ("size: 50, number: 2", "50 has no unit; write '50 B'"),
        ("size: [50 B], number: 2", "1 sizes; expected a size for both ways, or two"),
        ("size: [50 B, 0 B], number: 2", "0 bytes is not within 1 to 1e+08"),
        ("size: [50 B, 200 MB], number: 2", "2e+08 bytes is not within 1 to 1e+08"),
        ("size: [2 B, 9 B], number: 2, writes: 3", "writes: more than the 2 bytes"),
        ("size: 50 B, number: 0", "number: "),
        ("size: 50 B, number: 1000001", "number: "),
        ("size: 50 B, number: 2, keepalive: 1.5 s", "1.5 s is not whole"),
        ("size: 50 B, number: 2, keepalive: 100 ms", "0.1 s is not within 1 to 32767"),
        ("size: 50 B, number: 2, nodelay: 3", "nodelay: "),
        ("size: 50 B, number: 2, thinks: 1 s", "unknown key; did you mean 'think'?"),
    ],
)
def test_bad_keys_are_refused(keys: str, words: str) -> None:
    with pytest.raises(UserError) as refused:
        loads(HEAD + ENTRY % keys)
    assert words in str(refused.value)
    assert re.match(r".*:7: traffic\[0\]", str(refused.value))


@pytest.mark.parametrize(
    "change",
    [
        {"number": None},
        {"duration_s": 2.0},
        {"bytes": 99},
        {"writes": 51, "request_bytes": 50},
        {"keepalive_s": 0},
    ],
)
def test_a_job_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    document = dump(job_of("size: 50 B, number: 3"))
    document["traffic"][0] |= change
    with pytest.raises(ValueError, match=r"traffic"):
        load(document)


def test_thinking_counts_in_the_plan() -> None:
    """Two requests an hour apart take an hour, and the limit is above it."""
    job = job_of("size: 50 B, number: 2, think: 1 h")
    assert 3600 < estimate(job).virtual_s < 2 * 3600 + 1
    assert time_limit_s(job.parameters, job.traffic) > 2 * 3600 + 30 + 30
    assert estimate(job).wall_s < 0.5
    job = job_of("size: 50 B, duration: 1 h, think: 10 s, timeout: 2 min")
    assert estimate(job).virtual_s == 3600
    assert time_limit_s(job.parameters, job.traffic) > 3600 + 120 + 30
    assert estimate(job).wall_s < 0.5


def traffic_of(keys: str) -> traffic.Traffic[Any]:
    (entry,) = traffic.of_job(job_of(keys))
    return entry


def report(folder: Path, **changed: object) -> reader.Report:
    (folder / "traffic-0-client.json").write_text(json.dumps({**REPORT, **changed}))
    return results.read(folder, 0, traffic_of("size: 50 B, number: 3"))


def test_the_distribution_of_times(tmp_path: Path) -> None:
    entry, found = traffic_of("size: 50 B, number: 3"), report(tmp_path)
    assert results.columns(entry, found) == {
        "pingpong.exchanges": 3,
        "pingpong.mean_ms": pytest.approx(110 / 3),
        "pingpong.median_ms": 30.0,
        "pingpong.p95_ms": 57.0,
        "pingpong.p99_ms": pytest.approx(59.4),
        "pingpong.max_ms": 60.0,
    }
    assert results.lasted(entry, found) == Lasted(1, 0.11)
    assert results.ending(entry, found) == (COMPLETE, "")
    assert results.connected(entry, found) == (1, 0.02)
    assert not list(results.wrong(entry, found))


def test_no_exchange_has_no_times(tmp_path: Path) -> None:
    changed = {"end": "given up", "error": "waited for 30 s", "connected_s": None}
    found = report(tmp_path, **changed, seconds=0.0, times_ns=[])
    entry = traffic_of("size: 50 B, number: 3")
    columns = dict(results.columns(entry, found))
    assert columns.pop("pingpong.exchanges") == 0
    assert set(columns.values()) == {None}
    assert results.connected(entry, found) == (0, None)
    assert results.lasted(entry, found) == Lasted(0, 0.0)
    assert results.ending(entry, found) == (GIVEN_UP, "waited for 30 s")
    (line,) = results.wrong(entry, found)
    assert line == "given up after 0 exchanges: waited for 30 s"


def test_another_number_is_told(tmp_path: Path) -> None:
    (line,) = results.wrong(traffic_of("size: 9 B, number: 4"), report(tmp_path))
    assert line == "3 exchanges, not 4"
    entry = traffic_of("size: 9 B, duration: 4 s")
    assert not list(results.wrong(entry, report(tmp_path)))
    (line,) = results.wrong(entry, report(tmp_path, times_ns=[]))
    assert line == "no request was answered"
    (line,) = results.wrong(entry, report(tmp_path, times_ns=[1] * 1_000_000))
    assert line == "ended at 1000000 exchanges, before its duration; let it think"
    assert not list(results.wrong(entry, report(tmp_path, times_ns=[1] * 999_999)))


@pytest.mark.parametrize(
    "changed",
    [
        {"end": "done"},
        {"times_ns": [1.5]},
        {"times_ns": [-1]},
        {"times_ns": ["x"]},
        {"times_ns": 3},
        {"times_ns": [True]},
        {"seconds": "many"},
        {"seconds": float("nan")},
        {"connected_s": -1},
    ],
)
def test_a_damaged_report_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    why = r"traffic-0-client\.json: (not a report of|NaN is not a number)"
    with pytest.raises(ValueError, match=why):
        report(tmp_path, **changed)


def test_a_report_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    report(tmp_path)
    file = tmp_path / "traffic-0-client.json"
    file.write_text(file.read_text()[:-9])
    with pytest.raises(ValueError, match="broken JSON"):
        reader.read(file)
    file.unlink()
    with pytest.raises(ValueError, match="missing"):
        reader.read(file)


def test_a_run_has_a_row(tmp_path: Path) -> None:
    """The fake's exchanges take 20.000 to 20.019 ms."""
    entry = ENTRY % "size: 50 B, number: 20"
    found = row_of(
        tmp_path, HEAD + entry + "metrics: [pingpong.p99_ms, pingpong.exchanges]\n"
    )
    assert (found["pingpong.exchanges"], found["connected"]) == (20, 1)
    assert found["pingpong.median_ms"] == pytest.approx(20.0095)
    assert found["pingpong.max_ms"] == pytest.approx(20.019)
    assert found["ended"] == "complete"


def asking(port: str, **settings: object) -> list[str]:
    """The command of a client."""
    text = json.dumps({**SETTINGS, **settings})
    ends = ("127.0.0.1", port, "127.0.0.1")
    return [sys.executable, str(placed(PROGRAM)), "ask", *ends, text]


def asked(port: str, **settings: object) -> "tuple[int, dict[str, Any], str]":
    """Status, report and messages of a client."""
    argv = asking(port, **settings)
    done = subprocess.run(argv, capture_output=True, text=True, timeout=20)
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("sizes", [(50, 1000), (3, 1), (400_000, 700_000)])
def test_both_ends_agree_on_this_machine(sizes: tuple[int, int]) -> None:
    """A server for these sizes answers each request of a client once."""
    request, answer = sizes
    both = {"request": request, "answer": answer}
    number = free_port()
    text = json.dumps({**SETTINGS, **both})
    argv = [sys.executable, placed(PROGRAM), "answer", number, text]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    status = 1
    found: dict[str, Any] = {}
    until_s = time.monotonic() + 10
    while status and time.monotonic() < until_s:
        status, found, _ = asked(number, **both)
    server.send_signal(signal.SIGTERM)
    said, _ = server.communicate(timeout=10)
    assert (found["end"], found["error"], len(found["times_ns"])) == (
        "complete",
        "",
        20,
    )
    assert json.loads(said) == {"answered": 20, "error": ""}
    assert found["seconds"] >= sum(found["times_ns"]) / 1e9
    reader.parse(found, "x")


def test_a_client_ends_at_its_duration() -> None:
    """Five pauses of 50 ms and a sixth that is cut short fit into 0.26 s."""

    def echo(inlet: socket.socket) -> None:
        while inlet.recv(100, socket.MSG_WAITALL):
            inlet.sendall(bytes(1000))

    port = other_server(echo)
    size = {"request": 100, "number": 10**6, "duration_s": 0.26, "think_s": 0.05}
    _, found, _ = asked(port, **size)
    assert found["end"] == "complete"
    assert 2 <= len(found["times_ns"]) <= 6


def test_nobody_listens() -> None:
    number = free_port()
    status, found, said = asked(number)
    assert (status, found["end"], found["connected_s"]) == (1, "failed", None)
    assert said.strip() == found["error"] == "Connection refused"


def other_server(act: Any) -> str:
    """The port of a server that takes one connection and acts on it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener:
            inlet, _ = listener.accept()
            with inlet, contextlib.suppress(BrokenPipeError, ConnectionResetError):
                act(inlet)

    threading.Thread(target=serve, daemon=True).start()
    return str(listener.getsockname()[1])


def test_no_answer_is_given_up() -> None:
    silent = other_server(lambda inlet: [*iter(lambda: inlet.recv(100), b"")])
    status, found, _ = asked(silent, timeout_s=0.2)
    assert (status, found["end"], found["error"]) == (0, "given up", "waited for 0.2 s")
    assert found["connected_s"] is not None and not found["times_ns"]


def test_an_answer_that_comes_in_drops_is_given_up_too() -> None:
    def drip(inlet: socket.socket) -> None:
        for _ in range(50):
            inlet.sendall(b"x")
            time.sleep(0.05)

    _, found, _ = asked(other_server(drip), timeout_s=0.3)
    assert (found["end"], found["error"]) == ("given up", "waited for 0.3 s")


def test_an_end_while_the_client_thinks_is_seen() -> None:
    def one(inlet: socket.socket) -> None:
        inlet.recv(100)
        inlet.sendall(bytes(1000))

    status, found, said = asked(other_server(one), think_s=10.0, writes=1)
    assert (status, found["end"], len(found["times_ns"])) == (1, "failed", 1)
    assert said.strip() == "the server closed between two requests"


def test_a_client_that_is_told_to_end_reports() -> None:
    answered = threading.Event()

    def one(inlet: socket.socket) -> None:
        inlet.recv(100)
        inlet.sendall(bytes(1000))
        answered.set()
        inlet.recv(1)

    port = other_server(one)
    argv = asking(port, think_s=60.0, writes=1)
    client = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert answered.wait(10)
    client.send_signal(signal.SIGTERM)
    found = json.loads(client.communicate(timeout=10)[0])
    assert (found["end"], found["connected_s"] is None) == ("stopped", False)


def test_an_exchange_belongs_to_the_part_in_which_it_begins() -> None:
    (entry,) = traffic.of_job(job_of("size: 80 B, number: 3, think: 100 ms"))
    report = reader.parse(REPORT, "traffic-0-client.json")
    # They begin at 20 ms, 20 + 30 + 100 = 150 ms, and 150 + 20 + 100 = 270 ms.
    first = results.part_columns(entry, report, 0, 0.15)
    assert (first["pingpong.exchanges"], first["pingpong.max_ms"]) == (1, 30)
    later = results.part_columns(entry, report, 0.15, 0.271)
    assert (later["pingpong.exchanges"], later["pingpong.mean_ms"]) == (2, 40)
    none = results.part_columns(entry, report, 0.28, 9)
    assert (none["pingpong.exchanges"], none["pingpong.median_ms"]) == (0, None)
