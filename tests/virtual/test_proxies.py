"""Proxies between the ends of a transfer, in a guest."""

from pathlib import Path

from analysis.run.row import row
from mpbench.backends.base import Bounds
from tests.spec.test_via import ENTRY, NETWORK

from .lab import Lab, job_of

MPTCP = {"protocol": "mptcp", "congestion_control": "cubic"}


def test_two_proxies_join_two_lines_for_ends_without_mptcp(tmp_path: Path) -> None:
    job = job_of(
        tmp_path,
        network=NETWORK,
        hosts={"laptop": {"mptcp": False}, "server": {"mptcp": False}},
        cases={"only": MPTCP},
        traffic=[{**ENTRY, "via": ["router", "vps"], "duration": "3 s"}],
    )
    bounds = Bounds(job["time_limit_s"], wall_s=120.0, silence_s=60.0)
    ended, artefacts = Lab(tmp_path).execute(job, bounds)
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    # The lines have 16 and 20 Mbit/s: neither alone carries as much.
    assert found["goodput_mbps"] > 24
    assert found["protocol_at_end"] == found["vps.protocol_at_end"] == "tcp"
    assert found["router.protocol_at_end"] == "mptcp"
    assert found["router.subflows_joined"] == 2
    passed = [found[f"{host}.proxy.up_bytes"] for host in ("router", "vps")]
    assert passed[0] >= passed[1] >= found["received_bytes"]
