"""Outcomes of connections, and the failures that a job provokes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analysis.run import row as rows
from analysis.run.events import Event, Events
from analysis.run.outcomes import counts, dark, errors, losses
from analysis.run.readers.counters import Counters
from jobs import Link
from jobs.changes import Series
from tests.analysis.conftest import MakeRun

WRITE_ERROR = "unable to write to stream socket: Connection timed out"


def series(quantity: str, *steps: tuple[float, float], **more: Any) -> Series:
    known: dict[str, Any] = {"link": "path1", "direction": "both", "period_s": None}
    at_s, values = zip(*steps, strict=True)
    return Series(quantity=quantity, at_s=at_s, values=values, **{**known, **more})


def link(loss_percent: float = 0.0, capacity_mbps: float | None = 10) -> Link:
    return Link(
        name="path1",
        capacity_mbps=capacity_mbps,
        delay_ms=10.0,
        queue_packets=50,
        loss_percent=loss_percent,
    )


@pytest.mark.parametrize(
    "changes, spans",
    [
        ([], []),
        ([series("loss_percent", (1, 99.9), (2, 0))], []),
        ([series("loss_percent", (1, 100), (2, 99.9))], [(1, 2)]),
        ([series("capacity_mbps", (3, 0), (4, 1))], [(3, 4)]),
        ([series("up", (0, 0))], [(0, 10)]),
        ([series("loss_percent", (1, 100), (2, 0), direction="down")], [(1, 2)]),
        (
            [series("up", (1, 0), (2, 1)), series("capacity_mbps", (2, 0), (3, 5))],
            [(1, 3)],
        ),
        ([series("up", (1, 0), (2, 1), period_s=4.0)], [(1, 2), (5, 6), (9, 10)]),
        ([series("up", (1, 0), link="path2")], []),
    ],
)
def test_a_link_is_dark_where_nothing_passes(
    changes: list[Series], spans: list[dark.Span]
) -> None:
    assert dark.of_link(link(), changes, 10.0) == spans


def test_a_link_that_always_loses_everything_is_dark() -> None:
    assert dark.of_link(link(100.0), [], 5.0) == [(0.0, 5.0)]
    only_delays = link(capacity_mbps=None)
    assert dark.of_link(only_delays, [], 5.0) == []


def test_all_paths_are_dark_where_their_spans_overlap() -> None:
    one, two = [(0.0, 2.0), (5.0, 9.0)], [(1.0, 6.0)]
    assert dark.of_all([one, two]) == [(1.0, 2.0), (5.0, 6.0)]
    assert dark.of_all([one]) == one
    assert dark.of_all([one, []]) == []


def test_a_span_touches_a_time_at_its_beginning_and_not_at_its_end() -> None:
    assert dark.touches([(2.0, 3.0)], 0.0, 2.0)
    assert not dark.touches([(2.0, 3.0)], 0.0, 1.999)
    assert not dark.touches([(2.0, 3.0)], 3.0, 9.0)


@pytest.mark.parametrize(
    "words, name",
    [
        (WRITE_ERROR, "ETIMEDOUT"),
        ("ConnectionResetError: [Errno 104] Connection reset by peer", "ECONNRESET"),
        ("flow 3: EPIPE", "EPIPE"),
        ("ERROR and ENOUGH", ""),
        ("unable to receive control message", ""),
    ],
)
def test_error_numbers_have_names(words: str, name: str) -> None:
    assert errors.named(words) == name


def going_dark(at_s: float, *links: str) -> Callable[[dict[str, Any]], None]:
    def change(job: dict[str, Any]) -> None:
        job["changes"] = [
            {
                "link": name,
                "direction": "both",
                "quantity": "up",
                "at_s": [at_s],
                "values": [0.0],
                "period_s": None,
            }
            for name in links
        ]

    return change


@pytest.fixture
def another(make_run: MakeRun, tmp_path: Path) -> MakeRun:
    """`make_run` with all times of processes, several times per test."""
    number = iter(range(99))

    def make(scenario: str, change: Any = None) -> Path:
        made = make_run(scenario, change).rename(tmp_path / f"{next(number)}")
        file = made / "artefacts" / "outcome.json"
        document = json.loads(file.read_text())
        for process in document["processes"]:
            process |= {"start_s": 0.0, "end_s": 4.3}
        file.write_text(json.dumps(document))
        return made

    return make


def with_error(run: Path, error: str) -> Path:
    """The same run, whose client says that its connection ended with an error."""
    file = run / "artefacts" / "traffic-0-client.json"
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "error": error}))
    record = "time_s,at_s,link,direction,quantity,value\n"
    (run / "artefacts" / "changes.csv").write_text(record)
    return run


def test_an_error_after_all_paths_went_dark_is_an_outcome(another: MakeRun) -> None:
    """The client ended at 4.3 s; the receiver had read for 4 s."""
    sound = rows.row(another("mptcp"))
    run = with_error(another("mptcp", going_dark(2.0, "path1", "path2")), WRITE_ERROR)
    row = rows.row(run)
    assert row["verdict"] != "failed"
    assert row["goodput_mbps"] == sound["goodput_mbps"] > 0
    assert (row["ended"], row["errno"]) == ("aborted", "ETIMEDOUT")
    assert row["tool_error"] == WRITE_ERROR
    assert row["ended_s"] == sound["ended_s"] > 4.0


def with_hosts(
    change: Callable[[dict[str, Any]], None], **hosts: Any
) -> Callable[[dict[str, Any]], None]:
    def both(job: dict[str, Any]) -> None:
        change(job)
        job["hosts"] = hosts

    return both


DENYING = {"server": {"sysctls": {"net.mptcp.allow_join_initial_addr_port": "0"}}}


@pytest.mark.parametrize(
    ("link", "hosts", "provoked"),
    [
        ("path1", {"client": {"endpoints": []}}, True),
        ("path2", {"client": {"endpoints": []}}, False),
        ("path1", DENYING, True),
        ("path1", {"client": {"sysctls": {"net.ipv4.tcp_sack": "0"}}}, False),
    ],
)
def test_the_first_path_counts_where_hosts_decide_about_subflows(
    link: str, hosts: dict[str, Any], provoked: bool, another: MakeRun
) -> None:
    change = with_hosts(going_dark(2.0, link), **hosts)
    row = rows.row(with_error(another("mptcp", change), WRITE_ERROR))
    assert (row["verdict"] != "failed") == provoked


def test_a_server_that_forbids_joins_makes_their_number_an_outcome(
    another: MakeRun,
) -> None:
    def none(job: dict[str, Any]) -> None: ...

    assert rows.row(another("no-join", with_hosts(none)))["verdict"] == "invalid"
    assert rows.row(another("no-join", with_hosts(none, **DENYING)))["verdict"] == "ok"


@pytest.mark.parametrize(
    "change",
    [
        going_dark(2.0, "path1"),
        going_dark(9.0, "path1", "path2"),
        lambda job: None,
    ],
)
def test_an_error_that_the_job_does_not_provoke_fails_the_run(
    another: MakeRun, change: Callable[[dict[str, Any]], None]
) -> None:
    row = rows.row(with_error(another("mptcp", change), WRITE_ERROR))
    assert row["verdict"] == "failed"
    assert WRITE_ERROR in row["reason"]
    assert (row["ended"], row["subflows_joined"]) == ("aborted", 2)


def test_a_sound_run_says_what_became_of_its_connections(another: MakeRun) -> None:
    row = rows.row(another("mptcp"))
    known = {name: row[name] for name in ("connected", "ended", "protocol_at_end")}
    assert known == {"connected": 2, "ended": "complete", "protocol_at_end": "mptcp"}
    assert [row[f"subflows_{n}"] for n in ("asked", "joined", "lost")] == [2, 2, 0]
    assert (row["subflows"], row["errno"], row["tool_error"]) == (2.0, None, None)


def test_a_client_that_hangs_is_a_timeout_unless_the_job_provokes_it(
    another: MakeRun,
) -> None:
    def hanging(run: Path) -> Path:
        file = run / "artefacts" / "outcome.json"
        document = json.loads(file.read_text())
        for process in document["processes"]:
            if process["name"] == "traffic-0-client":
                process |= {"exit_code": 1, "end_s": None, "stopped_s": 34.0}
        file.write_text(json.dumps(document))
        return with_error(run, "interrupt - the client has terminated")

    def limited(job: dict[str, Any]) -> None:
        job["time_limit_s"] = 34.0

    row = rows.row(hanging(another("mptcp", limited)))
    assert row["verdict"] == "timeout"
    assert row["reason"].startswith("not done after 34 virtual seconds")
    assert (row["ended"], row["ended_s"]) == ("hanging", 34.0)
    row = rows.row(hanging(another("mptcp", going_dark(2.0, "path1", "path2"))))
    assert (row["verdict"], row["ended"]) != ("timeout", "hanging")
    assert row["ended"] == "hanging"
    assert row["goodput_mbps"] > 0


def expecting(**wanted: Any) -> Callable[[dict[str, Any]], None]:
    def change(job: dict[str, Any]) -> None:
        job["report"] = {"names": None, "phases": {}, "expect": [wanted]}

    return change


@pytest.mark.parametrize(
    "scenario, wanted, reason",
    [
        ("mptcp", {"mptcp": "yes", "subflows": 2, "completes": "yes"}, ""),
        ("mptcp", {"subflows": 1}, "2 subflows per connection, expected 1"),
        ("mptcp", {"subflows": 0}, ""),
        (
            "mptcp",
            {"mptcp": "fallback"},
            "expected a fallback to TCP, but it was mptcp",
        ),
        ("mptcp", {"completes": "no"}, "complete, which was not expected"),
        ("fallback", {"mptcp": "fallback", "subflows": 1}, ""),
        ("fallback", {"mptcp": "any"}, ""),
        ("fallback", {"mptcp": "yes"}, "expected MPTCP, but at the end it was tcp"),
        ("no-join", {"subflows": 1}, ""),
        ("no-join", {"subflows": 2}, "1 subflows per connection, expected 2"),
    ],
)
def test_a_run_is_judged_by_what_it_expects(
    another: MakeRun, scenario: str, wanted: dict[str, Any], reason: str
) -> None:
    row = rows.row(another(scenario, expecting(**wanted)))
    assert row["verdict"] == ("invalid" if reason else "ok"), row["reason"]
    assert reason in row["reason"]


def test_an_expected_error_is_an_outcome(another: MakeRun) -> None:
    run = with_error(another("mptcp", expecting(completes="no")), WRITE_ERROR)
    assert rows.row(run)["verdict"] == "ok"
    run = with_error(another("mptcp", expecting(completes="yes")), WRITE_ERROR)
    row = rows.row(run)
    assert row["verdict"] == "invalid"
    assert f"expected to complete, but was aborted: {WRITE_ERROR}" in row["reason"]


class Entry:
    """One MPTCP entry between two hosts."""

    sources, destinations = ("client",), ("server",)
    plain_listener, spoken = False, None

    class transport:
        is_mptcp = True


def counted(client: dict[str, int], server: dict[str, int]) -> dict[str, Any]:
    ends = {"client": client, "server": server}
    found = {
        host: Counters(
            {n if n.startswith("Tcp") else f"MPTcpExt{n}": v for n, v in own.items()}
        )
        for host, own in ends.items()
    }
    return counts.columns(Entry, found)  # type: ignore[arg-type]


def test_subflows_are_those_that_both_ends_know() -> None:
    """The client believes in a join until the server, whose limit is reached, resets
    it."""
    client = {"TcpActiveOpens": 2, "MPCapableSYNTX": 1, "MPCapableSYNACKRX": 1}
    client |= {"MPJoinSynTx": 1, "MPJoinSynAckRx": 1, "MPRstRx": 1}
    found = counted(client, {"MPJoinRejected": 1})
    names = ("asked", "joined", "refused", "unanswered", "lost")
    assert [found[f"subflows_{name}"] for name in names] == [1, 0, 1, 0, 0]
    assert found["subflows"] == 1


def test_the_server_can_ask_for_subflows_too() -> None:
    """From an endpoint of its own to an address that the client announces. A server
    also tries the client's first address, where it cannot: nobody asked for that."""
    client = {"TcpActiveOpens": 1, "MPCapableSYNTX": 1, "MPCapableSYNACKRX": 1}
    server = {"MPJoinSynTx": 2, "MPJoinSynAckRx": 1, "MPJoinSynTxCreatSkErr": 1}
    found = counted({**client, "MPJoinAckRx": 1}, server)
    names = ("asked", "joined", "refused", "unanswered", "lost")
    assert [found[f"subflows_{name}"] for name in names] == [2, 1, 0, 1, 0]
    assert found["subflows"] == 2


