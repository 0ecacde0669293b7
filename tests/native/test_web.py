"""curl, ab and nginx by the native backend: on a real kernel, in real time."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.native.conftest import assert_sound, boot

pytestmark = pytest.mark.timeout(600)

pytestmark = pytest.mark.guest

CASES = ("mptcp", "tcp1")
ALL_MBPS = {"mptcp": 15.0, "tcp1": 10.0}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("native-web")
    console = boot(folder, [sys.executable, "-m", "tests.native.web_inside"], 500)
    result = folder / "said.json"
    assert result.exists(), console[-4000:]
    return dict(json.loads(Path(result).read_text()))


@pytest.mark.parametrize("tool", ["curl", "ab"])
def test_valid_rows(web: dict[str, Any], tool: str) -> None:
    found = web[tool]
    assert set(found["rows"]) == set(CASES), found["said"]
    assert_sound(found["rows"].values(), found["status"])
    for case, row in found["rows"].items():
        # Real time: a busy machine gives less, none gives more than the links.
        assert 0.5 < row["goodput_mbps"] < ALL_MBPS[case]


def test_downloads_end(web: dict[str, Any]) -> None:
    for case in CASES:
        row = web["curl"]["rows"][case]
        assert not row["timed_out"] and row["received_bytes"] == 2_000_000
        # Whole frames of 1514 bytes carry at most 1448 of payload.
        least_s = 2e6 * 8 / (ALL_MBPS[case] * 1e6) * 1514 / 1448
        assert least_s < row["completion_time_s"] < 25


def test_requests_are_answered(web: dict[str, Any]) -> None:
    for case in CASES:
        row = web["ab"]["rows"][case]
        assert row["requests"] == 60
        # Two round trips of 20 ms at least, three requests at a time.
        assert 5 < row["requests_per_s"] < 3 / 0.040
        assert row["request_time_p50_ms"] > 40


def test_mptcp_at_both_ends(web: dict[str, Any]) -> None:
    rows = web["curl"]["rows"]
    assert rows["mptcp"]["connections"] == 1
    assert rows["mptcp"]["joined_subflows"] >= 1
    assert rows["mptcp"]["path2.share"] > 0.02
    assert rows["tcp1"]["connections"] == 0 and rows["tcp1"]["path2.share"] == 0
