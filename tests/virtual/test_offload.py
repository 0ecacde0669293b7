"""Whole segments on the fabric: their frames in counters and captures, and goodput."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from jobs import load as load_job
from mpbench.engine.bounds import bounds
from topologies.shaping import FRAME_BYTES

from .lab import MPTCP, TCP, Lab, contents, job_of, make_job
from .test_fabric import ended_well, times_ns

GIGABIT = {
    "path1.capacity": "1 Gbit/s",
    "path2.capacity": "1 Gbit/s",
    "path1.queueing_delay": "20 ms",
    "path2.queueing_delay": "20 ms",
    "path1.delay": "5 ms",
    "path2.delay": "5 ms",
}
CUBIC = {"protocol": "mptcp", "congestion_control": "cubic", "scheduler": "lowrtt"}
OFF = {"choose": "rotate"}
WAYS = ("up", "down")
LINKS = ["path1-up", "path1-down", "path2-up", "path2-down"]


def gathered(ms: float) -> dict[str, Any]:
    return {**OFF, "gather_ms": ms}


def executed(folder: Path, job: dict[str, Any]) -> dict[str, bytes]:
    """The artefacts of a run that is ok, and so obeys the law of conservation."""
    ended, artefacts = Lab(folder).execute(job, bounds(load_job(job)))
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return contents(artefacts)


def ways(files: dict[str, bytes]) -> dict[str, dict[str, Any]]:
    """Counters and settings of the links' directions, in the order of LINKS."""
    listed = json.loads(files["qdisc-end.json"])
    found = {way["dev"]: way for each in listed.values() for way in each}
    names = ("r1-hub", "r1-client", "r2-hub", "r2-client")
    return dict(zip(LINKS, (found[name] for name in names), strict=True))


def interfaces(files: dict[str, bytes]) -> dict[str, dict[str, int]]:
    listed = json.loads(files["link-end.json"])
    return {name: counts for each in listed.values() for name, counts in each.items()}


@pytest.mark.parametrize("gather_ms", [0.1, 1.0])
def test_equal_paths_carry_the_same(tmp_path: Path, gather_ms: float) -> None:
    """Two paths of 1 Gbit/s, with receivers that get far fewer segments."""
    job = make_job(tmp_path, CUBIC, "2 s", parameters=GIGABIT)
    there = ended_well(tmp_path / "off", {**job, "fabric": OFF})
    here = ended_well(tmp_path / "on", {**job, "fabric": gathered(gather_ms)})
    assert here["goodput_mbps"] == pytest.approx(there["goodput_mbps"], rel=0.005)
    assert here["path1.share"] == pytest.approx(there["path1.share"], abs=0.005)
    received = [
        json.loads((folder / "run1/artefacts/nstat-server.json").read_text())
        for folder in (tmp_path / "off", tmp_path / "on")
    ]
    segments = [counts["TcpInSegs"] for counts in map(_counters, received)]
    assert segments[1] < segments[0] / (3 if gather_ms < 1 else 10)


def _counters(document: dict[str, Any]) -> dict[str, int]:
    return dict(document.get("kernel", document))


@pytest.mark.parametrize("loss", ["0 %", "1 %"])
def test_frames_in_counters_and_captures_are_the_same(
    tmp_path: Path, loss: str
) -> None:
    """Of a transfer that ended, every frame that a host sent was lost, dropped, or
    arrived, and a capture has each that left the queue."""
    parameters = {**GIGABIT, "path1.loss": loss, "path1.queueing_delay": "1 ms"}
    job = make_job(tmp_path, TCP, None, parameters=parameters, size="40 MB")
    job["fabric"] = gathered(1.0)
    job["capture"] = {"interfaces": LINKS[:2], "full": False}
    files = executed(tmp_path, job)
    found, ports = ways(files), interfaces(files)
    up, down = found["path1-up"], found["path1-down"]
    user, server = ports["client-eth1"], ports["server-eth1"]
    assert user["tx_packets"] == up["packets"] + up["drops"]
    for port, way in ((user, down), (server, up)):
        assert port["rx_packets"] == way["packets"]
        assert port["rx_bytes"] == way["bytes"]
    for name in LINKS[:2]:
        frames = times_ns(files[f"capture-{name}.pcap"])
        assert len(frames) == found[name]["packets"]
        assert sum(size for _, size in frames) == found[name]["bytes"]
        assert max(size for _, size in frames) <= FRAME_BYTES
        assert frames == sorted(frames, key=lambda frame: frame[0])
    lost, sent = up["lost"], user["tx_packets"]
    if loss == "0 %":
        assert lost == 0 and up["full"] > 0
    else:
        error = (0.01 * 0.99 / sent) ** 0.5
        assert sent > 1000 and lost / sent == pytest.approx(0.01, abs=4 * error)


def test_frames_leave_one_by_one(tmp_path: Path) -> None:
    """No more frames leave in any time than bucket and capacity allow, and there are
    no gaps between full frames while the queue has some."""
    job = make_job(tmp_path, TCP, "1 s", parameters=GIGABIT)
    job["fabric"] = {**gathered(1.0), "burst_packets": 0}
    job["capture"] = {"interfaces": ["path1-up"], "full": False}
    files = executed(tmp_path, job)
    left = times_ns(files["capture-path1-up.pcap"])
    full = [at for at, size in left if size == FRAME_BYTES]
    gaps = [b - a for a, b in pairwise(full)]
    assert min(gaps) == FRAME_BYTES * 8
    assert sum(gap <= FRAME_BYTES * 8 + 1 for gap in gaps) > 0.9 * len(gaps) > 20_000


