"""Every command that boots a guest, on a machine that refuses fixed addresses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mpbench.backends import confinement
from mpbench.store import layout, manifest
from tests.calls import Command

REFUSAL = (
    "this machine refuses fixed addresses (personality), and guests need them; "
    "start a container with `--security-opt seccomp=unconfined`"
)
EXPERIMENT = {
    "name": "one",
    "topology": "two_path",
    "cases": {"tcp": {"protocol": "tcp", "congestion_control": "reno", "path": 1}},
    "traffic": [
        {"tool": "iperf3", "from": "client", "to": "server", "duration": "1 s"}
    ],
}


def refused(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tests.random_addresses", *words],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def results(tmp_path: Path, command: Command) -> Path:
    """Results of one run that did not record its CPU time."""
    if confinement.RANDOMIZE.read_text().strip() == "0":
        pytest.skip("addresses are not random here")
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(EXPERIMENT))
    done = command("run", tmp_path / "one.yaml", "--out", tmp_path / "results")
    assert done.status == 0, done.err
    (path,) = (tmp_path / "results" / "runs").iterdir()
    run = layout.Run(path)
    host = json.loads(run.host.read_text())
    host["exit"]["cpu_s"] = None
    manifest.rewrite(run, {run.host.name: json.dumps(host).encode()})
    return tmp_path / "results"


def test_every_command_that_boots_a_guest_refuses(
    results: Path, tmp_path: Path
) -> None:
    file, out = str(tmp_path / "one.yaml"), str(results)
    (run,) = (path.name for path in (results / "runs").iterdir())
    for words in (
        ("run", file, "--out", str(tmp_path / "other")),
        ("verify", out),
        ("capture", out, run),
        ("cost", out, "--sample", "1"),
        ("shell", file),
    ):
        done = refused(*words)
        assert done.returncode == 2, (words, done.stdout, done.stderr)
        assert done.stderr == f"mpbench: {REFUSAL}\n", words
    assert not (results / "captures").exists() or not any(
        (results / "captures" / run).iterdir()
    )
    done = refused("doctor", "--backend", "virtual")
    assert done.returncode == 1
    assert "  MISSING   fixed addresses - refused here (personality)" in done.stdout
    assert "a guest boots" not in done.stdout
