"""Captures of runs: they change nothing, and say what the kernel counted."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from analysis.capture.analyse import analyse
from analysis.capture.frames import Frames, frames
from analysis.run.artefacts import load
from analysis.run.capture_metrics import columns
from mpbench.backends import boot, confinement
from mpbench.backends.confinement import Limits
from mpbench.backends.virtual import VirtualBackend
from tests.calls import Command
from tests.virtual.lab import Lab, contents, make_job

INTERFACES = ["client-eth1", "client-eth2", "server-eth1"]
LOSSY = {
    "path1.capacity": "20 Mbit/s",
    "path2.capacity": "10 Mbit/s",
    "path1.loss": "1 %",
    "path2.jitter": "0.5 ms",
}
WAYS = (
    None,
    {"interfaces": INTERFACES, "full": False},
    {"interfaces": ["r1-hub"], "full": True},
)


@pytest.fixture(scope="module")
def executions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The same run without a capture, with one, and with another."""
    root = tmp_path_factory.mktemp("captured")
    lab, folders = Lab(root), []
    job = make_job(root, duration="3 s", parameters=LOSSY)
    for capture in WAYS:
        ended, folder = lab.execute({**job, "capture": capture})
        assert ended.status == "finished", ended.reason
        folders.append(folder)
    return folders


def test_a_capture_changes_nothing(executions: list[Path]) -> None:
    kept = [
        {n: c for n, c in contents(folder).items() if not n.startswith("capture")}
        for folder in executions
    ]
    assert kept[0] == kept[1] == kept[2]
    assert len(kept[0]) > 8


def test_only_headers_are_kept(executions: list[Path]) -> None:
    names = {f"capture-{name}.pcap" for name in INTERFACES}
    assert {p.name for p in executions[1].glob("capture*")} == {*names, "capture.json"}
    assert not list(executions[0].glob("capture*"))
    headers = (executions[1] / "capture-client-eth1.pcap").stat().st_size
    full = (executions[2] / "capture-r1-hub.pcap").stat().st_size
    assert headers < full / 5
    for folder in executions[1:]:
        told = json.loads((folder / "capture.json").read_text())["packets"]
        found = {
            path.stem.removeprefix("capture-"): int(
                analyse([path]).inputs["packets"][0]
            )
            for path in folder.glob("*.pcap")
        }
        assert told == found and min(told.values()) > 500


def test_a_capture_that_grows_too_large_fails_the_run(tmp_path: Path) -> None:
    """The host's kernel refuses what the guest's writes, as a full disk does."""
    machine = boot.Machine(memory_mib=96)
    bound_bytes = (96 << 20) + confinement.MEMORY_SLACK_BYTES
    backend = VirtualBackend(machine, limits=Limits(file_bytes=1))
    parameters = {"path1.capacity": "200 Mbit/s", "path2.capacity": "1 Mbit/s"}
    wanted = {"interfaces": ["client-eth1"], "full": True}
    job = make_job(tmp_path, duration="6 s", parameters=parameters)
    ended, artefacts = Lab(tmp_path, backend).execute({**job, "capture": wanted})
    assert ended.status == "failed"
    assert "cannot capture (end): File too large" in ended.reason
    capture = artefacts / "capture-client-eth1.pcap"
    assert capture.stat().st_size <= bound_bytes


def both_ends(folder: Path) -> Frames:
    near = [folder / f"capture-client-eth{i}.pcap" for i in (1, 2)]
    return frames(analyse(near, [folder / "capture-server-eth1.pcap"]))


def test_captures_agree_with_the_kernel(executions: list[Path]) -> None:
    found = both_ends(executions[1])
    counters = json.loads((executions[1] / "nstat-client.json").read_text())["kernel"]
    sent = found.subflows.query("point == 0 and direction == 0")
    assert sent["retransmissions"].sum() == counters["TcpRetransSegs"] > 0
    assert sent["packets"].sum() - counters["TcpRetransSegs"] == counters["TcpOutSegs"]
    near = found.connections.query("point == 0")["connection"]
    data = found.data[found.data["connection"].isin(near)].query("direction == 0")
    # The kernel counts its calls; calls for neighbouring data are one reinjection.
    assert 0 < data["reinjections"].sum() <= counters["MPTcpExtMPTCPRetrans"]


def test_losses_are_those_of_the_queues(executions: list[Path]) -> None:
    found = both_ends(executions[1])
    sent = found.subflows.query("point == 0 and direction == 0")
    qdiscs = json.loads((executions[1] / "qdisc-end.json").read_text())
    dropped = sum(
        each["drops"]
        for name in ("r1", "r2")
        for each in qdiscs[name]
        if each.get("dev") == f"{name}-hub" and each.get("root")
    )
    lost = sent["lost_packets"].sum()
    assert 0 < dropped - sent["undecided"].sum() <= lost <= dropped


def without(capture: bytes, address: bytes) -> bytes:
    """A capture of Ethernet and IPv4 less the packets from or to an address."""
    out, at = [capture[:24]], 24
    while at < len(capture):
        end = at + 16 + int.from_bytes(capture[at + 8 : at + 12], "little")
        if address not in (capture[at + 42 : at + 46], capture[at + 46 : at + 50]):
            out.append(capture[at:end])
        at = end
    return b"".join(out)