def happened(*lines: str, left_out: int = 0) -> Events:
    """Events of connection 0 of port 40; a line has time, host, the client's port of
    the subflow, and the event."""
    found = []
    for line in lines:
        time, host, port, name = line.split()
        ends = [f"10.0.{port}.2:{port}", "10.2.0.2:80"]
        local, remote = ends if host == "client" else ends[::-1]
        found.append(Event(float(time), host, 0, 40, "", local, remote, name, ""))
    return Events(tuple(found), left_out)


@pytest.mark.parametrize(
    ("lines", "lost"),
    [
        (["1 client 40 sub_closed"], 1),
        (["1 client 50 sub_closed", "1.1 server 50 sub_closed"], 1),
        (["1 client 50 sub_closed", "1 client 40 sub_closed"], 2),
        (["1 client 60 sub_closed"], 0),
        (["1 client 40 closed", "1.1 client 50 sub_closed"], 0),
        (["1 server 40 MPFastcloseTx", "1.1 client 50 sub_closed"], 0),
        (["1 client 50 sub_closed", "2 client 40 closed"], 1),
        ([], 0),
    ],
)
def test_a_subflow_is_lost_once_whoever_removed_it(lines: list[str], lost: int) -> None:
    """The peer's last packets on a removed subflow get a reset, which counters cannot
    tell from another loss. Port 60 never joined."""
    begun = ["0 client 50 MPJoinSynTx", "0 server 50 MPJoinAckRx"]
    begun += ["0 client 60 MPJoinSynTx"]
    assert losses.of_entry(0, happened(*begun, *lines), 9) == lost
    assert losses.of_entry(0, happened(*begun, *lines, left_out=1), 9) == 9
    assert losses.of_entry(1, happened(*begun, *lines), 9) == 0


