"""The sentences about captured runs of guests, and about single events."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from analysis.run import explain
from analysis.run.events import HEAD
from analysis.run.explain.finding import Finding
from mpbench.commands.explain import command

CAPTURED = Path(__file__).parent / "captured/events"
WELL = sorted(path.name for path in CAPTURED.glob("well*"))
SAID = {
    "alldark-mptcp-cubic": [
        "the client gave up 2 subflows on path 1 from 13.7 to 17.7 s after 5 timeouts:"
        " path 1 carried nothing from 3 s on",
        "the client gave up 2 subflows on path 2 from",
        "2 connections of the client lost the last subflow from 13.7 to 17.9 s, and"
        " stayed open to the end of the run",
    ],
    "alldark-ended": [
        "the client gave up 2 subflows on path 1",
        "the client gave up 2 subflows on path 2",
        "2 connections of the client lost the last subflow from 13.7 to 17.9 s, and"
        " stayed open until 42.8 s",
    ],
    "alldark-tcp-cubic": ["the client gave up 2 connections on path 1 from"],
    "address-gone": ["an endpoint's address 10.0.2.2 is not on its host"],
    "backup-endpoint": ["path 2 carried 0.0% of the bytes: it is a backup path"],
    "client-limit": [
        "no further subflow was asked for on 2 connections: the limit `subflows` of the"
        " client is 0"
    ],
    "client-without": [
        "the connections of the client are plain TCP: its programs do not ask for MPTCP"
    ],
    "first-address-closed": [
        "no further subflow was asked for on 2 connections:"
        " net.mptcp.allow_join_initial_addr_port is 0 on the server, so the peer's"
        " first address takes no subflow, and the peer announces no address"
    ],
    "ignores": [
        "no further subflow was asked for on 2 connections: the client has no endpoint"
        " with the flag `subflow`, and the limit `add_addr_accepted` of the client is"
        " 0, so it does not use 10.250.0.2, which the peer announces"
    ],
    "join-ack-dropped": [
        "2 subflows on path 2 (two) did not join: the last ACK did not reach the"
        " server, which repeated its SYN/ACK",
        "the middlebox at two dropped 190 ACKs with MP_JOIN",
    ],
    "lossy": ["path 1 carried 9% of its capacity: 0.5 % of its packets are lost at"],
    "short-queue": [
        "path 1 carried 1% of its capacity: its queue holds 2 packets and was full 51"
        " times"
    ],
    "starved": [
        "path 1: the client's subflow had no data to send for 61% of its time although"
        " the application had some: the connection's send buffer or receive window",
    ],
    "nat-forgot": [
        "path 1 (one): its subflow had no answer from 15.5 s on, and the client sent"
        " again 6 times",
        "the middlebox at one dropped 25 packets of connections that it did not know"
        " any more: it forgets a connection after 10 s without a packet, and the"
        " program is silent for 15 s",
    ],
    "no-route": [
        "2 subflows on path 2 did not join: no SYN left the client, which has no route"
        " from 10.0.2.2",
        "9% of the segments that reached the server were copies of data that it had: a"
        " subflow that had never joined was closed, and Linux sent all data on the way"
        " again",
    ],
    "no-endpoint": [
        "no further subflow was asked for on 2 connections: the client has no endpoint"
        " with the flag `subflow`, and the peer announces no address"
    ],
    "backup": ["path 2 carried 0.0% of the bytes: it is a backup path"],
    "blackhole-messages": [
        "path 1: its subflow had no answer from 10.6 s on, and the client sent again 7"
        " times: path 1 carried nothing from 10 s on"
    ],
    "corrupt": ["segments arrived damaged, and TCP's checksum discarded them"],
    "dark-mptcp-cubic": [
        "path 1: its subflow went stale at 4.3 s after 1 timeout and came back at"
        " 8.4 s: path 1 carried nothing from 3 s to 8 s"
    ],
    "dark-mptcp-lia": ["path 1: its subflow went stale at 4.1 s after 2 timeouts"],
    "denied": [
        "no further subflow was asked for on 2 connections:"
        " net.mptcp.allow_join_initial_addr_port is 0"
    ],
    "down": [
        "no further subflow was asked for on 2 connections: path 2 carried nothing from"
        " 0 s on"
    ],
    "proxy-dark": [
        "the connections of the laptop are plain TCP",
        "MPTCP was given up: SYNs with its option got no answer, and neither did those"
        " without it",
        "the router gave up 1 subflow on path 1 (dsl) at 7.3 s after 6 timeouts",
        "the proxy on the router accepted 1 connection of the laptop, and could not"
        " open 1 to the server: Connection timed out",
    ],
    "redundant": ["39% of the segments that reached the client were copies"],
    "silent": [
        "2 subflows on path 2 did not join: the SYN got no answer; path 2 carried"
        " nothing from 0 s on"
    ],
    "small": ["path 2 carried 0.0% of the bytes: the application sent less"],
    "window-lost": [
        "path 1 carried 16% of its capacity: its congestion window never recovered from"
        " losses from 1.9 to 2.2 s: it had 263 segments before and 32 after, and balia"
        " let it grow to 58 in the 28 s without a loss that followed, where 264 fill"
        " the path"
    ],
    "address-back-client": [
        "10.0.2.2, which the client had again from 10 s on, was not used: its subflow"
        " had ended at 6.7 s, and Linux's path manager is not told",
        "path 2: its subflow went stale at 3.3 s after 2 timeouts and did not come"
        " back: the client had no address there from 2 s to 10 s",
        "the client gave up 1 subflow on path 2 at 6.7 s",
    ],
    "address-back-server": [
        "10.250.0.2, which the server had again from 10 s on, was not used: its subflow"
        " had ended at 7.0 s, and Linux's path manager is not told",
        "path 2: its subflow went stale at 3.2 s after 2 timeouts and did not come"
        " back: the server had no address there from 2 s to 10 s",
        "the client gave up 1 subflow on path 2 at 7.0 s",
    ],
    "address-renewed": [
        "path 2: its subflow went stale at 3.3 s after 2 timeouts and did not come"
        " back: the client had no address there from 2 s to 10 s",
        "the client gave up 1 subflow on path 2 at 6.7 s",
    ],
    "announcement-dropped": [
        "10.250.0.2, which the server had again from 5 s on, was not used: its"
        " announcement did not reach the client",
        "the middlebox at path 1 dropped 8 packets with ADD_ADDR",
    ],
    "listeners": [
        "the connections of the client to port 82 are plain TCP: its programs do not"
        " ask for MPTCP",
        "2 connections of the client to port 5202 are plain TCP: the listener of the"
        " server does not speak MPTCP",
    ],
    "window-mptcp-cubic": [
        "the receive window held the connection of the client: it used 11% of the"
        " capacity of its paths, which lost nothing; see net.ipv4.tcp_rmem of the"
        " server"
    ],
    "window-mptcp-cubic-wmem": [
        "the send buffer held the connection of the client: it used 18% of the capacity"
        " of its paths, which lost nothing; see net.ipv4.tcp_wmem of the client"
    ],
    "window-tcp-cubic": [
        "the receiver's window held the client back on path 1 for 95%"
    ],
    "ended-on-the-way": [
        "2 connections are plain TCP: the SYN/ACK came back without MPTCP's option",
        "the proxy at path 1 ended 2 connections of users, with plain TCP, and opened 2"
        " to servers, with plain TCP",
    ],
    "ended-with-keys": [
        "2 subflows on path 2 did not join: the server knows no connection with the"
        " token of its SYN",
        "the proxy at path 1 ended 2 connections of users, with MPTCP where they ask"
        " for it, and opened 2 to servers, with plain TCP",
    ],
    "ended-second": [
        "2 subflows on path 2 did not join: the SYN/ACK came back without MPTCP's",
        "the proxy at path 2 accepted no connection",
    ],
    "ended-second-keys": [
        "2 subflows on path 2 did not join: the proxy at path 2 knows no connection"
        " with the token of its SYN",
        "the proxy at path 2 accepted no connection",
    ],
    "backup-took-over": [
        "path 1: its subflow went stale at 6.1 s after 2 timeouts and came back at"
        " 24.0 s: path 1 carried nothing from 5 s to 15 s"
    ],
    "lost-early": [
        "path 2: the server lost 2 subflows at 0.1 s: a middlebox changes what passes",
        "path 2: the client lost 2 subflows at 0.2 s: a middlebox changes what passes",
        "the middlebox at path 2 removed DSS from 16 packets with data",
    ],
    "mtu-probed": ["the middlebox at path 2 dropped 17 messages that a packet could"],
    "mtu-probed-late": [
        "the middlebox at vpn dropped 16 messages that a packet could not be delivered"
    ],
    "mtu-silent": [
        "path 2: its subflow had no answer from 0.3 s on, and the server sent again 5",
        "the middlebox at path 2 dropped 16 messages that a packet could not be",
    ],
    "reset-by-firewall": [
        "path 2: the client lost its subflow at 2.0 s: the firewall at path 2 did not",
        "path 2: the server lost its subflow at 2.1 s: the firewall at path 2 did not",
        "5% of the segments that reached the server were copies of data that it had:"
        " subflows were closed, and their data was sent again on others",
        "the middlebox at path 2 answered 106 packets of connections that it did not"
        " know any more with resets",
    ],
    "uninvited": [
        "2 subflows on path 2 that the server asked for did not join: the SYN got no"
        " answer",
        "the middlebox at path 2 dropped 11 packets that began something from the"
        " servers' side: it passes only what users begin",
    ],
    "unnoticed-fallback": [
        "1 connection fell back to TCP: data came without a mapping, or with a wrong",
        "the client did not learn that the server had fallen back at 0.1 s, waited for"
        " acknowledgements of MPTCP, and counts 9.9 MB as sent again",
        "something on the way changes the payload: DSS checksums failed",
        "1 subflow on path 2 did not join: its connection had become plain TCP",
        "1 connection of the client lost the last subflow at 21.2 s, and stayed open",
        "the middlebox at path 1 changed the payload of 7040 packets",
    ],
    "another-path": [
        "connections of client to server took path 1, and the case asks for path 2: the"
        " program did not bind 10.0.2.2"
    ],
    "beyond-capacity": [
        "client to server sends 40 Mbit/s while it is on, and its path carries 10"
    ],
    "crawled": [
        "the server dropped 1248 segments outside of the connection's window, which TCP"
        " had acknowledged: from 15.1 to 28.8 s the client sent such data again by one"
        " segment in about 2.7 s"
    ],
    "hanging": [
        "the client gave up 1 subflow on path 1 at 29.7 s",
        "the client gave up 1 subflow on path 2 at 31.6 s",
        "2 connections of the client lost the last subflow from 31.6 to 600.1 s, and"
        " stayed open until 632.8 s; Linux wakes no program that waits in a blocking",
    ],
    "idle-mptcp": [
        "path 2 carried 0.0% of the bytes: the application sent less",
        "the client had nothing to send for 85% of the time of its connection",
    ],
    "idle-tcp": [
        "the client had nothing to send for 85% of the time of its connection: the"
        " program of client to server sets the rate, and not the network"
    ],
    "no-connection": [
        "the program of client to server opened no connection, so MPTCP carried nothing"
    ],
    "over-too-soon": [
        "path 2 carried nothing: 1 connection was over, within 0.25 s, before a subflow"
        " had joined there"
    ],
    "second-queue": [
        "path 1 (a) carried 6% of its capacity: the queue of b holds 10 packets and was"
        " full 35 times"
    ],
    "window-half-starved": [
        "path 1 (fibre): the host's subflow had no data to send for 49% of its time"
    ],
    "window-proxy": [
        "the connections of the pc are plain TCP",
        "the receive window held the connection of the router: it used 13% of the"
        " capacity of its paths, which lost nothing; see net.ipv4.tcp_rmem of the"
        " router",
    ],
    "limit-of-three": [
        "no subflow was asked for on path 3 (c): the limit `subflows` of the host is 1"
    ],
    "announcement-garbled": [
        "no further subflow was asked for on 2 connections: the client has no endpoint"
        " with the flag `subflow`, and the peer's announcements of addresses (ADD_ADDR)"
        " did not arrive, or their codes (HMAC) were wrong",
        "the middlebox at path 1 overwrote a part of ADD_ADDR in 8 packets",
    ],
    "keepalive-unasked": [
        "the laptop gave up 1 subflow on path 1 (lte)",
        "1 connection of the laptop lost the last subflow",
        "the middlebox at lte dropped 17 packets of connections",
        "net.ipv4.tcp_keepalive_time and net.ipv4.tcp_keepalive_intvl of the laptop and"
        " the server_laptop have no effect: no program there asks for keepalive probes",
    ],
    "brief-slow-start": [
        "the transfer used 13% of the capacity of its paths: it was over after 6 round"
        " trips, and a new connection sends ten segments in the first and up to twice"
        " as many in each that follows"
    ],
    "brief-lossy": [
        "the transfer used 8% of the capacity of its paths: path 1 (a): 4 % of its"
        " packets are lost at random; path 2 (b): 4 % of its packets are lost at random"
    ],
    "waited": [
        "the transfer client to server waited for path 2, which was busy with 191 kB"
        " for 0.8 of 0.9 s; path 1 carried 829 kB in 0.5 s and then had nothing to send"
    ],
}


@pytest.mark.parametrize("name", SAID)
def test_a_run_is_explained(name: str) -> None:
    found = explain.explain(CAPTURED / name)
    assert len(found) == len(SAID[name])
    for finding, start in zip(found, SAID[name], strict=True):
        assert finding.sentence.startswith(start)
        assert finding.evidence


def test_sentences_and_their_evidence_are_whole() -> None:
    """Every word and number about every captured run; a change here is a change of
    what users read."""
    lines = [
        f"## {folder.name}\n{finding.sentence}\n    {finding.evidence}\n"
        for folder in sorted(CAPTURED.iterdir())
        for finding in explain.explain(folder)
    ]
    assert "".join(lines) == (CAPTURED.parent / "explained.txt").read_text()


@pytest.mark.parametrize(
    ("last", "told"), [(7, True), (6, False), (3, False), (2, False)]
)
def test_timeouts_count_while_nothing_but_the_end_stopped_them(
    tmp_path: Path, last: int, told: bool
) -> None:
    """After the sixth, at 24.6 s, the next is due at 39 s, and the run ends at 60 s."""
    run = Path(shutil.copytree(CAPTURED / "blackhole-messages", tmp_path / "run"))
    path = run / "artefacts/events.csv"
    kept = [
        line
        for line in path.read_text().splitlines(keepends=True)
        if "TCPTimeouts," not in line or int(line.rsplit(",", 1)[1]) <= last
    ]
    path.write_text("".join(kept))
    assert bool(explain.explain(run)) is told


def test_timeouts_with_answers_between_them_are_no_silence(tmp_path: Path) -> None:
    """Three far from each other, each the first after an answer."""
    run = Path(shutil.copytree(CAPTURED / "blackhole-messages", tmp_path / "run"))
    path = run / "artefacts/events.csv"
    text = path.read_text()
    for number in range(2, 8):
        text = text.replace(f"TCPTimeouts,{number}", "TCPTimeouts,1")
    path.write_text(text)
    assert explain.explain(run) == ()


def test_a_fastclose_that_the_client_never_got(tmp_path: Path) -> None:
    """The server gives up in its own time: the client's connection stays open."""
    run = Path(shutil.copytree(CAPTURED / "alldark-ended", tmp_path / "run"))
    path = run / "artefacts/events.csv"
    last = path.read_text().splitlines()[-1].split(",")
    sent = [last[0], "server", *last[2:4], "", "", "", "MPFastcloseTx", "1"]
    path.write_text(path.read_text() + ",".join(sent) + "\n")
    assert any("stayed open until 42.8 s" in line for line in lines(run))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("10.5", "2.5", False),  # half of the capacity and more
        ('"delay_ms": 50', '"delay_ms": 14', False),  # more than twenty round trips
        ('"delay_ms": 50', '"delay_ms": 16', True),
    ],
)
def test_a_brief_transfer_by_its_paths(
    tmp_path: Path, old: str, new: str, told: bool
) -> None:
    run = Path(shutil.copytree(CAPTURED / "brief-slow-start", tmp_path / "run"))
    path = run / "job.json"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert any("the transfer used" in line for line in lines(run)) is told


