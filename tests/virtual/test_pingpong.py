"""Requests and answers in guests, with times that are known on paper."""

from pathlib import Path
from typing import Any

import pytest

from .test_topologies import measured

NETWORK = {
    f"path{n}.{name}": value
    for n in (1, 2)
    for name, value in (("capacity", "20 Mbit/s"), ("delay", "10 ms"))
}
TCP = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}
MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}


def exchanged(folder: Path, case: dict[str, Any], **keys: Any) -> dict[str, Any]:
    entry = {"tool": "pingpong", "from": "client", "to": "server", **keys}
    return measured(
        folder,
        topology="two_path",
        parameters=NETWORK,
        cases={"only": case},
        traffic=[entry],
    )


@pytest.mark.parametrize("case", [TCP, MPTCP], ids=["tcp", "mptcp"])
def test_a_small_exchange_takes_a_round_trip(
    tmp_path: Path, case: dict[str, Any]
) -> None:
    """Two delays of 10 ms. The token bucket lets a small packet pass at once.

    The hour in which the client thinks has 59 probes of the keepalive.
    """
    found = exchanged(
        tmp_path, case, size="50 B", number=2, think="1 h", keepalive="60 s"
    )
    assert found["pingpong.exchanges"] == 2
    assert found["pingpong.median_ms"] == pytest.approx(20, abs=0.01)
    assert found["pingpong.p99_ms"] == pytest.approx(20, abs=0.01)
    assert found["connected_s"] == pytest.approx(0.02, abs=1e-4)
    assert (found["ended"], found["protocol_at_end"]) == ("complete", case["protocol"])
    assert found["ended_s"] == pytest.approx(3600, abs=1)
    assert found["connections"] == (case is MPTCP)


@pytest.mark.parametrize(
    ("nodelay", "least_ms", "most_ms"), [(False, 79.99, 90.01), (True, 20.0, 20.01)]
)
def test_nagle_holds_the_second_part_of_a_request(
    tmp_path: Path, nodelay: bool, least_ms: float, most_ms: float
) -> None:
    """The first part takes 10 ms. The server acknowledges it after 40 ms, which its
    kernel counts in ticks of 10 ms, so that they are up to 50 ms. The acknowledgement,
    the second part and the answer take 10 ms each."""
    found = exchanged(
        tmp_path, TCP, size=["50 B", "50 B"], writes=2, number=100, nodelay=nodelay
    )
    assert found["pingpong.exchanges"] == 100
    assert least_ms <= found["pingpong.median_ms"] <= most_ms
