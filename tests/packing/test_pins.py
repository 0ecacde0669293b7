"""constraints.txt has every package that mpbench needs."""

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
