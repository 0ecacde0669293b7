"""Schedulers, path managers and wVegas on two paths: what each is for."""

from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from tests.virtual.lab import MPTCP, Lab, make_job

UNEQUAL = {
    **{"path1.capacity": "12 Mbit/s", "path1.delay": "5 ms"},
    **{"path2.capacity": "4 Mbit/s", "path2.delay": "20 ms"},
    **{"path1.queueing_delay": "50 ms", "path2.queueing_delay": "50 ms"},
}
BLOCKING = {
    **{"path1.capacity": "8 Mbit/s", "path1.delay": "10 ms"},
    **{"path2.capacity": "2 Mbit/s", "path2.delay": "75 ms"},
    **{"path1.queueing_delay": "80 ms", "path2.queueing_delay": "2 s"},
}
"""The slow path, with its long queue, holds up what a small receive window admits."""
SMALL = {"net.ipv4.tcp_rmem": "4096 131072 262144"}
PAYLOAD = 1428 / 1514
"""Of a full packet, that of MPTCP."""


def measured(
    folder: Path, parameters: dict[str, Any] = UNEQUAL, **case: Any
) -> dict[str, Any]:
    """The row of a run of 10 s; its verdict says that subflows and paths are right."""
    job = make_job(folder, {**MPTCP, **case}, "10 s", parameters=parameters)
    lab = Lab(folder / "lab")
    ended, artefacts = lab.execute(job)
    assert ended.status == "finished", ended.reason
    found = dict(row(artefacts.parent))
    assert found["verdict"] == "ok", found["reason"]
    return found


@pytest.mark.parametrize(
    "scheduler",
    [
        *("lowrtt", "paced", "roundrobin", {"name": "roundrobin", "segments": 30}),
        *("blest", "ecf", "weighted", "otias", "stms", "daps"),
    ],
    ids=str,
)
def test_both_paths_are_filled(tmp_path: Path, scheduler: Any) -> None:
    found = measured(tmp_path, scheduler=scheduler)
    assert found["goodput_mbps"] == pytest.approx(16 * PAYLOAD, rel=0.06)
    assert found["path1.share"] == pytest.approx(0.75, abs=0.04)


def test_redundant_sends_all_on_the_better_path_and_what_fits_on_the_other(
    tmp_path: Path,
) -> None:
    found = measured(tmp_path, scheduler="redundant")
    assert found["goodput_mbps"] == pytest.approx(12 * PAYLOAD, rel=0.06)
    assert found["path2.bytes"] > 0.9 * 10 * 4e6 / 8 * PAYLOAD


def test_ndiffports_opens_all_its_subflows_on_one_path(tmp_path: Path) -> None:
    manager = {"name": "ndiffports", "subflows": 4}
    found = measured(tmp_path, path_manager=manager)
    assert found["joined_subflows"] == 3 * found["connections"]
    assert found["path2.bytes"] < 10_000
    assert found["goodput_mbps"] == pytest.approx(12 * PAYLOAD, rel=0.06)


def test_wvegas_fills_both_paths_without_a_loss(tmp_path: Path) -> None:
    found = measured(tmp_path, congestion_control="wvegas")
    assert found["goodput_mbps"] > 0.93 * 16 * PAYLOAD
    assert found["retransmissions"] == 0


def test_reinjection_when_a_slow_path_holds_the_window_up(tmp_path: Path) -> None:
    parameters, buffer = BLOCKING, SMALL
    helped = {"name": "lowrtt", "reinject": True, "penalise": True}
    plain = measured(tmp_path, parameters, sysctls=buffer)
    (tmp_path / "helped").mkdir()
    better = measured(tmp_path / "helped", parameters, sysctls=buffer, scheduler=helped)
    assert plain["reinjections"] == 0 < better["reinjections"]
    assert better["goodput_mbps"] > 1.5 * plain["goodput_mbps"]
    # The slow path, which is never full, stays in slow start: spared there, it is
    # soon back, and in the way again.
    (tmp_path / "spared").mkdir()
    spared = measured(
        tmp_path / "spared",
        parameters,
        sysctls=buffer,
        scheduler={**helped, "spare_slow_start": True},
    )
    assert spared["goodput_mbps"] < 0.8 * better["goodput_mbps"]
    # MPTCP 0.91 spares it too, but takes its window as often as the fast path waits.
    (tmp_path / "released").mkdir()
    released = measured(
        tmp_path / "released",
        parameters,
        sysctls=buffer,
        scheduler={**helped, "rule": "mptcp-0.91"},
    )
    assert released["goodput_mbps"] > 1.3 * spared["goodput_mbps"]