@pytest.mark.parametrize("name", WELL)
def test_nothing_is_said_about_a_run_that_is_well(name: str) -> None:
    assert explain.explain(CAPTURED / name) == ()


def test_runs_that_are_well_use_several_controllers_and_tools() -> None:
    assert len(WELL) >= 6


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A copy of a run over two paths that is well."""
    return Path(shutil.copytree(CAPTURED / "well-mptcp-cubic", tmp_path / "run"))


def lines(run: Path) -> list[str]:
    return [finding.sentence for finding in explain.explain(run)]


def add_counters(run: Path, host: str, **values: int) -> None:
    path = run / f"artefacts/nstat-{host}.json"
    document = json.loads(path.read_text())
    document["kernel"].update({f"MPTcpExt{name}": n for name, n in values.items()})
    path.write_text(json.dumps(document))


def change_events(run: Path, *changes: tuple[str, str]) -> None:
    path = run / "artefacts/events.csv"
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def without(run: Path, *names: str) -> None:
    """Leave out events at path 2, whose address ends so."""
    path = run / "artefacts/events.csv"
    kept = [
        line
        for line in path.read_text().splitlines(keepends=True)
        if not ("10.0.2.2:" in line and any(f",{name}," in line for name in names))
    ]
    path.write_text("".join(kept))


def write_row(run: Path, **row: Any) -> None:
    (run / "row.json").write_text(json.dumps(row))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "MPCapableFallbackSYNACK",
            "2 connections are plain TCP: the SYN/ACK came back",
        ),
        (
            "MPCapableFallbackACK",
            "2 connections are plain TCP: MPTCP's option was gone",
        ),
        ("DssFallback", "2 connections fell back to TCP: data came without a mapping"),
        ("Blackhole", "MPTCP was given up: SYNs with its option got no answer"),
        ("DataCsumErr", "something on the way changes the payload"),
        ("MPJoinSynTxBindErr", "an endpoint's address is not on its host"),
    ],
)
def test_counters_tell_what_happened_without_events(
    run: Path, name: str, says: str
) -> None:
    (run / "artefacts/events.csv").unlink()
    assert lines(run) == []
    add_counters(run, "client", **{name: 2})
    (said,) = lines(run)
    assert said.startswith(says)


@pytest.mark.parametrize(
    ("event", "value", "says"),
    [
        ("MPJoinRejected", "1", "the server refused it, as beyond its limit"),
        ("MPJoinAckNoMPJoin", "1", "MPTCP's option was gone from the last ACK"),
        ("MPJoinAckHMacFailure", "1", "the two ends do not agree on the keys"),
    ],
)
def test_a_refused_subflow_has_its_reason(
    run: Path, event: str, value: str, says: str
) -> None:
    without(run, "sub_established")
    change_events(run, (",MPJoinAckRx,1", f",{event},{value}"))
    (said,) = lines(run)
    assert said.startswith("2 subflows on path 2 did not join: ") and says in said


def test_a_server_that_is_closing_refuses_nothing(run: Path) -> None:
    """A web server closes short connections before their subflows join."""
    without(run, "sub_established")
    change_events(run, (",MPJoinAckRx,1", ",MPJoinRejected,1"))
    path = run / "artefacts/events.csv"
    head, *rest = path.read_text().splitlines(keepends=True)
    ports = {line.split(",")[3] for line in rest if ",created," in line}
    closed = [f"0.000001,server,0,{port},,,,closed,\n" for port in sorted(ports)]
    path.write_text("".join([head, *closed, *rest]))
    assert not any("did not join" in line for line in lines(run))


def test_a_subflow_that_a_middlebox_breaks_is_told(run: Path) -> None:
    path = run / "artefacts/events.csv"
    text = path.read_text().splitlines(keepends=True)
    joined = next(line for line in text if ",sub_established," in line)
    _, rest = joined.split(",", 1)
    lost = rest.replace("sub_established,", "sub_closed,error=104 reason=6")
    number = text.index(joined) + 1
    path.write_text("".join([*text[:number], f"2.0,{lost}", *text[number:]]))
    (said,) = lines(run)
    assert said == (
        "path 2: the client lost its subflow at 2.0 s: a middlebox changes what passes"
    )


def test_a_bad_run_without_a_known_reason_says_so(run: Path) -> None:
    write_row(run, verdict="invalid", reason="rate is 5 Mbit/s, asked for 10")
    (finding,) = explain.explain(run)
    assert finding.line == (
        "not known: no counter or event tells why [rate is 5 Mbit/s, asked for 10]"
    )


def test_a_kernel_without_events_is_told_for_a_run_that_is_not_well(run: Path) -> None:
    (run / "artefacts/events.csv").unlink()
    job = json.loads((run / "job.json").read_text())
    (run / "job.json").write_text(json.dumps({**job, "linux": {"lab": False}}))
    assert lines(run) == []
    write_row(run, verdict="invalid", reason="rate is 5 Mbit/s, asked for 10")
    assert [finding.line for finding in explain.explain(run)] == [
        "not known: no counter or event tells why [rate is 5 Mbit/s, asked for 10]",
        "its kernel writes no events, so reasons that need them are missing"
        " [stock Linux; only mpbench's network code writes them]",
    ]


def test_a_run_that_left_nothing_says_so(run: Path) -> None:
    shutil.rmtree(run / "artefacts")
    write_row(run, verdict="timeout", reason="silent for 60 s")
    (finding,) = explain.explain(run)
    assert finding.line == (
        "not known: the run left nothing to tell why [silent for 60 s]"
    )


def test_there_are_ten_sentences_at_most(run: Path) -> None:
    path = run / "artefacts/events.csv"
    ends = "10.0.1.2:{0},10.2.0.2:5201"
    found = [
        f"1.0,client,0,{port},0:0,{ends.format(port)},{event}\n"
        for port in range(50000, 50030)
        for event in ("MPCapableSYNTX,1", "created,", "established,")
    ]
    for number, port in enumerate(range(50000, 50030)):
        local = f"10.9.{number}.9:{port}"
        found.append(f"1.0,client,0,{port},1:0,{local},10.2.0.2:5201,MPJoinSynTx,1\n")
    path.write_text("".join([f"{HEAD}\n", *found]))
    assert len(explain.explain(run)) == explain.MOST == 10


def test_the_command_prints_sentences_with_evidence() -> None:
    result = CliRunner().invoke(command, [str(CAPTURED / "dark-mptcp-cubic")])
    assert result.exit_code == 0
    assert result.output.startswith("path 1: its subflow went stale at 4.3 s")
    assert "[SubflowStale 1 and SubflowRecover 1 on the client]" in result.output
    nothing = CliRunner().invoke(command, [str(CAPTURED / "well-mptcp-cubic")])
    assert (nothing.exit_code, nothing.output) == (0, "")


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:1],  # no samples
        lambda lines: [*lines, "x,client,1"],  # damaged
        lambda lines: lines,  # a loss at the end
    ],
)
def test_without_a_quiet_time_the_queue_is_the_reason(
    tmp_path: Path, change: Callable[[list[str]], list[str]]
) -> None:
    run = Path(shutil.copytree(CAPTURED / "window-lost", tmp_path / "run"))
    path = run / "artefacts/trace.csv"
    lines = path.read_text().splitlines()
    at = lines[0].split(",").index("retransmissions")
    number = max(n for n, line in enumerate(lines) if ",10.0.1.2:35318," in line)
    last = lines[number].split(",")
    last[at] = str(int(last[at]) + 1)
    lines[number] = ",".join(last)
    path.write_text("".join(f"{line}\n" for line in change(lines)))
    (finding,) = explain.explain(run)
    assert "its queue holds 30 packets and was full 22 times" in finding.sentence


@pytest.mark.parametrize(
    "change",
    [
        # A buffer that the data on their way do not fill by far.
        lambda job, row: job["transport"]["sysctls"].clear(),
        lambda job, row: row.update({"path1.queue_drops": 1}),
        lambda job, row: job["links"][1].update(loss_percent=0.1),
        lambda job, row: [link.update(capacity_mbps=2.0) for link in job["links"]],
    ],
)
def test_a_buffer_is_no_reason_where_another_may_be(
    tmp_path: Path, change: Callable[[dict[str, Any], dict[str, Any]], object]
) -> None:
    run = Path(shutil.copytree(CAPTURED / "window-mptcp-cubic", tmp_path / "run"))
    job, row = (json.loads((run / f"{n}.json").read_text()) for n in ("job", "row"))
    change(job, row)
    (run / "job.json").write_text(json.dumps(job))
    (run / "row.json").write_text(json.dumps(row))
    assert not [f for f in explain.explain(run) if "held the connection" in f.sentence]


def changed(tmp_path: Path, name: str, file: str, change: Callable[[Any], Any]) -> Path:
    """A copy of a captured run with a changed JSON file."""
    run = Path(shutil.copytree(CAPTURED / name, tmp_path / name))
    document = json.loads((run / file).read_text())
    change(document)
    (run / file).write_text(json.dumps(document))
    return run


@pytest.mark.parametrize(("share", "told"), [(0.51, False), (0.49, True)])
def test_a_link_that_others_fill_is_not_slow(
    tmp_path: Path, share: float, told: bool
) -> None:
    """The two paths share the link with another user. share : of the traffic's time"""

    def change(row: Any) -> None:
        row["bottleneck.up.busy_s"] = share * row["measured_s"]

    said = lines(changed(tmp_path, "well-shared-bottleneck", "row.json", change))
    assert any("of its capacity: the queue of bottleneck" in s for s in said) is told


