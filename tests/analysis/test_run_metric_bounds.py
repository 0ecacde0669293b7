"""Metrics of whole runs, each number by hand."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.run import clock, connections, fair_shares, run_metrics
from analysis.run.artefacts import Artefacts
from analysis.run.readers.counters import Counters
from tests.analysis.test_conservation import CBR, ENTRY, iperf3, made, packets
from tests.parts import part

TEN = {**ENTRY, "duration_s": 10.0}
PAYLOAD = 1448 / 1514
TWO_PATHS = (("a",), ("b",))


def series(steps: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Changes of the capacity of link a, at these times to Mbit/s."""
    times, values = zip(*steps, strict=True)
    what = {"link": "a", "quantity": "capacity_mbps", "direction": "both"}
    return {**what, "at_s": list(times), "values": list(values), "period_s": None}


def alone(count: float = 10e6, seconds: float = 10.0, **keys: Any) -> Artefacts:
    """One transfer over TCP, or as `keys` say."""
    given = {"client_s": ((0.0, seconds),), **keys}
    return made(
        {**ENTRY, "duration_s": seconds}, reports=(iperf3(seconds, count),), **given
    )


def streams(*counts: int) -> Artefacts:
    """A transfer of several streams, which read these bytes in 10 s."""
    reader, results = part("iperf3", "reader"), part("iperf3", "results")
    inside = reader.Interval(0.0, 10.0, sum(counts), counts, False)
    report = reader.Report("3.12", None, len(counts), (inside,))
    entry = {**TEN, "parallel": len(counts)}
    both = results.Reports(client=report, server=report)
    return made(entry, reports=(both,), client_s=((0.0, 10.0),))


def test_columns_of_a_transfer_over_a_link_of_10_mbps() -> None:
    row = run_metrics.row(alone())
    assert row["goodput_mbps"] == pytest.approx(8)
    assert row["measured_s"] == pytest.approx(10)
    assert row["received_bytes"] == 10e6
    assert row["utilisation"] == pytest.approx(0.8)
    assert row["aggregation_benefit"] is row["jain"] is None
    assert (row["connections"], row["joined_subflows"]) == (0, 0)


def test_fairness_needs_two_streams_and_a_byte() -> None:
    assert run_metrics.row(streams(5_000_000))["jain"] is None
    two = run_metrics.row(streams(6_000_000, 3_000_000))
    assert two["jain"] == pytest.approx(9**2 / (2 * (6**2 + 3**2)))
    assert run_metrics.row(streams(6_000_000, 0))["jain"] == pytest.approx(0.5)
    assert run_metrics.row(streams(0, 0))["jain"] is None


def test_fairness_compares_rates_and_not_amounts() -> None:
    """6 MB in 10 s beside 3 MB in 5 s of them are two equal rates."""
    half = {**ENTRY, "start_s": 2.0, "duration_s": 5.0}
    run = made(
        TEN,
        half,
        reports=(iperf3(10.0, 6e6), iperf3(5.0, 3e6)),
        client_s=((0.0, 10.0), (2.0, 7.0)),
    )
    assert run_metrics.row(run)["jain"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("count", "benefit"), [(20e6, 0.6), (12.5e6, 0.0), (10e6, -0.2)]
)
def test_aggregation_benefit_of_two_links_of_10_mbps(
    count: float, benefit: float
) -> None:
    row = run_metrics.row(alone(count, paths=TWO_PATHS, protocol="mptcp"))
    assert row["aggregation_benefit"] == pytest.approx(benefit)
    bound = (20 * PAYLOAD - 10) / 10
    assert row["aggregation_benefit_bound"] == pytest.approx(bound)
    assert row["utilisation"] == pytest.approx(count * 8 / 10 / 1e6 / 20)


@pytest.mark.parametrize(
    "keys",
    [
        {"paths": TWO_PATHS},
        {"paths": (("a",),), "protocol": "mptcp"},
        {"paths": (("a", "c"), ("b",)), "protocol": "mptcp"},
        {"paths": (("a",), ("a",)), "protocol": "mptcp"},
    ],
)
def test_no_aggregation_without_disjoint_paths_of_mptcp(keys: dict[str, Any]) -> None:
    row = run_metrics.row(alone(**keys))
    assert row["aggregation_benefit"] is row["aggregation_benefit_bound"] is None


