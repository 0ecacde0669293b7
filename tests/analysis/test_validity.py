"""Bounds of the checks that decide which runs count, each from both sides."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.run import link_traffic, tools, validity
from analysis.run.tools import Lasted
from jobs import FRAME_BYTES, Link


def thing(**attributes: Any) -> Any:
    """A record with only the attributes that a check reads."""
    return SimpleNamespace(**attributes)


class Counters(dict[str, int]):
    """A host's counters by the names of MPTCP's."""

    def mptcp(self, name: str) -> int:
        return self.get(name, 0)

    def fallbacks(self) -> Iterator[tuple[str, int]]:
        return iter([item for item in self.items() if "Fallback" in item[0]])


STEADY = thing(
    end=lambda *_: False,
    misses=lambda *_: False,
    may_fall_back=lambda *_: False,
    joining=lambda *_: 1,
    missing=lambda *_: set(),
)
"""A network of two paths that provokes no failure."""
MPTCP = thing(is_mptcp=True, is_quic=False, same_pair=0, scheduler="default")
TCP = thing(is_mptcp=False, is_quic=False)
LONG = Lasted(1, 9.0, ((9.0, 2),))
"""One connection of nine seconds with two subflows."""


def one_connection(
    monkeypatch: pytest.MonkeyPatch, lasted: Lasted, **counters: int
) -> Any:
    """A run of one MPTCP entry between two hosts with two paths, 10 ms each way."""
    tool = thing(lasted=lambda entry, report: lasted, wrong=lambda *_: ())
    monkeypatch.setattr(tools, "tool", lambda name: tool)
    entry = thing(
        tool="made_up",
        transport=MPTCP,
        sources=("client",),
        source="client",
        all_pairs=(("client", "server"),),
        pairs=(),
        flow_bytes=None,
        bulk=True,
    )
    entry.by_host = (entry,)
    here = {"MPCapableSYNACKRX": 1, "MPJoinSynAckRx": 1, **counters}
    links = tuple(link(name=name) for name in ("path1", "path2"))
    return thing(
        job=thing(transports={"client": MPTCP}, backups={}, links=links),
        traffic=(entry,),
        initiators=("client",),
        reports=("said",),
        provoked=STEADY,
        users={"client": tuple(thing(links=(one.name,)) for one in links)},
        counters={
            "client": Counters(here),
            "server": Counters({"MPJoinAckRx": 1, **counters}),
        },
    )


def link(**more: Any) -> Link:
    """A link of 10 Mbit/s and 10 ms whose queue of 50 packets drains in 60.56 ms."""
    known: dict[str, Any] = {"name": "path1", "capacity_mbps": 10.0, "delay_ms": 10.0}
    known |= {"queue_packets": 50, "loss_percent": 0.0, "jitter_ms": 0.0}
    return Link(**{**known, **more})


def test_a_connection_with_all_its_subflows_is_valid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = one_connection(monkeypatch, LONG)
    assert list(validity.subflows_established(run)) == []
    assert list(validity.no_fallback(run)) == []


@pytest.mark.parametrize(
    "counter, host", [("MPJoinSynAckRx", "client"), ("MPJoinAckRx", "server")]
)
def test_one_further_subflow_too_few_is_told_on_either_end(
    monkeypatch: pytest.MonkeyPatch, counter: str, host: str
) -> None:
    run = one_connection(monkeypatch, LONG, **{counter: 0})
    said = list(validity.subflows_established(run))
    assert said == [f"0 of 1 further subflows joined ({host})"]


def test_a_connection_that_ended_with_one_subflow_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = one_connection(monkeypatch, Lasted(1, 9.0, ((9.0, 1),)))
    (said,) = validity.subflows_established(run)
    assert said == "1 connection of client ended with fewer than 2 subflows"


def test_the_deadline_to_join_is_four_round_trips_and_the_timeout_of_a_syn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Delays both ways, and one full queue: 20 + 50 * 1514 * 8 / 10e6 s."""
    run = one_connection(monkeypatch, LONG)
    round_trip_s = 0.020 + 50 * 1514 * 8 / 10e6
    deadline_s = validity.join_deadline_s(run)
    assert deadline_s == pytest.approx(1.0 + 4 * round_trip_s, abs=1e-12)
    for lasted_s, told in ((deadline_s, 0), (deadline_s + 1e-6, 1)):
        one = Lasted(1, lasted_s, ((lasted_s, 1),))
        short = one_connection(monkeypatch, one, MPJoinSynAckRx=9)
        short.counters["server"]["MPJoinAckRx"] = 9
        assert len(list(validity.subflows_established(short))) == told


