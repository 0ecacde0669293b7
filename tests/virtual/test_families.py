"""Data centres calibrated: answers that are known on paper."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from jobs import load as load_job
from mpbench.engine.bounds import bounds
from topologies.shaping import FRAME_BYTES, packet_time_ms

from .lab import Lab, contents, guest_call, job_of, lab_with
from .test_topologies import PROBE, TCP_MBPS

TCP = {"protocol": "tcp", "congestion_control": "reno", "path": 1}
LIA = {"protocol": "mptcp", "congestion_control": "lia", "scheduler": "lowrtt"}
EIGHT = {**LIA, "path_manager": {"name": "ndiffports", "subflows": 8}}
TINY_BYTES = 14 + 20 + 8 + 4


def flow(here: str, there: str, duration: str = "3 s", **more: Any) -> dict[str, Any]:
    ends = {"from": here, "to": there}
    return {"tool": "iperf3", **ends, "duration": duration, **more}


def executed(folder: Path, job: dict[str, Any]) -> tuple[dict[str, Any], Path]:
    ended, artefacts = Lab(folder).execute(job, bounds(load_job(job)))
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found, artefacts


def carried(artefacts: Path, node: str = "fabric") -> dict[str, int]:
    """The bytes that each way carried."""
    listed = json.loads((artefacts / "qdisc-end.json").read_text())[node]
    return {way["dev"]: way["bytes"] for way in listed}


@pytest.mark.parametrize(
    ("name", "there", "links"),
    [
        ("fattree-k4", "h2", 2),
        ("fattree-k4", "h3", 4),
        ("fattree-k4", "h16", 6),
        ("bcube-n4-k1", "h4", 2),
        ("bcube-n4-k1", "h16", 4),
        ("clos-l4-s2-h1", "h4", 4),
    ],
)
def test_round_trips_and_time_to_drain(
    tmp_path: Path, name: str, there: str, links: int
) -> None:
    case = TCP if name.startswith("bcube") else LIA
    job = job_of(
        tmp_path, topology=name, cases={"only": case}, traffic=[flow("h1", there)]
    )
    ended, artefacts = lab_with(tmp_path, PROBE).execute({**job, "burst": 150})
    assert ended.status == "finished", ended.reason
    probed = json.loads((artefacts / "probe.json").read_text())["h1.path1"]
    one_way_ms = links * (0.02 + TINY_BYTES * 8 / 100 / 1e3)
    assert probed["rtt_ms"] == pytest.approx(2 * one_way_ms, abs=0.01)
    for way in ("forward", "backward"):
        # All links are alike, so only the queue of the first one fills.
        assert probed[way]["arrived"] == 101
        drain_ms = 100 * packet_time_ms(100)
        assert probed[way]["took_ms"] == pytest.approx(drain_ms, abs=0.001)


def test_one_tcp_takes_one_path_and_fills_it(tmp_path: Path) -> None:
    spec = {"topology": "fattree-k4", "cases": {"only": TCP}}
    job = job_of(tmp_path, **spec, traffic=[flow("h1", "h16")])
    found, artefacts = executed(tmp_path, job)
    assert found["goodput_mbps"] == pytest.approx(100 * TCP_MBPS, rel=0.01)
    assert found["utilisation"] == pytest.approx(TCP_MBPS / 16, rel=0.01)
    ways = carried(artefacts)
    used = [name for name, count in ways.items() if count > FRAME_BYTES * 1000]
    assert len(used) == 6


def test_eight_subflows_take_all_paths_evenly(tmp_path: Path) -> None:
    spec = {"topology": "fattree-k4", "cases": {"only": EIGHT}}
    job = job_of(tmp_path, **spec, traffic=[flow("h1", "h16", "8 s")])
    found, artefacts = executed(tmp_path, job)
    assert found["goodput_mbps"] == pytest.approx(100 * 1428 / FRAME_BYTES, rel=0.05)
    # The control connection of iperf3 has as many.
    assert found["joined_subflows"] == 2 * 7
    ways = carried(artefacts)
    over_core = [ways[f"a{1 + n // 2}-c{n + 1}-up"] for n in range(4)]
    assert min(over_core) > 0.15 * sum(over_core)


def test_two_ports_of_a_bcube_are_two_paths(tmp_path: Path) -> None:
    spec = {"topology": "bcube-n4-k1", "cases": {"only": LIA}}
    job = job_of(tmp_path, **spec, traffic=[flow("h1", "h16", "8 s")])
    found, _ = executed(tmp_path, job)
    assert found["goodput_mbps"] == pytest.approx(200 * 1428 / FRAME_BYTES, rel=0.05)
    assert found["joined_subflows"] == 2 * 1


def test_a_shortest_path_of_a_bcube_passes_one_switch(tmp_path: Path) -> None:
    """h1 and h5 share the first switch of level 1 alone; path 1 begins at level 0."""
    used = {}
    for path in ("shortest", 1):
        folder = tmp_path / str(path)
        folder.mkdir()
        job = job_of(
            folder,
            topology="bcube-n4-k1",
            cases={"only": {**TCP, "path": path}},
            traffic=[{**flow("h1", "h5", "2 s"), "tool": "flows"}],
        )
        found, artefacts = executed(folder, job)
        assert found["goodput_mbps"] == pytest.approx(100 * TCP_MBPS, rel=0.02)
        ways = carried(artefacts)
        used[path] = {way for way, count in ways.items() if count > FRAME_BYTES * 1000}
    assert used["shortest"] == {"h1-s1.0-up", "h5-s1.0-down"}
    assert len(used[1]) == 6


@pytest.mark.parametrize(
    ("choose", "least", "most"), [("rotate", 100, 100), ("hash", 65, 135)]
)
def test_flows_spread_over_the_paths(
    tmp_path: Path, choose: str, least: int, most: int
) -> None:
    """Of 400 flows, each of four paths gets 100: exactly in turn, about by a hash."""
    job = job_of(
        tmp_path,
        topology="fattree-k4",
        fabric={"choose": choose},
        cases={"only": TCP},
        traffic=[flow("h1", "h16")],
    )
    lab = lab_with(tmp_path, guest_call("tests.virtual.spread"))
    ended, artefacts = lab.execute(job)
    assert ended.status == "finished", ended.reason
    ways = json.loads((artefacts / "spread.json").read_text())
    over_core = [ways[f"a{1 + n // 2}-c{n + 1}-up"] for n in range(4)]
    assert sum(over_core) == 400
    assert least <= min(over_core) and max(over_core) <= most
    # Answers come back the same way.
    assert over_core == [ways[f"a{7 + n // 2}-c{n + 1}-up"] for n in range(4)]


def test_a_permutation_repeats(tmp_path: Path) -> None:
    spec = {"topology": "clos-l4-s2-h2", "cases": {"only": EIGHT}}
    hosts = [f"h{number}" for number in range(1, 9)]
    start = {"min": "0 s", "max": "0.1 s"}
    pairs = zip(hosts, hosts[3:] + hosts[:3], strict=True)
    traffic = [
        flow(here, there, "1 s", port=5300 + number, start=start)
        for number, (here, there) in enumerate(pairs)
    ]
    job = job_of(tmp_path, **spec, traffic=traffic)
    kept = []
    for number in range(2):
        ended, artefacts = Lab(tmp_path / str(number)).execute(
            job, bounds(load_job(job))
        )
        assert ended.status == "finished", ended.reason
        kept.append(contents(artefacts))
    assert kept[0] == kept[1]
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    # Classes of links say nothing about what would be fair.
    assert "max_min_distance" not in found


@pytest.mark.parametrize(
    ("pattern", "case", "flows"), [("TP1", EIGHT, 16), ("TP2", TCP, 192)]
)
def test_a_pattern_fills_the_links_of_the_hosts(
    tmp_path: Path, pattern: str, case: dict[str, Any], flows: int
) -> None:
    entry = {"tool": "flows", "from": "hosts", "to": pattern, "duration": "2 s"}
    starts = {"min": "0 s", "max": "0.1 s"}
    job = job_of(
        tmp_path,
        topology="fattree-k4",
        cases={"only": case},
        traffic=[{**entry, "start": starts, "name": "all"}],
        phases={"late": "1 s..2 s"},
    )
    found, artefacts = executed(tmp_path, job)
    assert found["all.flows"] == flows
    rows = (artefacts / "flows.csv").read_text().splitlines()
    ends = [row.split(",")[3:5] for row in rows if row[:1].isdigit()]
    listed = job["traffic"][0]["pairs"]
    assert sorted(ends) == sorted(listed) and len(listed) == flows
    # 16 hosts of 100 Mbit/s, of which headers and acknowledgements take a tenth.
    assert 1250 < found["late.goodput_mbps"] < 16 * 94.3


def test_more_servers_than_files_that_a_program_may_open_at_first(
    tmp_path: Path,
) -> None:
    """64 hosts with 16 servers each: more than the 1,024 files of a new process."""
    entry = {"tool": "flows", "from": "hosts", "to": "permutation", "size": "1 kB"}
    job = job_of(
        tmp_path,
        topology="fattree-k4-h8",
        cases={"only": TCP},
        traffic=[entry for _ in range(16)],
    )
    found, _ = executed(tmp_path, job)
    assert (found["flows"], found["unfinished_flows"]) == (1024, 0)
