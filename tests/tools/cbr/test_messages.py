"""Messages at a rate over a connection: what the row has of them."""

import json
import socket
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.run import traffic
from analysis.run.tools import Lasted
from jobs import dump
from mpbench.commands import plan
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import estimate, make_plan
from tests import made_jobs
from tests.tools.small import row_of
from tools.cbr import results as cbr
from tools.cbr.programs import messages as program

(ENTRY,) = traffic.of_job(
    made_jobs.whole(
        {
            "transport": {"protocol": "mptcp", "congestion_control": "lia"},
            "traffic": [{"tool": "cbr", "duration_s": 2.5, "over": "connection"}],
        }
    )
)
WRITTEN = {"messages": 7, "bytes": 9800, "seconds": 2.5}
READ = {
    "messages": 7,
    "bytes": 9800,
    "interval_s": 1.0,
    "intervals": [2800, 4200, 1400, 1400],
    "delay_ms": {"mean": 20.5, "p50": 20.0, "p95": 24.0, "p99": 25.0, "max": 25.0},
}
TEXT = """\
name: small
topology: two_path
cases:
  mptcp: {protocol: mptcp, congestion_control: mpcc, scheduler: paced}
traffic:
  - {tool: cbr, from: client, to: server, rate: 5 Mbit/s, duration: 30 s,
     over: connection}
phases: {late: 10 s..20 s}
metrics: [goodput, message_delay_p95]
"""


def report(folder: Path, **read: object) -> cbr.Report | cbr.Messages:
    (folder / "traffic-0-client.json").write_text(json.dumps(WRITTEN))
    (folder / "traffic-0-server.json").write_text(json.dumps({**READ, **read}))
    return cbr.read(folder, 0, ENTRY)


def test_what_arrived_in_time_is_goodput(tmp_path: Path) -> None:
    found = report(tmp_path)
    whole = cbr.flow(ENTRY, found)
    assert (whole.bytes, whole.seconds, whole.stream_bytes) == (8400, 2.5, ())
    part = cbr.part(ENTRY, found, 0.5, 2.25)
    assert part is not None
    # Half of the first second, the second one, and half of the last half second.
    assert (part.bytes, part.seconds) == (1400 + 4200 + 700, 1.75)
    assert cbr.part(ENTRY, found, 2.5, 9) is None
    assert cbr.lasted(ENTRY, found) == Lasted(1, 2.5)
    assert not list(cbr.wrong(ENTRY, found))


def test_the_columns_have_the_delays(tmp_path: Path) -> None:
    columns = cbr.columns(ENTRY, report(tmp_path))
    assert columns["messages"] == 7
    assert columns["message_delay_ms"] == 20.5
    assert columns["message_delay_p95_ms"] == 24.0
    assert cbr.columns(ENTRY, report(tmp_path, delay_ms={}))["message_delay_ms"] is None


@pytest.mark.parametrize("delays", [None, {"mean": "much"}, [20.5]])
def test_damaged_counts_are_refused(tmp_path: Path, delays: object) -> None:
    with pytest.raises(ValueError, match="traffic-0: not counts of packets"):
        report(tmp_path, delay_ms=delays)


def test_missing_messages_are_told(tmp_path: Path) -> None:
    (line,) = cbr.wrong(ENTRY, report(tmp_path, messages=6))
    assert line == "6 messages received of 7"


def test_percentiles_lie_between_neighbours() -> None:
    found = program.summary([10.0, 20.0, 30.0])
    assert found == {"mean": 20, "max": 30, "p50": 20, "p95": 29, "p99": 29.8}
    assert program.summary([7.0])["p99"] == 7
    assert program.summary([]) == {}


def test_messages_are_a_millisecond_apart() -> None:
    rates = (1e3, 5e6, 11.2e6, 11.3e6, 50e6, 120e6)
    sizes = [program.message_bytes(rate) / 1400 for rate in rates]
    assert sizes == [1, 1, 1, 2, 5, 11]


def test_both_ends_agree_on_this_machine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    read: dict[str, object] = {}
    reader = threading.Thread(
        target=lambda: read.update(program.read([port, "1e6", "0.3"]))
    )
    reader.start()
    for _ in range(1000):
        try:
            argv = ["127.0.0.1", port, "127.0.0.1", "1e6", "0.3", "0", "0"]
            written = program.write(argv)
            break
        except ConnectionRefusedError:
            reader.join(0.01)
    reader.join(10)
    assert written["messages"] == read["messages"] == 27
    assert read["bytes"] == written["bytes"] == 27 * program.SEGMENT_BYTES


def test_a_run_has_a_row(tmp_path: Path) -> None:
    found = row_of(tmp_path, TEXT)
    assert found["message_delay_p95_ms"] == 11
    assert found["late.goodput_mbps"] > 0


def test_the_plan_counts_the_rate() -> None:
    (only,) = make_plan(loads(TEXT), {}).runs
    assert dump(only.job)["traffic"][0]["over"] == "connection"
    assert estimate(only.job).wall_s == pytest.approx(
        0.3 + 5e6 * 30 / 0.6e9 + 0.25e-3 * 5e6 * 30 / 8 / 1400
    )
    datagrams = make_plan(loads(TEXT.replace("over: connection", "port: 7001")), {})
    assert "over" not in dump(datagrams.runs[0].job)["traffic"][0]