def test_loss_of_a_path_that_was_captured_at_one_end_alone(
    executions: list[Path], tmp_path: Path
) -> None:
    """As at a receiver of two interfaces, of which one was captured."""
    run = tmp_path / "run"
    shutil.copytree(executions[1].parent, run)
    whole = columns(run / "artefacts", load(run))
    assert whole["mean_loss_probability"] > 0
    far = run / "artefacts" / "capture-server-eth1.pcap"
    far.write_bytes(without(far.read_bytes(), bytes([10, 0, 2, 2])))
    partly = columns(run / "artefacts", load(run))
    gone = {"path2.loss_probability", "mean_loss_probability"}
    assert partly == {n: v for n, v in whole.items() if n not in gone}


def experiment(folder: Path) -> Path:
    spec: dict[str, Any] = {
        "name": "captured",
        "topology": "two_path",
        "capture": INTERFACES,
        "parameters": LOSSY,
        "cases": {
            "mptcp": {
                "protocol": "mptcp",
                "congestion_control": "lia",
                "scheduler": "lowrtt",
            },
            "tcp": {
                "protocol": "tcp",
                "congestion_control": "reno",
                "path": 1,
                "capture": [],
            },
        },
        "traffic": [
            {"tool": "iperf3", "from": "client", "to": "server", "duration": "2 s"}
        ],
        "metrics": ["goodput", "capture_traffic_split", "mean_loss_probability"],
    }
    path = folder / "captured.yaml"
    path.write_text(yaml.safe_dump(spec))
    return path


def test_in_an_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mpbench = Command(monkeypatch, capsys)
    results = tmp_path / "results"
    called = mpbench("run", experiment(tmp_path), "--out", results, "-j", "1")
    assert called.status == 0, called.err
    rows = {
        row["case"]: (path.parent.name, row)
        for path in results.glob("runs/*/row.json")
        for row in [json.loads(path.read_text())]
    }
    _, row = rows["mptcp"]
    assert row["path1.capture_share"] + row["path2.capture_share"] == pytest.approx(1)
    assert row["capture_retransmission_ratio"] == pytest.approx(
        row["retransmission_ratio"]
    )
    assert 0 < row["mean_loss_probability"] < 0.1
    assert row["path1.capture_share"] == pytest.approx(row["path1.share"], abs=0.03)
    run, plain = rows["tcp"]
    assert "capture_retransmission_ratio" not in plain
    # The captures are dropped, and can be had again: of either run.
    assert not list(results.rglob("*.pcap"))
    made = mpbench("capture", results, run[:8], "--full", "--at", "client-eth1")
    assert made.status == 0, made.err
    assert "the same run" in made.out
    (capture,) = results.rglob("*.pcap")
    found = frames(analyse([capture]))
    assert found.data["bytes"].max() > 1_000_000
    # Another run's files are not taken for this one's.
    report = results / "runs" / run / "manifest.json"
    kept = json.loads(report.read_text())
    target = results / "runs" / run / "artefacts" / "nstat-client.json"
    kept["files"][f"artefacts/{target.name}"]["sha256"] = "0" * 64
    report.write_text(json.dumps(kept))
    differs = mpbench("capture", results, run, "--out", tmp_path / "other")
    assert differs.status == 1
    assert f"{target.name} differs" in differs.err
    shutil.rmtree(tmp_path / "other")
    # Nor are files that have changed since for the run's.
    run, _ = rows["mptcp"]
    target = results / "runs" / run / "artefacts" / "nstat-client.json"
    whole = target.read_text()
    target.write_text(whole + "\n")
    differs = mpbench("capture", results, run, "--out", tmp_path / "other")
    assert differs.status == 1
    assert differs.err.splitlines()[0] == f"mpbench: {target.name} differs"
    # Packets are compared where the first execution captured them, too.
    target.write_text(whole)
    report = results / "runs" / run / "manifest.json"
    kept = json.loads(report.read_text())
    kept["files"]["artefacts/capture-client-eth1.pcap"]["sha256"] = "0" * 64
    report.write_text(json.dumps(kept))
    differs = mpbench("capture", results, run, "--out", tmp_path / "other")
    assert differs.status == 1
    assert differs.err.splitlines()[0] == "mpbench: capture-client-eth1.pcap differs"
    at = ("--at", "client-eth2", "--at", "r1-hub")
    same = mpbench("capture", results, run, *at, "--out", tmp_path / "other")
    assert same.status == 0, same.err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["zzz"], "no run"),
        (["{run}", "--at", "eth9"], "no interface 'eth9'"),
    ],
)
def test_bad_input(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    reason: str,
) -> None:
    mpbench = Command(monkeypatch, capsys)
    results = tmp_path / "results"
    made = mpbench("run", experiment(tmp_path), "--out", results, "--backend", "fake")
    assert made.status == 0, made.err
    run = next(iter((results / "runs").iterdir())).name
    called = mpbench("capture", results, *(a.format(run=run) for a in arguments))
    assert called.status == 2
    assert reason in called.err


def test_an_interface_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = experiment(tmp_path)
    path.write_text(path.read_text().replace("- client-eth2", "- client-eth7"))
    called = Command(monkeypatch, capsys)("plan", path)
    assert called.status == 2
    assert "captured.yaml:" in called.err
    assert "no interface 'client-eth7'; two_path has client-eth1" in called.err
