"""What a guest without time travel does: downloads and requests by native runs.

The working directory gets `said.json`: of each tool, what the command said and the
rows that it left.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path("/tmp/native")
os.environ["XDG_CACHE_HOME"] = str(FOLDER / "cache")
EXPERIMENT = """
name: {name}
topology: two_path
seed: 1
parameters: {{path1.capacity: 10 Mbit/s, path2.capacity: 5 Mbit/s}}
cases:
  mptcp: {{protocol: mptcp, congestion_control: cubic, scheduler: default}}
  tcp1: {{protocol: tcp, congestion_control: reno, path: 1}}
traffic:
  - {{tool: {tool}, from: client, to: server, {what}}}
metrics: [goodput]
"""
TOOLS = {
    "curl": ("curl", "size: 2 MB, timeout: 30 s"),
    "cut": ("curl", "size: 100 MB, timeout: 2 s"),
    "ab": ("ab", "size: 300 kB, requests: 8, concurrency: 2"),
    "kept": ("ab", "size: 20 kB, duration: 3 s, keep_alive: true"),
}


def run(name: str) -> dict[str, Any]:
    """`mpbench run --backend native` of one tool, both cases."""
    tool, what = TOOLS[name]
    path = FOLDER / f"{name}.yaml"
    path.write_text(EXPERIMENT.format(name=name, tool=tool, what=what))
    out = FOLDER / name
    argv = [sys.executable, "-m", "mpbench.cli", "run", str(path)]
    done = subprocess.run(
        [*argv, "--backend", "native", "--out", str(out)],
        capture_output=True,
        text=True,
    )
    rows = [json.loads(row.read_text()) for row in out.glob("runs/*/row.json")]
    return {
        "status": done.returncode,
        "said": done.stdout + done.stderr,
        "rows": {row["case"]: row for row in rows},
    }


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in sys.argv[1:] or TOOLS:
        found[name] = run(name)
        Path("said.json").write_text(json.dumps(found, indent=1))