@pytest.mark.parametrize(
    ("paths", "places", "capacity_mbps"),
    [
        ((("a",),), "aa", 20),
        ((("a", "b"),), "aaab", 30),
        (TWO_PATHS, "aab", 30),
        (TWO_PATHS, "ab", 20),
    ],
)
def test_a_class_of_links_counts_in_each_of_its_places(
    paths: tuple[tuple[str, ...], ...], places: str, capacity_mbps: float
) -> None:
    """In a data centre, the links of all hosts bound what is sent."""
    run = alone(paths=paths, protocol="mptcp")
    ends = {end.link: end for end in run.outcome.links}
    outcome = replace(run.outcome, links=tuple(ends[name] for name in places))
    row = run_metrics.row(replace(run, outcome=outcome))
    assert row["utilisation"] == pytest.approx(8 / capacity_mbps)


def test_counters_of_hosts_that_open_connections_and_that_send() -> None:
    sender = {
        "TcpExtTCPOrigDataSent": 200,
        "TcpRetransSegs": 10,
        "MPTcpExtMPTCPRetrans": 4,
        "MPTcpExtMPCapableSYNACKRX": 3,
        "MPTcpExtMPJoinSynAckRx": 2,
    }
    run = alone()
    hosts = {"client": Counters(sender), "server": Counters({"TcpRetransSegs": 99})}
    row = run_metrics.row(replace(run, counters=hosts))
    assert (row["connections"], row["joined_subflows"]) == (3, 2)
    assert (row["sent_segments"], row["retransmissions"]) == (200, 10)
    assert row["retransmission_ratio"] == pytest.approx(0.05)
    assert (row["reinjections"], row["reinjection_ratio"]) == (4, pytest.approx(0.02))
    nothing = run_metrics.retransmissions(Counters({}))
    assert nothing["retransmission_ratio"] is nothing["reinjection_ratio"] is None
    one = run_metrics.retransmissions(Counters({"TcpExtTCPOrigDataSent": 1}))
    assert (one["retransmission_ratio"], one["retransmissions"]) == (0, 0)


def changing(*steps: tuple[float, float], **keys: Any) -> Artefacts:
    """A transfer over link a, whose capacity changes at these times to Mbit/s."""
    return alone(changes=[series(steps)], frames=1000, **keys)


def test_a_link_that_changes_has_its_mean_capacity() -> None:
    """10 Mbit/s for 2 s and 5 Mbit/s for 8 s."""
    row = run_metrics.row(changing((2.0, 5.0)))
    assert row["a.mean_capacity_mbps"] == pytest.approx(6)
    assert row["a.utilisation"] == pytest.approx(8e-6 * 1000 * 1514 / 10 / 6)
    assert row["utilisation"] == pytest.approx(8 / 6)
    out = run_metrics.row(changing((0.0, 0.0)))
    assert (out["a.mean_capacity_mbps"], out["a.utilisation"]) == (0, None)
    assert out["utilisation"] is None
    assert "a.mean_capacity_mbps" not in run_metrics.row(alone())


def test_transfers_that_are_several_have_numbers_in_their_columns() -> None:
    both = run_metrics._by_tool(made(CBR, CBR, reports=(packets(10), packets(20))))
    assert {name.partition(".")[0] for name in both} == {"traffic1", "traffic2"}
    single = run_metrics._by_tool(made(CBR, reports=(packets(10),)))
    assert "packets" in single and "traffic1.packets" not in single


def two(*steps: tuple[float, float], **change: Any) -> Artefacts:
    """Two named transfers over link a, the second from 4 s to 8 s."""
    later = {**ENTRY, "start_s": 4.0, "duration_s": 4.0, **change}
    return made(
        TEN,
        later,
        reports=(iperf3(10.0, 6e6), iperf3(4.0, 3e6)),
        client_s=((0.0, 10.0), (4.0, 8.0)),
        changes=[series(steps)] if steps else None,
        report={"names": ["long", "short"], "phases": {}},
    )


def test_fair_goodput_follows_starts_ends_and_capacities() -> None:
    """10 Mbit/s for one, shared by two from 4 s to 8 s, and 6 Mbit/s from 5 s on."""
    steps = fair_shares.steps_of(two((5.0, 6.0)))
    wanted = {
        "long": [(0, 10), (4, 5), (5, 3), (8, 6)],
        "short": [(0, 0), (4, 5), (5, 3), (8, 0)],
    }
    for name, values in wanted.items():
        assert [time for time, _ in steps[name]] == [time for time, _ in values]
        rates = [rate * PAYLOAD for _, rate in values]
        assert [rate for _, rate in steps[name]] == pytest.approx(rates, rel=1e-4)


