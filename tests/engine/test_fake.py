"""The fake backend leaves what a guest would, the same each time."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.run import row as rows
from jobs import Job, dump, load
from mpbench.backends import fake, fake_artefacts, fake_script, registry
from mpbench.backends.base import Bounds, Exit
from mpbench.engine.bounds import bounds
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan

from . import plans

DSL = """\
name: dsl
network:
  links: {{dsl: {{capacity: {{up: 2 Mbit/s, down: 16 Mbit/s}}, delay: 5 ms}}}}
  users: {{home: {{paths: [dsl], to: server}}}}
cases: {{tcp: {{protocol: tcp, congestion_control: cubic}}}}
traffic:
  - {{tool: iperf3, from: home, to: server, duration: 4 s, reverse: {reverse}}}
"""
BOUNDS = Bounds(virtual_s=40, wall_s=60, silence_s=0.05)


def execute(folder: Path, job: Job, *scripts: dict[str, Any]) -> Exit:
    (folder / "artefacts").mkdir(parents=True)
    backend = fake.FakeBackend(scripts)
    ignore = threading.Event()
    return backend.execute(job, folder, 0, BOUNDS, lambda virtual_s: None, ignore)


def test_the_files_are_a_guests(tmp_path: Path) -> None:
    ended = execute(tmp_path, load(plans.job(0, "mptcp")))
    assert (ended.status, ended.virtual_s) == ("finished", 30.0)
    assert sorted(path.name for path in (tmp_path / "artefacts").iterdir()) == [
        "console.log",
        "events.csv",
        "link-end.json",
        "nstat-client.json",
        "nstat-server.json",
        "outcome.json",
        "qdisc-end.json",
        "traffic-0-client.err",
        "traffic-0-client.json",
        "traffic-0-server.err",
        "traffic-0-server.json",
    ]


def test_the_numbers_add_up() -> None:
    files = fake_artefacts.artefacts(load(plans.job(0, "mptcp")))
    told = json.loads(files["traffic-0-server.json"])
    total = told["end"]["sum_received"]
    assert len(told["intervals"]) == 30
    assert sum(slot["sum"]["bytes"] for slot in told["intervals"]) == total["bytes"]
    assert 20e6 < total["bits_per_second"] < 30e6
    counters = json.loads(files["nstat-client.json"])["kernel"]
    assert counters["MPTcpExtMPJoinSynAckRx"] == 2
    shaped = json.loads(files["qdisc-end.json"])["r2"]
    assert [each["kind"] for each in shaped] == ["netem", "tbf"] * 2
    assert shaped[1]["options"]["rate"] == 20e6 / 8


def test_sized_traffic_takes_the_time_it_needs() -> None:
    job = plans.job(0, "tcp1")
    job["traffic"] = [{**job["traffic"][0], "duration_s": None, "bytes": 10_000_000}]
    told = json.loads(fake_artefacts.artefacts(load(job))["traffic-0-client.json"])
    assert told["end"]["sum_sent"]["seconds"] == pytest.approx(8.8, abs=0.3)
    assert told["end"]["sum_sent"]["bytes"] == pytest.approx(10_000_000, abs=2)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_link_carries_what_its_direction_can(tmp_path: Path, reverse: bool) -> None:
    text = DSL.format(reverse=str(reverse).lower())
    (run,) = make_plan(loads(text, "f.yaml"), {}).runs
    (tmp_path / "job.json").write_text(json.dumps(dump(run.job)))
    execute(tmp_path, run.job)
    found = rows.row(tmp_path)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    capacity_mbps = 16 if reverse else 2
    assert 0.85 * capacity_mbps < found["goodput_mbps"] < 0.97 * capacity_mbps


@pytest.mark.parametrize(("delay", "kind"), [("5 ms", "netem"), ("0 ms", "tbf")])
def test_a_sender_shapes_its_link(tmp_path: Path, delay: str, kind: str) -> None:
    """The disciplines of the host are read as the link that was asked for."""
    text = DSL.format(reverse="false").replace("5 ms", f"{delay}, shaper: sender")
    (run,) = make_plan(loads(text, "f.yaml"), {}).runs
    (tmp_path / "job.json").write_text(json.dumps(dump(run.job)))
    execute(tmp_path, run.job)
    shaped = json.loads((tmp_path / "artefacts/qdisc-end.json").read_text())
    kinds = {node: [each["kind"] for each in found] for node, found in shaped.items()}
    assert kinds == {"home": [kind], "server": [kind]}
    found = rows.row(tmp_path)
    assert (found["verdict"], found["reason"]) == ("ok", "")


def test_a_sender_with_another_queue_is_noticed(tmp_path: Path) -> None:
    text = DSL.format(reverse="false").replace("5 ms", "5 ms, shaper: sender")
    (run,) = make_plan(loads(text, "f.yaml"), {}).runs
    (tmp_path / "job.json").write_text(json.dumps(dump(run.job)))
    execute(tmp_path, run.job)
    path = tmp_path / "artefacts/qdisc-end.json"
    document = json.loads(path.read_text())
    document["home"][0]["options"]["limit"] += 2
    path.write_text(json.dumps(document))
    found = rows.row(tmp_path)
    assert found["verdict"] == "invalid"
    assert "queue is" in found["reason"]


def test_loss_costs_goodput() -> None:
    def goodput(loss_percent: float) -> float:
        job = plans.job(0, "tcp2")
        job["links"][1]["loss_percent"] = loss_percent
        told = json.loads(fake_artefacts.artefacts(load(job))["traffic-0-server.json"])
        return float(told["end"]["sum_received"]["bits_per_second"])

    assert goodput(1.0) < 0.5 * goodput(0.0)


def test_the_same_job_leaves_the_same_bytes() -> None:
    job = load(plans.job(1, "mptcp", capture=True))
    assert fake_artefacts.artefacts(job) == fake_artefacts.artefacts(job)
    other = replace(job, seed=8)
    assert fake_artefacts.artefacts(job) != fake_artefacts.artefacts(other)


def test_the_last_script_that_fits_counts(tmp_path: Path) -> None:
    job = load(plans.job(0, "mptcp"))
    scripts = [{"do": "panic"}, {"do": "die", "when": "seed=7"}, {"when": "seed=8"}]
    assert execute(tmp_path, job, *scripts).status == "killed"


def test_conditions_look_into_the_job() -> None:
    job = load(plans.job(0, "tcp1"))
    for condition, fits in {
        "": True,
        "transport.path=1": True,
        "transport.path=1 seed=8": False,
        "parameters.path1.capacity_mbps=10.0": True,
        "traffic.nothing=1": False,
    }.items():
        script = {"do": "die", "when": condition}
        chosen = fake_script.resolve([script], job)["do"]
        assert chosen == ("die" if fits else "finish"), condition


@pytest.mark.parametrize(
    "script, words",
    [({"do": "explode"}, "unknown action 'explode'"), ({"wall": 1}, "unknown key")],
)
def test_a_script_that_makes_no_sense_is_refused(
    script: dict[str, Any], words: str
) -> None:
    with pytest.raises(UserError, match=words):
        fake_script.resolve([script], load(plans.job(0, "tcp1")))


@pytest.mark.parametrize("text", ["{", "3", "[3]"])
def test_an_environment_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="MPBENCH_FAKE"):
        fake_script.parse(text)


def test_bounds_grow_with_virtual_time() -> None:
    job = load(plans.job(0, "mptcp"))
    assert bounds(job) == Bounds(40.0, 460.0, 120.0)
    assert bounds(job, 5.0, 2.0) == Bounds(40.0, 5.0, 2.0)


def test_backends_by_name() -> None:
    assert registry.create("fake").name == "fake"
    with pytest.raises(UserError, match="known: virtual, native, fake"):
        registry.create("vitual")


@pytest.mark.parametrize(
    "entry",
    [
        {"tool": "curl", "bytes": 1_000_000, "timeout_s": None},
        {"tool": "curl", "bytes": 1_000_000_000, "timeout_s": 3.0},
        {"tool": "ab", "bytes": 9_000, "requests": 80, "timeout_s": 30.0},
        {"tool": "ab", "bytes": 9_000, "duration_s": 9.0, "keep_alive": True},
    ],
)
def test_downloads_and_requests_read_as_real_ones(
    tmp_path: Path, entry: dict[str, Any]
) -> None:
    common = {
        **{"from": "client", "to": "server", "start_s": 0.0, "port": 80},
        **{"duration_s": None, "reverse": True, "timeout_s": None},
    }
    ab = {"requests": None, "concurrency": 4, "keep_alive": False, "timeout_s": 30.0}
    asked = plans.job(0, "mptcp")
    asked["traffic"] = [{**common, **(ab if entry["tool"] == "ab" else {}), **entry}]
    (tmp_path / "job.json").write_text(json.dumps(asked))
    assert execute(tmp_path, load(asked)).status == "finished"
    row = rows.row(tmp_path)
    assert (row["verdict"], row["reason"]) == ("ok", "")
    assert row["goodput_mbps"] > 0
