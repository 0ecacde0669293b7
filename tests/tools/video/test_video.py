"""Adaptive video: keys, the rules, the buffer, the reader, and both ends."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from analysis.run import traffic
from analysis.run.outcomes.endings import COMPLETE, GIVEN_UP
from jobs import Job, dump, load
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import estimate, make_plan
from mpbench.plan.timing import time_limit_s
from tests.tools.placed import free_port, placed
from tests.tools.small import HEAD, entry_of, row_of
from tools.video import fake, reader, results
from tools.video.processes import PROGRAM
from tools.video.programs.rules import buffer_based, rate_based
from tools.video.programs.video import Buffer
from tools.video.record import Video

ENTRY = entry_of("video")
RATES = "bitrates: [1 Mbit/s, 2 Mbit/s, 4 Mbit/s]"
NS = 1_000_000_000


def job_of(keys: str) -> Job:
    (only,) = make_plan(loads(HEAD + ENTRY % keys), {}).runs
    return only.job


def test_an_entry_of_a_job() -> None:
    job = job_of(f"{RATES}, duration: 12 s, buffer: 20 s")
    (entry,) = dump(job)["traffic"]
    assert (entry["chunk_s"], entry["chunks"], entry["buffer_s"]) == (4, 3, 20)
    assert (entry["resume_s"], entry["rule"]) == (4, "buffer")
    assert (entry["bytes"], entry["rates_mbps"]) == (6_000_000, [1, 2, 4])
    assert load(dump(job)) == job


def test_the_plan_knows_how_long_a_video_plays() -> None:
    job = job_of(f"{RATES}, duration: 10 min")
    assert 600 < estimate(job).virtual_s < 800
    assert time_limit_s(job.parameters, job.traffic) > 660


def test_the_buffer_can_vary() -> None:
    text = HEAD.replace(
        "cases:",
        "design:\n  method: grid\n  factors:\n    traffic.buffer: [8 s, 30 s]\ncases:",
    )
    jobs = [one.job for one in make_plan(loads(text + ENTRY % RATES), {}).runs]
    assert [dump(job)["traffic"][0]["buffer_s"] for job in jobs] == [8, 30]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("duration: 60 s", "bitrates: missing"),
        ("bitrates: []", "bitrates: "),
        ("bitrates: [1, 2]", "bitrates[0]: "),
        ("bitrates: [2 Mbit/s, 1 Mbit/s]", "1 Mbit/s follows 2; write them ascending"),
        ("bitrates: [2 Mbit/s, 2 Mbit/s]", "2 Mbit/s follows 2; write them ascending"),
        ("bitrates: [0 Mbit/s]", "0 Mbit/s is not within 0.001 to 10000"),
        ("bitrates: [2 MB]", "is an amount of data"),
        (f"{RATES}, duration: 10 s", "10 s is not whole chunks of 4 s; 8 s is"),
        (f"{RATES}, duration: 2 s", "2 s is not whole chunks of 4 s; 4 s is"),
        (f"{RATES}, buffer: 3 s", "3 s cannot hold the 4 s with which it plays"),
        (f"{RATES}, resume: 3 s", "less than a chunk of 4 s"),
        (f"{RATES}, rule: best", "unknown rule 'best'"),
        (f"{RATES}, chunk: 1 s, duration: 20001 s", "20001 chunks; at most 20000"),
        (f"{RATES}, buffers: 3 s", "unknown key; did you mean 'buffer'?"),
    ],
)
def test_bad_keys_are_refused(keys: str, words: str) -> None:
    with pytest.raises(UserError) as refused:
        loads(HEAD + ENTRY % keys)
    assert words in str(refused.value)
    assert re.match(r".*:7: traffic\[0\]", str(refused.value))


@pytest.mark.parametrize(
    "change", [{"rates_mbps": [2, 1]}, {"rates_mbps": []}, {"resume_s": 61.0}]
)
def test_a_job_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    document = dump(job_of(RATES))
    document["traffic"][0] |= change
    with pytest.raises(ValueError, match=r"traffic"):
        load(document)


@pytest.mark.parametrize(
    ("before", "level_s", "number"),
    [
        (2, 90, 0),  # the reservoir
        (0, 216, 2),  # above the cushion
        (0, 131.9, 0),  # f = 1.998: below the next bitrate
        (0, 132.1, 1),  # f = 2.002: the highest bitrate below f is 2
        (2, 133, 2),  # f = 2.02: above the bitrate below
        (2, 131, 1),  # f = 1.98: at most the bitrate below; the lowest above f is 2
        (1, 131, 1),
        (1, 215.9, 1),
    ],
)
def test_the_rule_of_the_buffer(before: int, level_s: float, number: int) -> None:
    """f rises from 1 at 90 s to 4 at 216 s; bitrates 1, 2 and 4."""
    assert buffer_based([1, 2, 4], before, level_s, 240) == number


def test_the_rule_of_the_rate() -> None:
    """0.85 of the harmonic mean of the last five."""
    assert rate_based([1, 2, 4], []) == 0
    assert rate_based([1, 2, 4], [4.71]) == 2
    assert rate_based([1, 2, 4], [4.70]) == 1
    assert rate_based([1, 2, 4], [100, 2.4, 2.4, 2.4, 2.4, 2.4]) == 1
    assert rate_based([1, 2, 4], [0.5]) == 0


def test_a_buffer_stalls_when_it_is_empty() -> None:
    """Chunks of 2 s arrive at 1, 2 and 7 s; the third is late by 2 s."""
    buffer = Buffer(2.0)
    for at_s in (1, 2):
        buffer.add(2.0, at_s * NS, False)
    assert (buffer.start_ns, buffer.level_s, buffer.stalls) == (NS, 3.0, [])
    buffer.add(2.0, 7 * NS, False)
    assert buffer.stalls == [[5 * NS, 7 * NS]]
    assert buffer.playing and buffer.level_s == 2.0


def test_the_last_chunk_plays_in_any_case() -> None:
    buffer = Buffer(10.0)
    buffer.add(2.0, NS, False)
    assert not buffer.playing
    buffer.add(2.0, 2 * NS, True)
    assert (buffer.playing, buffer.start_ns) == (True, 2 * NS)


def played(keys: str, path_mbps: float) -> dict[str, Any]:
    (entry,) = job_of(keys).traffic
    assert isinstance(entry, Video)
    return fake.played(entry, path_mbps)


def traffic_of(keys: str) -> traffic.Traffic[Any]:
    (entry,) = traffic.of_job(job_of(keys))
    return entry


def test_what_a_viewer_sees() -> None:
    """A chunk of 4 s at 4 Mbit/s takes 8.02 s at 2 Mbit/s, so each but the first
    stalls for 4.02 s."""
    keys = "bitrates: 4 Mbit/s, duration: 20 s"
    entry, found = traffic_of(keys), reader.parse(played(keys, 2.0), "x")
    columns = results.columns(entry, found)
    assert columns["video.startup_s"] == pytest.approx(8.04)
    assert columns["video.stalls"] == 4
    assert columns["video.stalled_s"] == pytest.approx(4 * 4.02)
    assert (columns["video.bitrate_mbps"], columns["video.changes"]) == (4, 0)
    assert columns["video.chunk_median_s"] == pytest.approx(8.02)
    flow = results.flow(entry, found)
    assert flow is not None and flow.bytes == 10_000_000
    assert results.ending(entry, found) == (COMPLETE, "")
    assert not list(results.wrong(entry, found))
    line = results.series(entry, found)["video.buffer_s"]
    assert min(line.values) == 0 and max(line.values) == 4
    assert list(line.times) == sorted(line.times)


def test_a_video_that_was_given_up() -> None:
    keys = "bitrates: 4 Mbit/s, duration: 20 s"
    document = played(keys, 2.0)
    document["chunks"] = document["chunks"][:1]
    document |= {"end": "given up", "error": "waited for 60 s", "seconds": 70.0}
    document["stalls"] = [[12 * NS, -1]]
    entry, found = traffic_of(keys), reader.parse(document, "x")
    assert results.ending(entry, found) == (GIVEN_UP, "waited for 60 s")
    assert results.columns(entry, found)["video.stalled_s"] == 58
    (line,) = results.wrong(entry, found)
    assert line == "given up after 1 chunk: waited for 60 s"


@pytest.mark.parametrize(
    "changed",
    [
        {"end": "done"},
        {"seconds": float("nan")},
        {"start_ns": 1.5},
        {"stalls": [[1]]},
        {"chunks": [[0, 0, 0, 0]]},
        {"chunks": [[-1, 0, 0, 0, 0]]},
        {"chunks": [[0, -1, 0, 0, 0]]},
        {"chunks": [[0, 0, 0, -1.0, 0]]},
    ],
)
def test_a_damaged_report_is_refused(changed: dict[str, Any]) -> None:
    document = played("bitrates: 4 Mbit/s", 2.0) | changed
    with pytest.raises(ValueError, match="x: not a report of video"):
        reader.parse(document, "x")


def test_a_run_has_a_row(tmp_path: Path) -> None:
    figure = "figures:\n  - {kind: over_time, quantities: [video.buffer_s]}\n"
    found = row_of(
        tmp_path, HEAD + ENTRY % RATES + "metrics: [video.stalls]\n" + figure
    )
    assert found["video.stalls"] == 0
    assert found["video.changes"] >= 1


def watched(port: str, **more: Any) -> Any:
    """Status and report of a player on this machine: three chunks of 0.1 s."""
    settings = {
        **{"chunk_s": 0.1, "chunks": 3, "rates_mbps": [0.8, 1.0], "rule": "rate"},
        **{"buffer_s": 0.2, "resume_s": 0.1, "timeout_s": 5.0, **more},
    }
    argv = [sys.executable, placed(PROGRAM), "play", "127.0.0.1", port, "127.0.0.1"]
    argv.append(json.dumps(settings))
    done = subprocess.run(argv, capture_output=True, text=True, timeout=20)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("rule", ["rate", "buffer"])
def test_both_ends_agree_on_this_machine(rule: str) -> None:
    number = free_port()
    argv = [sys.executable, placed(PROGRAM), "serve", number]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    status, document = 1, {}
    until_s = time.monotonic() + 10
    while status and time.monotonic() < until_s:
        status, document = watched(number, rule=rule)
    server.send_signal(signal.SIGTERM)
    said, _ = server.communicate(timeout=10)
    assert json.loads(said) == {"answered": 3}
    assert (document["end"], document["error"]) == ("complete", "")
    assert document["seconds"] >= 0.3
    rates = [chunk[0] for chunk in document["chunks"]]
    assert rates[0] == 0 and len(rates) == 3
    if rule == "rate":
        assert rates[1:] == [1, 1]
    reader.parse(document, "x")


def test_nobody_listens() -> None:
    number = free_port()
    status, document = watched(number)
    assert (status, document["end"]) == (1, "failed")
    assert document["error"] == "Connection refused"


def test_no_answer_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        number = str(silent.getsockname()[1])
        status, document = watched(number, timeout_s=0.2)
    assert (status, document["end"]) == (0, "given up")
    assert document["error"] == "waited for 0.2 s"
