"""The law of conservation, and the clock over which several entries are added."""

import signal
from dataclasses import replace
from typing import Any

import pytest

from analysis.run import clock, conservation, link_measures, run_metrics, traffic
from analysis.run.artefacts import Artefacts
from analysis.run.observed_links import read_back
from analysis.run.outcomes import endings
from analysis.run.readers.counters import Counters
from analysis.run.readers.links import Link
from analysis.run.readers.outcome import LinkEnds, Outcome, Process, UserPath
from analysis.run.readers.qdiscs import parse
from jobs import FRAME_BYTES
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tests import made_jobs
from tests.parts import part

MBPS = 10.0
FRAMES_PER_S = MBPS * 1e6 / 8 / FRAME_BYTES
ENTRY = {"tool": "iperf3", "from": "client", "to": "server", "interval_s": 1.0}
CBR = {"tool": "cbr", "from": "client", "to": "server", "duration_s": 1.0}


def qdiscs(link: str, count: int, order_mbps: float | None) -> list[dict[str, Any]]:
    rate = {"rate": {"rate": order_mbps * 1e6 / 8}} if order_mbps else {}
    return [
        {"dev": link, "kind": "netem", "handle": "1:", "root": True, "bytes": count}
        | {"options": {"limit": 1000, **rate}},
        {"dev": link, "kind": "tbf", "handle": "10:", "parent": "1:1", "bytes": count}
        | {"options": {"rate": MBPS * 1e6 / 8, "burst": 3028, "lat": 98000}},
    ]


def made(
    *entries: dict[str, Any],
    reports: tuple[Any, ...],
    paths: tuple[tuple[str, ...], ...] = (("a",),),
    protocol: str = "tcp",
    client_s: tuple[tuple[float, float], ...] = (),
    changes: list[dict[str, Any]] | None = None,
    frames: int = 0,
    order_mbps: float | None = None,
    sysctls: dict[str, str] | None = None,
    report: dict[str, Any] | None = None,
) -> Artefacts:
    """A run over links of 10 Mbit/s. client_s : start and end of each client"""
    links = sorted({name for path in paths for name in path})
    shape = {"capacity_mbps": MBPS, "delay_ms": 5, "queue_packets": 80}
    transport = {"protocol": protocol, "congestion_control": "reno", "path": None}
    job = made_jobs.whole(
        {
            "links": [{"name": name, **shape} for name in links],
            "transport": {**transport, "sysctls": sysctls or {}},
            "traffic": list(entries),
            **({"changes": changes} if changes else {}),
            **({"report": report} if report else {}),
        }
    )
    ends = tuple(
        LinkEnds(name, ("r", f"{name}-up"), ("r", f"{name}-down")) for name in links
    )
    shaped = [
        one
        for name in links
        for way in ("up", "down")
        for one in qdiscs(f"{name}-{way}", frames * FRAME_BYTES, order_mbps)
    ]
    table = parse({"r": shaped}, "qdisc-end.json")
    times = client_s or tuple((0.0, 1.0) for _ in entries)
    return Artefacts(
        job=job,
        outcome=Outcome(
            error=None,
            links=ends,
            processes=tuple(
                Process(f"traffic-{index}-client", 0, *span)
                for index, span in enumerate(times)
            ),
            virtual_s=max(end for _, end in times),
        ),
        reports=reports,
        counters={"client": Counters({}), "server": Counters({})},
        qdiscs=table,
        interfaces=(),
        links=read_back(ends, table),
        users={"client": tuple(UserPath(path, None) for path in paths)},
    )


def packets(count: float) -> Any:
    return part("cbr", "results").Report(10**6, 10**6, round(1472 * count), 1.0)


def iperf3(seconds: float, count: float, late_s: float = 0.0) -> Any:
    """count : bytes that the server read within the duration"""
    reader, results = part("iperf3", "reader"), part("iperf3", "results")
    inside = reader.Interval(0.0, seconds, round(count), (round(count),), False)
    after = reader.Interval(seconds, seconds + late_s, 1, (1,), False)
    intervals = (inside, after) if late_s else (inside,)
    report = reader.Report("3.12", None, 1, intervals)
    return results.Reports(client=report, server=report)


MOST = (FRAMES_PER_S + conservation.BURST_FRAMES) * (1 + conservation.TOLERANCE)


