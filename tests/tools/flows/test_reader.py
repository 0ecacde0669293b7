"""The reader of mpbench-flows on real output, ugly cases too, and its metrics."""

import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.run import flow_times
from analysis.run.connections import Flow, Report
from tools.flows import reader as flows

CAPTURED = Path(__file__).parents[2] / "analysis/captured/flows"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CAPTURED, tmp_path / "artefacts"))


def edit(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))


def test_connections_that_send_for_a_time() -> None:
    report = flows.read(CAPTURED, 0)
    assert (report.protocol, report.controller) == ("mptcp", "lia")
    assert [flow.received_bytes for flow in report.flows] == [1_918_992, 3_062_096]
    assert all(flow.size is None and flow.subflows == 2 for flow in report.flows)
    assert all(flow.completed_s is None and not flow.error for flow in report.flows)
    assert report.flows[0].ended_s - report.flows[0].start_s == pytest.approx(3)


def test_transfers_and_those_that_were_given_up() -> None:
    report = flows.read(CAPTURED, 1)
    assert (report.protocol, report.controller) == ("tcp", "cubic")
    assert len(report.flows) == 15
    assert sum(flow.error == "timeout" for flow in report.flows) == 6
    for flow in report.flows:
        assert (flow.completed_s is None) == (flow.error == "timeout")
        if flow.completed_s is not None:
            assert flow.received_bytes == flow.size
        else:
            assert flow.ended_s - flow.start_s == pytest.approx(0.6, abs=1e-6)
    found = flow_times.columns(report.flows)
    assert (found["flows"], found["unfinished_flows"]) == (15, 6)
    assert (found["short_flows"], found["short_unfinished_flows"]) == (8, 1)
    assert found["medium_completion_time_p99_s"] is None
    # The 8th of 15 times; those of unfinished flows rank behind.
    assert found["completion_time_median_s"] == pytest.approx(0.4740, abs=0.01)


@pytest.mark.parametrize("name", [flows.FLOWS, flows.INTERVALS])
@pytest.mark.parametrize("part", [0.0, 0.02, 0.3, 0.9, 0.999])
def test_files_that_were_cut_short(folder: Path, name: str, part: float) -> None:
    text = (folder / name).read_text()
    (folder / name).write_text(text[: int(len(text) * part)])
    with pytest.raises(ValueError, match=rf"^{name}: ") as caught:
        flows.read(folder, 1)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [flows.FLOWS, flows.INTERVALS])
def test_files_that_are_missing(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ValueError, match=f"{name}: missing"):
        flows.read(folder, 0)


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        (flows.FLOWS, "mpbench-flows 1", "mpbench-flows 2", "not a table of mpbench-f"),
        (flows.FLOWS, "# entry 1 tcp cubic\n", "", "has no traffic entry 1"),
        (flows.FLOWS, "received_bytes,", "", "not the columns of format 1"),
        (flows.FLOWS, "\n3,1,1,", "\n4,1,1,", "flow 3: not a line of format 1"),
        (flows.FLOWS, "\n3,1,1,client", "\n3,1,1,../x", "is not a word"),
        (flows.FLOWS, ",20000,0.07", ",-20000,0.07", "'-20000' is not a number"),
        (flows.FLOWS, ",20000,0.07", f",{'9' * 5000},0.07", "is not a number"),
        (flows.FLOWS, ",0.138919424,20000", ",1e999,20000", "is not a time"),
        (flows.FLOWS, ",0.138919424,20000", ",,20000", "has no start or no end"),
        (flows.FLOWS, "0.138919424,0.138", "0.018919424,0.138", "are not in order"),
        (flows.FLOWS, "0.138919424,20000", "0.138919424,19000", "complete with 19000"),
        (flows.FLOWS, ",timeout\n", ",<script>\n", "is not a word"),
        (flows.INTERVALS, "list 85", "list 86", "not of the same list as flows.csv"),
        (flows.INTERVALS, "\n2,0,20000", "\n2,0,20001", "20001 bytes of flow 2"),
        (flows.INTERVALS, "\n2,0,20000", "\n99,0,20000", "there is no flow 99"),
        (flows.INTERVALS, "\n2,0,20000", "\n2,20000", "not a line of format 1"),
    ],
)
def test_hostile_files(folder: Path, name: str, old: str, new: str, words: str) -> None:
    edit(folder, name, old, new)
    with pytest.raises(ValueError, match=rf"^{name}: .*{words}"):
        flows.read(folder, 1)


