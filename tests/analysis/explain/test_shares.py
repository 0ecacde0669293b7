"""Sentences about shares of paths, copies and windows, at their bounds."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.run.events import Event
from analysis.run.explain import shares
from analysis.run.readers import job as job_file
from analysis.run.readers.outcome import UserPath
from tests.analysis.explain.made import (
    ADDRESSES,
    CAPTURED,
    IPERF3,
    LINKS,
    down,
    event,
    facts,
    opened,
    sentences,
)

WORDS: Any = job_file.read(CAPTURED / "small/job.json").traffic[0]
"""An entry that sends little."""
TWO = opened(0.0, 40000, 2)
EQUAL = [LINKS[0], replace(LINKS[0], name="path2")]


def last(acked: int, path: int = 1, time_s: float = 10.0, **more: Any) -> Event:
    return event(time_s, "tcp_closed", f"acked={acked}", path=path, **more)


def unused(*events: Event, **more: Any) -> list[str]:
    return sentences(shares.unused_paths, facts(*TWO, *events, **more))


# Unused paths


@pytest.mark.parametrize(("second", "told"), [(4_999, True), (5_000, False)])
def test_a_path_with_less_than_a_twentieth_of_the_bytes_is_unused(
    second: int, told: bool
) -> None:
    said = unused(last(100_000 - second), last(second, path=2), links=EQUAL)
    assert said == (
        ["path 2 carried 5.0% of the bytes: the reason is not known"] if told else []
    )


def test_an_unused_path_has_its_bytes_as_evidence() -> None:
    own = facts(*TWO, last(99_000), last(1_000, path=2))
    (found,) = shares.unused_paths(own)
    assert found.evidence == "1000 of 100000 bytes by tcp_closed and tcp_open"
    assert (found.about, found.known) == ("path 2 of client", False)


@pytest.mark.parametrize(("second", "told"), [(2_499, True), (2_500, False)])
def test_a_small_path_may_carry_a_quarter_of_its_share(second: int, told: bool) -> None:
    """Its 1 Mbit/s of 10 are a tenth, and a quarter of that is 0.025."""
    small = [replace(LINKS[0], capacity_mbps=9.0), replace(LINKS[1], capacity_mbps=1.0)]
    said = unused(last(100_000 - second), last(second, path=2), links=small)
    assert bool(said) is told
    unknown = [replace(LINKS[0], capacity_mbps=None), small[1]]
    assert unused(last(100_000 - second), last(second, path=2), links=unknown)


def test_the_direction_of_the_data_decides_about_capacities() -> None:
    """Towards users, path 2 has a hundredth of the capacity."""
    thin = replace(LINKS[1], capacity_mbps=0.1, name="path2")
    links = [LINKS[0], replace(LINKS[1], capacity_mbps=10.0, down=thin)]
    events = [last(99_500), last(500, path=2)]
    assert unused(*events, links=links)
    back = [replace(IPERF3, reverse=True)]
    assert not unused(*events, links=links, traffic=back)
    later = replace(IPERF3, reverse=True, port=5202)
    other = replace(IPERF3, source="other", reverse=True, port=5203)
    assert unused(*events, links=links, traffic=[IPERF3, later, other])
    assert unused(*events, links=links, traffic=[IPERF3, other])


@pytest.mark.parametrize(("total", "told"), [(19_999, False), (20_000, True)])
def test_of_few_bytes_no_share_is_told(total: int, told: bool) -> None:
    assert bool(unused(last(total - 100), last(100, path=2))) is told


def test_a_connection_over_one_path_has_no_unused_one() -> None:
    alone = facts(*opened(0.0), last(100_000), links=[LINKS[0]])
    assert sentences(shares.unused_paths, alone) == []
    users = facts().users
    no_bytes = facts(*opened(0.0), last(0), users=users)
    assert sentences(shares.unused_paths, no_bytes) == []
    asked = event(0.0, "MPJoinSynTx", path=2)
    own = facts(*opened(0.0), asked, last(100_000), last(5, path=2))
    assert sentences(shares.unused_paths, own) == []


def test_bytes_of_all_connections_of_a_host_count_together() -> None:
    more = [*opened(0.0, 41000, 2), last(100, port=41000)]
    one = [last(99_900), last(1_000, path=2)]
    assert unused(*one)
    assert unused(*one, *more, last(4_000, path=2, port=41000))
    assert not unused(*one, *more, last(4_400, path=2, port=41000))
    # Connections of TCP, and of other hosts, do not.
    tcp = replace(IPERF3, port=5202, transport=facts(protocol="tcp").job.transport)
    plain = [event(0.0, "tcp_connect", path=2, port=42000, entry=1)]
    plain.append(last(9_000, path=2, port=42000, entry=1))
    assert unused(*one, *plain, traffic=[IPERF3, tcp])
    host = [replace(each, host="other") for each in opened(0.0, 42000, entry=1)]
    host.append(replace(last(9_000, path=2, port=42000, entry=1), host="other"))
    other = replace(IPERF3, source="other", port=5202)
    assert unused(*one, *host, traffic=[IPERF3, other])


LITTLE = (last(99_000), last(1_000, path=2))


def test_a_backup_path_is_unused_by_plan_or_by_what_an_end_was_told() -> None:
    end = "it is a backup path, and the others worked"
    backup = event(1.0, "sub_priority", "backup=1", path=2)
    no_more = event(2.0, "sub_priority", "backup=0", path=2)
    at_server = event(1.0, "sub_priority", "backup=1", path=2, host="server")
    joined = event(1.0, "MPJoinSynAckBackupRx", "1", path=2)
    for told in ((backup,), (at_server,), (joined,), (no_more, at_server)):
        (said,) = unused(*LITTLE, *told)
        assert said.endswith(end), told
    (said,) = unused(*LITTLE, backup, no_more)
    assert said.endswith("the reason is not known")
    first = event(1.0, "sub_priority", "backup=1", path=1)
    (said,) = unused(*LITTLE, first)
    assert said.endswith("the reason is not known")
    # One of several subflows of the path is enough.
    more = [*opened(0.0, 41000, 2), last(99_000, port=41000)]
    (said,) = unused(*LITTLE, *more, last(1_000, path=2, port=41000), backup)
    assert said.endswith(end)


def test_one_entry_whose_backup_a_path_is_explains_it() -> None:
    case = replace(facts().job.transport, backup=(2,))
    mine = replace(IPERF3, transport=case)
    beside = replace(IPERF3, port=5202)
    (said,) = unused(*LITTLE, traffic=[mine])
    assert said.endswith("it is a backup path, and the others worked")
    tcp = replace(case, protocol="tcp", backup=None)
    (both,) = unused(*LITTLE, traffic=[mine, replace(beside, transport=tcp)])
    assert both == said


def test_one_bulk_transfer_needs_every_path() -> None:
    second = replace(IPERF3, port=5202)
    (said,) = unused(*LITTLE, traffic=[WORDS, second])
    assert said.endswith("the reason is not known")


def test_only_the_time_of_the_hosts_own_connections_counts() -> None:
    """99,000 bytes in 0.08 s are 9.9 Mbit/s; another host goes on for longer."""
    one = (last(99_000, time_s=0.08), last(1_000, path=2, time_s=0.08))
    other = replace(WORDS, source="other", port=5202)
    more = [replace(e, host="other") for e in opened(0.5, 41000, entry=1)[:3]]
    (said,) = unused(*one, *more, traffic=[WORDS, other])
    assert said.endswith("not known")


def test_the_time_begins_with_the_first_event() -> None:
    """99,000 bytes from 1 s to 1.08 s are 9.9 Mbit/s."""
    own = facts(
        *opened(1.0, 40000, 2),
        last(99_000, time_s=1.08),
        last(1_000, path=2, time_s=1.08),
        traffic=[WORDS],
    )
    (said,) = sentences(shares.unused_paths, own)
    assert said.endswith("not known")


def test_a_path_that_went_stale_is_told_by_another_rule() -> None:
    assert unused(*LITTLE, event(1.0, "SubflowStale", path=2)) == []
    assert unused(*LITTLE, event(1.0, "SubflowStale", path=1))


def test_one_reset_on_a_path_is_told_by_another_rule() -> None:
    """The other connection's subflow there is well."""
    more = opened(0.0, 41000, 2)
    reset = event(1.0, "sub_closed", "error=104", path=2)
    assert unused(*LITTLE, *more)
    assert unused(*LITTLE, *more, reset) == []


