"""A small results folder, and ways to change it as a stranger could."""

import hashlib
import json
from pathlib import Path
from typing import Any

from mpbench.store.layout import Results, Run
from tests.calls import Command

EXPERIMENT = """\
name: small
topology: two_path
repetitions: 2
cases:
  mptcp: {protocol: mptcp, congestion_control: lia}
  tcp2: {protocol: tcp, congestion_control: reno, path: 2}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 10 s}
"""


def make(command: Command, folder: Path) -> Path:
    """Run the small experiment on the fake backend; its results folder."""
    file = folder / "small.yaml"
    file.write_text(EXPERIMENT)
    out = folder / "results"
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    return out


def first_run(root: Path) -> Run:
    results = Results(root)
    return results.run(sorted(path.name for path in results.runs.iterdir())[0])


def forge(run: Run, name: str, content: bytes) -> None:
    """Change a file of a run, and the manifest with it, as a stranger would."""
    (run.root / name).write_bytes(content)
    manifest = json.loads(run.manifest.read_text())
    digest = hashlib.sha256(content).hexdigest()
    manifest["files"][name] = {"sha256": digest, "bytes": len(content)}
    run.manifest.write_text(json.dumps(manifest))


def changed(path: Path, **values: Any) -> bytes:
    """The JSON object in a file with other values of some keys."""
    return json.dumps(json.loads(path.read_bytes()) | values).encode()


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, for a comparison before and after."""
    return {
        str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
