"""Times and SYNs of connections until they are established, from events."""

import shutil
from pathlib import Path

import pytest

from analysis.run import traffic
from analysis.run.events import HEAD, parse
from analysis.run.explain import explain
from analysis.run.outcomes import connecting
from analysis.run.readers import job as job_file

CAPTURED = Path(__file__).parent / "captured/events"
ENDS = "10.0.1.2:4000,10.2.0.2:80"
BACK = "10.2.0.2:80,10.0.1.2:4000"
BEGUN = f"0.5,client,0,4000,,{ENDS},tcp_connect,"
AGAIN = f"1.5,client,0,4000,,{ENDS},TCPSynRetrans,1"
OF_ANOTHER = "1.6,client,0,4000,1:0,10.0.2.2:4001,10.2.0.2:80,TCPSynRetrans,1"
THERE = f"2.0,server,0,4000,,{BACK},tcp_established,"
HERE = f"2.1,client,0,4000,,{ENDS},tcp_established,"


@pytest.mark.parametrize(
    "lines, found",
    [
        ([BEGUN, AGAIN, HERE], (2, 2.1)),
        ([BEGUN, AGAIN, THERE, HERE], (2, 2.1)),
        ([BEGUN, AGAIN, THERE], (2, 2.0)),  # MPTCP was given up: the server says it
        ([BEGUN, OF_ANOTHER, HERE], (1, 2.1)),
        ([BEGUN, HERE, AGAIN.replace("1.5", "2.2")], (1, 2.1)),
        ([BEGUN, AGAIN], (2, None)),
        ([f"2.1,client,0,4000,0:0,{ENDS},MPCapableSYNACKRX,1"], (1, 2.1)),
    ],
)
def test_syns_count_until_a_connection_is_established(
    lines: list[str], found: tuple[int, float | None]
) -> None:
    text = "".join(f"{line}\n" for line in (HEAD, *lines))
    events = parse(text, "events.csv").all
    assert connecting.of_connection(events, "client", 4000) == found


@pytest.mark.parametrize("established", [True, False])
def test_a_late_connection_is_told(tmp_path: Path, established: bool) -> None:
    run = Path(shutil.copytree(CAPTURED / "well-tcp-cubic", tmp_path / "run"))
    path = run / "artefacts/events.csv"
    head, *lines = path.read_text().splitlines()
    opened = next(line for line in lines if ",tcp_connect," in line)
    port = opened.split(",")[3]
    again = opened.replace(",tcp_connect,", ",TCPSynRetrans,1")
    at = lines.index(opened) + 1
    if not established:
        lines = [line for line in lines if "tcp_established" not in line]
    path.write_text("\n".join([head, *lines[:at], again, *lines[at:]]) + "\n")
    (finding,) = explain(run)
    took = "took 0.0 s and 2 SYNs to be established"
    if not established:
        took = "sent 2 SYNs and was never established"
    assert finding.sentence == f"1 connection of the client {took}"
    assert finding.evidence == f"TCPSynRetrans 1 on port {port} of the client"


def test_the_first_connection_of_an_entry_counts() -> None:
    run = CAPTURED / "well-mptcp-cubic"
    events = parse((run / "artefacts/events.csv").read_text(), "events.csv")
    entries = traffic.of_job(job_file.read(run / "job.json"))
    syns, at_s = connecting.first(entries[0], 0, events)
    assert syns == 1 and at_s is not None and 0 < at_s < 0.1
    assert connecting.first(entries[0], 1, events) == (None, None)