def test_the_first_dark_time_of_an_unused_path_is_its_reason() -> None:
    changes = [*down("path2", 1.0, 2.0), *down("path2", 3.0, 4.0)]
    (said,) = unused(*LITTLE, changes=changes)
    assert said.endswith("path 2 carried nothing from 1 s to 2 s")
    (said,) = unused(*LITTLE, changes=down("path1", 1.0))
    assert said.endswith("the reason is not known")


@pytest.mark.parametrize(
    ("most", "end_s", "full"),
    [(11_150_000, 10.0, False), (11_150_000, 9.9, True), (11_151_000, 10.0, True)],
)
def test_an_application_that_sends_less_needs_no_second_path(
    most: int, end_s: float, full: bool
) -> None:
    """0.9 of 10 Mbit/s for 10 s are 11,250,000 bytes, of which path 2 has 99,000."""
    events = [last(most, time_s=end_s), last(99_000, path=2, time_s=end_s)]
    (said,) = unused(*events, traffic=[WORDS], links=EQUAL)
    assert said.endswith("not known") is full
    (said,) = unused(*events, links=EQUAL)
    assert said.endswith("not known")  # a bulk transfer always has data


def test_a_rate_needs_a_capacity_and_a_time() -> None:
    free = [replace(LINKS[0], capacity_mbps=None), LINKS[1]]
    (said,) = unused(*LITTLE, traffic=[WORDS], links=free)
    assert said.endswith("the reason is not known")
    at_once = (last(99_000, time_s=0.0), last(1_000, path=2, time_s=0.0))
    (said,) = unused(*at_once, traffic=[WORDS])
    assert said.endswith("the reason is not known")


