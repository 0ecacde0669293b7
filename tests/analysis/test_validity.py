"""Bounds of the checks that decide which runs count, each from both sides."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.run import disciplines, link_traffic, tools, validity
from analysis.run.job import FRAME_BYTES, LinkSettings
from analysis.run.observed_links import Direction
from analysis.run.tools import Lasted


def thing(**attributes: Any) -> Any:
    """A record with only the attributes that a check reads."""
    return SimpleNamespace(**attributes)


class Counters(dict[str, int]):
    """A host's counters by the names of MPTCP's."""

    def mptcp(self, name: str) -> int:
        return self.get(name, 0)

    def fallbacks(self) -> Iterator[tuple[str, int]]:
        return iter([item for item in self.items() if "Fallback" in item[0]])


MPTCP = thing(protocol="mptcp", same_pair=0, scheduler="default")
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
        all_pairs=(("client", "server"),),
        pairs=(),
        flow_bytes=None,
        flows=None,
        bulk=True,
    )
    here = {"MPCapableSYNACKRX": 1, "MPJoinSynAckRx": 1, **counters}
    links = tuple(link(name=name) for name in ("path1", "path2"))
    return thing(
        job=thing(traffic=(entry,), initiators={"client": MPTCP}, links=links),
        reports=(None,),
        users={"client": tuple(thing(links=(one.name,)) for one in links)},
        counters={
            "client": Counters(here),
            "server": Counters({"MPJoinAckRx": 1, **counters}),
        },
    )


def link(**more: Any) -> LinkSettings:
    """A link of 10 Mbit/s and 10 ms whose queue of 50 packets drains in 60.56 ms."""
    known: dict[str, Any] = {"name": "path1", "capacity_mbps": 10.0, "delay_ms": 10.0}
    known |= {"queue_packets": 50, "loss_percent": 0.0, "jitter_ms": 0.0}
    return LinkSettings(**{**known, **more})


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
    assert said == "1 connections of client ended with fewer than 2 subflows"


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
    run = thing(job=thing(traffic=(entry,)), reports=(report,))
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
    mixed.job.initiators = {"client": MPTCP, "other": thing(protocol="tcp")}
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
    (entry,) = run.job.traffic
    entry.by_host = (thing(source="client"),)
    run.has_classes = False
    run.job.is_backup = lambda own, number: number == 3
    carried = {1: 10**7, 2: 15_139, 3: 0}
    monkeypatch.setattr(link_traffic, "path_bytes", lambda run, own: carried)
    assert list(validity.paths_used(run)) == ["client: path 2 carried 15139 bytes only"]
    carried[2] = 15_140
    assert list(validity.paths_used(run)) == []


def observed(**more: Any) -> Direction:
    """The link as tc shows it when everything is as asked."""
    known: dict[str, Any] = {"rate_mbps": 10.0, "delay_ms": 10.0, "jitter_ms": 0.0}
    known |= {"loss_percent": 0.0, "queue_packets": 50.0}
    traits = thing(discipline="", facts={})
    shown: Direction = thing(**{**known, "traits": traits, **more})
    return shown


@pytest.mark.parametrize(
    "name, inside, outside",
    [
        ("rate_mbps", 10.0099, 10.0101),
        ("rate_mbps", 9.9901, 9.9899),
        ("delay_ms", 10.0019, 10.0021),
        ("queue_packets", 51.0, 51.1),
        ("queue_packets", 49.0, 48.9),
        ("loss_percent", 0.99991, 0.9998),
        ("jitter_ms", 0.5019, 0.5021),
    ],
)
def test_tc_may_round_and_no_more(
    monkeypatch: pytest.MonkeyPatch, name: str, inside: float, outside: float
) -> None:
    monkeypatch.setattr(disciplines, "asked", lambda *_: None)
    monkeypatch.setattr(disciplines, "differences", lambda *_: ())
    asked = link(loss_percent=1.0, jitter_ms=0.5)
    known = {"loss_percent": 1.0, "jitter_ms": 0.5}
    good, bad = (observed(**{**known, name: value}) for value in (inside, outside))
    assert list(validity._differences(asked, good)) == []
    (said,) = validity._differences(asked, bad)
    assert said.startswith(name.split("_")[0])


def test_a_long_delay_is_shown_with_six_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disciplines, "asked", lambda *_: None)
    monkeypatch.setattr(disciplines, "differences", lambda *_: ())
    known = {"loss_percent": 0.0, "jitter_ms": 0.0}
    asked = link(delay_ms=1000.0)
    for delay_ms, told in ((1000.099, 0), (1000.101, 1)):
        shown = observed(**known, delay_ms=delay_ms)
        assert len(list(validity._differences(asked, shown))) == told


@pytest.mark.parametrize("drops, told", [(0, 0), (1, 1)])
def test_one_packet_that_an_interface_drops_is_told(drops: int, told: int) -> None:
    interface = thing(interface="eth0", node="client", dropped=drops, errors=0)
    run = thing(
        outcome=thing(links=()),
        qdiscs=(),
        links=(),
        interfaces=(interface,),
        job=thing(changes=(), links=()),
    )
    said = list(validity.no_drop_elsewhere(run))
    assert said == ["1 packets dropped by eth0 on client"] * told


@pytest.mark.parametrize("count, told", [(0, 0), (1, 1)])
def test_one_time_without_memory_is_told(count: int, told: int) -> None:
    run = thing(counters={"client": {"TcpExtTCPMemoryPressures": count}})
    assert len(list(validity.memory_sufficed(run))) == told
