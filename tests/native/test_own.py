"""Users' programs and plug-ins by the native backend, in real time."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.native.conftest import assert_sound, boot

pytestmark = [pytest.mark.guest, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("native-own")
    console = boot(folder, [sys.executable, "-m", "tests.native.own_inside"], 500)
    result = folder / "said.json"
    assert result.exists(), console[-4000:]
    return dict(json.loads(Path(result).read_text()))


@pytest.mark.parametrize("name", ["program", "plugins"])
def test_only_with_consent(own: dict[str, Any], name: str) -> None:
    found = own[name]
    assert found["rows"], found["said"]
    assert_sound(found["rows"].values(), found["status"])
    if name == "program":
        assert "would run on this machine as root" in found["refused"]


def test_numbers_of_a_program(own: dict[str, Any]) -> None:
    row = own["program"]["rows"]["reno"]
    # Two ways of 25 ms, and up to 100 ms in the queue that the bulk transfer fills.
    assert 50 <= row["ping.command.time_ms"] < 400
    assert row["bulk.goodput_mbps"] > 2


def test_numbers_of_plugins(own: dict[str, Any]) -> None:
    row = own["plugins"]["rows"]["lia"]
    assert 40 <= row["echo.median_ms"] < 200
    assert row["spread.sent_packets"] > 0
