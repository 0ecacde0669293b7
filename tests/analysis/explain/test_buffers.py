"""Connections that a buffer held, by numbers computed by hand.

Path 1 carries 10 Mbit/s and path 2 carries 20; each has a round trip of 20 ms. A path
that carries R bytes per second has R/50 bytes on their way.
"""

from dataclasses import replace
from typing import Any

import pytest

from analysis.run.events import Event
from analysis.run.explain import buffers
from analysis.run.readers.outcome import UserPath
from jobs.ends import Host
from mpbench.guest import transport
from tests.analysis.explain.made import (
    IPERF3,
    JOB,
    LINKS,
    down,
    event,
    facts,
    opened,
    sentences,
)

RMEM, WMEM = buffers.RMEM, buffers.WMEM
BYTES = 10_000_000
"""Of a subflow in 10 s: 8 Mbit/s, and 20,000 bytes on their way."""


def last(
    acked: int = BYTES, path: int = 1, time_s: float = 10.0, more: str = "", **own: Any
) -> Event:
    return event(time_s, "tcp_closed", f"acked={acked}{more}", path=path, **own)


def held(
    *events: Event, sysctls: dict[str, str] | None = None, **more: Any
) -> list[str]:
    own = {RMEM: "1 2 100000"} if sysctls is None else sysctls
    return sentences(buffers.held, facts(*events, transport={"sysctls": own}, **more))


ONE = (*opened(0.0), last(acked=8_000_000))
"""6.4 of 10 Mbit/s, and 16,000 bytes on their way."""
TWO = (*opened(0.0, 40000, 2), last(), last(path=2))
"""16 of 30 Mbit/s, and 40,000 bytes on their way."""


def test_a_receive_window_that_holds_a_connection_is_told() -> None:
    own = facts(*TWO, transport={"sysctls": {RMEM: "1 2 200000"}})
    (found,) = buffers.held(own)
    assert found.sentence == (
        "the receive window held the connection of the client: it used 53% of the"
        " capacity of its paths, which lost nothing; see net.ipv4.tcp_rmem of the"
        " server"
    )
    assert found.evidence == (
        "40 kB on their way by rates and delays, where buffers of 200 kB hold about"
        " half as much data; resent 0"
    )


@pytest.mark.parametrize(
    ("size", "told"), [(106_666, True), (106_667, False), (133_333, False)]
)
def test_data_on_their_way_fill_three_twentieths_of_the_buffer(
    size: int, told: bool
) -> None:
    """16,000 bytes are 0.15 of 106,667."""
    assert bool(held(*ONE, sysctls={RMEM: f"1 2 {size}"})) is told
    equal = (*opened(0.0), last(acked=7_500_000))  # 15,000 bytes
    assert held(*equal, sysctls={RMEM: "1 2 100000"})
    assert not held(*equal, sysctls={RMEM: "1 2 100001"})


@pytest.mark.parametrize(
    ("acked", "told"), [(8_749_999, True), (8_750_000, False), (8_800_000, False)]
)
def test_a_connection_that_used_seven_tenths_of_its_paths_is_not_held(
    acked: int, told: bool
) -> None:
    """7 Mbit/s of 10 for 10 s are 8,750,000 bytes."""
    assert bool(held(*opened(0.0), last(acked))) is told


@pytest.mark.parametrize(("acked", "told"), [(199_999, False), (200_000, True)])
def test_a_connection_that_sends_little_is_not_held(acked: int, told: bool) -> None:
    """20,000 bytes per second, of which 400 are on their way."""
    assert bool(held(*opened(0.0), last(acked), sysctls={RMEM: "1 2 1000"})) is told


@pytest.mark.parametrize(("end_s", "told"), [(4.99, False), (5.0, True)])
def test_a_connection_that_is_held_lasts_for_five_seconds(
    end_s: float, told: bool
) -> None:
    acked = int(800_000 * end_s)
    assert bool(held(*opened(0.0), last(acked, time_s=end_s))) is told
    begun = (*opened(1.0), last(acked, time_s=end_s + 1))
    assert bool(held(*begun)) is told


@pytest.mark.parametrize(("end_s", "told"), [(19.9, False), (20.0, True)])
def test_a_connection_that_is_held_lasts_for_forty_round_trips(
    end_s: float, told: bool
) -> None:
    far = [replace(LINKS[0], delay_ms=250.0), LINKS[1]]
    acked = int(100_000 * end_s)
    assert bool(held(*opened(0.0), last(acked, time_s=end_s), links=far)) is told


