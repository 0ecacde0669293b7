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
PARTS = ("processes", "results", "fake", "keys")
EXPERIMENT = """\
name: one
topology: two_path
cases:
  lia: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 2 s}
"""
DOWNLOAD = EXPERIMENT.replace("tool: iperf3", "tool: curl").replace(
    "duration: 2 s", "size: 1 MB"
)


@pytest.mark.parametrize("tool", tools.ALL)
def test_a_tool_has_all_parts(tool: str) -> None:
    for name in PARTS:
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
def test_a_tool_is_deleted_with_its_folder_and_one_line(tmp_path: Path) -> None:
    code, work = tmp_path / "code", tmp_path / "work"
    work.mkdir()
    for folder in PRODUCT:
        hidden = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, code / folder, ignore=hidden)
    shutil.rmtree(code / "tools/curl")
    registry = code / "tools/__init__.py"
    text = registry.read_text()
    assert text.count('    "curl",\n') == 1
    registry.write_text(text.replace('    "curl",\n', ""))
    (work / "one.yaml").write_text(EXPERIMENT)
    (work / "download.yaml").write_text(DOWNLOAD)

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
    assert row["verdict"] == "ok"
    refused = mpbench("plan", "download.yaml")
    assert refused.returncode == 2
    assert "unknown tool 'curl'" in refused.stderr and "Traceback" not in refused.stderr