def test_the_slowest_path_and_its_jitter_set_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = one_connection(monkeypatch, LONG)
    before_s = validity.join_deadline_s(run)
    slower = replace(run.job.links[1], delay_ms=30.0, jitter_ms=1.0)
    run.job.links = (run.job.links[0], slower)
    assert validity.join_deadline_s(run) - before_s == pytest.approx(4 * 0.042)
    run.job.links = (run.job.links[0], replace(slower, capacity_mbps=None))
    assert validity.join_deadline_s(run) == pytest.approx(
        1.0 + 4 * max(0.062, 0.020 + 50 * 1514 * 8 / 10e6)
    )


def test_one_connection_without_mptcp_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run = one_connection(monkeypatch, LONG, MPCapableSYNACKRX=0)
    (said,) = validity.no_fallback(run)
    assert said == "0 MPTCP connections, but the traffic needs 1"


def test_one_fallback_on_either_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run = one_connection(monkeypatch, LONG)
    run.counters["server"]["MPCapableFallbackACK"] = 1
    (said,) = validity.no_fallback(run)
    assert said == "fell back to TCP: MPCapableFallbackACK is 1 on the server"


@pytest.mark.parametrize("fell_back, told", [(5, 0), (6, 1)])
def test_a_twentieth_of_many_connections_may_fall_back(
    fell_back: int, told: int
) -> None:
    flows = tuple(
        thing(subflows=0 if number < fell_back else 2, connected_s=0.1)
        for number in range(100)
    )
    never = thing(subflows=0, connected_s=None)
    entry = thing(pairs=(("a", "b"),), transport=MPTCP, bulk=True)
    report = thing(flows=(*flows, never))
    run = thing(traffic=(entry,), reports=(report,))
    said = list(validity._fallbacks_of_many(run))
    assert said == [f"{fell_back} of 100 connections fell back to TCP"] * told


@pytest.mark.parametrize(
    "total, least",
    [
        (10_000_000, 10 * FRAME_BYTES),  # an initial window
        (100_000, 1_000),  # a hundredth of a short transfer
    ],
)
def test_a_used_path_carried_the_smaller_of_two_bounds(
    monkeypatch: pytest.MonkeyPatch, total: int, least: int
) -> None:
    lacking = one_connection(monkeypatch, LONG, MPJoinSynAckRx=0)
    assert validity._least_bytes(lacking, total) == least
    complete = one_connection(monkeypatch, LONG)
    assert validity._least_bytes(complete, total) == 1
    mixed = one_connection(monkeypatch, LONG)
    mixed.initiators = ("client", "other")
    monkeypatch.setattr(validity, "subflows_established", lambda run: iter(()))
    assert validity._least_bytes(mixed, total) == least


@pytest.mark.parametrize(
    "carried, said",
    [
        ({"path1": 15_140, "path2": 9_984_860}, []),
        ({"path1": 15_139, "path2": 9_984_861}, ["path1 carried 15139 bytes only"]),
        ({"path1": 500_000, "path2": 500_000, "other": 10_101}, []),
        (
            {"path1": 500_000, "path2": 500_000, "other": 10_102},
            ["other carried 10102 bytes, but was not to be used"],
        ),
    ],
)
def test_links_carry_data_if_they_are_to_be_used(
    monkeypatch: pytest.MonkeyPatch, carried: dict[str, int], said: list[str]
) -> None:
    """Ten full packets, and a hundredth of all bytes: 1,010,101 and 1,010,102."""
    monkeypatch.setattr(link_traffic, "link_bytes", lambda run: carried)
    monkeypatch.setattr(validity, "label", lambda name: name)
    run = one_connection(monkeypatch, LONG, MPJoinSynAckRx=0)
    run.used_links = run.job.links
    run.needed_links = {"path1", "path2"}
    assert list(validity.links_used(run)) == said


def test_a_path_that_is_no_backup_must_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    run = one_connection(monkeypatch, LONG, MPJoinSynAckRx=0)
    (entry,) = run.traffic
    entry.by_host = (thing(source="client", transport=MPTCP),)
    run.has_classes = False
    run.job.backups = {"client": {3}}
    run.job.network, run.job.topology = None, "two_path"
    carried = {1: 10**7, 2: 15_139, 3: 0}
    monkeypatch.setattr(link_traffic, "path_bytes", lambda run, own: carried)
    assert list(validity.paths_used(run)) == ["client: path 2 carried 15139 bytes only"]
    carried[2] = 15_140
    assert list(validity.paths_used(run)) == []