def test_each_subflow_adds_its_own_send_buffer() -> None:
    """Of one subflow, the send buffer is the smaller one; of two, the window is."""
    sysctls = {RMEM: "1 2 150000", WMEM: "1 2 100000"}
    (said,) = held(*ONE, sysctls=sysctls)
    assert said.startswith("the send buffer held the connection of the client: it used")
    assert said.endswith("see net.ipv4.tcp_wmem of the client")
    (said,) = held(*TWO, sysctls=sysctls)
    assert said.endswith("see net.ipv4.tcp_rmem of the server")


@pytest.mark.parametrize("name", [RMEM, WMEM])
def test_the_usual_size_of_a_buffer_is_that_of_guests(name: str) -> None:
    assert str(transport.DEFAULTS[name]).split()[-1] == str(buffers.USUAL_BYTES)


def test_the_usual_size_of_a_buffer() -> None:
    """67,108,864 bytes, of which 0.15 are 10,066,330: a path of 8 Gbit/s and a round
    trip of 20 ms has so much on its way at half of its rate."""
    wide = [replace(LINKS[0], capacity_mbps=8000.0), LINKS[1]]
    for on_way, told in ((10_066_329, False), (10_066_330, True)):
        full = (*opened(0.0), last(on_way * 500))
        assert bool(held(*full, sysctls={}, links=wide)) is told
    for text in ("", "1 2 x"):
        assert not held(*ONE, sysctls={RMEM: text})


def test_a_host_has_sizes_of_its_own() -> None:
    hosts = {"server": Host(sysctls={RMEM: "1 2 100000"})}
    assert held(*ONE, sysctls={}, host_settings=hosts)
    hosts = {"server": Host(sysctls={RMEM: "1 2 1000000"}), "client": Host()}
    assert not held(*ONE, host_settings=hosts)


def test_a_path_that_lost_or_stopped_or_changed_is_another_reason() -> None:
    assert held(*TWO)
    assert not held(*TWO[:-1], last(path=2, more=" resent=1"))
    for name in ("path1", "path2"):
        assert not held(*TWO, row={f"{name}.queue_drops": 1})
        number = int(name[-1]) - 1
        links = list(LINKS[:2])
        links[number] = replace(links[number], loss_percent=0.1)
        assert not held(*TWO, links=links)
        links[number] = replace(LINKS[number], capacity_mbps=None)
        assert not held(*TWO, links=links)
        assert not held(*TWO, changes=down(name, 30.0))
    for name in ("SubflowStale", "TCPAbortOnTimeout", "TCPTimeouts"):
        assert not held(*TWO, event(3.0, name, "1", path=2))
    assert held(*TWO, event(3.0, "SubflowRecover", "1", path=2))


def test_each_link_of_a_path_may_lose() -> None:
    links = [*LINKS[:2], replace(LINKS[0], name="far", capacity_mbps=99.0, delay_ms=0)]
    way = UserPath(("path1", "far"), "client-eth1", "10.0.1.2")
    own: Any = {"links": links, "users": {"client": (way,)}}
    assert held(*ONE, **own)
    for name in way.links:
        assert not held(*ONE, row={f"{name}.queue_drops": 1}, **own)


def test_a_subflow_that_is_not_known_to_its_end_tells_nothing() -> None:
    assert not held(*TWO[:-1])
    server_only = event(10.0, "tcp_closed", "received=5", path=2, host="server")
    assert not held(*TWO[:-1], server_only)
    joining = event(0.0, "MPJoinSynTx", path=2)
    assert not held(*opened(0.0), joining, last(), last(path=2))
    own = facts(*TWO)
    assert not held(*TWO, users={"client": own.users["client"][:1]})


def test_only_bulk_transfers_of_mptcp_are_held() -> None:
    assert held(*ONE)
    assert not held(*ONE, protocol="tcp")
    reverse = [replace(IPERF3, reverse=True)]
    back = (*opened(0.0), last(8_000_000, host="server"))
    (said,) = held(*back, traffic=reverse)
    assert said.endswith("see net.ipv4.tcp_rmem of the client")
    assert JOB.traffic[0].bulk


def test_the_send_buffer_of_a_server_is_its_own() -> None:
    reverse = [replace(IPERF3, reverse=True)]
    back = (*opened(0.0), last(8_000_000, host="server"))
    (said,) = held(*back, traffic=reverse, sysctls={WMEM: "1 2 100000"})
    assert said.endswith("see net.ipv4.tcp_wmem of the server")