def test_runs_repeat_with_loss_jitter_red_and_changes(tmp_path: Path) -> None:
    """The same bytes again, captures included; another seed gives others."""
    job = job_of(
        tmp_path,
        topology="two_path",
        fabric={"offload": True, "gather": "1 ms"},
        parameters={
            "path1.capacity": "300 Mbit/s",
            "path2.capacity": "200 Mbit/s",
            "path2.loss": "0.1 %",
            "path2.jitter": "0.5 ms",
        },
        links={"path1": {"discipline": "red"}},
        changes={"path2": {"at": {"1 s": {"capacity": "50 Mbit/s"}}}},
        cases={"only": MPTCP},
        traffic=[
            {"tool": "iperf3", "from": "client", "to": "server", "duration": "2 s"}
        ],
    )
    job["capture"] = {"interfaces": LINKS, "full": False}
    kept = []
    for number, seed in enumerate((1, 1, 2)):
        kept.append(executed(tmp_path / str(number), {**job, "seed": seed}))
    assert kept[0] == kept[1]
    assert kept[0]["qdisc-end.json"] != kept[2]["qdisc-end.json"]
    found = ways(kept[0])
    assert found["path1-up"]["early"] > 0 and found["path2-up"]["lost"] > 0


CHAIN = {
    "network": {
        "links": {
            "a": {"capacity": "1 Gbit/s", "delay": "1 ms"},
            "b": {"capacity": "1 Gbit/s", "delay": "1 ms"},
            "shared": {"capacity": "500 Mbit/s", "queueing_delay": "3 ms"},
            "last": {"capacity": "1 Gbit/s", "delay": "2 ms", "loss": "0.01 %"},
        },
        "users": {
            "u": {"paths": ["a shared last"], "to": "s"},
            "v": {"paths": ["b shared", "a"], "to": "t"},
        },
    },
    "fabric": {"offload": True, "gather": "1 ms"},
    "cases": {"only": CUBIC},
    "traffic": [
        {"tool": "iperf3", "from": "u", "to": "s", "size": "40 MB"},
        {"tool": "iperf3", "from": "v", "to": "t", "size": "80 MB"},
    ],
}
"""Frames of u and v meet on the links a and shared."""


def test_frames_of_segments_mix_at_inner_links(tmp_path: Path) -> None:
    """Of transfers that ended, the frames that a link sent, lost or dropped are those
    that reached it, and its capture has each that left. The run repeats."""
    job = job_of(tmp_path, **CHAIN)
    names = [f"{link}-{way}" for link in ("a", "b", "shared", "last") for way in WAYS]
    job["capture"] = {"interfaces": names, "full": False}
    files = executed(tmp_path / "one", job)
    assert executed(tmp_path / "two", job) == files
    listed = json.loads(files["qdisc-end.json"])
    up = {link: listed[f"{link}-a"][0] for link in ("a", "b", "shared", "last")}
    down = {link: listed[f"{link}-b"][0] for link in up}
    for way, found in (("up", up), ("down", down)):
        for link, counts in found.items():
            frames = times_ns(files[f"capture-{link}-{way}.pcap"])
            assert len(frames) == counts["packets"]
            assert sum(size for _, size in frames) == counts["bytes"]
            assert max(size for _, size in frames) <= FRAME_BYTES
    ports = json.loads(files["link-end.json"])
    first, second = ports["v"]["eth1"], ports["v"]["eth2"]
    entered = {link: each["packets"] + each["drops"] for link, each in up.items()}
    assert ports["u"]["eth1"]["tx_packets"] + second["tx_packets"] == entered["a"]
    assert first["tx_packets"] == entered["b"]
    assert ports["s"]["eth1"]["rx_packets"] == up["last"]["packets"]
    past = ports["t"]["eth1"]["rx_packets"] - up["shared"]["packets"] + entered["last"]
    assert entered["shared"] == up["a"]["packets"] - past + up["b"]["packets"]
    assert up["shared"]["full"] > 0 and up["last"]["lost"] > 0


LAST = {"size": "3 MB", "parallel": 2}
"""A transfer whose last data are less than a reader waits for."""


@pytest.mark.parametrize("reverse", [False, True])
def test_large_calls_move_the_same(tmp_path: Path, reverse: bool) -> None:
    """With `bulk`, both ends count what they count without, and a transfer of a size
    sends no byte more."""
    found = {}
    for read in ("coalesced", "bulk"):
        ends = {"from": "client", "to": "server", "reverse": reverse}
        entry = {"tool": "iperf3", "read": read, **ends}
        job = job_of(
            tmp_path,
            topology="two_path",
            fabric={"offload": True, "gather": "1 ms"},
            parameters={"path1.capacity": "100 Mbit/s", "path2.capacity": "50 Mbit/s"},
            cases={"only": CUBIC},
            traffic=[
                {**entry, "name": "long", "duration": "2 s"},
                {**entry, "name": "short", "size": "1 MB", "start": "4 s"},
                {**entry, **LAST, "read": {"mode": read, "size": "1 MiB"}}
                | {"name": "last", "start": "7 s"},
            ],
        )
        files = executed(tmp_path / read, job)
        long, short, last = (
            json.loads(files[f"traffic-{index}-client.json"])["end"]
            for index in range(3)
        )
        assert short["sum_sent"]["bytes"] == 8 * 131072
        assert last["sum_received" if reverse else "sum_sent"]["bytes"] >= 3_000_000
        found[read] = [long[way]["bytes"] for way in ("sum_sent", "sum_received")]
    assert found["bulk"] == pytest.approx(found["coalesced"], rel=0.02)
