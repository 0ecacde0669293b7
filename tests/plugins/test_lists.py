"""Results of users' own tools that count: what arrived, samples and series."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run import conservation
from analysis.run.readers import plugin_lists
from analysis.run.row import row
from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.guest import lists, plugins
from mpbench.plan import make_plan
from tests.calls import Command

pytestmark = pytest.mark.slow

TOOL = """\
NUMBERS = {"stalls": "1"}
SAMPLES = {"chunk": "s"}
SERIES = {"level": "s"}
RECEIVED = True
GOOD = {"chunk": "less"}
def processes(entry, address):
    return [{"role": "client", "argv": ["true"]}]
def read(folder, entry):
    return {}
"""
FILE = """\
name: player
plugins: {tools: player.py}
topology: shared_bottleneck
cases: {lia: {protocol: mptcp, congestion_control: lia}}
traffic:
  - {tool: player, name: own, from: multi, to: server_multi, duration: 10 s}
  - {tool: iperf3, name: single, from: single, to: server_single, duration: 10 s}
phases: {late: 5 s .. 10 s}
metrics: [goodput, jain, own.player.chunk_p95_s]
figures:
  - {kind: over_time, quantities: [goodput, player.level_s]}
  - {kind: completion_times, samples: player.chunk_s, log: x}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "player.py").write_text(TOOL)
    place = tmp_path / "player.yaml"
    place.write_text(FILE)
    return place


def executed(file: Path, command: Command) -> Path:
    """The folder of the only run, on the fake backend."""
    out = file.parent / "out"
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 0, done.out + done.err
    (run,) = (path for path in (out / "runs").iterdir() if path.name[0] != ".")
    return run


def test_what_arrived_counts_as_goodput(file: Path, command: Command) -> None:
    run = executed(file, command)
    found = row(run)
    own, single = (found[f"{name}.goodput_mbps"] for name in ("own", "single"))
    assert found["goodput_mbps"] == pytest.approx(own + single, rel=0.05)
    assert found["own.share"] == pytest.approx(own / (own + single))
    assert found["own.share"] + found["single.share"] == pytest.approx(1)
    assert found["late.own.goodput_mbps"] == pytest.approx(own, rel=0.01)
    mean = (own + single) ** 2 / (2 * (own**2 + single**2))
    assert found["jain"] == pytest.approx(mean, rel=1e-3)
    # The fake backend's samples are 10 and 20 s.
    assert found["own.player.chunk_median_s"] == 15
    assert found["own.player.chunk_p95_s"] == pytest.approx(19.5)
    assert found["own.player.chunk_greatest_s"] == 20
    with (run.parents[1] / "runs.csv").open() as table:
        (stored,) = csv.DictReader(table)
    assert float(stored["own.goodput_mbps"]) == own
    done = command("report", run.parents[1])
    assert done.status == 0, done.err
    names = {path.stem for path in (run.parents[1] / "report").rglob("*.svg")}
    assert any("player-level-s" in name for name in names), names
    assert any("player-chunk-s" in name for name in names), names


def test_more_than_links_carry_is_invalid(file: Path, command: Command) -> None:
    run = executed(file, command)
    place = run / "artefacts/lists-traffic-0.json"
    said = json.loads(place.read_text())
    for factor, verdict in ((1.0, "ok"), (1.2, "invalid")):
        grown = [[t, int(factor * count)] for t, count in said["received"]]
        place.write_text(json.dumps({**said, "received": grown}))
        found = row(run)
        assert found["verdict"] == verdict, found["reason"]
    assert "conservation" in found["reason"]


def test_the_share_of_payload_over_any_protocol() -> None:
    class Entry:
        class record:
            datagrams, own_protocol = False, True

    entry: Any = Entry()
    assert conservation.payload_share(entry) == 1472 / 1514
    assert conservation.payload_share(entry, 9000) == 8972 / 9014


@pytest.mark.parametrize("background", [False, True])
def test_what_is_not_said_is_missing(
    file: Path, command: Command, background: bool
) -> None:
    """Neither the share of another entry nor the sum of known amounts is told."""
    (file.parent / "player.py").write_text(TOOL.replace("RECEIVED = True\n", ""))
    role = ", role: background" if background else ""
    file.write_text(FILE.replace("name: own,", f"name: own{role},"))
    found = row(executed(file, command))
    assert "own.goodput_mbps" not in found and "own.share" not in found
    assert found["single.goodput_mbps"] > 0
    if background:
        assert found["single.share"] == 1 and found["goodput_mbps"] > 0
        return
    for name in ("single.share", "goodput_mbps", "jain", "late.goodput_mbps"):
        assert found[name] is None, name
    reason = "'own' does not say what arrived; 'role: background' helps"
    missing = "goodput, aggregation_benefit, jain, utilisation, payload_utilisation"
    assert f"{missing}: {reason}" in found["absent"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("RECEIVED = True", "RECEIVED = 1", "RECEIVED: expected True"),
        ('"chunk": "s"', '"chunk": "parsec"', "SAMPLES: 'chunk': no unit 'parsec'"),
        ('{"level": "s"}', '["level"]', "SERIES: expected a dict"),
        ('"level"', '"chunk"', "returns 'chunk' for something else; rename it"),
        ('"level"', '"received"', "returns 'received' for something else"),
        ('GOOD = {"chunk"', 'GOOD = {"level"', "'level' is not among NUMBERS"),
    ],
)
def test_bad_declarations(file: Path, old: str, new: str, reason: str) -> None:
    assert old in TOOL
    (file.parent / "player.py").write_text(TOOL.replace(old, new))
    with pytest.raises(UserError) as refused:
        load(file)
    assert reason in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("player.level_s", "player.levels_s", "did you mean 'player.level_s'?"),
        ("samples: player.chunk_s", "samples: player.level_s", "no tool gives"),
        ("quantities: [goodput,", "quantities: [good,", "unknown quantity 'good'"),
    ],
)
def test_figures_of_lists_that_no_tool_has(
    file: Path, old: str, new: str, reason: str
) -> None:
    file.write_text(FILE.replace(old, new))
    with pytest.raises(UserError) as refused:
        load(file)
    assert reason in str(refused.value) and "\n" not in str(refused.value)