def test_means_of_capacities_begin_with_the_first_transfer() -> None:
    """10 Mbit/s for 5 s and 6 Mbit/s for 5 s; nothing is said of both directions."""
    row = run_metrics.row(two((5.0, 6.0)))
    assert row["a.mean_capacity_mbps"] == pytest.approx(8)
    both_ways = run_metrics.row(two((5.0, 6.0), reverse=True))
    assert "a.mean_capacity_mbps" not in both_ways


def test_distance_from_the_fair_goodput() -> None:
    """In the middle of each report's interval, at 5 and 6 s, 3 Mbit/s are fair; 4.8 and
    6 Mbit/s were read."""
    found = fair_shares.columns(two((5.0, 6.0)))
    assert found == {
        "long.fair_mbps": pytest.approx(3 * PAYLOAD, rel=1e-4),
        "long.distance_mbps": pytest.approx(4.8 - 3 * PAYLOAD, rel=1e-4),
        "short.fair_mbps": pytest.approx(3 * PAYLOAD, rel=1e-4),
        "short.distance_mbps": pytest.approx(6 - 3 * PAYLOAD, rel=1e-4),
    }


@pytest.mark.parametrize(
    ("entries", "names"),
    [((TEN,), ["one"]), ((TEN, TEN), None), ((TEN, {**CBR, "duration_s": 10.0}), "ab")],
)
def test_fair_goodput_is_of_several_named_bulk_transfers(
    entries: tuple[dict[str, Any], ...], names: Any
) -> None:
    run = made(
        *entries,
        reports=(iperf3(10.0, 6e6),) * len(entries),
        client_s=((0.0, 10.0),) * len(entries),
        changes=[series([(5.0, 6.0)])],
        report={"names": names and list(names), "phases": {}},
    )
    assert fair_shares.steps_of(run) == {}


def test_connections_of_an_entry_share_by_their_number() -> None:
    steps = fair_shares.steps_of(two((5.0, 6.0), parallel=3))
    assert steps["short"][1][1] == pytest.approx(2.5 * PAYLOAD, rel=1e-4)
    assert steps["long"][1][1] == pytest.approx(2.5 * PAYLOAD, rel=1e-4)


def test_no_fair_goodput_without_changes_or_of_two_directions() -> None:
    assert fair_shares.steps_of(two()) == {}
    assert fair_shares.steps_of(two((5.0, 6.0), reverse=True)) == {}
    assert fair_shares.columns(two()) == {}


def test_a_link_that_is_out_gives_nothing() -> None:
    steps = fair_shares.steps_of(two((5.0, 0.0)))
    assert [rate for _, rate in steps["long"]][2:] == [0, 0]


