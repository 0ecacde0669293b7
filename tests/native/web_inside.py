"""A guest without time travel that downloads in native runs.

The working directory gets `said.json`: what the command said and the rows that it
left.
"""

import json
import os
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from mpbench.commands import run as command

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
    "curl": "size: 2 MB, timeout: 30 s",
    "ab": "size: 20 kB, requests: 60, concurrency: 3",
}


def run(name: str) -> dict[str, Any]:
    """`mpbench run --backend native` of a tool, both cases."""
    path = FOLDER / f"{name}.yaml"
    path.write_text(EXPERIMENT.format(name=name, tool=name, what=TOOLS[name]))
    out = FOLDER / name
    # In this process: to load the program takes longer than the runs.
    arguments = [str(path), "--backend", "native", "--out", str(out)]
    done = CliRunner().invoke(command.command, arguments)
    rows = [json.loads(row.read_text()) for row in out.glob("runs/*/row.json")]
    return {
        "status": done.exit_code,
        "said": done.output + repr(done.exception or ""),
        "rows": {row["case"]: row for row in rows},
    }


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = {name: run(name) for name in TOOLS}
    Path("said.json").write_text(json.dumps(found, indent=1))
