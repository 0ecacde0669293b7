"""Lines of a target that each test reaches, so that a mutant is tried with those tests.

Lines that Python executes while it imports a module belong to every test.
"""

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

Reached = Mapping[tuple[str, int], frozenset[str]]
"""File and line to the tests that execute the line."""


class Recorder:
    """A plug-in of pytest that records the lines of some files."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = {str(path) for path in files}
        self.tests: dict[tuple[str, int], set[str]] = {}
        self.now = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.now = item.nodeid
        result = yield
        self.now = ""
        return result

    def start(self) -> None:
        threading.settrace(self._enters)
        sys.settrace(self._enters)

    def _enters(
        self, frame: FrameType, event: str, value: object
    ) -> Callable[..., Any] | None:
        return self._line if frame.f_code.co_filename in self.files else None

    def _line(
        self, frame: FrameType, event: str, value: object
    ) -> Callable[..., Any] | None:
        place = frame.f_code.co_filename, frame.f_lineno
        self.tests.setdefault(place, set()).add(self.now)
        return self._line

    def save(self, path: Path) -> None:
        sys.settrace(None)
        rows = [[*place, sorted(tests)] for place, tests in self.tests.items()]
        path.write_text(json.dumps(rows), encoding="utf-8")


def load(path: Path) -> Reached:
    """The inverse of `Recorder.save`, without the lines that belong to every test."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {(file, line): frozenset(tests) for file, line, tests in rows if all(tests)}


class Chosen:
    """A plug-in of pytest that runs some tests only."""

    def __init__(self, tests: frozenset[str]) -> None:
        self.tests = tests

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        items[:] = [item for item in items if item.nodeid in self.tests]
