"""The reader on captured output of iperf3 3.12, ugly cases too."""

from pathlib import Path

import pytest

from tools.iperf3 import reader as iperf3

CAPTURED = Path(__file__).parents[2] / "analysis/captured"


def test_iperf3_receiver() -> None:
    report = iperf3.read(CAPTURED / "mptcp/traffic-0-server.json")
    assert report.version == "iperf 3.12"
    assert report.error is None
    assert report.streams == 1
    assert len(report.intervals) == 5
    assert not any(interval.sender for interval in report.intervals)
    assert report.end_s == pytest.approx(4.217, abs=0.05)
    within = report.window(4.0, 0.05)
    assert [round(i.end_s) for i in within] == [1, 2, 3, 4]


def test_iperf3_parallel_streams_add_up() -> None:
    report = iperf3.read(CAPTURED / "mptcp-parallel/traffic-0-server.json")
    assert report.streams == 3
    for interval in report.intervals:
        assert len(interval.stream_bytes) == 3
        assert sum(interval.stream_bytes) == interval.bytes


def test_iperf3_reverse_swaps_the_sender() -> None:
    client = iperf3.read(CAPTURED / "mptcp-reverse/traffic-0-client.json")
    server = iperf3.read(CAPTURED / "mptcp-reverse/traffic-0-server.json")
    assert not any(interval.sender for interval in client.intervals)
    assert all(interval.sender for interval in server.intervals)


@pytest.mark.parametrize(
    ("name", "error", "intervals"),
    [
        ("interrupted/traffic-0-client.json", "interrupt", 3),
        ("interrupted/traffic-0-server.json", "client has terminated", 3),
        ("killed/traffic-0-server.json", "unexpectedly closed", 2),
        ("refused/traffic-0-client.json", "Connection refused", 0),
    ],
)
def test_iperf3_that_failed_keeps_what_it_measured(
    name: str, error: str, intervals: int
) -> None:
    report = iperf3.read(CAPTURED / name)
    assert error in (report.error or "")
    assert len(report.intervals) == intervals


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("killed/traffic-0-client.json", "empty"),
        ("truncated.json", "broken JSON at line"),
        ("mptcp/none.json", "missing"),
    ],
)
def test_iperf3_cut_short_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        iperf3.read(CAPTURED / name)


def test_iperf3_of_something_else_is_refused(tmp_path: Path) -> None:
    for text in ("[]", '{"intervals": [{}]}', '{"start": 3}'):
        path = tmp_path / "report.json"
        path.write_text(text)
        with pytest.raises(ValueError, match=r"report\.json: "):
            iperf3.read(path)


@pytest.mark.parametrize("part", [0.001, 0.1, 0.5, 0.9, 0.99])
def test_iperf3_truncated_anywhere(tmp_path: Path, part: float) -> None:
    whole = (CAPTURED / "mptcp/traffic-0-server.json").read_text()
    path = tmp_path / "report.json"
    path.write_text(whole[: int(len(whole) * part)])
    with pytest.raises(ValueError, match=r"report\.json: (broken|empty)"):
        iperf3.read(path)