def test_a_reset_without_the_option_loses_a_subflow() -> None:
    """A middlebox does not know MPTCP; TCP's own ends of established connections by
    timeouts, and by resets with the option, are counted already."""
    client = {"TcpActiveOpens": 2, "MPCapableSYNTX": 1, "MPCapableSYNACKRX": 1}
    client |= {"MPJoinSynTx": 1, "MPJoinSynAckRx": 1, "TcpEstabResets": 1}
    assert counted(client, {"MPJoinAckRx": 1})["subflows_lost"] == 1
    for name in ("MPRstTx", "RmSubflow", "TcpExtTCPAbortOnTimeout"):
        more = {**client, name: 1, "TcpEstabResets": 2}
        lost = 1 + (name != "MPRstTx")
        assert counted(more, {"MPJoinAckRx": 1})["subflows_lost"] == lost
    fell_back = {**client, "DssFallback": 1}
    assert counted(fell_back, {"MPJoinAckRx": 1})["subflows_lost"] == 0


def test_resets_that_close_the_connection_lose_no_subflow() -> None:
    client = {"TcpActiveOpens": 2, "MPCapableSYNTX": 1, "MPCapableSYNACKRX": 1}
    client |= {"MPJoinSynTx": 1, "MPJoinSynAckRx": 1, "MPRstRx": 2}
    server = {"MPJoinAckRx": 1}
    assert counted({**client, "MPFastcloseRx": 2}, server)["subflows_lost"] == 0
    assert counted({**client, "MPFastcloseRx": 1}, server)["subflows_lost"] == 1
    assert counted({**client, "RmSubflow": 9}, server)["subflows_lost"] == 2


