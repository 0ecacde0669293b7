"""Traces of windows, from a guest and from files that are broken."""

import json
from pathlib import Path

import pytest

from analysis.run.readers import trace
from mpbench.guest.sampling import parse_states

from .lab import Lab, job_of
from .test_topologies import RENO, flow

STATE = """\
connections 1 subflows 2 refused 0
token local_id remote_id controller cwnd srtt_us increase_2^-40 alpha
c25531ed 0 0 lia 34 41181 8084632870 7
c25531ed 1 0 lia 60 72672 8084632870 8
""".splitlines()


def test_every_subflow_at_every_time(tmp_path: Path) -> None:
    case = {"protocol": "mptcp", "congestion_control": "lia", "scheduler": "lowrtt"}
    job = job_of(
        tmp_path,
        topology="shared_bottleneck",
        cases={"lia": case},
        traffic=[
            flow("multi", "10 s"),
            flow("single", "4 s", start="3 s", transport=RENO),
        ],
        trace="100 ms",
    )
    ended, artefacts = Lab(tmp_path).execute(job)
    assert ended.status == "finished", ended.reason
    frame = trace.data(trace.read(artefacts / "trace.csv"))
    multi, single = (frame[frame["host"] == h] for h in ("multi", "single"))
    assert multi["connection"].nunique() == single["connection"].nunique() == 1
    assert set(multi["path"]) == {1, 2} and set(single["path"]) == {1}
    assert (multi["token"] != "").all() and (single["token"] == "").all()
    for _, subflow in frame.groupby(["host", "path"]):
        steps = subflow["time_s"].diff().dropna()
        assert steps.to_list() == pytest.approx([0.1] * len(steps), abs=0.01)
        assert (subflow["bytes_acked"].diff().dropna() >= 0).all()
        assert subflow["cwnd"].between(1, 1000).all()
        assert subflow["srtt_us"].iloc[-1] > 20_000
    # Its handshakes wait in the queue that the other has filled.
    assert 3.1 < single["time_s"].min() < 4
    assert set(multi["controller"]) == {"lia"} and single["controller"].isna().all()
    assert (multi["increase_2^-40"] > 0).any()
    counted = multi.groupby("path")["bytes_acked"].max().sum()
    report = json.loads((artefacts / "traffic-0-server.json").read_text())
    received = sum(each["sum"]["bytes"] for each in report["intervals"])
    assert counted == pytest.approx(received, rel=0.02)
    rates = frame.groupby(["host", "path"])["throughput_mbps"].mean()
    assert 12 < rates["multi"].sum() < 16


def test_the_state_of_coupled_controllers() -> None:
    names, found = parse_states(STATE)
    assert names == ["controller", "increase_2^-40", "alpha"]
    assert found == {
        ("c25531ed", 0, 0): "lia,8084632870,7",
        ("c25531ed", 1, 0): "lia,8084632870,8",
    }
    assert parse_states(STATE[:1]) == ([], {})
    assert parse_states(STATE[:2]) == (["controller", "increase_2^-40", "alpha"], {})


@pytest.mark.parametrize("text", ["", "time_s,host\n", "{}"])
def test_another_file_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"trace\.csv: columns must begin with time_s"):
        trace.parse(text, "trace.csv")


def test_a_trace_cut_short_is_refused() -> None:
    head = ",".join(trace.COLUMNS)
    row = "0.1,a,1,10.0.0.1:5,10.0.0.2:6,,0,0,10,2147483647,20000,0,1448"
    whole = trace.parse(f"{head}\n{row}\n", "trace.csv")
    assert whole["ssthresh"].isna().all() and whole["connection"].notna().all()
    for ugly in (f"{row}\n{row[:30]}", f"{row},1", f"x{row}"):
        with pytest.raises(ValueError, match=r"trace\.csv:? "):
            trace.parse(f"{head}\n{ugly}\n", "trace.csv")