def flow(start_s: float, took_s: float | None, size: int | None = 1000) -> Flow:
    """A flow that completes, or that is given up after 10 s."""
    done_s = None if took_s is None else start_s + took_s
    ended_s = start_s + 10 if done_s is None else done_s
    received = size if took_s is not None and size else 500
    times = (start_s, start_s, start_s, start_s, done_s, ended_s)
    error = "timeout" if took_s is None and size else ""
    return Flow(0, 1, "a", "b", size, *times, received, 1, error)


def test_percentiles_with_unfinished_flows() -> None:
    assert flow_times.percentile_s([1, 2, 3, 4], 0, 50) == 2.5
    assert flow_times.percentile_s([4, 3, 2, 1], 1, 50) == 3
    assert flow_times.percentile_s([1, 2, 3, 4], 4, 50) is None
    assert flow_times.percentile_s([1, 2, 3, 4], 3, 50) == 4
    assert flow_times.percentile_s([], 3, 50) is None
    assert flow_times.percentile_s([], 0, 50) is None


def test_columns_on_paper() -> None:
    found = flow_times.columns([flow(0, 1), flow(5, 3), flow(6, None), flow(7, 0.5)])
    assert (found["flows"], found["unfinished_flows"]) == (4, 1)
    assert found["completion_time_s"] == pytest.approx(1.5)
    deviation_s = ((0.5**2 + 1.5**2 + 1) / 2) ** 0.5
    assert found["completion_time_deviation_s"] == pytest.approx(deviation_s)
    assert found["completion_time_median_s"] == pytest.approx(2)
    assert found["completion_time_p99_s"] is None
    mean = (8e-3 / 1 + 8e-3 / 3 + 8e-3 / 0.5) / 3
    assert found["flow_goodput_mbps"] == pytest.approx(mean)
    assert "long_flows" not in found


def test_columns_without_a_complete_flow() -> None:
    found = flow_times.columns([flow(0, None)])
    assert found["completion_time_s"] is None and found["unfinished_flows"] == 1


def test_bytes_within_a_part_of_the_time() -> None:
    one = replace(flow(0.5, None, size=None), ended_s=2.0, received_bytes=300)
    report = Report("tcp", "reno", (one,), ((0, 0, 100), (0, 1, 200)))
    # In the first second it was open for half a second only.
    inside = flow_times.bytes_within(report, 1.0, 0.75, 1.5)
    assert inside == {0: pytest.approx(50 + 100)}
    assert flow_times.bytes_within(report, 1.0, 0, math.inf) == {0: 300}
    assert flow_times.bytes_within(report, 1.0, 3, 4) == {}


def test_users_of_connections_that_send_for_a_time() -> None:
    first = replace(flow(0, None, size=None), received_bytes=10_000_000)
    others = [
        replace(first, user=2, received_bytes=5_000_000, number=number)
        for number in (1, 2)
    ]
    found = flow_times.bulk_columns([first, *others])
    assert found["flows"] == 3
    assert found["user_mbps"] == pytest.approx(8)
    assert found["user_jain"] == pytest.approx(1)
    assert found["flow_goodput_mbps"] == pytest.approx(16 / 3)


def test_connections_that_fell_back_are_counted() -> None:
    there = replace(flow(0, None, size=None), connected_s=0.1, subflows=0)
    flows = (there, replace(there, subflows=2), replace(there, connected_s=None))
    counted = flow_times.fallback_columns([Report("mptcp", "lia", flows, ())])
    assert counted == {"fell_back_flows": 1}
    assert flow_times.fallback_columns([Report("tcp", "reno", flows, ())]) == {}
