"""The load of a page: its keys, HAR files, the reader, and both ends of the program."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from analysis.run import traffic
from analysis.run.outcomes.endings import COMPLETE, GIVEN_UP
from jobs import Job, dump, load
from mpbench.commands import report as report_command
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tests.tools.placed import free_port, placed, serving
from tests.tools.small import HEAD, entry_of, row_of
from tools.page import model, reader, results
from tools.page.processes import PROGRAM
from tools.page.record import in_turn

ENTRY = entry_of("page")
THREE = """objects: [{name: top, size: 10 kB}, {name: code, size: 20 kB, wait: 5 ms},
     {size: 30 kB, after: [code], origin: images}]"""


def job_of(keys: str) -> Job:
    (only,) = make_plan(loads(HEAD + ENTRY % keys), {}).runs
    return only.job


def test_an_entry_of_a_job() -> None:
    job = job_of(f"{THREE}, connections: 4, request: 300 B")
    (entry,) = dump(job)["traffic"]
    assert (entry["bytes"], entry["reverse"], entry["connections"]) == (60000, True, 4)
    assert entry["objects"] == [
        {"bytes": 10000, "after": [], "wait_s": 0.0, "origin": 0},
        {"bytes": 20000, "after": [0], "wait_s": 0.005, "origin": 0},
        {"bytes": 30000, "after": [1], "wait_s": 0.0, "origin": 1},
    ]
    assert job.traffic[0].connections_at_a_time == 8
    assert load(dump(job)) == job


def test_the_median_page_has_the_bytes_of_its_source() -> None:
    (entry,) = dump(job_of("objects: median"))["traffic"]
    assert len(entry["objects"]) == 56
    assert entry["bytes"] == 18_000 + 78_000 + 613_000 + 131_000 + 1_054_000
    font = entry["objects"][1 + 8 + 24]
    assert font["after"] == list(range(1, 9))
    assert model.shares(3, 1100) == [600, 300, 200]


def test_connections_can_vary() -> None:
    text = HEAD.replace(
        "cases:",
        "design:\n  method: grid\n  factors:\n    traffic.connections: [1, 6]\ncases:",
    )
    jobs = [one.job for one in make_plan(loads(text + ENTRY % THREE), {}).runs]
    assert [dump(job)["traffic"][0]["connections"] for job in jobs] == [1, 6]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("timeout: 3 s", "objects: missing"),
        ("objects: []", "objects: "),
        ("objects: medium", "no page 'medium'; did you mean 'median'?"),
        ("objects: {hare: x}", "expected a list of objects, a page's name or {har:"),
        ("objects: [{size: 10}]", "10 has no unit; write '10 B'"),
        ("objects: [{size: 0 B}]", "0 bytes is not within 1 to 1e+09"),
        ("objects: [{size: 1 B}, {size: 1 B, after: no}]", "no object 'no'"),
        ("objects: [{name: a, size: 1 B, after: a}]", "'a' waits for itself"),
        (
            "objects: [{name: z, size: 1 B}, {name: a, size: 1 B, after: b},"
            " {name: b, size: 1 B, after: [a, z]}]",
            "objects wait for one another: a -> b -> a; take one away",
        ),
        ("objects: [{name: a, size: 1 B}, {name: a, size: 2 B}]", "of two objects"),
        ("objects: [{size: 1 GB}, {size: 1 B}]", "more than 1e+09 bytes in all"),
        ("objects: median, connections: 101", "connections: "),
        ("objects: median, request: 99 B", "99 bytes is not within 100 to 16000"),
        ("objects: [{size: 1 B, sise: 2}]", "unknown key; did you mean 'size'?"),
    ],
)
def test_bad_keys_are_refused(keys: str, words: str) -> None:
    with pytest.raises(UserError) as refused:
        loads(HEAD + ENTRY % keys)
    assert words in str(refused.value)
    assert re.match(r".*:7: traffic\[0\]", str(refused.value))


@pytest.mark.parametrize(
    "change", [{"bytes": 9}, {"after": [2]}, {"after": [1]}, {"connections": 0}]
)
def test_a_job_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    document = dump(job_of(THREE))
    entry = document["traffic"][0]
    (entry["objects"][1] if "after" in change else entry).update(change)
    with pytest.raises(ValueError, match=r"traffic"):
        load(document)


def test_an_order_in_which_all_can_be_loaded() -> None:
    assert in_turn([(1,), (), (0, 1)]) == [1, 0, 2]
    assert in_turn([(1,), (0,)]) is None
    assert in_turn([(3,)]) is None


def har(*entries: dict[str, Any]) -> str:
    return json.dumps({"log": {"version": "1.2", "entries": list(entries)}})


def one(url: str, at: int, **more: Any) -> dict[str, Any]:
    response = {"status": 200, "bodySize": 1000 * (at + 1), **more.pop("response", {})}
    return {
        "startedDateTime": f"2026-01-01T00:00:{at:02}.000Z",
        "request": {"url": url},
        "response": response,
        **more,
    }


def read_har(folder: Path, text: str) -> Any:
    (folder / "page.har").write_text(text)
    spec = loads(HEAD + ENTRY % "objects: {har: page.har}", str(folder / "x.yaml"))
    (only,) = make_plan(spec, {}).runs
    return dump(only.job)["traffic"][0]["objects"]


def test_a_har_becomes_objects(tmp_path: Path) -> None:
    """In order of time; what was cached, failed or is in the address is left out."""
    site, cdn = "https://a.example", "https://cdn.example"
    objects = read_har(
        tmp_path,
        har(
            one(f"{site}/x.png", 3, _initiator={"url": f"{cdn}/main.css"}),
            one(f"{site}/", 0, response={"_transferSize": 777}),
            one(f"{cdn}/main.css", 1, _initiator={"type": "other"}),
            one("data:image/png;base64,AAAA", 2),
            one(f"{site}/old", 2, response={"status": 304, "bodySize": 0}),
            one(f"{site}/gone", 2, response={"status": 404}),
            one(
                f"{site}/y?q=1",
                4,
                _initiator={"stack": {"callFrames": [{"url": f"{site}/x.png"}]}},
                response={"bodySize": -1, "content": {"size": 42}},
            ),
        ),
    )
    found = [(each["bytes"], each["after"], each["origin"]) for each in objects]
    assert found == [(777, [], 0), (2000, [0], 1), (4000, [1], 0), (42, [2], 0)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "broken JSON at line 1"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "no HAR; expected log.entries"),
        ('{"log": {"entries": [{}]}}', "no HAR; expected log.entries"),
        ('{"log": {"entries": 3}}', "no HAR; expected log.entries"),
        ('{"log": {"entries": []}}', "no object that was loaded"),
        (har(*[one(f"http://a/{n}", 1) for n in range(2001)]), "2001 objects; at most"),
        (" " * ((16 << 20) + 1), "larger than 16 MiB; save it without content"),
    ],
    ids=["cut", "deep", "empty", "no request", "number", "none", "many", "large"],
)
def test_a_har_that_cannot_be_is_told_in_one_line(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(UserError) as refused:
        read_har(tmp_path, text)
    (line,) = str(refused.value).splitlines()
    assert words in line
    assert re.match(r".*x\.yaml:7: .*page\.har: ", line)


def test_a_har_of_100_mb_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "page.har").open("wb") as file:
        file.truncate(100_000_000)
    entry = ENTRY % "objects: {har: page.har}"
    with pytest.raises(UserError, match="larger than 16 MiB"):
        loads(HEAD + entry, str(tmp_path / "x.yaml"))


def traffic_of(keys: str) -> traffic.Traffic[Any]:
    (entry,) = traffic.of_job(job_of(keys))
    return entry


MS = 1_000_000
REPORT = {
    **{"end": "complete", "error": "", "seconds": 0.21},
    "connections": [[0, 0, 20 * MS], [1, 100 * MS, 120 * MS]],
    "objects": [
        [0, 20 * MS, 40 * MS, 50 * MS],
        [55 * MS, 55 * MS, 75 * MS, 100 * MS],
        [100 * MS, 120 * MS, 140 * MS, 200 * MS],
    ],
}


def report(folder: Path, **changed: object) -> reader.Report:
    (folder / "traffic-0-client.json").write_text(json.dumps({**REPORT, **changed}))
    return results.read(folder, 0, traffic_of(THREE))


def test_the_times_of_a_page(tmp_path: Path) -> None:
    """Objects take 50, 45 and 100 ms; they end at 50, 100 and 200 ms."""
    entry, found = traffic_of(THREE), report(tmp_path)
    assert results.columns(entry, found) == {
        "page.load_time_s": 0.2,
        "page.first_byte_s": 0.04,
        "page.byte_index_s": pytest.approx((1 * 50 + 2 * 100 + 3 * 200) / 6e3),
        "page.connections": 2,
        "page.object_median_s": pytest.approx(0.05),
        "page.object_p95_s": pytest.approx(0.095),
        "page.object_p99_s": pytest.approx(0.099),
        "page.object_greatest_s": pytest.approx(0.1),
    }
    flow = results.flow(entry, found)
    assert flow is not None and (flow.seconds, flow.bytes) == (0.2, 60_000)
    line = results.series(entry, found)["page.loaded_bytes"]
    assert list(line.values) == [0, 0, 10_000, 10_000, 30_000, 30_000, 60_000]
    assert line.times[-1] == 0.2
    stays = results.stays(entry, found)
    assert [stay and (stay.ready_s, stay.first_s, stay.end_s) for stay in stays] == [
        (0.0, 0.04, 0.05),
        (0.055, 0.075, 0.1),
        (0.1, 0.14, 0.2),
    ]
    lasted = results.lasted(entry, found)
    assert lasted.connections == 2
    assert lasted.seconds == pytest.approx(0.09)
    assert results.ending(entry, found) == (COMPLETE, "")
    assert results.connected(entry, found) == (2, 0.02)
    assert not list(results.wrong(entry, found))


def test_a_page_that_was_given_up(tmp_path: Path) -> None:
    objects = [REPORT["objects"][0], [55 * MS, 55 * MS, -1, -1], [-1] * 4]  # type: ignore[index]
    words = "1 of 3 objects in 1 s"
    found = report(tmp_path, objects=objects, end="given up", error=words)
    entry = traffic_of(THREE)
    columns = results.columns(entry, found)
    assert columns["page.load_time_s"] is None
    assert columns["page.byte_index_s"] is None
    assert columns["page.object_greatest_s"] == 0.05
    assert results.ending(entry, found) == (GIVEN_UP, words)
    assert list(results.wrong(entry, found)) == [f"given up: {words}"]


@pytest.mark.parametrize(
    "changed",
    [
        {"end": "done"},
        {"objects": [[0, 0, 0]]},
        {"objects": [[0, 0, 0, 1.5]]},
        {"objects": [[0, 0, 0, -2]]},
        {"connections": [[0, -1, 0]]},
        {"seconds": "long"},
        {"objects": 3},
    ],
)
def test_a_damaged_report_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"traffic-0-client\.json: not a report of"):
        report(tmp_path, **changed)


def test_a_run_has_a_row(tmp_path: Path) -> None:
    figure = "figures:\n  - {kind: completion_times, samples: page.object_s}\n"
    figure += "  - {kind: waterfall}\n  - {kind: over_time, quantities: [goodput]}\n"
    metrics = "metrics: [page.load_time_s, goodput]\n"
    found = row_of(tmp_path, HEAD + ENTRY % "objects: median" + metrics + figure)
    out = tmp_path / "out"
    assert found["page.first_byte_s"] == 0.04
    assert found["page.load_time_s"] > 8 * 1_894_000 / 20e6
    done = CliRunner().invoke(report_command.command, [str(out), "--format", "md"])
    assert done.exit_code == 0 and "not drawn" not in done.output, done.output
    folder = out / "report"
    assert {"waterfall.png", "over-time-goodput.png"} <= {
        p.name for p in folder.iterdir()
    }


@pytest.fixture
def port() -> Iterator[str]:
    """The port of a server on this machine."""
    said: list[str] = []
    with serving(PROGRAM, said) as number:
        yield number
    assert json.loads(said[0])["accepted"] >= 1


def loaded(folder: Path, port: str, objects: list[dict[str, Any]], **more: Any) -> Any:
    """Status and report of a client."""
    settings = {"most": 3, "request": 500, "timeout_s": 10.0, **more}
    usual = {"after": [], "wait_s": 0.0, "origin": 0}
    file = folder / "settings.json"
    file.write_text(
        json.dumps({**settings, "objects": [{**usual, **each} for each in objects]})
    )
    argv = [sys.executable, placed(PROGRAM), "load", "127.0.0.1", port, "127.0.0.1"]
    done = subprocess.run(
        [*argv, str(file)], capture_output=True, text=True, timeout=20
    )
    return done.returncode, json.loads(done.stdout)


def test_both_ends_agree_on_this_machine(tmp_path: Path, port: str) -> None:
    sizes: list[dict[str, Any]] = [{"bytes": 1}]
    sizes += [{"bytes": 300_000 + n, "after": [0]} for n in range(8)]
    late = {"bytes": 700_000, "after": [1, 2], "wait_s": 0.05, "origin": 1}
    status, document = loaded(tmp_path, port, [*sizes, late])
    assert (status, document["end"], document["error"]) == (0, "complete", "")
    origins = [origin for origin, _, _ in document["connections"]]
    assert origins.count(0) == 3 and origins.count(1) == 1
    objects = document["objects"]
    assert all(a <= b <= c <= d for a, b, c, d in objects)
    assert objects[1][0] >= objects[0][3]
    assert objects[9][0] >= max(objects[1][3], objects[2][3]) + 50 * MS
    reader.parse(document, "x")


def test_a_client_gives_up(tmp_path: Path, port: str) -> None:
    slow = {"bytes": 1, "wait_s": 5.0}
    status, document = loaded(tmp_path, port, [{"bytes": 1}, slow], timeout_s=0.2)
    assert (status, document["end"]) == (0, "given up")
    assert document["error"] == "1 of 2 objects in 0.2 s"
    assert document["objects"][1] == [-1] * 4


def test_nobody_listens(tmp_path: Path) -> None:
    number = free_port()
    status, document = loaded(tmp_path, number, [{"bytes": 1}])
    assert (status, document["end"]) == (1, "failed")
    assert document["error"] == "Connection refused"