@pytest.mark.parametrize(("count", "known"), [(497, True), (498, False)])
def test_too_many_stretches_have_no_fair_goodput(
    count: int, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """500 at most: the starts at 0 and 4 s, the end at 8 s, and one per change."""
    monkeypatch.setattr(fair_shares, "_rates", lambda *_: {})  # it takes long
    times = [0.001 * (number + 1) for number in range(count)]
    steps = tuple((time, 5.0 + number % 2) for number, time in enumerate(times))
    assert bool(fair_shares.steps_of(two(*steps))) is known


DRAWN = {
    **{"tool": "flows", "port": 8001, "bytes": None, "reverse": False, "users": 1},
    **{"connections": 1, "size": {"kind": "fixed", "bytes": 5_000_000}, "stream": 0},
    **{"arrivals": {"kind": "at_once"}, "starts_s": [0.0, 0.0], "lasts_s": None},
    **{"timeout_s": 30.0, "interval_s": 1.0, "read": "coalesced", "read_bytes": 16384},
    **{"duration_s": 10.0},
    "drawn": {"flows": 1, "bytes": 5_000_000, "sha256": "0" * 64},
}


def opened(size: int = 5_000_000) -> connections.Report:
    """One connection, which is complete after 4 s."""
    one = connections.Flow(
        number=0,
        user=1,
        source="client",
        destination="server",
        size=size,
        start_s=0.0,
        opened_s=0.0,
        connected_s=0.01,
        first_byte_s=0.02,
        completed_s=4.0,
        ended_s=4.0,
        received_bytes=size,
        subflows=1,
        error="",
    )
    return connections.Report("tcp", "reno", (one,), ((0, 0, size),))


def drawn(*durations: float, background: Sequence[int] = ()) -> Artefacts:
    entries = [{**DRAWN, "duration_s": seconds} for seconds in durations]
    report: dict[str, Any] = {"names": None, "phases": {}}
    report["background"] = list(background)
    return made(
        *entries,
        reports=(opened(),) * len(entries),
        client_s=((0.0, 10.0),) * len(entries),
        report=report if background else None,
    )


def test_flows_of_all_entries_count_but_those_of_background() -> None:
    assert run_metrics._all_flows(drawn(10.0))["flows"] == 1
    both = run_metrics._all_flows(drawn(10.0, 10.0))
    assert (both["flows"], both["offered_load_mbps"]) == (2, pytest.approx(8))
    alone = run_metrics._all_flows(drawn(10.0, 10.0, background=[1]))
    assert (alone["flows"], alone["offered_load_mbps"]) == (1, pytest.approx(4))


def test_the_load_of_all_is_known_if_that_of_each_is() -> None:
    assert run_metrics._all_flows(drawn(10.0, 0.0))["offered_load_mbps"] is None
    assert run_metrics._all_flows(drawn(0.0))["offered_load_mbps"] is None


def test_drawn_flows_beside_a_transfer_have_no_aggregation_benefit() -> None:
    """Connections that open from time to time need not fill the paths."""
    run = made(
        TEN,
        DRAWN,
        reports=(iperf3(10.0, 10e6), opened()),
        paths=TWO_PATHS,
        protocol="mptcp",
        client_s=((0.0, 10.0), (0.0, 10.0)),
    )
    assert run_metrics.row(run)["aggregation_benefit"] is None


def test_a_transfer_alone_has_the_seconds_of_its_own_report() -> None:
    """Not the difference of two times of the guest, which is rounded."""
    late = alone(client_s=((2.2, 2.2 + 2.9),), seconds=2.9)
    (flow,) = run_metrics.flows(late)
    assert flow is not None and clock.window(late, 0, flow).seconds != 2.9
    assert run_metrics.row(late)["measured_s"] == 2.9


def test_a_transfer_beside_a_silent_tool_is_not_the_whole() -> None:
    silent = {
        **{"tool": "command", "port": 7000, "bytes": None, "reverse": False},
        **{"duration_s": 10.0, "server": None, "client": ["true"], "numbers": []},
        **{"ready": None, "ready_line": None},
    }
    run = made(
        TEN, silent, reports=(iperf3(10.0, 10e6), None), client_s=((0.0, 10.0),) * 2
    )
    assert run_metrics.row(run)["goodput_mbps"] is None


def test_columns_without_a_number_are_not_of_the_background() -> None:
    behind: dict[str, Any] = {"names": None, "phases": {}, "background": [1]}
    sent = (replace(packets(10), sent_packets=7), packets(20))
    found = run_metrics._by_tool(made(CBR, CBR, reports=sent, report=behind))
    assert found["packets"] == found["traffic1.packets"] == 7


def test_a_path_over_a_link_that_is_out_carries_nothing() -> None:
    later = {**ENTRY, "start_s": 4.0, "duration_s": 4.0}
    run = made(
        TEN,
        later,
        reports=(iperf3(10.0, 6e6), iperf3(4.0, 3e6)),
        paths=(("a", "b"),),
        client_s=((0.0, 10.0), (4.0, 8.0)),
        changes=[series([(5.0, 0.0)])],
        report={"names": ["long", "short"], "phases": {}},
    )
    steps = fair_shares.steps_of(run)
    assert [rate for time, rate in steps["long"] if time >= 5] == [0, 0]


def test_an_entry_without_a_report_has_no_fair_goodput() -> None:
    run = two((5.0, 6.0))
    found = fair_shares.columns(replace(run, reports=(run.reports[0], None)))
    assert found.keys() == {"long.fair_mbps", "long.distance_mbps"}


@pytest.mark.parametrize(
    "of_quic, alone", [((True,), True), ((False,), False), ((True, False), False)]
)
def test_one_entry_over_tcp_is_enough_for_the_kernels_counters(
    of_quic: tuple[bool, ...], alone: bool
) -> None:
    entries = tuple(
        SimpleNamespace(transport=SimpleNamespace(is_quic=o)) for o in of_quic
    )
    run: Any = SimpleNamespace(traffic=entries)
    assert run_metrics.quic_alone(run) is alone
