"""Markers and fixtures for all tests."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.calls import Command

HERE = Path(__file__).parent
GUEST_HELPERS = "tests.virtual.lab"
MARKERS = {
    "guest": "boot a guest",
    "browser": "drive a browser",
    "slow": "are slow",
}
TOGETHER = frozenset({"dashboard", "native"})
"""Folders of tests that share what takes long to make: a guest, a browser."""
LEFT_OUT = pytest.StashKey[Counter[str]]()


def group(path: Path) -> str:
    """Tests of one group run in one process: those of a file, or of a folder that
    shares fixtures."""
    inside = path.relative_to(HERE.parent)
    folder = inside.parts[1] if len(inside.parts) > 2 else ""
    return folder if folder in TOGETHER else inside.as_posix()


class ByGroup(LoadScopeScheduling):  # type: ignore[misc]
    """Tests of a group in one process, which makes what they share once.

    xdist's own groups need names of tests that it can change, and pytest 9 has none.
    """

    def _split_scope(self, nodeid: str) -> str:
        return group(HERE.parent / nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByGroup:
    return ByGroup(config, log)


def boots_a_guest(item: pytest.Item) -> bool:
    """Whether a test lies in tests/virtual or its module uses the lab from there."""
    if HERE / "virtual" in item.path.parents:
        return True
    names = vars(getattr(item, "module", None) or object).values()
    return any(getattr(name, "__module__", "") == GUEST_HELPERS for name in names)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if boots_a_guest(item):
            item.add_marker("guest")
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        counts = item.config.stash.setdefault(LEFT_OUT, Counter())
        kinds = [name for name in MARKERS if item.get_closest_marker(name)]
        counts[kinds[0] if kinds else "others"] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that started this one what was left out, if there is one."""
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        counts = session.config.stash.get(LEFT_OUT, None)
        output["left_out"] = dict(counts or {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Every process collects all tests, so each tells the same counts."""
    counts = getattr(node, "workeroutput", {}).get("left_out")
    if counts is not None:
        node.config.stash[LEFT_OUT] = Counter(counts)


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
