"""curl, ab and nginx by the native backend: on a real kernel, in real time."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.native.conftest import boot

pytestmark = pytest.mark.timeout(600)
CASES = ("mptcp", "tcp1")
ALL_MBPS = {"mptcp": 15.0, "tcp1": 10.0}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("native-web")
    console = boot(folder, [sys.executable, "-m", "tests.native.web_inside"], 500)
    result = folder / "said.json"
    assert result.exists(), console[-4000:]
    return dict(json.loads(Path(result).read_text()))


@pytest.mark.parametrize("tool", ["curl", "cut", "ab", "kept"])
def test_valid_rows(web: dict[str, Any], tool: str) -> None:
    found = web[tool]
    assert found["status"] == 0, found["said"]
    assert set(found["rows"]) == set(CASES)
    for case, row in found["rows"].items():
        assert (row["verdict"], row["reason"]) == ("ok", "")
        # Real time: a busy machine gives less, none gives more than the links.
        assert 0.5 < row["goodput_mbps"] < ALL_MBPS[case]


def test_a_download_ends_and_one_breaks_off(web: dict[str, Any]) -> None:
    for case in CASES:
        whole, cut = (web[tool]["rows"][case] for tool in ("curl", "cut"))
        assert not whole["timed_out"] and whole["received_bytes"] == 2_000_000
        # Whole frames of 1514 bytes carry at most 1448 of payload.
        least_s = 2e6 * 8 / (ALL_MBPS[case] * 1e6) * 1514 / 1448
        assert least_s < whole["completion_time_s"] < 25
        assert cut["timed_out"] and cut.get("completion_time_s") is None
        assert 0 < cut["received_bytes"] < 100e6


def test_requests_are_counted(web: dict[str, Any]) -> None:
    for case in CASES:
        assert web["ab"]["rows"][case]["requests"] == 8
        kept = web["kept"]["rows"][case]
        assert kept["requests"] > 5
        # Two paths of 10 ms each way: a request takes at least a round trip.
        assert kept["request_time_p50_ms"] > 20


def test_mptcp_at_both_ends(web: dict[str, Any]) -> None:
    connections = {
        tool: web[tool]["rows"]["mptcp"]["connections"] for tool in ("curl", "ab")
    }
    assert connections == {"curl": 1, "ab": 8}
    assert web["curl"]["rows"]["mptcp"]["joined_subflows"] >= 1
    assert web["curl"]["rows"]["mptcp"]["path2.share"] > 0.02
    assert web["curl"]["rows"]["tcp1"]["path2.share"] == 0