@pytest.mark.parametrize(("count", "breaks"), [(MOST - 1, False), (MOST + 1, True)])
def test_no_more_than_the_capacity_arrives(count: float, breaks: bool) -> None:
    reasons = list(conservation.broken(made(CBR, reports=(packets(count),))))
    assert len(reasons) == breaks
    if breaks:
        assert reasons[0].startswith("conservation: client to server: ")
        assert "arrived in 1.000 s, and the links carry" in reasons[0]


@pytest.mark.parametrize(
    ("protocol", "sysctls", "payload"),
    [
        ("tcp", {}, 1448),
        ("tcp", {"net.ipv4.tcp_timestamps": "0"}, 1460),
        ("mptcp", {}, 1428),
        ("mptcp", {"net.ipv4.tcp_timestamps": "0"}, 1440),
    ],
)
def test_headers_are_no_payload(
    protocol: str, sysctls: dict[str, str], payload: int
) -> None:
    entry = {**ENTRY, "duration_s": 1.0}
    for extra, breaks in ((-1, False), (1, True)):
        run = made(
            entry,
            reports=(iperf3(1.0, payload * (MOST + extra)),),
            protocol=protocol,
            sysctls=sysctls,
        )
        assert bool(list(conservation.broken(run))) == breaks


@pytest.mark.parametrize(
    ("keys", "payload"),
    [("duration: 2 s, connections: 3", 1428), ("size: 10 kB, connections: 3", 1448)],
)
def test_connections_that_may_fall_back_need_no_mapping(
    keys: str, payload: int
) -> None:
    """Of many connections of MPTCP some may be TCP, whose packets carry more."""
    text = f"""\
name: many
topology: two_path
cases: {{only: {{protocol: mptcp, congestion_control: lia}}}}
traffic: [{{tool: flows, from: client, to: server, {keys}}}]
"""
    (entry,) = traffic.of_job(make_plan(loads(text), {}).runs[0].job)
    assert conservation.payload_share(entry) == payload / FRAME_BYTES


def test_a_link_that_paths_share_counts_once() -> None:
    entry = {**ENTRY, "duration_s": 1.0}
    count = 1428 * MOST * 1.5
    apart = made(
        entry,
        reports=(iperf3(1.0, count),),
        paths=(("a",), ("b",)),
        protocol="mptcp",
    )
    assert not list(conservation.broken(apart))
    shared = made(
        entry,
        reports=(iperf3(1.0, count),),
        paths=(("a", "core"), ("b", "core")),
        protocol="mptcp",
    )
    assert list(conservation.broken(shared))


def test_a_link_that_is_out_carries_nothing() -> None:
    out: dict[str, Any] = {
        "link": "a",
        "direction": "both",
        "quantity": "capacity_mbps",
    }
    out |= {"at_s": [0.5], "values": [0.0], "period_s": None}
    run = made(CBR, reports=(packets(0.7 * MOST),), changes=[out])
    assert len(list(conservation.broken(run))) == 1
    assert not list(conservation.broken(made(CBR, reports=(packets(0.7 * MOST),))))


def test_a_queue_drains_towards_an_interface_that_is_down() -> None:
    """The router's shaper does not know that a phone has left."""
    down: dict[str, Any] = {"link": "a", "direction": "both", "quantity": "up"}
    down |= {"at_s": [0.5], "values": [0.0], "period_s": None}
    for extra, breaks in ((-1, False), (1, True)):
        frames = int(MOST) + extra
        run = made(CBR, reports=(packets(1),), frames=frames, changes=[down])
        assert bool(list(conservation.broken(run))) == breaks


@pytest.mark.parametrize(
    ("connected_s", "breaks"),
    [((0.1,), False), ((), False), ((1.0,), True)],
)
def test_a_failing_path_makes_the_end_late_and_not_the_beginning(
    connected_s: tuple[float, ...], breaks: bool
) -> None:
    """iperf3 exchanges its results over the path that has gone.

    Half of the traffic came before the path went: either events tell when it began, or
    nobody knows.
    """
    way = {"link": "a", "direction": "both", "quantity": "capacity_mbps"}
    gone = {**way, "at_s": [5.1], "values": [0.0], "period_s": None}
    payload = (1500 - 52) / FRAME_BYTES
    count = 0.99 * 5 * MBPS * 1e6 / 8 * payload
    entry = {**ENTRY, "duration_s": 10.0}
    run = made(
        entry,
        reports=(iperf3(10.0, count, late_s=0.01),),
        client_s=((0.0, 12.0),),
        changes=[gone],
        sysctls={"net.ipv4.tcp_timestamps": "1"},
    )
    run = replace(run, connected_s=connected_s)
    assert bool(list(conservation.broken(run))) == breaks


