"""Rules for the imports of folders, and for the calls of the capture core's files."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCT = ("analysis", "jobs", "mpbench", "tools", "topologies", "wsp")
OUTSIDE = {"tests", "validation", "studies", "benchmarks", "packing", "docs"}
"""Folders that no part of the product needs."""
FORBIDDEN = {
    **dict.fromkeys(PRODUCT, OUTSIDE),
    "packing": OUTSIDE - {"packing"},
    "tests": OUTSIDE - {"tests", "packing"},
    "validation": {"studies", "benchmarks", "docs"},
    "studies": {"benchmarks", "docs"},
    "benchmarks": {"validation", "studies", "docs"},
    "docs": {"validation", "studies", "benchmarks"},
}


def imported(path: Path) -> set[str]:
    """The top-level packages that a file imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_no_import_cycle_between_folders(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    # Few files have a line that could be such an import, and parsing takes long.
    near = re.compile(rf"\b(import|from)\b.*\b({'|'.join(FORBIDDEN[folder])})\b")
    for path in files:
        if not near.search(path.read_text(encoding="utf-8")):
            continue
        wrong = imported(path) & FORBIDDEN[folder]
        assert not wrong, f"{path.relative_to(ROOT)} imports {', '.join(wrong)}"


def test_backends_know_nothing_of_the_engine() -> None:
    """The engine calls the backends; an import the other way would be a cycle."""
    for path in sorted((ROOT / "mpbench" / "backends").glob("*.py")):
        assert "mpbench.engine" not in path.read_text(encoding="utf-8"), path.name


def test_files_that_the_text_names_exist() -> None:
    """A name of a user's file, or one with NAME in it, is no file of the project."""
    place = re.compile(
        rf"\b(?:{'|'.join((*PRODUCT, *OUTSIDE))})/[\w./-]+\.(?:py|c|md)\b"
    )
    for folder in (*PRODUCT, "packing", "validation"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            named = set(place.findall(path.read_text(encoding="utf-8")))
            gone = {each for each in named if not (ROOT / each).exists()}
            gone = {each for each in gone if "NAME" not in each}
            assert not gone, f"{path.relative_to(ROOT)} names {', '.join(gone)}"


def test_files_of_the_capture_core_call_no_circles() -> None:
    core = ROOT / "analysis" / "capture" / "core"
    texts = {path.name: path.read_text(encoding="utf-8") for path in core.glob("*.c")}
    defined = {
        name: file
        for file, text in texts.items()
        for name in re.findall(r"^(?!static)[a-z][^\n=]*?\b(\w+)\(", text, re.M)
    }
    assert {"track_tcp", "find_direction", "add_data"} <= defined.keys()
    called = {
        file: {
            defined[name]
            for name in re.findall(r"\b(\w+)\(", text)
            if defined.get(name, file) != file
        }
        for file, text in texts.items()
    }
    TopologicalSorter(called).prepare()  # raises CycleError, which names the files


def test_tests_that_pages_name_are_there() -> None:
    """`pytest FILE -k WORD`: the file exists, and a test of it has the word."""
    named = re.compile(r"`pytest (tests/[\w/.]+)(?: -k (\w+))?`")
    pages = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    found = [
        (page.name, *each)
        for page in pages
        for each in named.findall(page.read_text(encoding="utf-8"))
    ]
    assert found
    for page, path, word in found:
        assert (ROOT / path).exists(), f"{page}: {path}"
        if word:
            text = (ROOT / path).read_text(encoding="utf-8")
            assert re.search(rf"def test_\w*{word}", text), f"{page}: {path} -k {word}"
