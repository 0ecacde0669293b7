"""constraints.txt has every package that mpbench needs."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from packing import pins

ROOT = Path(__file__).parents[2]


def asked() -> Iterator[Requirement]:
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = about["optional-dependencies"].values()
    for line in [*about["dependencies"], *(line for lines in extras for line in lines)]:
        yield Requirement(line)


def test_every_requirement_is_pinned_and_fits() -> None:
    pinned = pins.read()
    for requirement in asked():
        version = pinned[pins.normal(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True), requirement


MODULES = {"google-re2": "re2", "markdown-it-py": "markdown_it", "PyYAML": "yaml"}
"""Modules whose package has another name."""
OF_GUESTS = ("mpbench/guest", "mpbench/backends/native_probe", "topologies/network.py")
"""Code that guests and native runs execute, with Debian's packages."""


def imported() -> set[str]:
    """The top names that the product's code imports on a user's machine."""
    found = set()
    for folder in ("analysis", "jobs", "mpbench", "tools", "topologies", "wsp"):
        for path in (ROOT / folder).rglob("*.py"):
            if str(path.relative_to(ROOT)).startswith(OF_GUESTS):
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    found |= {name.name.partition(".")[0] for name in node.names}
                elif isinstance(node, ast.ImportFrom):
                    found.add((node.module or "").partition(".")[0])
    return found


def test_a_user_installs_no_package_that_nothing_imports() -> None:
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [Requirement(line).name for line in about["dependencies"]]
    modules = {MODULES.get(name, name) for name in names}
    assert {"click", "numpy"} <= modules <= imported()


def test_the_makefile_uses_the_file() -> None:
    installs = re.findall(r"pip install .*", (ROOT / "Makefile").read_text())
    for line in installs:
        assert "-c constraints.txt" in line or "--dry-run" in line, line
    assert len(installs) == 4


def test_a_report_of_pip() -> None:
    names = [("Py_YAML", "6.0"), ("mpbench", "1"), ("click", "8.5.1")]
    report = {"install": [{"metadata": {"name": n, "version": v}} for n, v in names]}
    assert pins.text(report) == f"{pins.HEADER}click==8.5.1\npy-yaml==6.0\n"


def test_a_line_that_pins_nothing(tmp_path: Path) -> None:
    file = tmp_path / "constraints.txt"
    file.write_text("# comment\nclick>=8\n")
    with pytest.raises(ValueError, match=r"constraints.txt:2: expected NAME==VERSION"):
        pins.read(file)
