"""Syncs of files in guests, whose times are known on paper."""

from pathlib import Path
from typing import Any

import pytest

from .test_topologies import measured

TCP = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}
ROUND_S, MBPS = 0.04, 20.0
FRAME = 1514
PAYLOAD = 1448


def synced(folder: Path, **keys: Any) -> dict[str, Any]:
    entry = {"tool": "sync", "from": "client", "to": "server", **keys}
    network = {"path1.capacity": f"{MBPS} Mbit/s", "path1.delay": "20 ms"}
    return measured(
        folder,
        topology="two_path",
        parameters=network,
        cases={"only": TCP},
        traffic=[entry],
    )


@pytest.mark.parametrize("reverse", [False, True])
def test_small_files_cost_a_round_trip_each(tmp_path: Path, reverse: bool) -> None:
    """A file of ten packets takes a round trip, and the time to send them, of which the
    token bucket lets two pass at once. To connect costs one more round trip."""
    files = {"count": 20, "size": f"{10 * PAYLOAD - 9} B"}
    found = synced(tmp_path, files=files, reverse=reverse)
    one_s = ROUND_S + 8 * FRAME * 8 / (MBPS * 1e6)
    assert found["sync.file_median_s"] == pytest.approx(one_s, rel=0.002)
    assert found["sync.time_s"] == pytest.approx(ROUND_S + 20 * one_s, rel=0.005)


def test_files_ahead_fill_the_link(tmp_path: Path) -> None:
    """With all files under way, the round trips are those of the handshake, of slow
    start, and of the last answer; the rest is the bytes over the link's rate."""
    files = {"count": 500, "size": "14 kB"}
    found = synced(tmp_path, files=files, ahead=500)
    link_s = 500 * (14_000 + 9) * 8 / (MBPS * 1e6) * FRAME / PAYLOAD
    assert link_s + 2 * ROUND_S < found["sync.time_s"] < link_s + 6 * ROUND_S


def test_connections_share_the_files(tmp_path: Path) -> None:
    """Four connections have four files under way, which the link does not notice."""
    files = {"count": 20, "size": f"{10 * PAYLOAD - 9} B"}
    found = synced(tmp_path, files=files, connections=4)
    one_s = ROUND_S + 8 * FRAME * 8 / (MBPS * 1e6)
    at_once_s = ROUND_S + 40 * FRAME * 8 / (MBPS * 1e6)
    assert ROUND_S + 5 * one_s <= found["sync.time_s"] <= ROUND_S + 5 * at_once_s
    assert found["sync.connections"] == 4