def test_the_time_of_all_connections_counts() -> None:
    """99,000 bytes on path 1 in 0.08 s are 9.9 Mbit/s, and in 0.16 s half of that."""
    one = (last(99_000, time_s=0.08), last(1_000, path=2, time_s=0.08))
    (said,) = unused(*one, traffic=[WORDS])
    assert said.endswith("not known")
    later = opened(0.16, 41000)
    (said,) = unused(*one, *later, traffic=[WORDS])
    assert "the application sent less" in said


def test_of_the_paths_the_one_with_most_data_could_carry_all() -> None:
    """Path 2 carried most of 1.2 MB in 1 s: 9.6 of its 20 Mbit/s."""
    events = (last(10_000, time_s=1.0), last(1_190_000, path=2, time_s=1.0))
    (said,) = unused(*events, traffic=[WORDS])
    assert said.startswith("path 1 carried 0.8%") and "sent less" in said


# Copies


@pytest.mark.parametrize(
    ("copied", "arrived", "told"),
    [(5, 100, True), (49, 1000, False), (50, 1000, True), (9, 99, False)],
)
def test_copies_from_a_twentieth_of_a_hundred_segments(
    copied: int, arrived: int, told: bool
) -> None:
    counters = {"client": {shares.DUPLICATES: copied, "TcpInSegs": arrived}}
    found = list(shares.copies(facts(counters=counters)))
    assert bool(found) is told
    if told:
        assert found[0].sentence == (
            "5% of the segments that reached the client were copies of data that it"
            " had: the reason is not known"
        )


def test_copies_have_their_reason() -> None:
    counters = {"client": {shares.DUPLICATES: 50, "TcpInSegs": 100}, "server": {}}
    for name, said in (
        (shares.REINJECTED, "3 stretches of data went again over another subflow"),
        (shares.REMOVED, "subflows were closed, and their data was sent again on"),
    ):
        counters["server"] = {name: 3}
        (found,) = sentences(shares.copies, facts(counters=counters))
        assert said in found
    both = facts(counters=counters, transport={"scheduler": "redundant"})
    assert "sends all data on every path" in sentences(shares.copies, both)[0]