def test_an_address_that_the_client_lacks_is_a_refusal() -> None:
    client = {"TcpActiveOpens": 1, "MPCapableSYNTX": 1, "MPCapableSYNACKRX": 1}
    found = counted({**client, "MPJoinSynTxBindErr": 1}, {})
    assert (found["subflows_asked"], found["subflows_refused"]) == (1, 1)


def test_a_fallback_names_its_cause_and_its_counters() -> None:
    client = {"TcpActiveOpens": 1, "MPCapableSYNTX": 1, "MPCapableFallbackSYNACK": 1}
    found = counted(client, {})
    assert found["protocol_at_end"] == "tcp"
    assert found["fallback"] == (
        "the SYN/ACK had no MP_CAPABLE (MPCapableFallbackSYNACK 1 at the client)"
    )


def test_some_connections_that_fell_back_are_mixed() -> None:
    client = {"TcpActiveOpens": 3, "MPCapableSYNTX": 3, "MPCapableSYNACKRX": 3}
    assert counted(client, {})["protocol_at_end"] == "mptcp"
    assert counted(client, {"DssFallback": 1})["protocol_at_end"] == "mixed"


def test_connections_that_all_fell_back_are_tcp() -> None:
    """Each end counts its connections, and a fallback in the handshake twice."""
    client = {"TcpActiveOpens": 3, "MPCapableSYNTX": 3, "MPCapableSYNACKRX": 3}
    server = {"DssFallback": 2, "MPCapableFallbackACK": 1}
    assert counted(client, server)["protocol_at_end"] == "tcp"
    assert counted(client, {"DssFallback": 2})["protocol_at_end"] == "mixed"
    one = {**client, "MPCapableSYNACKRX": 2, "MPCapableFallbackSYNACK": 1}
    both = {"MPCapableFallbackACK": 1, "DssFallback": 1}
    assert counted(one, both)["protocol_at_end"] == "mixed"


@pytest.mark.parametrize(
    "host, name",
    [
        *(("server", name) for name in counts.REFUSED_BY_SERVER),
        ("client", "MPJoinNotEstablished"),
    ],
)
def test_each_refusal_is_one(host: str, name: str) -> None:
    client = {"TcpActiveOpens": 2, "MPCapableSYNTX": 1, "MPCapableSYNACKRX": 1}
    client |= {"MPJoinSynTx": 1}
    ends = {"client": client, "server": dict[str, int]()}
    ends[host] |= {name: 1}
    found = counted(ends["client"], ends["server"])
    names = ("joined", "refused", "unanswered")
    assert [found[f"subflows_{name}"] for name in names] == [0, 1, 0]


def test_nothing_connected_is_no_protocol() -> None:
    client = {"TcpActiveOpens": 1, "MPCapableSYNTX": 1, "TcpAttemptFails": 1}
    found = counted({**client, "TcpExtTCPSynRetrans": 6}, {})
    assert found["protocol_at_end"] is None
    assert (found["syns"], found["syns_repeated"]) == (7, 6)