def test_another_word_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_text(TEXT.replace("over: connection", "over: tcp"))
    with pytest.raises(Exception, match=r"f.yaml:7: traffic\[0\].over: .*'tcp'"):
        CliRunner().invoke(plan.command, [str(file)], catch_exceptions=False)


def entry_of(keys: str) -> dict[str, object]:
    text = TEXT.replace("rate: 5 Mbit/s, duration: 30 s,\n     over: connection", keys)
    text = text.replace("phases: {late: 10 s..20 s}\n", "")
    (only,) = make_plan(loads(text.replace(", message_delay_p95", "")), {}).runs
    entry: dict[str, object] = dump(only.job)["traffic"][0]
    return entry


def test_a_size_stands_in_the_job_if_it_is_given() -> None:
    keys = "rate: 1 Mbit/s, duration: 2 s"
    assert "size_bytes" not in entry_of(keys)
    assert entry_of(f"{keys}, size: 160 B")["size_bytes"] == 160
    assert entry_of(f"{keys}, size: 1472 B")["size_bytes"] == 1472
    assert entry_of(f"{keys}, size: 1 MB, over: connection")["size_bytes"] == 10**6
    # 42 bytes of heads come to each datagram.
    assert entry_of("rate: 80 Mbit/s, duration: 2 s, size: 58 B")["size_bytes"] == 58


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("size: 1473 B", "1473 bytes is not within 1 to 1472, for datagrams"),
        ("size: 7 B, over: connection", "7 bytes is not within 8 to 1000000, for mess"),
        ("size: 2 MB, over: connection", "2e+06 bytes is not within 1 to 1e+06"),
        ("size: 57 B", "101010 datagrams per second; up to 100000 are possible"),
        ("size: 99 B, over: connection", "101010 messages per second; up to 100000"),
    ],
)
def test_a_size_that_cannot_be_is_refused(keys: str, words: str) -> None:
    with pytest.raises(UserError, match=r"size: ") as refused:
        entry_of(f"rate: 80 Mbit/s, duration: 2 s, {keys}")
    assert words in str(refused.value)


def test_messages_of_a_given_size_are_counted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    read: dict[str, object] = {}
    argv = [port, "1e6", "0.1", "160"]
    reader = threading.Thread(target=lambda: read.update(program.read(argv)))
    reader.start()
    for _ in range(1000):
        try:
            argv = ["127.0.0.1", port, "127.0.0.1", "1e6", "0.1", "0", "0", "160"]
            written = program.write(argv)
            break
        except ConnectionRefusedError:
            reader.join(0.01)
    reader.join(10)
    # 1.28 ms apart; a busy machine drops those that are late at the end.
    assert 0 < written["messages"] <= 79
    assert read["messages"] == written["messages"]
    assert read["bytes"] == written["bytes"] == 160 * written["messages"]


def test_delays_of_a_part_of_the_time_on_paper(tmp_path: Path) -> None:
    (tmp_path / "traffic-0-client.json").write_text(
        json.dumps({**WRITTEN, "connected_s": 0.5})
    )
    late = {
        "due_us": [0, 500_000, 1_000_000, 1_500_000],
        "late_us": [20_000, 30_000, 900_000, 40_000],
    }
    (tmp_path / "traffic-0-server.json").write_text(json.dumps({**READ, **late}))
    found = cbr.read(tmp_path, 0, ENTRY)
    # The messages are due 0.5, 1, 1.5 and 2 s after the client began.
    early = cbr.part_columns(ENTRY, found, 0, 1.5)
    assert early["messages"] == 2
    assert early["message_delay_ms"] == pytest.approx(25)
    assert early["message_delay_median_ms"] == pytest.approx(25)
    assert early["message_delay_max_ms"] == pytest.approx(30)
    # The third one begins in this part, although it arrives after its end.
    assert cbr.part_columns(ENTRY, found, 1.5, 2)["message_delay_max_ms"] == 900
    none = cbr.part_columns(ENTRY, found, 9, 10)
    assert (none["messages"], none["message_delay_p95_ms"]) == (0, None)
    # The intervals begin with the first message, half a second after the client.
    part = cbr.part(ENTRY, found, 0, 1.5)
    assert part is not None and (part.bytes, part.seconds) == (2800, 1.0)


def test_a_reader_that_kept_no_message_says_nothing_of_parts(tmp_path: Path) -> None:
    found = cbr.part_columns(ENTRY, report(tmp_path), 0, 2)
    assert found["messages"] is None and found["message_delay_ms"] is None


def test_times_without_delays_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="as many times as delays"):
        report(tmp_path, due_us=[0, 1], late_us=[5])


def test_a_reader_keeps_all_messages_or_none() -> None:
    assert program.kept([0, 5], [1, 1], 2) == {"due_us": [0, 5], "late_us": [1, 1]}
    assert program.kept([0, 5], [1, 1], 3) == {}


def test_a_row_has_the_delays_of_a_phase(tmp_path: Path) -> None:
    found = row_of(tmp_path, TEXT)
    # The fake run's delays are 10, 11, ... 20 ms in turn.
    assert found["late.message_delay_median_ms"] == pytest.approx(15, abs=0.1)
    assert found["late.message_delay_max_ms"] == 20
    assert found["late.messages"] == pytest.approx(found["messages"] / 3, rel=0.02)
