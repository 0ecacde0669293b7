"""Sentences about settings of hosts and addresses of servers, at their bounds."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.run.events import Event
from analysis.run.explain import servers, settings
from analysis.run.explain.ways import of_path
from analysis.run.readers.host_changes import HostChange
from jobs.ends import CREATE, USERSPACE, Change, Endpoint, Host, Limits
from tests.analysis.explain.made import IPERF3, LINKS, event, facts, opened, sentences

FURTHER = "10.250.0.2"
USUAL = Host()
SIGNAL = Host(
    addresses={"far": FURTHER}, endpoints=(Endpoint(link="far", flags=("signal",)),)
)


def address(time_s: float, name: str, host: str, more: str = FURTHER) -> Event:
    return event(time_s, name, f"address={more} id=2", host=host)


HEARD = (address(0.1, "AddAddrTx", "server"), address(0.2, "AddAddr", "client"))


def joined(remote: str, time_s: float = 0.3) -> Event:
    """A further subflow of the client to an address."""
    one = event(time_s, "MPJoinSynTx", path=2)
    return replace(one, remote=f"{remote}:5201")


# Addresses of servers


def unused(
    *events: Event, client: Host = USUAL, server: Host = SIGNAL, **more: Any
) -> list[str]:
    hosts = {"client": client, "server": server}
    own = facts(*events, host_settings=hosts, **more)
    return sentences(servers.unused_addresses, own)


HEAD = f"{FURTHER}, a further address of the server, was not used: "
TWO = (*opened(0.0, 40000, 2), *HEARD)
"""A connection whose subflows both go to the first address."""


@pytest.mark.parametrize(("closed_s", "told"), [(0.09, False), (0.1, True)])
def test_a_connection_of_a_tenth_of_a_second_could_hear_of_an_address(
    closed_s: float, told: bool
) -> None:
    assert bool(unused(*TWO, event(closed_s, "closed"))) is told


def test_a_connection_without_an_end_could_hear_of_an_address() -> None:
    assert unused(*TWO)
    assert not unused(*TWO, noted=False)
    assert not unused(*TWO, protocol="tcp")
    later = (*opened(5.0, 40000, 2), *HEARD)
    assert unused(*later, event(5.05, "closed", host="server")) == []


def test_connections_to_another_server_do_not_count() -> None:
    other = replace(IPERF3, destination="other")
    assert not unused(*TWO, traffic=[other])
    closed = event(0.05, "closed")
    plain = replace(IPERF3, port=5202, transport=facts(protocol="tcp").job.transport)
    tcp = opened(0.0, 41000, entry=1)
    assert not unused(*TWO, closed, *tcp, traffic=[IPERF3, plain])


def test_the_first_connection_that_could_ask_is_told() -> None:
    """It has its limit used up; the second one has not."""
    full = Host(limits=Limits(subflows=1, add_addr_accepted=1))
    (found,) = servers.unused_addresses(
        facts(
            *opened(0.0, 40000, 2),
            *opened(2.0, 41000),
            *HEARD,
            host_settings={"client": full, "server": SIGNAL},
        )
    )
    assert found.sentence == (
        f"{HEAD}the limit `subflows` of the client is 1, and others have it"
    )
    assert found.evidence == "no MPJoinSynTx to it, from 0.0 to 2.0 s"


def test_the_time_of_a_connection_is_that_of_its_first_subflow() -> None:
    late = [replace(each, time_s=3.0) for each in opened(0.0, 40000, 2)[-2:]]
    own = facts(*opened(0.0), *late, *HEARD, host_settings={"server": SIGNAL})
    (found,) = servers.unused_addresses(own)
    assert found.evidence == "no MPJoinSynTx to it, at 0.0 s"


def test_scripts_in_user_space_and_single_subflows_are_told_elsewhere() -> None:
    script = Host(pm=USERSPACE)
    assert not unused(*TWO, client=script)
    assert not unused(*TWO, server=replace(SIGNAL, pm=USERSPACE))
    assert not unused(*opened(0.0), *HEARD)  # alone


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (None, "the limit `add_addr_accepted` of the client is 0, so it does not use"),
        (Limits(add_addr_accepted=1), "the reason is not known"),
        (Limits(subflows=2, add_addr_accepted=1), "the reason is not known"),
        (
            Limits(subflows=1),
            "the limit `subflows` of the client is 1, and others have",
        ),
        (Limits(subflows=0), "the limit `subflows` of the client is 0"),
    ],
)
def test_limits_of_the_client_leave_an_address_unused(
    limits: Limits | None, said: str
) -> None:
    (found,) = unused(*TWO, client=Host(limits=limits))
    assert found.startswith(HEAD + said)


@pytest.mark.parametrize(("accepted", "taken"), [(1, True), (2, False)])
def test_other_announced_addresses_take_the_limit(accepted: int, taken: bool) -> None:
    client = Host(limits=Limits(add_addr_accepted=accepted))
    other = address(0.1, "AddAddr", "client", "10.251.0.2")
    events = (*opened(0.0), *HEARD, other, joined("10.251.0.2"))
    (said,) = unused(*events, client=client)
    assert said == HEAD + (
        "the limit `add_addr_accepted` of the client is 1, and other addresses have it"
        if taken
        else "the reason is not known"
    )


def test_only_what_the_client_hears_is_announced_to_it() -> None:
    client = Host(limits=Limits(add_addr_accepted=1))
    for mine in (
        address(0.1, "AddAddr", "server", "10.251.0.2"),
        address(0.1, "RmAddr", "client", "10.251.0.2"),
    ):
        events = (*opened(0.0), *HEARD, mine, joined("10.251.0.2"))
        (said,) = unused(*events, client=client)
        assert said == f"{HEAD}the reason is not known"


def test_an_announcement_is_sent_and_then_heard() -> None:
    begun = opened(0.0, 40000, 2)
    (said,) = unused(*begun, HEARD[0])
    assert said == f"{HEAD}its announcement did not reach the client"
    (said,) = unused(*begun)
    assert said == f"{HEAD}the reason is not known"
    silent = Host(addresses={"far": FURTHER})
    (said,) = unused(*begun, server=silent)
    assert "has no endpoint with the flag `signal` on it" in said
    # Other addresses, hosts and events are not its announcement.
    for other in (
        address(0.1, "AddAddrTx", "server", "10.251.0.2"),
        address(0.1, "AddAddrTx", "client"),
        address(0.1, "EchoAdd", "server"),
    ):
        (said,) = unused(*begun, other, server=silent)
        assert "has no endpoint with the flag `signal` on it" in said
    changing = replace(
        silent, changes=(Change(at_s=1.0, link="far", flags=("signal",)),)
    )
    assert unused(*begun, server=changing) == []
    elsewhere = replace(silent, changes=(Change(at_s=1.0, link="x", present=False),))
    assert unused(*begun, server=elsewhere)


def test_an_address_with_a_subflow_is_used() -> None:
    client = Host(limits=Limits(add_addr_accepted=2))
    assert not unused(*opened(0.0), *HEARD, joined(FURTHER), client=client)


def far(at_s: float, *flags: str, present: bool | None = None) -> Change:
    """A change of the further address, or of the flags of its endpoint."""
    own = flags if present is None else None
    return Change(at_s=at_s, link="far", flags=own, present=present)


GONE, BACK = far(2.0, present=False), far(10.0, present=True)


@pytest.mark.parametrize(
    ("changes", "since"),
    [
        ((), 0.0),
        ((GONE,), servers.NEVER),
        ((GONE, BACK), 10.0),
        ((far(2.0),), servers.NEVER),
        ((far(2.0), far(10.0, "signal")), 10.0),
        ((far(12.0, "signal", "backup"),), 0.0),
        ((far(2.0), far(10.0, "signal"), far(12.0, "signal", "backup")), 10.0),
        ((GONE, far(3.0, "signal"), BACK, far(12.0, "signal")), 10.0),
        ((GONE, far(3.0), BACK, far(12.0, "signal")), 12.0),
        ((GONE, far(3.0), BACK), servers.NEVER),
        ((replace(GONE, link="near"),), 0.0),
    ],
)
def test_an_address_counts_since_it_has_its_endpoint_without_a_break(
    changes: tuple[Change, ...], since: float
) -> None:
    assert servers._since(replace(SIGNAL, changes=changes), "far") == since


def test_a_connection_without_an_end_lasts_to_the_last_event() -> None:
    own = facts(*opened(0.0, 40000, 2), event(10.0, "TCPTimeouts"))
    (one,) = own.connections
    assert servers._lasts(own, one, 9.0)
    assert not servers._lasts(own, one, 9.95)


# Settings that keep a client from asking


def reasons(*events: Event, **hosts: Host) -> list[str]:
    own = facts(*opened(0.0), *events, host_settings=hosts)
    return list(settings.reasons(own, own.connections[0]))


def create(*times_s: float) -> Host:
    changes = tuple(Change(at_s=t, link="path2", command=CREATE) for t in times_s)
    return Host(pm=USERSPACE, changes=changes)


@pytest.mark.parametrize(
    ("times_s", "closed_s", "end"),
    [
        ((), 5.0, "creates none"),
        ((6.0, 8.0), 5.0, "creates one at 6 s, after its end"),
        ((6.0, 8.0), 6.0, "did not succeed to create one"),
        ((6.0, 8.0), 7.0, "did not succeed to create one"),
        ((6.0, 8.0), None, "did not succeed to create one"),
    ],
)
def test_a_script_creates_its_first_subflow_before_the_end(
    times_s: tuple[float, ...], closed_s: float | None, end: str
) -> None:
    events = [] if closed_s is None else [event(closed_s, "closed")]
    (said,) = reasons(*events, client=create(*times_s))
    assert said == (
        f"the path manager of the client is in user space, and its script {end}"
    )


def test_an_end_at_the_server_does_not_end_the_clients_connection() -> None:
    ended = event(5.0, "closed", host="server")
    (said,) = reasons(ended, client=create(6.0))
    assert said.endswith("did not succeed to create one")


NONE = Host(endpoints=())


@pytest.mark.parametrize(
    ("events", "server", "said"),
    [
        ((), Host(), "the peer announces no address"),
        ((), SIGNAL, None),
        (
            (HEARD[1],),
            SIGNAL,
            "the limit `add_addr_accepted` of the client is 0, so it",
        ),
        (
            (HEARD[1],),
            Host(),
            "the limit `add_addr_accepted` of the client is 0, so it",
        ),
        ((HEARD[0],), Host(), "the peer announces no address"),
        (
            (address(0.1, "AddAddr", "server"),),
            Host(),
            "the peer announces no address",
        ),
        (
            (address(0.1, "EchoAdd", "client"),),
            Host(),
            "the peer announces no address",
        ),
    ],
)
def test_a_client_without_endpoints_depends_on_announcements(
    events: tuple[Event, ...], server: Host, said: str | None
) -> None:
    first, *rest = reasons(*events, client=NONE, server=server)
    assert first == "the client has no endpoint with the flag `subflow`"
    assert len(rest) == (said is not None)
    assert not said or rest[0].startswith(said)


def test_a_client_that_accepts_addresses_is_told_nothing_of_its_limit() -> None:
    client = replace(NONE, limits=Limits(add_addr_accepted=1))
    assert reasons(HEARD[1], client=client) == [
        "the client has no endpoint with the flag `subflow`"
    ]


@pytest.mark.parametrize("flag", ["subflow", "fullmesh"])
def test_an_endpoint_that_asks_is_no_reason(flag: str) -> None:
    asking = Host(endpoints=(Endpoint(link="path2", flags=(flag,)),))
    assert reasons(client=asking) == []
    backup = Host(endpoints=(Endpoint(link="path2", flags=("backup",)),))
    assert reasons(client=backup)
    assert reasons() == []
    assert reasons(client=Host(limits=Limits(subflows=1))) == []
    (said,) = reasons(client=Host(limits=Limits(subflows=0)))
    assert said == "the limit `subflows` of the client is 0"


def test_commands_without_effect_are_told() -> None:
    states = ("create: refused: no such address", "create: no connection", "create: ok")
    changes = tuple(HostChange(2.0, 2.0, "client", "path2", state) for state in states)
    own = replace(facts(), host_changes=changes)
    (refused, nobody) = settings.script(own)
    head = "the script of the client, create path2 at 2 s,"
    assert refused.sentence == f"{head} was refused: no such address"
    assert nobody.sentence == f"{head} met no MPTCP connection"
    assert nobody.evidence == ("create: no connection at 2.000 s in host-changes.csv")


@pytest.mark.parametrize(("count", "to"), [(1, ""), (2, " to port 5201")])
def test_a_plain_listener_among_several_has_its_port(count: int, to: str) -> None:
    traffic = [IPERF3, replace(IPERF3, port=5202)][:count]
    own = facts(
        *opened(0.0),
        event(0.0, "MPCapableFallbackSYNACK", "1"),
        traffic=traffic,
        host_settings={"server": Host(mptcp=False)},
    )
    assert sentences(settings.plain_listener, own) == [
        f"1 connection of the client{to} is plain TCP: the listener of the server does"
        " not speak MPTCP"
    ]


def test_clients_of_plain_tcp_by_the_file() -> None:
    counters = {"client": {"MPTcpExtMPCapableSYNTX": 3}}
    for mptcp, told in ((False, True), (True, False), (None, False)):
        own = facts(counters=counters, host_settings={"client": Host(mptcp=mptcp)})
        found = list(settings.without_mptcp(own))
        assert bool(found) is told
        assert not told or found[0].evidence.endswith("MPCapableSYNTX is 3")
    unknown = facts(host_settings={"client": Host(mptcp=False)})
    assert not list(settings.without_mptcp(unknown))


# Paths of a host


def test_the_bottleneck_of_a_path_is_the_least_of_its_links() -> None:
    """Each link adds 10 ms in either direction, and 30 ms towards users."""
    slow = replace(LINKS[1], capacity_mbps=5.0, name="path2", delay_ms=30.0)
    links = [LINKS[0], replace(LINKS[1], down=slow)]
    own = facts(links=links)
    up = of_path(own, "client", 2, "client")
    assert up.capacity_mbps == 20.0 and up.round_trip_s == pytest.approx(0.04)
    back = of_path(own, "client", 2, "server")
    assert back.capacity_mbps == 5.0 and back.round_trip_s == pytest.approx(0.04)
    assert list(up.shapes) == ["path2"]
