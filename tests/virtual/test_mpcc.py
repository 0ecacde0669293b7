"""MPCC in guests: rates, phases, short queues, and the same bytes twice."""

from pathlib import Path
from typing import Any

import pytest

from analysis.run.readers import trace
from analysis.run.row import row

from .lab import Lab, contents, job_of, make_job

PATHS: dict[str, Any] = {
    **{f"path{n}.capacity": "20 Mbit/s" for n in (1, 2)},
    **{f"path{n}.delay": "10 ms" for n in (1, 2)},
    **{f"path{n}.queue": 34 for n in (1, 2)},
}
"""Two paths with a queue of one bandwidth-delay product each."""
PAYLOAD = 1448 / 1514
SLOW_START, PROBING, MOVING = 1, 2, 3
FILLED = {
    ("loss", "Mbit/s"): 0.83,
    ("loss", "bytes/s"): 0.9,
    ("latency", "Mbit/s"): 0.9,
    ("latency", "bytes/s"): 0.9,
}
"""Least goodput over TCP, as a part of the payload that the link carries.

The order of the probes is drawn. Over 60 seeds with loss and 30 with latency the means
are 0.909, 0.945, 0.977 and 0.948, the deviations 0.019, 0.009, 0.003 and 0.006,
and the least values 0.880, 0.930, 0.967 and 0.935. Each bound is 4 deviations or more
below the mean.
"""


def mpcc(**parameters: Any) -> dict[str, Any]:
    return {"name": "mpcc", **parameters}


def over(protocol: str, control: Any, **case: Any) -> dict[str, Any]:
    last = {"path": 1} if protocol == "tcp" else {"scheduler": "paced"}
    return {"protocol": protocol, "congestion_control": control, **last, **case}


def run(folder: Path, case: dict[str, Any], **spec: Any) -> tuple[Any, Path]:
    """The row of a run on `two_path`, and the folder of its artefacts."""
    folder.mkdir(exist_ok=True)
    spec = {"parameters": PATHS, "duration": "12 s", **spec}
    entry = {"tool": "iperf3", "from": "client", "to": "server"}
    job = job_of(
        folder,
        topology="two_path",
        cases={"only": case},
        traffic=[{**entry, "duration": spec.pop("duration")}],
        **spec,
    )
    ended, artefacts = Lab(folder / "lab").execute(job)
    assert ended.status == "finished", ended.reason
    found = dict(row(artefacts.parent))
    assert found["verdict"] == "ok", found["reason"]
    return found, artefacts


@pytest.mark.parametrize("variant", ["loss", "latency"])
@pytest.mark.parametrize("unit", ["bytes/s", "Mbit/s"])
def test_one_path_is_filled(tmp_path: Path, variant: str, unit: str) -> None:
    """Over TCP it is Vivace. 12 s include slow start and the climb after it."""
    case = over("tcp", mpcc(variant=variant, unit=unit))
    found, _ = run(tmp_path, case, phases={"late": "4 s..12 s"})
    assert found["late.goodput_mbps"] > FILLED[variant, unit] * 20 * PAYLOAD
    # TCP sends again what the queue dropped, and nothing else (one probe of the tail).
    # The run may end before it has sent the drops of the last round trip again.
    more = found["retransmissions"] - found["path1.queue_drops"]
    assert -2 * PATHS["path1.queue"] <= more <= 1


def test_the_phases_in_a_trace(tmp_path: Path) -> None:
    sysctls = {"net.ipv4.tcp_comp_sack_nr": 0}
    case = over("mptcp", mpcc(), sysctls=sysctls)
    found, artefacts = run(tmp_path, case, trace="10 ms")
    assert found["goodput_mbps"] > 0.8 * 40 * PAYLOAD
    frame = trace.data(trace.read(artefacts / "trace.csv"))
    assert set(frame["controller"]) == {"mpcc"} and frame["path"].nunique() == 2
    for _, subflow in frame.groupby("path"):
        subflow = subflow[subflow["rate_mbps"] > 0]
        order = list(dict.fromkeys(subflow["phase"]))
        assert order == [SLOW_START, PROBING, MOVING]
        started = subflow[subflow["phase"] == SLOW_START]
        rates = started["rate_mbps"].drop_duplicates().to_list()
        assert rates[:3] == pytest.approx([4, 8, 16])
        late = subflow[subflow["time_s"] > 5]
        assert late["interval"].is_monotonic_increasing
        assert late["interval"].nunique() > 30
        assert late["interval_mbps"].between(0.2, 40).all()
        assert late["interval_loss_percent"].between(0, 60).all()
        assert late["rtt_slope"].abs().max() < 2


def test_an_unused_subflow_publishes_nothing(tmp_path: Path) -> None:
    """iperf3's control connection says little, and its second subflow nothing."""
    _, artefacts = run(tmp_path, over("mptcp", mpcc()), trace="50 ms", duration="4 s")
    frame = trace.read(artefacts / "trace.csv")
    # The control connection speaks at the beginning and at the end.
    last = frame[frame["time_s"] < 3].groupby(["connection", "path"]).last()
    quiet = last[last["bytes_acked"] < trace.LEAST_BYTES]
    assert len(quiet) == 2 and (quiet["rate_mbps"] == 0).all()


def test_plain_tcp_shows_its_state(tmp_path: Path) -> None:
    case = over("tcp", mpcc())
    _, artefacts = run(tmp_path, case, trace="50 ms", duration="4 s")
    frame = trace.data(trace.read(artefacts / "trace.csv"))
    assert (frame["token"] == "").all() and (frame["controller"] == "mpcc").all()
    assert set(frame["phase"]) == {SLOW_START, PROBING, MOVING}


def test_a_queue_of_six_packets(tmp_path: Path) -> None:
    """Bursts of 1 ms are longer than the queue; single packets fill the link."""
    parameters = {**PATHS, "path1.capacity": "100 Mbit/s", "path1.queue": 6}
    goodput = {}
    for name, control in {
        "mpcc": mpcc(variant="latency"),
        "bbr": "bbr",
        "bbr, packets": {"name": "bbr", "packet_pacing": True},
    }.items():
        found, _ = run(
            tmp_path / name.replace(", ", "-"),
            over("tcp", control),
            parameters=parameters,
            duration="6 s",
            phases={"late": "3 s..6 s"},
        )
        goodput[name] = found["late.goodput_mbps"]
    assert goodput["mpcc"] > 0.9 * 100 * PAYLOAD
    assert goodput["bbr, packets"] > 1.05 * goodput["bbr"]


def test_the_same_run_leaves_the_same_bytes(tmp_path: Path) -> None:
    parameters = {**PATHS, "path1.loss": "0.5 %", "path2.loss": "0.1 %"}
    lab = Lab(tmp_path)
    case = over("mptcp", mpcc(variant="latency"))
    job = make_job(tmp_path, case, "5 s", parameters=parameters)
    ended, first = lab.execute(job)
    assert ended.status == "finished", ended.reason
    _, second = lab.execute(job)
    assert contents(first) == contents(second)
