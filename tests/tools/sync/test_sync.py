"""A sync of files: keys, the record, the reader, both ends, and a row."""

import json
import re
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from analysis.run import traffic
from analysis.run.outcomes.endings import COMPLETE, GIVEN_UP
from jobs import Job, dump, load
from mpbench.commands import report as report_command
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tests.tools.placed import placed, serving
from tests.tools.small import HEAD, entry_of, row_of
from tools.sync import reader, results
from tools.sync.processes import PROGRAM
from tools.sync.record import ordered

ENTRY = entry_of("sync")
GROUPS = "files: [{count: 2, size: 10 kB}, {size: 1 MB}]"


def job_of(keys: str) -> Job:
    (only,) = make_plan(loads(HEAD + ENTRY % keys), {}).runs
    return only.job


def test_an_entry_of_a_job() -> None:
    job = job_of(f"{GROUPS}, connections: 4, ahead: 2, order: largest, reverse: true")
    (entry,) = dump(job)["traffic"]
    assert entry["files"] == [
        {"count": 2, "bytes": 10_000},
        {"count": 1, "bytes": 1_000_000},
    ]
    assert (entry["bytes"], entry["reverse"], entry["ahead"]) == (1_020_000, True, 2)
    assert (entry["connections"], entry["timeout_s"], entry["port"]) == (4, 300, 9101)
    assert load(dump(job)) == job
    (record,) = job.traffic
    assert record.connections_at_a_time == 3


def test_the_orders() -> None:
    groups = [(3, 5), (1, 9), (2, 1)]
    assert ordered(groups, "given") == [5, 5, 5, 9, 1, 1]
    assert ordered(groups, "smallest") == [1, 1, 5, 5, 5, 9]
    assert ordered(groups, "largest") == [9, 5, 5, 5, 1, 1]
    # At 1/6, 1/4, 1/2 (of the first two groups), 3/4 and 5/6 of the whole.
    assert ordered(groups, "mixed") == [5, 1, 5, 9, 1, 5]


def test_connections_and_ahead_can_vary() -> None:
    design = "design: {method: grid, factors: {traffic.connections: [1, 3],"
    design += " traffic.ahead: [1, 5]}}\n"
    plan = make_plan(loads(HEAD + ENTRY % GROUPS + design), {})
    found = {
        (entry["connections"], entry["ahead"])
        for each in plan.runs
        for entry in dump(each.job)["traffic"]
    }
    assert found == {(1, 1), (1, 5), (3, 1), (3, 5)}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("files: []", "files: empty; give at least one"),
        ("files: 20 kB", "files: expected"),
        ("files: {size: 0}", "files.size: 0 bytes is not within"),
        ("files: {size: 1 kB, count: 0}", "files.count: 0 is below 1"),
        ("files: [{size: 1 kB, count: 9999}, {size: 1 kB, count: 2}]", "10001 files"),
        ("files: {size: 9 MB, count: 2000}", "more than 1e+10 bytes in all"),
        (f"{GROUPS}, order: small", "order"),
        (f"{GROUPS}, connections: 101", "connections"),
        (f"{GROUPS}, ahead: 0", "ahead"),
        (f"{GROUPS}, pipeline: 2", "pipeline: unknown key"),
        ("files: {sise: 1 kB}", "sise"),
        ("connections: 2", "files: missing"),
    ],
)
def test_bad_keys_are_refused(keys: str, words: str) -> None:
    with pytest.raises(UserError, match=r":7: .*" + re.escape(words)):
        loads(HEAD + ENTRY % keys)


@pytest.mark.parametrize(
    "change",
    [
        {"bytes": 5},
        {"files": [{"count": 10_001, "bytes": 1}], "bytes": 10_001},
        {"files": []},
        {"order": "none"},
        {"ahead": 0},
    ],
)
def test_a_job_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    document = dump(job_of(GROUPS))
    document["traffic"][0] |= change
    with pytest.raises(ValueError, match=r"traffic"):
        load(document)


def traffic_of(keys: str) -> traffic.Traffic[Any]:
    (entry,) = traffic.of_job(job_of(keys))
    return entry


MS = 1_000_000
REPORT = {
    **{"end": "complete", "error": "", "seconds": 0.3},
    "connections": [[0, 20 * MS], [0, 20 * MS]],
    "files": [
        [20 * MS, 20 * MS, 50 * MS],
        [20 * MS, 21 * MS, 60 * MS],
        [50 * MS, 50 * MS, 300 * MS],
    ],
}


def read(folder: Path, **changed: object) -> reader.Report:
    (folder / "traffic-0-client.json").write_text(json.dumps({**REPORT, **changed}))
    return results.read(folder, 0, traffic_of(GROUPS))