def test_frames_of_a_link_obey_its_rate() -> None:
    for extra, breaks in ((-1, False), (1, True)):
        run = made(CBR, reports=(packets(1),), frames=int(MOST) + extra)
        said = list(conservation.broken(run))
        assert bool(said) == breaks
    assert said[0].startswith("conservation: a forward: ")


def test_a_delay_line_is_never_the_bottleneck() -> None:
    assert not list(
        conservation.broken(made(CBR, reports=(packets(1),), order_mbps=MBPS))
    )
    narrow = made(CBR, reports=(packets(1),), order_mbps=MBPS - 0.1)
    assert next(conservation.broken(narrow)) == (
        "conservation: a forward: its delay line carries 9.9 Mbit/s, and the link 10"
    )


def test_each_direction_of_a_link_obeys_its_own_rate() -> None:
    run = made(CBR, reports=(packets(1),), frames=int(MOST) - 1)
    (link,) = run.links
    most = link.forward.bytes
    for forward, backward, ways in ((most, 2 * most, 1), (0, 2 * most, 1), (0, 0, 0)):
        counted = replace(
            link,
            forward=replace(link.forward, bytes=forward),
            backward=replace(link.backward, bytes=backward),
        )
        said = list(conservation.broken(replace(run, links=(counted,))))
        assert len(said) == ways and all("a backward" in one for one in said)


def test_entries_of_two_kinds_are_bounded_by_the_larger_share() -> None:
    """Datagrams of 1472 bytes beside TCP, whose packets carry 1448."""
    pair = {**ENTRY, "duration_s": 1.0}
    for share, breaks in ((1460, False), (1480, True)):
        both = (iperf3(1.0, share * MOST / 2), packets(share * MOST / 2 / 1472))
        said = list(conservation.broken(made(pair, CBR, reports=both)))
        assert bool(said) == breaks


def test_entries_are_added_on_one_clock() -> None:
    """The second client needs 0.65 s more than its duration, because queues are full:
    0.16 s for two round trips at the end, and 0.49 s to connect."""
    late = {**ENTRY, "duration_s": 10.0, "start_s": 2.0}
    run = made(
        {**ENTRY, "duration_s": 10.0},
        late,
        reports=(iperf3(10.0, 11e6, 0.1), iperf3(10.0, 4e6, 0.08)),
        client_s=((0.0, 10.3), (2.0, 12.65)),
    )
    assert clock.began_s(run, 0) == pytest.approx(0.1)
    assert clock.began_s(run, 1) == pytest.approx(2.49)
    mbps, seconds = run_metrics.total_goodput(run, run_metrics.flows(run))
    assert seconds == pytest.approx(12.39)
    assert mbps == pytest.approx(15e6 * 8 / 12.39 / 1e6)


def test_the_sum_of_entries_obeys_the_law_too() -> None:
    half = 1448 * MOST * 0.55
    pair = {**ENTRY, "duration_s": 1.0}
    both = (iperf3(1.0, half), iperf3(1.0, half))
    said = list(conservation.broken(made(pair, pair, reports=both)))
    assert len(said) == 1 and "all entries together" in said[0]
    apart = made(pair, {**pair, "reverse": True}, reports=both)
    assert not list(conservation.broken(apart))


def test_a_class_of_links_is_left_to_the_links() -> None:
    run = made(CBR, reports=(packets(2 * MOST),))
    doubled = replace(run.outcome, links=run.outcome.links * 2)
    assert not list(conservation.broken(replace(run, outcome=doubled)))


@pytest.mark.parametrize(("copies", "ratio"), [(1, 1514 / 1448), (2, 2 * 1514 / 1448)])
def test_copies_count_on_the_wire(copies: int, ratio: float) -> None:
    run = made(
        {**ENTRY, "duration_s": 1.0},
        reports=(iperf3(1.0, 1448 * 500),),
        paths=(("a",), ("b",)),
        protocol="mptcp",
    )
    paths = tuple(
        replace(path, interface=f"eth{number}")
        for number, path in enumerate(run.users["client"])
    )
    counts = tuple(
        Link("client", f"eth{number}", 0, 0, sent_bytes=1514 * 250 * copies)
        for number in (0, 1)
    )
    run = replace(run, users={"client": paths}, interfaces=counts)
    moved = run_metrics.flows(run)
    assert link_measures.wire_bytes_per_byte(run, moved) == pytest.approx(ratio)
    assert link_measures.wire_bytes_per_byte(run, (None,)) is None


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-signal.SIGXFSZ, "a file that it wrote reached the limit of size"),
        (-signal.SIGKILL, "killed by signal 9"),
        (1, "exit status 1"),
        (None, "did not end"),
    ],
)
def test_the_end_of_a_tool_in_words(code: int | None, words: str) -> None:
    assert words in endings.way(code)


