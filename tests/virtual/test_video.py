"""Adaptive video in guests, with stalls and bitrates that are known on paper."""

from pathlib import Path
from typing import Any

import pytest

from .test_topologies import measured

CUBIC = {"protocol": "tcp", "congestion_control": "cubic"}
MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}
PAYLOAD = 1448 / 1514


def watched(folder: Path, case: dict[str, Any], **keys: Any) -> dict[str, Any]:
    entry = {"tool": "video", "from": "client", "to": "server", "chunk": "2 s"}
    network = {
        f"path{n}.{name}": value
        for n in (1, 2)
        for name, value in (("capacity", "2 Mbit/s"), ("delay", "10 ms"))
    }
    return measured(
        folder,
        topology="two_path",
        parameters=network,
        cases={"only": case},
        traffic=[{**entry, **keys}],
    )


@pytest.mark.parametrize("rule", ["buffer", "rate"])
@pytest.mark.parametrize(
    "case", [{**CUBIC, "path": 1}, {**CUBIC, "path": 2}, MPTCP], ids=["1", "2", "both"]
)
def test_below_the_rate_of_the_path_it_never_stalls(
    tmp_path: Path, case: dict[str, Any], rule: str
) -> None:
    """It takes the highest bitrate once the first chunks are there, and stays."""
    found = watched(
        tmp_path,
        case,
        bitrates=["0.2 Mbit/s", "1 Mbit/s"],
        duration="40 s",
        buffer="20 s",
        rule=rule,
    )
    assert (found["video.stalls"], found["video.stalled_s"]) == (0, 0)
    assert found["video.changes"] == 1
    assert found["video.bitrate_mbps"] >= (0.2 * 10 + 1 * 10) / 20
    # The first chunk of 50 kB takes 0.2 s on one path, and slow start.
    assert 0.12 <= found["video.startup_s"] <= 0.4
    # The player waits for its buffer, and plays the whole video.
    assert found["ended_s"] == pytest.approx(40 + found["video.startup_s"], abs=0.01)


def test_above_the_rate_of_the_path_it_stalls_by_the_difference(
    tmp_path: Path,
) -> None:
    """A chunk of 2 s at 3 Mbit/s takes 3.14 s over a link of 2 Mbit/s, and a round
    trip for the request. Each chunk but the first stalls for the time above 2 s."""
    found = watched(
        tmp_path, {**CUBIC, "path": 1}, bitrates="3 Mbit/s", duration="20 s"
    )
    chunk_s = 2 * 3 / (2 * PAYLOAD) + 0.02
    assert found["video.stalls"] == 9
    assert found["video.stalled_s"] == pytest.approx(9 * (chunk_s - 2), rel=0.03)
    assert found["video.startup_s"] == pytest.approx(chunk_s + 0.02, rel=0.05)
    assert found["video.chunk_median_s"] == pytest.approx(chunk_s, rel=0.01)
    assert (found["video.bitrate_mbps"], found["video.changes"]) == (3, 0)