# Windows

PLAIN: Any = {"protocol": "tcp", "links": [LINKS[0]]}


def state(kind: str, held_ms: int, busy_ms: int = 1000, **more: Any) -> Event:
    value = f"acked=1 busy_ms={busy_ms} {kind}={held_ms}"
    return event(5.0, "tcp_closed", value, **more)


@pytest.mark.parametrize("kind", ["rwnd_ms", "sndbuf_ms"])
@pytest.mark.parametrize(
    ("held_ms", "busy_ms", "told"),
    [(500, 1000, True), (499, 1000, False), (999, 999, False), (505, 1010, True)],
)
def test_a_sender_that_waits_for_half_of_its_time_is_limited(
    kind: str, held_ms: int, busy_ms: int, told: bool
) -> None:
    own = facts(event(0.0, "tcp_connect"), state(kind, held_ms, busy_ms), **PLAIN)
    said = sentences(shares.limited, own)
    assert bool(said) is told
    assert not told or "held the client back on path 1 for 50% of the time" in said[0]


def test_the_sender_that_waited_longest_is_told() -> None:
    more = [event(0.0, "tcp_connect", port=port) for port in (40000, 41000, 42000)]
    held = [
        state("rwnd_ms", ms, port=port)
        for ms, port in ((500, 40000), (900, 41000), (700, 42000))
    ]
    (found,) = shares.limited(facts(*more, *held, **PLAIN))
    assert "for 90% of the time" in found.sentence
    assert found.evidence == "tcp_closed at 5.0 s: rwnd 900 of 1000 ms"


def test_subflows_of_mptcp_share_a_send_buffer_that_says_nothing() -> None:
    for kind, told in (("rwnd_ms", True), ("sndbuf_ms", False)):
        own = facts(*opened(0.0), state(kind, 900))
        assert bool(sentences(shares.limited, own)) is told


def test_users_of_two_links_have_both_capacities() -> None:
    way = UserPath(("path1", "path2"), "client-eth1", "10.0.1.2")
    own = facts(users={"client": (way,)})
    assert shares._capacities(own, "client") == {1: 10.0}
    assert shares._capacities(facts(), "client") == {1: 10.0, 2: 20.0}


# One link that all paths pass


def through(*links: Any, each: int = 50_000, **more: Any) -> list[str]:
    """Two paths, each with a line of its own and then the last of the links."""
    ways = tuple(
        UserPath((line.name, *(link.name for link in links[2:])), "", ADDRESSES[n])
        for n, line in enumerate(links[:2])
    )
    own = facts(
        *opened(0.0, 40000, 2),
        last(each),
        last(each, path=2),
        links=links,
        users={"client": ways},
        **more,
    )
    return sentences(shares.one_bottleneck, own)


UPLINK = replace(LINKS[0], name="uplink", capacity_mbps=8.0)


def test_paths_with_the_same_bottleneck_have_no_more_together() -> None:
    assert through(*LINKS[:2], UPLINK) == [
        "path 1 and path 2 of the client pass uplink, which carries 8 Mbit/s: together"
        " they have no more"
    ]


def test_paths_with_other_bottlenecks_are_no_matter_of_a_common_link() -> None:
    """The second line is slower than the common link, or there is no such link."""
    wide = replace(UPLINK, capacity_mbps=10.0)
    slow = replace(LINKS[1], capacity_mbps=9.0)
    assert through(LINKS[0], slow, wide) == []
    assert through(*LINKS[:2]) == []
    assert through(*LINKS[:2], replace(UPLINK, capacity_mbps=None)) == []


def test_a_trifle_over_a_common_link_is_not_told() -> None:
    assert through(*LINKS[:2], UPLINK, each=9_999) == []
    assert through(*LINKS[:2], UPLINK, each=10_000)


def test_a_bottleneck_that_others_share_is_the_question_itself() -> None:
    other = replace(IPERF3, source="other", port=5202)
    assert through(*LINKS[:2], UPLINK, traffic=[IPERF3, other]) == []
