"""A traffic tool is its folder and a line of the registry."""

import ast
import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import tools
from tests.layers import PRODUCT

ROOT = Path(__file__).parents[2]
PARTS = ("record", "processes", "results", "fake", "keys")
COMMAND = """
import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
runpy.run_module("mpbench.cli", run_name="__main__", alter_sys=True)
"""
COLLECTION = """
import importlib.abc, pytest, sys, tools
gone = tools.NAMES
class Deleted(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith("tools.") and name.split(".")[1] in gone:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Deleted())
tools.NAMES, tools.ALL = (), (tools.OWN, tools.PROXY)
sys.exit(pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "tests"]))
"""
"""Collects all tests as if no tool of the registry were there."""
HEAD = """\
name: one
topology: two_path
cases:
  lia: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
traffic:
"""
ENTRIES = {
    name: f"  - {{tool: {name}, from: client, to: server, name: {name}_1,"
    f" {import_module(f'tests.tools.{name}').ENTRY}}}\n"
    for name in tools.NAMES
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


def others(tool: str) -> set[str]:
    """The other tools whose folders a tool imports."""
    found = set()
    for path in (ROOT / "tools" / tool).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in getattr(node, "names", ())]
            module = getattr(node, "module", None) or ""
            words = {*names, module, *(f"{module}.{name}" for name in names)}
            found |= {w.split(".")[1] for w in words if w.startswith("tools.")}
    return (found & {*tools.ALL}) - {tool}


@pytest.mark.parametrize("tool", tools.ALL)
def test_a_tool_imports_no_other_tool(tool: str) -> None:
    """Parts that two of them need stand beside their folders."""
    assert others(tool) == set()


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


def listed(text: str) -> list[int]:
    """The lines of lists, tuples and sets of names of tools, and of nothing else."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.List | ast.Tuple | ast.Set)
        and len(node.elts) > 1
        and all(isinstance(e, ast.Constant) and e.value in tools.ALL for e in node.elts)
    ]


def test_a_list_of_names_is_found() -> None:
    assert listed('x = {"ab", "curl"}') == listed('x = ["ab", "curl"]') == [1]
    assert not listed('x = {"ab": 1, "curl": 2}, ["ab"], ["ab", "nginx"]')


def test_nothing_outside_of_tools_lists_the_names_of_tools() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for folder in PRODUCT
        if folder != "tools"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (lines := listed(path.read_text(encoding="utf-8")))
    }
    assert not found


def copy_of_product(code: Path) -> None:
    for folder in PRODUCT:
        hidden = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, code / folder, ignore=hidden)


def mpbench(code: Path, work: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """A command of the product in `code`."""
    return subprocess.run(
        [sys.executable, "-P", "-c", COMMAND, str(code), *words],
        cwd=work,
        env={**os.environ, "PYTHONPATH": str(code)},
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_no_test_file_needs_a_tool_to_be_collected() -> None:
    """So a tool can be deleted: its tests are left out, and no other file breaks."""
    argv = [sys.executable, "-c", COLLECTION]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:]
    assert "tests/tools/test_registry.py" in done.stdout
    assert "tests/tools/iperf3/" not in done.stdout


@pytest.mark.slow
def test_a_tool_is_added_with_its_folder_and_one_line(tmp_path: Path) -> None:
    """pingpong under another name gives the same numbers, and repetitions of it are
    known to be the same too."""
    code, work = tmp_path / "code", tmp_path / "work"
    work.mkdir()
    copy_of_product(code)
    shutil.copytree(code / "tools/pingpong", code / "tools/chatter")
    for path in sorted((code / "tools/chatter").rglob("*.py")):
        path.write_text(path.read_text().replace("pingpong", "chatter"))
    program = code / "tools/chatter/programs"
    (program / "pingpong.py").rename(program / "chatter.py")
    registry = code / "tools/__init__.py"
    registry.write_text(
        registry.read_text().replace('"sync",\n', '"sync", "chatter",\n')
    )
    found = {}
    for tool in ("pingpong", "chatter"):
        entry = ENTRIES["pingpong"].replace("tool: pingpong", f"tool: {tool}")
        more = f"metrics: [pingpong_1.{tool}.p95_ms]\nrepetitions: 2\n"
        (work / f"{tool}.yaml").write_text(HEAD + entry + more)
        plan = mpbench(code, work, "plan", f"{tool}.yaml")
        assert "Nothing in these runs draws from the seed" in plan.stdout, plan.stderr
        results = str(work / tool)
        run = ("run", f"{tool}.yaml", "--backend", "fake", "--out", results)
        done = mpbench(code, work, *run)
        assert done.returncode == 0, done.stderr
        rows = [json.loads(p.read_text()) for p in (work / tool).rglob("row.json")]
        assert [row["verdict"] for row in rows] == ["ok", "ok"]
        found[tool] = [row[f"pingpong_1.{tool}.p95_ms"] for row in rows]
    assert found["chatter"] == found["pingpong"]


@pytest.mark.slow
@pytest.mark.parametrize("tool", tools.NAMES)
def test_a_tool_is_deleted_with_its_folder_and_one_line(
    tmp_path: Path, tool: str
) -> None:
    """Files, plans, runs and rows of all other tools are as before."""
    code, work = tmp_path / "code", tmp_path / "work"
    work.mkdir()
    copy_of_product(code)
    shutil.rmtree(code / "tools" / tool)
    registry = code / "tools/__init__.py"
    text = registry.read_text()
    assert text.count(f'    "{tool}",\n') == 1
    registry.write_text(text.replace(f'    "{tool}",\n', ""))
    others = [entry for name, entry in ENTRIES.items() if name != tool]
    (work / "one.yaml").write_text(HEAD + "".join(others))
    (work / "gone.yaml").write_text(HEAD + ENTRIES[tool])
    done = mpbench(code, work, "run", "one.yaml", "--backend", "fake")
    assert done.returncode == 0, done.stderr
    row = json.loads(next((work / "results/one/runs").glob("*/row.json")).read_text())
    assert (row["verdict"], row["reason"]) == ("ok", "")
    refused = mpbench(code, work, "plan", "gone.yaml")
    assert refused.returncode == 2
    assert f"unknown tool '{tool}'" in refused.stderr
    assert "Traceback" not in refused.stderr