def test_ids_of_tools_without_lists_stay(file: Path) -> None:
    plain = TOOL.replace("RECEIVED = True\n", "").replace("SAMPLES =", "S =")
    (file.parent / "player.py").write_text(plain.replace("SERIES =", "T ="))
    text = FILE[: FILE.index("figures:")].replace(", own.player.chunk_p95_s", "")
    file.write_text(text.replace("plugins:", "plugins:"))
    (file.parent / "player.py").write_text(
        plain.replace("SERIES =", "T =").replace('GOOD = {"chunk": "less"}\n', "")
    )
    (run,) = make_plan(load(file), {}).runs
    assert not {"received", "samples", "series"} & set(dump(run.job)["traffic"][0])


WANTED = lists.Wanted(True, ["chunk"], ["level"], 1_000)
GOOD: dict[str, Any] = {
    "received": [(1_000, 5), (2_000_001_000, 7)],
    "chunk": [1, 2.5],
    "level": [(1_000, -1.5)],
    "stalls": 3,
}


def test_lists_in_a_guest() -> None:
    given = dict(GOOD)
    assert lists.taken(given, WANTED) == {
        "received": [[0.0, 5], [2.0, 7]],
        "samples": {"chunk": [1, 2.5]},
        "series": {"level": [[0.0, -1.5]]},
    }
    assert plugins.checked(given, {"stalls": "1"}) == {"stalls": 3.0}


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("received", None, "received is missing, not a list"),
        ("received", "abc", "received is a str"),
        ("received", [(999, 5)], "before the beginning of the traffic"),
        ("received", [(2_000, 5), (1_999, 5)], "before the time before it"),
        ("received", [(2_000, -1)], "-1 is no number of bytes"),
        ("received", [(2_000, 1.5)], "1.5 is no number of bytes"),
        ("received", [(2.0, 1)], "a time is whole ns"),
        ("received", [3], "an item that is no pair"),
        ("chunk", [float("nan")], "chunk has nan"),
        ("chunk", ["1"], "chunk has a str"),
        ("chunk", [True], "chunk has a bool"),
        ("chunk", [0] * 100_001, "at most 100000 work"),
        ("level", [(2_000, None)], "level has a NoneType"),
    ],
)
def test_lists_that_cannot_be(key: str, value: Any, reason: str) -> None:
    with pytest.raises((TypeError, ValueError), match=reason):
        lists.taken({**GOOD, key: value}, WANTED)


@pytest.mark.parametrize(
    "said",
    [
        "{}",
        "[]",
        '{"received": [[0, 1], [-1, 1]], "samples": {"c": []}, "series": {}}',
        '{"received": [[-1, 1]], "samples": {"c": []}, "series": {}}',
        '{"received": [[1, -1]], "samples": {"c": []}, "series": {}}',
        '{"received": [[1e99, 1]], "samples": {"c": []}, "series": {}}',
        '{"received": [[1, 1, 1]], "samples": {"c": []}, "series": {}}',
        '{"received": {"a": 1}, "samples": {"c": []}, "series": {}}',
        '{"received": [], "samples": [], "series": {}}',
        '{"received": [], "samples": {"c": [NaN]}, "series": {}}',
        '{"received": [], "samples": {"c": ["1"]}, "series": {}}',
        '{"received": [], "samples": {"c": [1e999]}, "series": {}}',
        '{"received": [], "samples": {"c": [true]}, "series": {}}',
        '{"received": [], "samples": {"c": [' + "9" * 400 + ']}, "series": {}}',
    ],
)
def test_files_that_a_stranger_wrote(tmp_path: Path, said: str) -> None:
    place = tmp_path / "lists-traffic-0.json"
    place.write_text(said)
    with pytest.raises(ValueError, match=r"lists-traffic-0\.json: ") as refused:
        plugin_lists.read(place, True, ["c"], [])
    assert "\n" not in str(refused.value)