@pytest.mark.parametrize(("rate_mbps", "told"), [(10.0, False), (10.1, True)])
def test_a_rate_is_beyond_what_is_less(
    tmp_path: Path, rate_mbps: float, told: bool
) -> None:
    def change(job: Any) -> None:
        job["traffic"][0]["rate_mbps"] = rate_mbps

    run = changed(tmp_path, "beyond-capacity", "job.json", change)
    assert bool(lines(run)) is told


def test_a_rate_is_compared_with_all_paths_of_a_connection(tmp_path: Path) -> None:
    def change(job: Any) -> None:
        job["traffic"][0]["rate_mbps"] = 20.5

    run = changed(tmp_path, "well-constant-rate", "job.json", change)
    (said,) = lines(run)
    assert said.startswith("client to server sends 20.5 Mbit/s while it is on, and its")
    assert "paths carry 20" in said


@pytest.mark.parametrize(("busy_ms", "told"), [(2400, True), (2600, False)])
def test_half_of_the_time_without_data_is_the_programs(
    tmp_path: Path, busy_ms: int, told: bool
) -> None:
    """Of 5 s; MPTCP has two subflows, and data may be on their way on either."""
    run = Path(shutil.copytree(CAPTURED / "idle-tcp", tmp_path / "run"))
    path = run / "artefacts/events.csv"
    head, *rest = path.read_text().splitlines(keepends=True)
    last = [
        re.sub(r"busy_ms=\d+", f"busy_ms={busy_ms}", line)
        if ",client," in line
        else line
        for line in rest
    ]
    path.write_text("".join([head, *last]))
    assert bool(lines(run)) is told


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [(510, 650, True), (520, 650, False), (470, 630, False)],
)
def test_a_transfer_waits_for_a_path_that_works_longer(
    tmp_path: Path, first: int, second: int, told: bool
) -> None:
    """Of 854 ms, 60 % are 512 ms and 75 % are 641 ms."""
    run = Path(shutil.copytree(CAPTURED / "waited", tmp_path / "run"))
    change_events(
        run, ("busy_ms=470", f"busy_ms={first}"), ("busy_ms=800", f"busy_ms={second}")
    )
    assert any("waited for path 2" in line for line in lines(run)) is told


