"""Queues on the host that sends, and tunnels, in guests."""

from pathlib import Path
from typing import Any

import pytest

from analysis.run.artefacts import load
from analysis.run.row import row

from .lab import Lab, job_of

TCP = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}


def executed(folder: Path, links: dict[str, Any]) -> Path:
    folder.mkdir()
    keys = [f"path1.{key}" for key in ("capacity", "delay", "queue")]
    job = job_of(
        folder,
        topology="two_path",
        cases={"only": TCP},
        parameters=dict(zip(keys, ("20 Mbit/s", "10 ms", 40), strict=True)),
        links={"path1": links},
        traffic=[
            {"tool": "iperf3", "from": "client", "to": "server", "duration": "10 s"}
        ],
        phases={"late": "5 s..10 s"},
    )
    ended, artefacts = Lab(folder).execute(job)
    assert ended.status == "finished", ended.reason
    return artefacts.parent


def test_a_full_queue_of_the_sender_makes_it_wait(tmp_path: Path) -> None:
    """Drops of a router are sent again, and refusals of the sender's queue are not."""
    sent_again, drops = [], []
    for shaper in ("router", "sender"):
        run = executed(tmp_path / shaper, {"shaper": {"up": shaper}})
        found = row(run)
        assert (found["verdict"], found["reason"]) == ("ok", "")
        assert found["goodput_mbps"] == pytest.approx(19, rel=0.05)
        sent_again.append(load(run).counters["client"].get("TcpRetransSegs"))
        drops.append(found["path1.queue_drops"])
    assert all(drops)
    assert sent_again[0] and not sent_again[1]


def test_a_tunnel_takes_its_bytes_of_each_packet(tmp_path: Path) -> None:
    """A path with 60 bytes more per packet has 1388 / 1514 of the capacity as data."""
    run = executed(tmp_path / "run", {"tunnel": "wireguard"})
    found = row(run)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    assert found["late.goodput_mbps"] == pytest.approx(20 * 1388 / 1514, rel=2e-3)