@pytest.mark.parametrize("count, told", [(0, 0), (1, 1)])
def test_one_time_without_memory_is_told(count: int, told: int) -> None:
    run = thing(counters={"client": {"TcpExtTCPMemoryPressures": count}})
    assert len(list(validity.memory_sufficed(run))) == told


def kernel(
    *hosts: str, is_mptcp: bool = True, own_control: bool = False, **reported: str
) -> Any:
    """A run whose hosts all ask for lia and lowrtt, and report the same."""
    asked = thing(is_mptcp=is_mptcp, scheduler="lowrtt", kernel_control="lia")
    record = thing(own_control=own_control)
    entry = thing(sources=hosts, record=record, transport=asked)
    stated = {"congestion_control": "lia", "scheduler": "lowrtt", **reported}
    return thing(
        job=thing(transports=dict.fromkeys(hosts, asked)),
        traffic=(entry,),
        initiators=hosts,
        outcome=thing(transports={host: stated for host in hosts}),
    )


def test_the_kernel_has_the_controller_and_the_scheduler_that_were_asked_for() -> None:
    assert list(validity.transport_as_asked(kernel("a"))) == []
    (said,) = validity.transport_as_asked(kernel("a", congestion_control="cubic"))
    assert said == "congestion control is cubic, asked for lia"
    said_of_two = list(validity.transport_as_asked(kernel("a", "b", scheduler="x")))
    assert said_of_two == [
        f"scheduler is x on {host}, asked for lowrtt" for host in "ab"
    ]


def test_tcp_has_no_scheduler_and_flows_set_their_own_controller() -> None:
    tcp = kernel("a", is_mptcp=False, scheduler="x")
    assert list(validity.transport_as_asked(tcp)) == []
    own = kernel("a", own_control=True, congestion_control="cubic")
    assert list(validity.transport_as_asked(own)) == []


def test_only_a_hosts_own_traffic_says_its_controller() -> None:
    run = kernel("a")
    run.traffic[0].sources = ("other",)
    run.outcome.transports["a"] = {"congestion_control": "x", "scheduler": "lowrtt"}
    assert list(validity.transport_as_asked(run)) == []


def test_a_host_that_reports_nothing_is_told() -> None:
    run = kernel("a")
    run.outcome.transports = {}
    assert len(list(validity.transport_as_asked(run))) == 2


