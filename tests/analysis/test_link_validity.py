"""Bounds of the checks of links, each from both sides."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.run import changed_links, disciplines, link_validity
from analysis.run.observed_links import Direction
from analysis.words import many
from tests.analysis.test_validity import link, thing


def observed(**more: Any) -> Direction:
    """The link as tc shows it when everything is as asked."""
    known: dict[str, Any] = {"rate_mbps": 10.0, "delay_ms": 10.0, "jitter_ms": 0.0}
    known |= {"loss_percent": 0.0, "queue_packets": 50.0, "bytes": 0}
    return Direction(**{**known, "queue_drops": 0, "other_drops": 0, **more})


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
    assert list(link_validity._differences(asked, good)) == []
    (said,) = link_validity._differences(asked, bad)
    assert said.startswith(name.split("_")[0])


def test_a_long_delay_is_shown_with_six_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disciplines, "asked", lambda *_: None)
    monkeypatch.setattr(disciplines, "differences", lambda *_: ())
    known = {"loss_percent": 0.0, "jitter_ms": 0.0}
    asked = link(delay_ms=1000.0)
    for delay_ms, told in ((1000.099, 0), (1000.101, 1)):
        shown = observed(**known, delay_ms=delay_ms)
        assert len(list(link_validity._differences(asked, shown))) == told


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
    said = list(link_validity.no_drop_elsewhere(run))
    assert said == ["1 packet dropped by eth0 on client"] * told


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links without a discipline or an impairment."""
    monkeypatch.setattr(disciplines, "asked", lambda *_: None)
    monkeypatch.setattr(disciplines, "differences", lambda *_: ())


@pytest.mark.usefixtures("plain")
def test_each_direction_of_each_link_is_compared() -> None:
    both = link(down=link(capacity_mbps=20.0))
    run = thing(job=thing(links=(both, link(name="path2")), changes=()), changes=())
    ends = {"forward": observed(), "backward": observed(rate_mbps=20.0)}
    run.links = (thing(name="path1", **ends),)
    assert list(link_validity.links_as_asked(run)) == ["path 2 was not built"]
    turned = {"forward": ends["backward"], "backward": ends["forward"]}
    run.links = (thing(name="path1", **turned), thing(name="path2", **ends))
    assert list(link_validity.links_as_asked(run)) == [
        "path 1 forward: rate is 20 Mbit/s, asked for 10",
        "path 1 backward: rate is 10 Mbit/s, asked for 20",
        "path 2 backward: rate is 20 Mbit/s, asked for 10",
    ]


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    "rate_mbps, shown_mbps, told",
    [
        (0.001, 0.0010079, 0),  # a byte per second is 8e-6 Mbit/s
        (0.001, 0.0010081, 1),
        (0.0, 8e-6, 0),  # out
        (0.0, 15.9e-6, 0),
        (0.0, 16.1e-6, 1),
        (0.5, 0.5, 0),
    ],
)
def test_slow_links_are_shown_in_whole_bytes_per_second(
    rate_mbps: float, shown_mbps: float, told: int
) -> None:
    shown = observed(rate_mbps=shown_mbps, queue_packets=50.0)
    asked = link(capacity_mbps=rate_mbps)
    assert len(list(link_validity._differences(asked, shown))) == told


@pytest.mark.usefixtures("plain")
def test_the_queue_of_a_link_that_is_out_is_not_shown() -> None:
    shown = observed(rate_mbps=8e-6, queue_packets=None)
    assert list(link_validity._differences(link(capacity_mbps=0.0), shown)) == []
    slow = observed(rate_mbps=1.0, queue_packets=None)
    (said,) = link_validity._differences(link(capacity_mbps=1.0), slow)
    assert said == "queue cannot be read back"


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("more, told", [(1.65, 0), (1.653, 1), (-1.65, 0), (-1.653, 1)])
def test_a_fast_queue_is_shown_in_two_microseconds(more: float, told: int) -> None:
    """2e-6 s of 10 Gbit/s are 2,500 bytes, 1.6513 packets."""
    asked = link(capacity_mbps=10_000.0)
    shown = observed(rate_mbps=10_000.0, queue_packets=50 + more)
    assert len(list(link_validity._differences(asked, shown))) == told


@pytest.mark.usefixtures("plain")
def test_what_was_not_asked_for_is_told_and_cakes_queue_is_not_compared() -> None:
    asked = link(capacity_mbps=None)
    assert list(link_validity._differences(asked, observed(rate_mbps=None))) == []
    assert list(link_validity._differences(asked, observed())) == [
        "rate is 10 Mbit/s, asked for none"
    ]
    cake = disciplines.Traits(discipline=disciplines.CAKE)
    shown = observed(queue_packets=7.0, traits=cake)
    assert list(link_validity._differences(link(), shown)) == []


