"""Goodput over links with packets of another size, in guests."""

from pathlib import Path

import pytest

from analysis.run.row import row

from .lab import Lab, job_of

CASES = {
    "tcp": {"protocol": "tcp", "congestion_control": "cubic", "path": 1},
    "mptcp": {"protocol": "mptcp", "congestion_control": "cubic"},
}
ETHERNET_BYTES, TIMESTAMPED_BYTES = 14, 52
LEAST = 0.97
"""Of the capacity that segments leave: slow start, and a few losses."""


@pytest.mark.parametrize(
    "case, mtus", [("tcp", (9000,)), ("tcp", (576,)), ("mptcp", (9000, 576))]
)
def test_a_link_carries_its_packets_near_capacity(
    tmp_path: Path, case: str, mtus: tuple[int, ...]
) -> None:
    names = [f"link{number}" for number, _ in enumerate(mtus, start=1)]
    job = job_of(
        tmp_path,
        network={
            "links": {
                name: {"capacity": "20 Mbit/s", "mtu": mtu}
                for name, mtu in zip(names, mtus, strict=True)
            },
            "users": {"u": names},
        },
        cases={"only": CASES[case]},
        traffic=[{"tool": "iperf3", "from": "u", "to": "server_u", "duration": "5 s"}],
    )
    ended, artefacts = Lab(tmp_path).execute(job)
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    most = sum(20 * (m - TIMESTAMPED_BYTES) / (m + ETHERNET_BYTES) for m in mtus)
    least = LEAST if case == "tcp" else 0.92  # MPTCP's options take 20 bytes of 576
    assert least * most < found["goodput_mbps"] <= most