def test_timeouts_of_mptcp_need_data_that_was_dropped(tmp_path: Path) -> None:
    run = changed(
        tmp_path,
        "crawled",
        "artefacts/nstat-server.json",
        lambda document: document["kernel"].pop("MPTcpExtNoDSSInWindow"),
    )
    assert not any("sent such data again" in line for line in lines(run))


def test_what_is_not_known_gives_way_to_what_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unknown = Finding("path 2 carried 3% of the bytes: not known", "", "path 2", False)
    other = Finding("path 1 carried 3% of the bytes: not known", "", "path 1", False)
    known = Finding("path 2 carried 2% of its capacity: a short queue", "", "path 2")
    rules = tuple(lambda _, one=one: iter((one,)) for one in (unknown, other, known))
    monkeypatch.setattr(explain, "RULES", rules)
    found = explain.explain(CAPTURED / "well-tcp-cubic")
    assert found == (other, known)


@pytest.mark.parametrize("word, told", [("given up", True), ("complete", False)])
def test_traffic_that_was_cut_off_is_told(
    tmp_path: Path, word: str, told: bool
) -> None:
    """A client that waits for data has no timeout of its own."""
    run = Path(shutil.copytree(CAPTURED / "well-tcp-cubic", tmp_path / "run"))
    job = json.loads((run / "job.json").read_text())
    job["changes"] = [
        {"link": "path1", "direction": "both", "quantity": "up", "at_s": [3.0]}
        | {"values": [0.0], "period_s": None}
    ]
    (run / "job.json").write_text(json.dumps(job))
    head = "time_s,at_s,link,direction,quantity,value"
    (run / "artefacts/changes.csv").write_text(f"{head}\n3.0,3.0,path1,both,up,0\n")
    ended = {"verdict": "ok", "ended": word, "ended_s": 120.0}
    (run / "row.json").write_text(json.dumps(ended))
    said = [one.sentence for one in explain.explain(run)]
    sentence = (
        "the traffic client to server was cut off (given up at 120.0 s): path 1 carried"
        " nothing from 3 s on"
    )
    assert (sentence in said) == told