@pytest.mark.usefixtures("plain")
def test_loss_is_shown_to_a_ten_thousandth_of_a_percent() -> None:
    for shown_percent, told in ((1.00009, 0), (1.00011, 1)):
        asked, shown = link(loss_percent=1.0), observed(loss_percent=shown_percent)
        assert len(list(link_validity._differences(asked, shown))) == told


def test_changes_are_compared_until_the_last_client_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def until(job: Any, changes: Any, end_s: float) -> list[str]:
        return [f"until {end_s} s"]

    monkeypatch.setattr(changed_links, "differences", until)
    process = [
        thing(name="traffic-0-client", last_s=4.0),
        thing(name="traffic-1-client", last_s=9.5),
        thing(name="traffic-1-server", last_s=12.0),
        thing(name="traffic-2-client", last_s=None),
    ]
    run = thing(job=thing(changes=(1,)), changes=(), outcome=thing(processes=process))
    assert list(link_validity.changes_as_asked(run)) == ["until 9.5 s"]
    run.outcome.processes = process[3:]
    assert list(link_validity.changes_as_asked(run)) == ["until 0.0 s"]
    run.outcome.processes = []
    assert list(link_validity.changes_as_asked(run)) == ["until 0.0 s"]
    run.job.changes = ()
    assert list(link_validity.changes_as_asked(run)) == []


def dropping(**more: Any) -> Any:
    """A run whose link path1 is shaped at r:eth1 and r:eth2; nothing drops."""
    way = {"loss_percent": None, "other_drops": 0}
    traits = {"loses": False, "corrupts": False}
    ends = {
        name: thing(**way, traits=thing(**traits)) for name in ("forward", "backward")
    }
    known = {
        "outcome": thing(links=(thing(forward=("r", "eth1"), backward=("r", "eth2")),)),
        "qdiscs": (),
        "links": (thing(name="path1", **ends),),
        "interfaces": (),
        "job": thing(changes=(), links=()),
    }
    return thing(**{**known, **more})


@pytest.mark.parametrize(
    "node, interface, parent, drops, told",
    [
        ("r", "eth1", None, 5, 0),
        ("r", "eth2", None, 5, 0),
        ("r", "eth3", None, 5, 1),
        ("s", "eth1", None, 5, 1),
        ("r", "eth3", "1:", 5, 0),  # counted in its parent
        ("r", "eth3", None, 0, 0),
    ],
)
def test_queues_outside_of_bottlenecks_drop_nothing(
    node: str, interface: str, parent: str | None, drops: int, told: int
) -> None:
    names = {"node": node, "interface": interface, "place": f"{node}:{interface}"}
    run = dropping(qdiscs=(thing(**names, parent=parent, drops=drops),))
    said = list(link_validity.no_drop_elsewhere(run))
    assert said == [f"{many(drops, 'packet')} dropped by {node}:{interface}"] * told


@pytest.mark.parametrize(
    "loss, loses, changes, told",
    [
        (None, False, (), 1),
        (1.0, False, (), 0),
        (None, True, (), 0),
        (None, False, (thing(link="path1", quantity="loss_percent"),), 0),
    ],
)
def test_packets_are_lost_before_a_queue_only_where_it_was_asked_for(
    loss: float | None, loses: bool, changes: tuple[Any, ...], told: int
) -> None:
    run = dropping(job=thing(changes=changes, links=()))
    way = run.links[0].backward
    way.other_drops, way.loss_percent, way.traits.loses = 3, loss, loses
    said = list(link_validity.no_drop_elsewhere(run))
    assert len(said) == told
    assert all("backward: 3 packets dropped before the queue" in one for one in said)


@pytest.mark.parametrize("dropped, errors, said", [(1, 0, 1), (0, 1, 1), (2, 2, 4)])
@pytest.mark.parametrize("way", ["forward", "backward"])
def test_interfaces_drop_nothing_but_where_packets_are_damaged(
    way: str, dropped: int, errors: int, said: int
) -> None:
    interface = thing(interface="eth0", node="s", dropped=dropped, errors=errors)
    run = dropping(interfaces=(interface,))
    assert list(link_validity.no_drop_elsewhere(run)) == [
        f"{many(said, 'packet')} dropped by eth0 on s"
    ]
    getattr(run.links[0], way).traits.corrupts = True
    assert list(link_validity.no_drop_elsewhere(run)) == []


def test_a_discipline_has_its_queue_in_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A token bucket's queue is shown in bytes, so it depends on the link's mtu."""
    monkeypatch.setattr(disciplines, "asked", lambda *_: None)
    monkeypatch.setattr(disciplines, "differences", lambda *_: ())
    small = link(mtu_bytes=743)
    assert small.frame_bytes == 757
    (said,) = link_validity._differences(small, observed(queue_packets=50.0))
    assert said == "queue is 50 packets, asked for 25"
    assert list(link_validity._differences(small, observed(queue_packets=25.0))) == []
    other = replace(small, discipline=thing())
    assert list(link_validity._differences(other, observed(queue_packets=50.0))) == []
