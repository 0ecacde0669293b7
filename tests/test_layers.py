"""Imports run down the layers that docs/architecture.md states, and in no circle."""

from functools import cache
from graphlib import TopologicalSorter

import pytest

from tests.layers import ALL, PAGE, PRODUCT, imports, modules, stated, unit

LAYERS = stated(PAGE.read_text(encoding="utf-8"))
KNOWN = modules(ALL)
ALONE = {
    "analysis": {"mpbench", "topologies", "wsp"},
    "jobs": {"mpbench", "analysis", "wsp"},
    "topologies": {"mpbench", "analysis", "wsp", "jobs"},
    "wsp": {"mpbench", "analysis", "topologies", "jobs"},
}


@cache
def imported() -> dict[str, list[tuple[str, int]]]:
    """Imports of each file, with their lines."""
    return {
        name: list(imports(name, path.read_text(encoding="utf-8"), KNOWN))
        for name, path in KNOWN.items()
    }


@cache
def package(module: str) -> str:
    return unit(module, LAYERS)


def rising(name: str, found: list[tuple[str, int]]) -> list[str]:
    """The imports from a layer to the same or a higher one, but within a package."""
    own = package(name)
    return [
        f"{name}:{line}: {own} imports {other}"
        for other, line in found
        if package(other) != own and LAYERS[package(other)] <= LAYERS[own]
    ]


def of_product(module: str) -> bool:
    return module.split(".")[0] in PRODUCT


def test_imports_run_down() -> None:
    faults = [
        fault
        for name, found in imported().items()
        if of_product(name)
        for fault in rising(name, found)
    ]
    assert faults == []


def test_the_table_names_what_is_there() -> None:
    assert {package(name) for name in KNOWN if of_product(name)} == LAYERS.keys()


@pytest.mark.parametrize(
    "text",
    [
        "from mpbench.engine import pool",
        "def f():\n    from mpbench.engine import pool",
        "if TYPE_CHECKING:\n    import mpbench.engine.pool",
        "import_module('mpbench.engine.pool')",
        "from ..engine import pool",
    ],
)
def test_an_import_that_runs_up_is_found_wherever_it_stands(text: str) -> None:
    name = "mpbench.spec.design"
    (fault,) = rising(name, list(imports(name, text, KNOWN)))
    assert "mpbench.spec imports mpbench.engine.pool" in fault


@pytest.mark.parametrize("folder", ALONE)
def test_libraries_import_nothing_of_mpbench(folder: str) -> None:
    for name, found in imported().items():
        if name.split(".")[0] == folder:
            assert not {other.split(".")[0] for other, _ in found} & ALONE[folder], name


def test_no_circle_of_files() -> None:
    """A package's `__init__` counts where a statement names it, not as a parent."""
    graph = {name: {other for other, _ in found} for name, found in imported().items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the files