@pytest.mark.parametrize("raised", [None, 0, 2])
def test_a_limit_that_is_raised_later_opens_no_subflow(
    tmp_path: Path, raised: int | None
) -> None:
    run = Path(shutil.copytree(CAPTURED / "client-limit", tmp_path / "run"))
    job = json.loads((run / "job.json").read_text())
    if raised is not None:
        change = {"at_s": 2.0, "link": None, "limits": {"subflows": raised}}
        job["hosts"]["client"]["changes"] = [change]
    (run / "job.json").write_text(json.dumps(job))
    (said,) = lines(run)
    later = ", and raising it later opens none on them"
    assert said.endswith("of the client is 0" + later * bool(raised))


@pytest.mark.parametrize(
    ("busy_ms", "told"), [(12_775, True), (12_776, False), (7_515, True)]
)
def test_the_fastest_path_tells_of_buffers_from_a_share_of_time_on(
    tmp_path: Path, busy_ms: int, told: bool
) -> None:
    """The subflow lasts 15,030 ms, and 0.15 of them are 2,254.5."""
    run = copied(tmp_path, "window-half-starved")
    change_events(run, ("busy_ms=7640", f"busy_ms={busy_ms}"))
    assert any("had no data to send" in line for line in lines(run)) == told


@pytest.mark.parametrize(("busy_s", "told"), [(10.50, True), (10.51, False)])
def test_a_path_that_is_mostly_used_tells_of_no_buffer(
    tmp_path: Path, busy_s: float, told: bool
) -> None:
    run = copied(tmp_path, "window-half-starved")
    path = run / "row.json"
    row = json.loads(path.read_text()) | {"fibre.up.busy_s": busy_s}
    path.write_text(json.dumps(row))
    assert any("had no data to send" in line for line in lines(run)) == told


def test_a_program_with_times_of_its_own_is_told(tmp_path: Path) -> None:
    """A program that asks for probes itself does not look at the sysctls."""
    run = copied(tmp_path, "keepalive-unasked")
    path = run / "job.json"
    job = json.loads(path.read_text())
    job["traffic"][0]["keepalive_s"] = 30
    path.write_text(json.dumps(job))
    said = [line for line in lines(run) if "no effect" in line]
    assert "of the laptop have no effect: the client of" in said[0]
    assert "has times of its own" in said[0]
    assert "of the server_laptop have no effect: no program there" in said[1]


@pytest.mark.parametrize(("limit", "told"), [(1, True), (2, False)])
def test_a_limit_that_was_not_reached_is_no_reason(
    tmp_path: Path, limit: int, told: bool
) -> None:
    run = copied(tmp_path, "limit-of-three")
    path = run / "job.json"
    job = json.loads(path.read_text())
    job["hosts"]["host"]["limits"]["subflows"] = limit
    path.write_text(json.dumps(job))
    assert any("the limit `subflows`" in line for line in lines(run)) == told


def copied(tmp_path: Path, name: str) -> Path:
    return Path(shutil.copytree(CAPTURED / name, tmp_path / "run"))