def test_background_stays_out_of_totals() -> None:
    pair = {**ENTRY, "duration_s": 10.0}
    both = (iperf3(10.0, 6e6), iperf3(10.0, 3e6))
    times = ((0.0, 10.0), (0.0, 10.0))
    names = {"names": ["a", "b"], "phases": {}}
    every, alone = (
        run_metrics.row(made(pair, pair, reports=both, client_s=times, report=report))
        for report in (names, {**names, "background": [1]})
    )
    assert every["goodput_mbps"] == pytest.approx(9e6 * 8 / 10 / 1e6)
    assert every["jain"] == pytest.approx(0.9) and every["received_bytes"] == 9e6
    assert alone["goodput_mbps"] == pytest.approx(6e6 * 8 / 10 / 1e6)
    assert alone["jain"] is None and alone["received_bytes"] == 6e6
    assert alone["a.share"] == 1 and "b.share" not in alone
    assert alone["b.goodput_mbps"] == every["b.goodput_mbps"]


def test_one_transfer_beside_background_is_the_run() -> None:
    """Its columns have no number, as those of a transfer that is alone have none."""
    both = (packets(10), packets(20))
    assert "packets" not in run_metrics._by_tool(made(CBR, CBR, reports=both))
    behind: dict[str, Any] = {"names": None, "phases": {}, "background": [1]}
    found = run_metrics._by_tool(made(CBR, CBR, reports=both, report=behind))
    assert found["packets"] == found["traffic1.packets"] == 10**6
    assert "traffic2.packets" in found


@pytest.mark.parametrize(
    ("start_s", "together"), [(10.0, False), (9.5, False), (9.49, True)]
)
def test_transfers_one_after_another_have_no_goodput_together(
    start_s: float, together: bool
) -> None:
    """Neighbours may overlap by a twentieth of the shorter one."""
    first = {**ENTRY, "duration_s": 10.0}
    run = made(
        first,
        {**first, "start_s": start_s},
        reports=(iperf3(10.0, 6e6), iperf3(10.0, 3e6)),
        client_s=((0.0, 10.0), (start_s, start_s + 10.0)),
    )
    mbps, seconds = run_metrics.total_goodput(run, run_metrics.flows(run))
    assert (mbps is not None) == together
    assert seconds == pytest.approx(start_s + 10)
    assert (run_metrics.row(run)["jain"] is not None) == together


def test_two_pairs_one_after_another_have_no_goodput_together() -> None:
    first = {**ENTRY, "duration_s": 10.0}
    starts = (0.0, 0.0, 20.0, 20.0)
    run = made(
        *({**first, "start_s": start} for start in starts),
        reports=(iperf3(10.0, 6e6),) * 4,
        client_s=tuple((start, start + 10.0) for start in starts),
    )
    assert run_metrics.total_goodput(run, run_metrics.flows(run))[0] is None


def test_two_directions_are_never_added() -> None:
    pair = {**ENTRY, "duration_s": 10.0}
    both = (iperf3(10.0, 6e6), iperf3(10.0, 3e6))
    times = ((0.0, 10.0), (0.0, 10.0))
    report = {"names": ["up", "down"], "phases": {"all": [0.0, 10.0]}}
    back = {**pair, "reverse": True}
    run = made(pair, back, reports=both, client_s=times, report=report)
    found = run_metrics.row(run)
    for name in ("goodput_mbps", "jain", "received_bytes", "payload_utilisation"):
        assert found[name] is None, name
    assert found["all.goodput_mbps"] is None and found["all.jain"] is None
    assert found["up.goodput_mbps"] == pytest.approx(4.8)
    assert found["down.goodput_mbps"] == pytest.approx(2.4)
    assert found["up.share"] is None
    links = [link.name for link in run.links]
    for link in links:
        assert found[f"{link}.bytes"] is None and found[f"{link}.share"] is None
        assert {f"{link}.{way}.share" for way in ("up", "down")} <= set(found)
