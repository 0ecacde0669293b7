"""Markers and fixtures for all tests."""

from collections import Counter
from pathlib import Path

import pytest

from tests.calls import Command

HERE = Path(__file__).parent
GUEST_HELPERS = "tests.virtual.lab"
MARKERS = {
    "guest": "boot a guest",
    "browser": "drive a browser",
    "slow": "are slow",
}
SLOW_FILES = frozenset(
    {
        "analysis/models/test_lia.py",
        "analysis/test_figure_kinds.py",
        "analysis/test_over_time.py",
        "analysis/test_page.py",
        "analysis/test_report_folders.py",
        "analysis/test_matrix.py",
        "analysis/test_reproduction.py",
        "capture/test_many.py",
        "cluster/test_slurm.py",
        "cluster/test_workers.py",
        "capture/test_plots.py",
        "commands/test_compare.py",
        "commands/test_sensitivity.py",
        "dashboard/test_live.py",
        "engine/test_failures.py",
        "hostile/test_fuzz_results.py",
        "hostile/test_plugins.py",
        "hostile/test_results_folders.py",
        "hostile/test_system_calls.py",
        "image/test_build.py",
        "kernel/test_build.py",
        "kernel/test_launcher.py",
        "packing/test_imports.py",
        "plugins/test_command.py",
        "plugins/test_plugins.py",
        "spec/test_experiments.py",
        "spec/test_fuzz.py",
        "test_bad_input.py",
        "test_docs_pages.py",
        "wsp/test_designs.py",
    }
)
"""Files whose tests together take four seconds or more; `make unit` leaves them out so
that it takes less than two minutes."""
TOGETHER = frozenset({"dashboard", "native"})
"""Folders of tests that share what takes long to make: a guest, a browser."""
LEFT_OUT = pytest.StashKey[Counter[str]]()


def group(path: Path) -> str:
    """Tests of one group run in one process: those of a file, or of a folder that
    shares fixtures."""
    inside = path.relative_to(HERE.parent)
    folder = inside.parts[1] if len(inside.parts) > 2 else ""
    return folder if folder in TOGETHER else inside.as_posix()


def boots_a_guest(item: pytest.Item) -> bool:
    """Whether a test lies in tests/virtual or its module uses the lab from there."""
    if HERE / "virtual" in item.path.parents:
        return True
    names = vars(getattr(item, "module", None) or object).values()
    return any(getattr(name, "__module__", "") == GUEST_HELPERS for name in names)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group(item.path)))
        if item.path.relative_to(HERE.parent).as_posix().removeprefix("tests/") in (
            SLOW_FILES
        ):
            item.add_marker("slow")
        if boots_a_guest(item):
            item.add_marker("guest")
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        counts = item.config.stash.setdefault(LEFT_OUT, Counter())
        kinds = [name for name in MARKERS if item.get_closest_marker(name)]
        counts[kinds[0] if kinds else "others"] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests were left out, and how to run them."""
    counts = terminalreporter.config.stash.get(LEFT_OUT, Counter())
    parts = [f"{counts[name]} that {words}" for name, words in MARKERS.items()]
    if any(counts[name] for name in MARKERS):
        text = ", ".join(part for part in parts if not part.startswith("0 "))
        terminalreporter.line(f"left out: tests {text}; make test runs them")


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    return Command(monkeypatch, capsys)
