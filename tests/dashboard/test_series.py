"""Window traces and captures of a run, as lines of the dashboard."""

import shutil
from pathlib import Path

import pytest

from analysis.capture.analyse import Settings, analyse
from analysis.dashboard import packets, traces
from analysis.dashboard.details import detail

CAPTURED = Path(__file__).parent / "captured"
"""Headers of a transfer of 786,432 bytes over two subflows, one of which reorders;
made by tests/capture/make_captures.py in a guest."""
HEAD = (
    "time_s,host,path,local,remote,token,local_id,remote_id,"
    "cwnd,ssthresh,srtt_us,retransmissions,bytes_acked,controller\n"
)


def line(time_s: float, path: int, cwnd: int, acked: int, **other: object) -> str:
    host, port = other.get("host", "client"), other.get("port", 4000)
    ends = f"10.0.{path}.1:{port},10.2.0.2:5201,{other.get('token', 'ab')}"
    return f"{time_s},{host},{path},{ends},{path - 1},0,{cwnd},9,50000,0,{acked},lia\n"


def trace(folder: Path, *lines: str) -> Path:
    path = folder / "trace.csv"
    path.write_text(HEAD + "".join(lines))
    return path


def test_each_subflow_has_a_line(tmp_path: Path) -> None:
    path = trace(
        tmp_path,
        *(line(0, 1, 10, 0), line(0, 2, 4, 0)),
        *(line(0.5, 1, 20, 125_000), line(0.5, 2, 8, 62_500)),
    )
    rate, window, rtt = traces.traces(path)
    assert rate["lines"] == [
        {"name": "path 1", "t": [0.5], "v": [2.0]},
        {"name": "path 2", "t": [0.5], "v": [1.0]},
    ]
    assert window["lines"][1] == {"name": "path 2", "t": [0, 0.5], "v": [4, 8]}
    assert (rtt["unit"], rtt["lines"][0]["v"]) == ("ms", [50, 50])


def test_a_control_connection_has_none(tmp_path: Path) -> None:
    path = trace(
        tmp_path,
        *(line(0, 1, 10, 0), line(0, 1, 10, 0, token="cd", port=1)),
        *(line(1, 1, 10, 10**6), line(1, 1, 10, 4000, token="cd", port=1)),
    )
    assert [len(chart["lines"]) for chart in traces.traces(path)] == [1, 1, 1]


def test_lines_of_one_path_are_told_apart(tmp_path: Path) -> None:
    ends = [("client", 1, "a"), ("client", 2, "b"), ("other", 1, "c")]
    lines = [
        line(t, 1, 5, t * 10**6, host=host, port=port, token=token)
        for t in (0, 1)
        for host, port, token in ends
    ]
    names = [
        each["name"] for each in traces.traces(trace(tmp_path, *lines))[1]["lines"]
    ]
    assert names == ["client, path 1 (1)", "client, path 1 (2)", "other, path 1"]


def test_a_long_line_keeps_its_peaks(tmp_path: Path) -> None:
    count, peak, dip = 5000, 1234, 4321
    cwnd = [100] * count
    cwnd[peak], cwnd[dip] = 200, 1
    lines = [line(i / 100, 1, cwnd[i], i * 100) for i in range(count)]
    window = traces.traces(trace(tmp_path, *lines))[1]["lines"][0]
    assert len(window["t"]) <= traces.MOST
    assert (peak / 100, 200) in zip(window["t"], window["v"], strict=True)
    assert (dip / 100, 1) in zip(window["t"], window["v"], strict=True)
    assert window["t"] == sorted(window["t"])


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", HEAD + "x,y\n"])
def test_what_is_no_trace_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "artefacts").mkdir()
    (tmp_path / "artefacts/trace.csv").write_text(text)
    told = detail(tmp_path, "ok")
    assert told["traces"] == []
    assert told["unreadable"][-1].startswith("trace.csv: ")


def test_packets_of_both_subflows_and_what_was_sent_again() -> None:
    captures = packets.files(CAPTURED)
    drawn = packets.packets(captures)
    assert drawn is not None
    lines = {each["name"]: each for each in drawn["lines"]}
    assert set(lines) >= {"subflow 1", "subflow 2", "retransmitted"}
    wanted = ("data", "retransmission", "reinjection")
    tables = analyse(captures, settings=Settings(events=wanted))
    busiest = int(tables.data["connection"][tables.data["bytes"].argmax()])
    events = tables.events
    mine = (events["connection"] == busiest) & (events["direction"] == 0)
    assert sum(len(each["t"]) for each in lines.values()) == mine.sum() > 500
    last = max(max(each["v"]) for each in lines.values())
    assert last == pytest.approx(0.786432, abs=0.0015)
    assert min(min(each["t"]) for each in lines.values()) == 0


def test_what_was_sent_again_lies_on_the_line_of_its_subflow() -> None:
    """A retransmission repeats a position that its subflow had sent before."""
    drawn = packets.packets(packets.files(CAPTURED))
    assert drawn is not None
    lines = {line["name"]: line for line in drawn["lines"]}
    again = lines["retransmitted"]
    sent = [
        (time, position)
        for name in ("subflow 1", "subflow 2")
        for time, position in zip(lines[name]["t"], lines[name]["v"], strict=True)
    ]
    for time, position in zip(again["t"], again["v"], strict=True):
        before = [p for t, p in sent if t <= time]
        assert min(abs(p - position) for p in before) < 0.0016, (time, position)


def test_a_capture_cut_short_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "artefacts"
    shutil.copytree(CAPTURED, folder)
    cut = folder / "client-2.pcap.gz"
    cut.write_bytes(cut.read_bytes()[:6000])
    told = detail(tmp_path, "ok")
    assert told["packets"]["note"]
    (folder / "client-1.pcap.gz").write_bytes(b"not a capture")
    cut.unlink()
    assert detail(tmp_path, "ok").get("packets") is None
