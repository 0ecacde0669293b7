"""The load of pages in guests, with times that are known on paper."""

from pathlib import Path
from typing import Any

import pytest

from .test_topologies import measured

MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}
SMALL = {"size": "1 kB"}


def loaded(
    folder: Path, case: dict[str, Any], objects: list[Any], **keys: Any
) -> dict[str, Any]:
    entry = {"tool": "page", "from": "client", "to": "server", "objects": objects}
    network = {
        f"path{n}.{name}": value
        for n, delay in ((1, "10 ms"), (2, "25 ms"))
        for name, value in (("capacity", "10 Mbit/s"), ("delay", delay))
    }
    return measured(
        folder,
        topology="two_path",
        parameters=network,
        cases={"only": case},
        traffic=[{**entry, **keys}],
    )


@pytest.mark.parametrize(
    ("case", "rtt_s"),
    [
        ({"protocol": "tcp", "congestion_control": "cubic", "path": 1}, 0.02),
        ({"protocol": "tcp", "congestion_control": "cubic", "path": 2}, 0.05),
        (MPTCP, 0.02),
    ],
    ids=["path1", "path2", "mptcp"],
)
def test_an_object_of_an_initial_window(
    tmp_path: Path, case: dict[str, Any], rtt_s: float
) -> None:
    """A round trip to connect, one for the request, and the time to send 13,000 bytes
    in 10 packets; of these, the token bucket lets two pass at once."""
    found = loaded(tmp_path, case, [{"size": "13 kB"}])
    assert found["page.first_byte_s"] == pytest.approx(2 * rtt_s, abs=1e-4)
    sent_s = (13_000 + 10 * 66) * 8 / 10e6
    assert found["page.load_time_s"] == pytest.approx(2 * rtt_s + sent_s, abs=2.5e-3)
    assert (found["connected"], found["ended"]) == (1, "complete")


def test_a_chain_takes_a_round_trip_for_each_object(tmp_path: Path) -> None:
    """One to connect, and one for each of three objects on the same connection, of
    which one waits for 100 ms before."""
    chain = [
        {**SMALL, "name": "a"},
        {**SMALL, "name": "b", "wait": "100 ms"},
        {**SMALL, "after": "b"},
    ]
    found = loaded(tmp_path, MPTCP, chain)
    assert found["page.load_time_s"] == pytest.approx(4 * 0.02 + 0.1, abs=1e-3)
    assert found["page.connections"] == 1


@pytest.mark.parametrize(("most", "trips"), [(1, 9), (7, 4)])
def test_more_connections_save_round_trips(
    tmp_path: Path, most: int, trips: int
) -> None:
    """Seven objects behind the first: one after another, or with six connections more,
    each of which takes a round trip to connect."""
    found = loaded(tmp_path, MPTCP, [SMALL] * 8, connections=most)
    sent_s = 7 * 1200 * 8 / 10e6 if most > 1 else 0
    assert trips * 0.02 <= found["page.load_time_s"] <= trips * 0.02 + sent_s + 1e-3
    assert found["page.connections"] == most
