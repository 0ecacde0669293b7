"""A small experiment with one traffic entry, and its run on the fake backend."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from mpbench.commands import run

HEAD = """\
name: small
topology: two_path
parameters: {path1.capacity: 20 Mbit/s, path1.delay: 10 ms, path2.capacity: 20 Mbit/s}
cases:
  tcp: {protocol: tcp, congestion_control: cubic, path: 1}
traffic:
"""


def entry_of(tool: str) -> str:
    """The line of an entry of a tool, with `%s` for its own keys."""
    return f"  - {{tool: {tool}, from: client, to: server, %s}}\n"


def row_of(folder: Path, text: str) -> dict[str, Any]:
    """The row of the only run of an experiment, which leaves its results in
    `folder / "out"`."""
    file, out = folder / "small.yaml", folder / "out"
    file.write_text(text)
    words = [str(file), "--backend", "fake", "--out", str(out)]
    done = CliRunner().invoke(run.command, words)
    assert done.exit_code == 0, done.output
    (row,) = out.glob("runs/*/row.json")
    found: dict[str, Any] = json.loads(row.read_text())
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found