@pytest.mark.parametrize("of", ["flow_bytes", "pairs"])
def test_short_flows_and_flows_of_many_hosts_may_fall_back(
    monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    run = one_connection(monkeypatch, LONG, MPCapableFallbackACK=1)
    assert len(list(validity.no_fallback(run))) == 2
    (entry,) = run.traffic
    setattr(entry, of, (("client", "server"),) if of == "pairs" else 1000)
    run.reports = (thing(flows=()),)
    flow = thing(connected_s=0.1, subflows=2, source="client", destination="server")
    monkeypatch.setattr(validity._Parts, "of", lambda *_: thing(flows=(flow,)))
    assert list(validity.no_fallback(run)) == []


def test_one_entry_of_short_flows_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    run = one_connection(monkeypatch, LONG, MPCapableFallbackACK=1)
    short = thing(**{**vars(run.traffic[0]), "flow_bytes": 1000})
    run.traffic, run.reports = (*run.traffic, short), ("said", "said")
    run.counters["client"]["MPCapableSYNACKRX"] = 2
    assert list(validity.no_fallback(run)) == []


@pytest.mark.parametrize("more", [{"pairs": ()}, {"bulk": False}, {"transport": TCP}])
def test_other_entries_are_not_counted_among_many(more: dict[str, Any]) -> None:
    known = {"pairs": (("a", "b"),), "transport": MPTCP, "bulk": True}
    report = thing(flows=(thing(subflows=0, connected_s=0.1),))
    run = thing(traffic=(thing(**{**known, **more}),), reports=(report,))
    assert list(validity._fallbacks_of_many(run)) == []


@dataclass(frozen=True)
class Report:
    """The report of an entry between many hosts."""

    flows: tuple[Any, ...]


def test_the_part_of_a_pair_is_what_is_of_both_hosts_and_is_mptcp() -> None:
    entry = thing(pairs=(("a", "b"),))
    flows = tuple(
        thing(source=source, destination=destination, subflows=subflows)
        for source, destination, subflows in (
            *(("a", "b", 1), ("a", "c", 2), ("b", "b", 2), ("a", "b", 0)),
        )
    )
    report = Report(flows)
    assert validity._Parts(entry, report).of("a", "b") == Report(flows[:1])
    assert validity._Parts(entry, report).of("a") == Report(flows[:2])
    assert validity._Parts(thing(pairs=()), report).of("a") is report


def test_both_entries_to_a_host_count(monkeypatch: pytest.MonkeyPatch) -> None:
    run = one_connection(monkeypatch, LONG)
    run.traffic, run.reports = run.traffic * 2, ("said", "said")
    run.counters["client"] |= {"MPCapableSYNACKRX": 2, "MPJoinSynAckRx": 2}
    (said,) = validity.subflows_established(run)
    assert said == "1 of 2 further subflows joined (server)"


def test_hosts_of_a_data_centre_have_their_links_in_common(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link_traffic, "path_bytes", lambda run, own: {1: 10**7, 2: 0})
    run = one_connection(monkeypatch, LONG, MPJoinSynAckRx=0)
    (entry,) = run.traffic
    entry.by_host = (thing(source="client", transport=MPTCP),)
    run.job.network, run.job.topology = None, "two_path"
    for sources, classes, told in (
        (("a", "b"), True, 0),
        (("a", "b"), False, 1),
        (("a",), True, 1),
    ):
        entry.sources, run.has_classes = sources, classes
        run.initiators = {}
        assert len(list(validity.paths_used(run))) == told
    entry.bulk = False
    assert list(validity.paths_used(run)) == []


def test_one_bulk_entry_is_enough_to_need_the_links(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = one_connection(monkeypatch, LONG, MPJoinSynAckRx=0)
    carried = {"path1": 0, "path2": 10**7}
    monkeypatch.setattr(link_traffic, "link_bytes", lambda run: carried)
    run.used_links, run.needed_links = run.job.links, {"path1", "path2"}
    other = thing(**{**vars(run.traffic[0]), "bulk": False})
    run.traffic, run.reports = (*run.traffic, other), ("said", "said")
    assert len(list(validity.links_used(run))) == 1
    run.traffic, run.reports = (other,), ("said",)
    assert list(validity.links_used(run)) == []


def test_exactly_a_hundredth_may_pass_an_unused_link(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    carried = {"path1": 500_000, "path2": 490_000, "other": 10_000}
    monkeypatch.setattr(link_traffic, "link_bytes", lambda run: carried)
    run = one_connection(monkeypatch, LONG, MPJoinSynAckRx=0)
    run.used_links, run.needed_links = run.job.links, {"path1", "path2"}
    assert list(validity.links_used(run)) == []


def test_the_fuller_direction_sets_the_round_trip() -> None:
    """50 packets at 10 Mbit/s up, 100 Mbit/s down: one full queue, the slower one."""
    both = link(down=link(capacity_mbps=100.0))
    expected_s = 0.020 + 50 * 1514 * 8 / 10e6
    assert validity._round_trip_s(both) == pytest.approx(expected_s, abs=1e-12)


@pytest.mark.parametrize(
    "seconds, size, told",
    [
        (1.3, 10**6, 0),  # no longer than the deadline to join
        (1.4, 10**6, 1),
        (None, 10**6, 0),
        (None, None, 1),
    ],
)
def test_a_program_of_quic_used_all_paths_if_it_had_time(
    monkeypatch: pytest.MonkeyPatch, seconds: float | None, size: int | None, told: int
) -> None:
    """The deadline is 1 s and four round trips of 20 ms with a queue of 60.56 ms."""
    run = one_connection(monkeypatch, LONG, MPJoinSynAckRx=0)
    flow = None if seconds is None else thing(seconds=seconds)
    tool = thing(lasted=lambda *_: LONG, flow=lambda *_: flow)
    monkeypatch.setattr(tools, "tool", lambda name: tool)
    monkeypatch.setattr(link_traffic, "path_bytes", lambda run, own: {1: 10**7, 2: 0})
    run.job.network, run.job.topology, run.has_classes = None, "two_path", False
    (entry,) = run.traffic
    entry.bulk, entry.bytes = False, size
    entry.transport = thing(**{**vars(MPTCP), "is_quic": True})
    entry.record = thing(own_protocol=True)
    assert validity.join_deadline_s(run) == pytest.approx(1.32224)
    assert len(list(validity.paths_used(run))) == told
    if flow:
        flow.seconds = validity.join_deadline_s(run)
        assert list(validity.paths_used(run)) == []
    run.reports = (None,)
    assert len(list(validity.paths_used(run))) == (size is None)
    entry.record.own_protocol = False
    assert list(validity.paths_used(run)) == []