def test_the_times_of_files(tmp_path: Path) -> None:
    """Files take 30, 40 and 250 ms; they are done at 50, 60 and 300 ms."""
    entry, found = traffic_of(GROUPS), read(tmp_path)
    assert results.columns(entry, found) == {
        "sync.time_s": 0.3,
        "sync.files": 3,
        "sync.connections": 2,
        "sync.file_median_s": pytest.approx(0.04),
        "sync.file_p95_s": pytest.approx(0.229),
        "sync.file_p99_s": pytest.approx(0.2458),
        "sync.file_greatest_s": pytest.approx(0.25),
    }
    flow = results.flow(entry, found)
    assert flow is not None and (flow.seconds, flow.bytes) == (0.3, 1_020_000)
    lines = results.series(entry, found)
    assert list(lines["sync.done_files"].values) == [0, 0, 1, 1, 2, 2, 3]
    assert lines["sync.done_bytes"].values[-1] == 1_020_000
    stays = results.stays(entry, found)
    assert [s and (s.ready_s, s.end_s, s.bytes) for s in stays] == [
        (0.02, 0.05, 10_000),
        (0.02, 0.06, 10_000),
        (0.05, 0.3, 1_000_000),
    ]
    assert results.lasted(entry, found).seconds == pytest.approx(0.28)
    assert results.ending(entry, found) == (COMPLETE, "")
    assert results.connected(entry, found) == (2, 0.02)
    assert not list(results.wrong(entry, found))


def test_a_sync_that_was_given_up(tmp_path: Path) -> None:
    files = [REPORT["files"][0], [20 * MS, 21 * MS, -1], [-1] * 3]  # type: ignore[index]
    words = "1 of 3 files in 1 s"
    found = read(tmp_path, end="given up", error=words, files=files)
    entry = traffic_of(GROUPS)
    columns = results.columns(entry, found)
    assert (columns["sync.time_s"], columns["sync.files"]) == (None, 1)
    assert list(results.wrong(entry, found)) == [f"given up: {words}"]
    assert results.ending(entry, found) == (GIVEN_UP, words)
    assert results.stays(entry, found)[1:] == (None, None)
    none = read(tmp_path, end="given up", files=[[-1] * 3] * 3)
    assert results.flow(entry, none) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"end": "well"},
        {"files": [[1, 2]]},
        {"files": [[-1, -1, 5]]},
        {"files": [[1.5, 2, 3]]},
        {"connections": [[-1, 5]]},
        {"seconds": "long"},
    ],
)
def test_a_damaged_report_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not a report of sync"):
        read(tmp_path, **changed)


def test_a_run_has_a_row_and_figures(tmp_path: Path) -> None:
    figures = """\
metrics: [sync.time_s, goodput]
figures:
  - {kind: completion_times, samples: sync.file_s}
  - {kind: over_time, quantities: [goodput, sync.done_files]}
  - {kind: waterfall}
"""
    found = row_of(tmp_path, HEAD + ENTRY % GROUPS + figures)
    out = tmp_path / "out"
    assert found["sync.files"] == 3
    assert found["sync.time_s"] > 8 * 1_020_000 / 20e6
    done = CliRunner().invoke(report_command.command, [str(out), "--format", "md"])
    assert done.exit_code == 0 and "not drawn" not in done.output, done.output


@pytest.fixture
def port() -> Iterator[str]:
    """The port of a server on this machine."""
    said: list[str] = []
    with serving(PROGRAM, said) as number:
        yield number
    assert json.loads(said[0])["accepted"] >= 1


def copied(folder: Path, port: str, sizes: list[int], **more: Any) -> Any:
    """Status and report of a client."""
    usual = {"get": False, "connections": 3, "ahead": 1, "timeout_s": 10.0}
    file = folder / "settings.json"
    file.write_text(json.dumps({**usual, "sizes": sizes, **more}))
    argv = [sys.executable, placed(PROGRAM), "copy", "127.0.0.1", port, "127.0.0.1"]
    done = subprocess.run(
        [*argv, str(file)], capture_output=True, text=True, timeout=20
    )
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("get", [False, True])
@pytest.mark.parametrize("ahead", [1, 7])
def test_both_ends_agree_on_this_machine(
    tmp_path: Path, port: str, get: bool, ahead: int
) -> None:
    sizes = [1, 3_000_000, *(10_000 + n for n in range(40)), 9, 700_001]
    status, found = copied(tmp_path, port, sizes, get=get, ahead=ahead)
    assert (status, found["end"]) == (0, "complete")
    times = np.array(found["files"])
    assert times.shape == (len(sizes), 3) and (np.diff(times, axis=1) >= 0).all()
    assert len(found["connections"]) == 3
    # Files are begun in the order of the list.
    assert (np.diff(times[:, 0]) >= 0).all()


def test_few_files_open_few_connections(tmp_path: Path, port: str) -> None:
    _, found = copied(tmp_path, port, [5, 5], connections=9)
    assert len(found["connections"]) == 2


def test_a_client_gives_up(tmp_path: Path, port: str) -> None:
    status, found = copied(tmp_path, port, [10**9] * 50, timeout_s=0.3)
    assert (status, found["end"]) == (0, "given up")
    assert found["error"].endswith(" of 50 files in 0.3 s")


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    status, found = copied(tmp_path, port, [5])
    assert (status, found["end"]) == (1, "failed")


@pytest.mark.parametrize("head", [b"X" + bytes(8), struct.pack("!cQ", b"G", 0)])
def test_the_server_lets_nonsense_go(port: str, head: bytes) -> None:
    with socket.create_connection(("127.0.0.1", int(port)), 5) as one:
        one.sendall(head)
        assert one.recv(1) == b""