def test_a_path_that_the_scheduler_keeps_free_is_no_fault(tmp_path: Path) -> None:
    """A receive window that the fast path holds by itself, and its queue too."""
    parameters = {
        **{"path1.capacity": "8 Mbit/s", "path1.delay": "10 ms"},
        **{"path2.capacity": "8 Mbit/s", "path2.delay": "150 ms"},
    }
    buffer = {"net.ipv4.tcp_rmem": "4096 32768 65536"}
    found = measured(tmp_path, parameters, sysctls=buffer)
    assert found["path2.bytes"] < 10_000
    assert found["joined_subflows"] == found["connections"]


def test_blest_does_not_let_a_slow_path_block_the_window(tmp_path: Path) -> None:
    """The claim of its paper: no less than TCP on the better path."""
    found = {}
    for scheduler in ("default", "lowrtt", "blest"):
        (tmp_path / scheduler).mkdir()
        found[scheduler] = measured(
            tmp_path / scheduler, BLOCKING, sysctls=SMALL, scheduler=scheduler
        )
    assert found["blest"]["goodput_mbps"] > 0.95 * 8 * PAYLOAD
    for other in ("default", "lowrtt"):
        assert found[other]["goodput_mbps"] < 0.6 * found["blest"]["goodput_mbps"]
    assert found["blest"]["path1.share"] > 0.9


def test_ecf_completes_a_download_earlier_on_unequal_paths(tmp_path: Path) -> None:
    """256 kB over 0.3 and 8.6 Mbit/s, the most unequal pair of the paper."""
    parameters = {
        **{"path1.capacity": "0.3 Mbit/s", "path1.delay": "10 ms"},
        **{"path2.capacity": "8.6 Mbit/s", "path2.delay": "20 ms"},
        **{"path1.queueing_delay": "1 s", "path2.queueing_delay": "200 ms"},
    }
    took = {}
    for scheduler in ("default", "lowrtt", "ecf"):
        (tmp_path / scheduler).mkdir()
        case = {**MPTCP, "congestion_control": "cubic", "scheduler": scheduler}
        download: dict[str, Any] = {"tool": "curl", "size": "256 kB"}
        job = make_job(
            tmp_path / scheduler, case, None, parameters=parameters, **download
        )
        ended, artefacts = Lab(tmp_path / scheduler / "lab").execute(job)
        assert ended.status == "finished", ended.reason
        took[scheduler] = dict(row(artefacts.parent))["completion_time_s"]
    assert took["ecf"] < 0.6 * took["lowrtt"] < 0.6 * took["default"]


EQUAL = {f"path{n}.capacity": "10 Mbit/s" for n in (1, 2)}


def test_strict_weights_are_the_shares(tmp_path: Path) -> None:
    """Three to one: path 1 is full, and path 2 carries a third of that."""
    scheduler = {"name": "weighted", "weight1": 3, "strict": True}
    found = measured(tmp_path, EQUAL, scheduler=scheduler)
    assert found["path1.share"] == pytest.approx(0.75, abs=0.005)
    assert found["goodput_mbps"] == pytest.approx(10 / 0.75 * PAYLOAD, rel=0.06)


def test_the_tail_is_sent_again_on_the_idle_path(tmp_path: Path) -> None:
    """The kernel's scheduler leaves 64 KiB in the queue of a path of 0.3 Mbit/s."""
    parameters = {
        **{"path1.capacity": "0.3 Mbit/s", "path1.delay": "10 ms"},
        **{"path2.capacity": "8.6 Mbit/s", "path2.delay": "20 ms"},
        **{"path1.queueing_delay": "1 s", "path2.queueing_delay": "200 ms"},
    }
    found = {}
    for tail in (False, True):
        folder = tmp_path / str(tail)
        folder.mkdir()
        scheduler = {"name": "default", "tail": tail}
        case = {**MPTCP, "congestion_control": "cubic", "scheduler": scheduler}
        download: dict[str, Any] = {"tool": "curl", "size": "256 kB"}
        job = make_job(folder, case, None, parameters=parameters, **download)
        ended, artefacts = Lab(folder / "lab").execute(job)
        assert ended.status == "finished", ended.reason
        found[tail] = dict(row(artefacts.parent))
    assert found[False]["reinjections"] == 0 < found[True]["reinjections"]
    took = {tail: one["completion_time_s"] for tail, one in found.items()}
    assert took[True] < 0.8 * took[False]
