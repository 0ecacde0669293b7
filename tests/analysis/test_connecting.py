"""Times and SYNs of connections until they are established, from events."""

import shutil
import types
from pathlib import Path
from typing import Any

import pytest

from analysis.run import traffic
from analysis.run.events import HEAD, Event, Events, parse
from analysis.run.explain import explain
from analysis.run.outcomes import connecting
from analysis.run.outcomes.columns import _without_hanging
from analysis.run.readers import job as job_file

CAPTURED = Path(__file__).parent / "captured/events"
ENDS = "10.0.1.2:4000,10.2.0.2:80"
BACK = "10.2.0.2:80,10.0.1.2:4000"
PLACES = ("10.0.1.2:4000", "10.2.0.2:80")
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


@pytest.mark.parametrize(
    ("lines", "hangs"),
    [
        (["1 TCPSynRetrans 1", "5 tcp_closed acked=0 received=0"], True),
        (["1 TCPSynRetrans 1", "5 tcp_open acked=0 received=0"], True),
        (["1 TCPSynRetrans 1", "5 tcp_closed acked=1 received=0"], False),
        (["1 TCPSynRetrans 1", "5 tcp_closed acked=0 received=0 error=111"], False),
        (["5 tcp_closed acked=0 received=0"], False),
        (["1 TCPSynRetrans 1"], False),
        (
            ["1 TCPSynRetrans 1", "4 TCPAbortOnTimeout 1", "5 tcp_closed acked=0"],
            False,
        ),
    ],
)
def test_a_syn_that_waits_to_the_end_has_not_connected(
    lines: list[str], hangs: bool
) -> None:
    """The counters of such a client say neither that it failed nor that it did not."""
    found = [Event(0.0, "client", 0, 4000, "", *PLACES, "MPCapableSYNTX", "1")]
    for line in lines:
        time, name, *value = line.split()
        words = " ".join(value)
        found.append(Event(float(time), "client", 0, 4000, "", *PLACES, name, words))
    assert connecting.hangs(found, "client", 4000) is hangs
    entry: Any = types.SimpleNamespace(sources=("client",))
    assert connecting.hanging(entry, 0, Events(tuple(found))) == hangs
    assert connecting.hanging(entry, 1, Events(tuple(found))) == 0
    columns = {"connected": 1, "syns": 3, "protocol_at_end": "tcp"}
    _without_hanging(columns, entry, 0, Events(tuple(found)))
    assert columns["connected"] == int(not hangs)
    assert columns["protocol_at_end"] == (None if hangs else "tcp")
