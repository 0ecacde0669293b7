"""A traffic tool is its folder and a line of the registry."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tools
from tests.layers import PRODUCT

ROOT = Path(__file__).parents[2]
PARTS = ("record", "processes", "results", "fake", "keys")
HEAD = """\
name: one
topology: two_path
cases:
  lia: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
traffic:
"""
ENTRIES = {
    name: f"  - {{tool: {name}, from: client, to: server, name: {name}_1, {keys}}}\n"
    for name, keys in {
        "iperf3": "duration: 2 s",
        "curl": "size: 1 MB",
        "ab": "size: 10 kB, requests: 5",
        "cbr": "duration: 2 s, rate: 1 Mbit/s",
        "command": "duration: 2 s, client: [ping, '{address}']",
        "flows": "size: 10 kB, connections: 2",
        "pingpong": "size: [50 B, 1 kB], number: 20",
        "page": "objects: [{size: 10 kB}, {size: 20 kB}]",
        "video": "bitrates: 1 Mbit/s",
        "sync": "files: {count: 3, size: 20 kB}",
    }.items()
}


@pytest.mark.parametrize("tool", tools.ALL)
def test_a_tool_has_all_parts(tool: str) -> None:
    for name in PARTS:
        if (tool, name) == (tools.PROXY, "keys"):
            continue  # entries of other tools have the key `via`
        assert tools.part(tool, name).__doc__
        assert tools.has_part(tool, name)
    assert not tools.has_part(tool, "nothing")


def test_the_registry_has_every_folder() -> None:
    folders = {path.parent.name for path in (ROOT / "tools").glob("*/__init__.py")}
    assert folders == {*tools.ALL}


def test_an_unknown_tool_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(ValueError, match=r"unknown tool 'os'; known: iperf3, curl"):
        tools.part("os", "processes")


def compared(text: str) -> list[int]:
    """The lines that compare something with the name of a tool."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
        for word in (side.elts if isinstance(side, ast.Tuple) else [side])
        if isinstance(word, ast.Constant) and word.value in tools.ALL
    ]


def test_a_comparison_with_a_name_is_found() -> None:
    assert compared('if entry.tool == "cbr":\n    pass') == [1]
    assert compared('x = tool not in ("plugin", "other")') == [1]
    assert not compared('x = drawn["flows"] > 2')


def test_nothing_outside_of_tools_compares_a_tools_name() -> None:
    found = {}
    for folder in PRODUCT:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if folder != "tools" and (
                lines := compared(path.read_text(encoding="utf-8"))
            ):
                found[str(path.relative_to(ROOT))] = lines
    assert not found


@pytest.mark.slow
@pytest.mark.parametrize("tool", tools.NAMES)
def test_a_tool_is_deleted_with_its_folder_and_one_line(
    tmp_path: Path, tool: str
) -> None:
    """Files, plans, runs and rows of all other tools are as before."""
    code, work = tmp_path / "code", tmp_path / "work"
    work.mkdir()
    for folder in PRODUCT:
        hidden = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, code / folder, ignore=hidden)
    shutil.rmtree(code / "tools" / tool)
    registry = code / "tools/__init__.py"
    text = registry.read_text()
    assert text.count(f'    "{tool}",\n') == 1
    registry.write_text(text.replace(f'    "{tool}",\n', ""))
    others = [entry for name, entry in ENTRIES.items() if name != tool]
    (work / "one.yaml").write_text(HEAD + "".join(others))
    (work / "gone.yaml").write_text(HEAD + ENTRIES[tool])

    def mpbench(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-P", "-m", "mpbench.cli", *words],
            cwd=work,
            env={**os.environ, "PYTHONPATH": str(code)},
            capture_output=True,
            text=True,
        )

    done = mpbench("run", "one.yaml", "--backend", "fake")
    assert done.returncode == 0, done.stderr
    row = json.loads(next((work / "results/one/runs").glob("*/row.json")).read_text())
    assert (row["verdict"], row["reason"]) == ("ok", "")
    refused = mpbench("plan", "gone.yaml")
    assert refused.returncode == 2
    assert f"unknown tool '{tool}'" in refused.stderr
    assert "Traceback" not in refused.stderr
