"""For all tests."""

import pytest

from tests.calls import Command


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    return Command(monkeypatch, capsys)
