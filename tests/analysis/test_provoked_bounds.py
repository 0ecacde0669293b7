"""Failures that a job provokes, at the bounds of times, paths and hosts."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.run import traffic as entries
from analysis.run.events import Events
from analysis.run.outcomes import legs
from analysis.run.outcomes.provoked import DENIED, Provoked, of_run, paths_of
from analysis.run.readers.counters import Counters
from analysis.run.readers.outcome import Outcome, Process, UserPath
from jobs.changes import Series
from jobs.ends import CREATE, DESTROY, REMOVE, USERSPACE, Change, Host
from jobs.expect import Expect
from jobs.middleboxes import NAT, STRIP, Box
from tests.analysis.explain.made import ADDRESSES, IPERF3, JOB, LINKS, event

NAMES = ("path1", "path2", "path3")
WAYS = tuple(UserPath((name,), f"eth{n}", ADDRESSES[n]) for n, name in enumerate(NAMES))
END_S = 10.0
SAME_PAIR: Any = {
    "path_manager": "ndiffports",
    "sysctls": {"net.mptcp.ndiffports": "4"},
}
OTHER = replace(IPERF3, source="other", port=5202)


def dark(name: str, begin_s: float, end_s: float | None = None) -> Series:
    at_s, values = (
        ((begin_s,), (0.0,)) if end_s is None else ((begin_s, end_s), (0.0, 1.0))
    )
    return Series(
        link=name,
        direction="both",
        quantity="up",
        at_s=at_s,
        values=values,
        period_s=None,
    )


def provoked(
    *records: Any, count: int = 2, transport: Any = None, **job: Any
) -> Provoked:
    """The failures that a job provokes until 10 s, for hosts with so many paths."""
    own = replace(
        JOB,
        links=LINKS,
        traffic=records or (IPERF3,),
        transport=replace(JOB.transport, **(transport or {})),
        **job,
    )
    users = dict.fromkeys(("client", "other"), WAYS[:count])
    return Provoked(own, entries.of_job(own), users, END_S)


def expecting(*wanted: Expect | None) -> Any:
    usual: Any = JOB.report
    return replace(usual, expect=wanted)


def first(one: Provoked) -> Any:
    return one.traffic[0]


# Paths


@pytest.mark.parametrize(
    ("transport", "numbers"),
    [
        ({}, [1, 2, 3]),
        ({"protocol": "tcp"}, [1]),
        ({"protocol": "tcp", "path": 2}, [2]),
        ({"protocol": "tcp", "path": 1}, [1]),
        (SAME_PAIR, [1]),
        ({**SAME_PAIR, "path": 3}, [3]),
    ],
)
def test_the_paths_that_a_transport_is_to_use(
    transport: dict[str, Any], numbers: list[int]
) -> None:
    one = provoked(count=3, transport=transport)
    own = paths_of(one.users, first(one))
    assert list(own) == numbers
    assert [own[n].links for n in numbers] == [(NAMES[n - 1],) for n in numbers]


def test_an_entry_has_paths_of_its_own() -> None:
    one = provoked(count=3, transport={"protocol": "tcp", "path": 1})
    record = SimpleNamespace(own_paths=frozenset({2, 3}))
    assert list(paths_of(one.users, replace(first(one), record=record))) == [2, 3]


# Ends


def test_nothing_is_provoked_by_itself() -> None:
    one = provoked()
    assert not one.end(first(one), 5.0) and not one.end(first(one), None)
    assert not one.may_fall_back(first(one), 1.0)
    assert one.missing(1.0) == set()
    assert one.joining(first(one), 1.0) == 1


@pytest.mark.parametrize(
    ("change", "ends"),
    [
        (Change(at_s=5.0, link="path2", present=False), True),
        (Change(at_s=5.0, link="path2", present=True), False),
        (Change(at_s=5.1, link="path2", present=False), False),
        (Change(at_s=5.0, link="path2", command=REMOVE), True),
        (Change(at_s=5.0, link="path2", command=DESTROY), True),
        (Change(at_s=5.0, link="path2", command=CREATE), False),
        (Change(at_s=5.1, link="path2", command=DESTROY), False),
        (Change(at_s=5.0, link="path2", flags=()), False),
    ],
)
def test_an_address_that_is_taken_away_before_the_end_provokes_it(
    change: Change, ends: bool
) -> None:
    for host in ("client", "server"):
        one = provoked(host_settings={host: Host(changes=(change,))})
        assert one.end(first(one), 5.0) is ends
    one = provoked(host_settings={"nobody": Host(changes=(change,))})
    assert not one.end(first(one), 5.0)


def test_an_unknown_end_is_the_last_of_the_run() -> None:
    late = Change(at_s=END_S, link="path2", present=False)
    one = provoked(host_settings={"client": Host(changes=(late,))})
    assert one.end(first(one), None)
    assert not one.end(first(one), 9.9)


@pytest.mark.parametrize(
    ("from_s", "link", "kind", "ends"),
    [
        (None, "path1", STRIP, True),
        (None, "path2", STRIP, True),
        (None, "path3", STRIP, False),
        (5.0, "path1", STRIP, True),
        (5.1, "path1", STRIP, False),
        (None, "path1", NAT, True),
    ],
)
def test_a_middlebox_on_a_path_provokes_an_end_from_its_start_on(
    from_s: float | None, link: str, kind: str, ends: bool
) -> None:
    packets = {"packets": "syn"} if kind == STRIP else {"forgets": "drop"}
    box = Box(link=link, kind=kind, from_s=from_s, **packets)  # type: ignore[arg-type]
    one = provoked(middleboxes=(box,))
    assert one.end(first(one), 5.0) is ends
    on_path = link != "path3"
    assert one.free(first(one)) is on_path
    assert one.may_fall_back(first(one), 1.0) is on_path
    if from_s is None and on_path:
        assert one.end(first(one), 0.0)


@pytest.mark.parametrize(
    ("changes", "ends"),
    [
        ((dark("path1", 2.0), dark("path2", 2.0)), True),
        ((dark("path1", 2.0), dark("path2", 5.0)), True),
        ((dark("path1", 2.0), dark("path2", 5.1)), False),
        ((dark("path1", 2.0, 4.0), dark("path2", 4.0)), False),
        ((dark("path2", 0.0),), False),
        ((dark("path1", 2.0),), False),
        # The first path was dark from the start to the end.
        ((dark("path1", 0.0),), True),
        ((dark("path1", 0.0, 5.0),), True),
        ((dark("path1", 0.0, 4.9),), False),
        ((dark("path1", 0.1),), False),
    ],
)
def test_paths_that_are_dark_provoke_an_end(
    changes: tuple[Series, ...], ends: bool
) -> None:
    one = provoked(changes=changes)
    assert one.end(first(one), 5.0) is ends


def test_the_time_before_an_entry_starts_provokes_nothing() -> None:
    late = replace(IPERF3, start_s=3.0)
    both = (dark("path1", 1.0, 3.0), dark("path2", 1.0, 3.0))
    one = provoked(late, changes=both)
    assert not one.end(first(one), 5.0)
    one = provoked(late, changes=(dark("path1", 1.0, 3.1), dark("path2", 1.0, 3.1)))
    assert one.end(first(one), 5.0)


def test_only_the_first_path_is_sure_where_hosts_decide() -> None:
    deny = {"server": Host(sysctls={DENIED: "0"})}
    for hosts, ends in (
        (deny, True),
        ({"client": Host(pm=USERSPACE)}, True),
        ({}, False),
    ):
        one = provoked(changes=(dark("path1", 2.0),), host_settings=hosts)
        assert one.end(first(one), 5.0) is ends
        assert one.free(first(one)) is ends
    one = provoked(changes=(dark("path2", 2.0),), host_settings=deny)
    assert not one.end(first(one), 5.0)


def test_a_link_that_always_loses_everything_is_dark() -> None:
    for percent, ends in ((100.0, True), (99.9, False)):
        lossy = replace(LINKS[0], loss_percent=percent)
        one = provoked()
        one = replace(one, job=replace(one.job, links=(lossy, *LINKS[1:])))
        assert one.end(first(one), 5.0) is ends
        back = replace(LINKS[0], down=replace(LINKS[0], loss_percent=percent))
        one = replace(one, job=replace(one.job, links=(back, *LINKS[1:])))
        assert one.end(first(one), 5.0) is ends


# Expectations


def test_an_expectation_belongs_to_its_entry() -> None:
    wanted = Expect(completes="no")
    one = provoked(IPERF3, OTHER, report=expecting(None, wanted))
    assert [one.expect(entry) for entry in one.traffic] == [Expect(), wanted]
    assert [one.end(entry, 5.0) for entry in one.traffic] == [False, True]
    one = provoked(IPERF3, OTHER, report=expecting(wanted, None))
    assert [one.end(entry, 5.0) for entry in one.traffic] == [True, False]


def test_an_expectation_is_that_of_each_host_of_an_entry() -> None:
    wanted = Expect(completes="no")
    one = provoked(report=expecting(wanted))
    pairs = (("client", "server"), ("other", "server"))
    many = replace(first(one), pairs=pairs)
    one = replace(one, traffic=(many,))
    assert [one.expect(part) for part in many.by_host] == [wanted, wanted]
    stranger = replace(first(provoked(OTHER)), source="third")
    assert one.expect(stranger) == Expect()


@pytest.mark.parametrize(
    ("wanted", "free", "falls"),
    [
        (Expect(completes="no"), False, False),
        (Expect(subflows=1), True, False),
        (Expect(mptcp="yes"), False, True),
        (Expect(mptcp="fallback"), True, True),
        (Expect(mptcp="any"), True, True),
    ],
)
def test_what_is_expected_is_judged_by_itself(
    wanted: Expect, free: bool, falls: bool
) -> None:
    one = provoked(report=expecting(wanted))
    assert one.free(first(one)) is free
    assert one.may_fall_back(first(one), 1.0) is falls
    assert one.joining(first(one), 1.0) == (0 if free else 1)
    assert one.misses(first(one), 2, 1.0) is free
    assert not one.misses(first(one), 1, 1.0)


# Fallbacks and joins


@pytest.mark.parametrize(
    ("changes", "falls"),
    [
        ((dark("path1", 0.0, 1.0),), True),
        ((dark("path1", 1.0),), True),
        ((dark("path1", 1.1),), False),
        ((dark("path2", 0.0),), False),
    ],
)
def test_connections_that_begin_on_a_dark_path_may_fall_back(
    changes: tuple[Series, ...], falls: bool
) -> None:
    one = provoked(changes=changes)
    assert one.may_fall_back(first(one), 1.0) is falls
    second = provoked(changes=changes, transport={"protocol": "tcp", "path": 2})
    by_path2 = changes[0].link == "path2"
    assert second.may_fall_back(first(second), 1.0) is by_path2


def test_a_host_whose_programs_choose_their_sockets_may_have_plain_tcp() -> None:
    for mptcp, falls in ((True, True), (False, True), (None, False)):
        hosts = {"client": Host(), "server": Host(mptcp=mptcp)}
        one = provoked(host_settings=hosts)
        assert one.may_fall_back(first(one), 1.0) is falls


@pytest.mark.parametrize(
    ("begin_s", "links", "joining"),
    [(1.0, {"path2"}, 0), (1.1, set(), 1)],
)
def test_a_subflow_joins_on_a_path_that_is_not_dark_then(
    begin_s: float, links: set[str], joining: int
) -> None:
    one = provoked(changes=(dark("path2", begin_s),))
    assert one.missing(1.0) == links
    assert one.joining(first(one), 1.0) == joining
    late = provoked(replace(IPERF3, start_s=3.0), changes=(dark("path2", begin_s + 3),))
    assert late.missing(1.0) == links


def test_no_subflow_joins_where_the_first_path_is_dark() -> None:
    one = provoked(count=3, changes=(dark("path1", 0.0),))
    assert one.joining(first(one), 1.0) == 0
    one = provoked(count=3)
    assert one.joining(first(one), 1.0) == 2
    one = provoked(count=3, changes=(dark("path2", 0.0),))
    assert one.joining(first(one), 1.0) == 1


def test_subflows_between_the_same_addresses_are_one_less_than_their_number() -> None:
    one = provoked(transport=SAME_PAIR)
    assert one.joining(first(one), 1.0) == 3


@pytest.mark.parametrize(
    ("record", "again"),
    [
        ({}, False),
        ({"bytes": 5}, True),
        ({"bytes": 5, "duration_s": None}, False),
        ({"request_count": 3}, True),
        ({"drawn_bytes": 3, "drawn_flows": 1}, True),
    ],
)
def test_connections_that_open_again_and_again_join_until_the_end(
    record: dict[str, Any], again: bool
) -> None:
    """A path that goes dark at 8 s is missed by what opens connections until 10 s."""
    one = provoked(changes=(dark("path2", 8.0),))
    usual = {
        "duration_s": 9.0,
        "bytes": None,
        "request_count": None,
        "drawn_bytes": None,
        "start_s": 0.0,
        "served": None,
        "drawn_flows": None,
        "sockets": None,
    }
    entry: Any = replace(first(one), record=SimpleNamespace(**{**usual, **record}))
    assert one.misses(entry, 2, 1.0) is again


def test_entries_of_other_hosts_are_judged_by_themselves() -> None:
    hosts = {"other": Host(mptcp=True)}
    one = provoked(IPERF3, OTHER, host_settings=hosts)
    assert [one.may_fall_back(entry, 1.0) for entry in one.traffic] == [False, True]


def test_an_entry_and_its_proxies_are_one_way() -> None:
    one = provoked(IPERF3, OTHER)
    proxied = {"served": 0, "accepts": "mptcp", "sockets": None}
    second: Any = replace(
        one.traffic[1], record=SimpleNamespace(**proxied, tool="proxy")
    )
    joined = replace(one, traffic=(first(one), second))
    assert joined._way(first(one)) == [first(one), second]
    assert one._way(first(one)) == [first(one)]
    stranger = replace(first(one), name="stranger")
    assert one._way(stranger) == [stranger]
    for accepts, falls in (("tcp", True), ("mptcp", False)):
        record = SimpleNamespace(
            served=0,
            sockets=None,
            accepts=accepts,
            tool="proxy",
            start_s=0.0,
            duration_s=None,
            bytes=None,
            request_count=None,
            drawn_bytes=None,
            own_paths=frozenset(),
        )
        joined = replace(one, traffic=(first(one), replace(second, record=record)))
        assert joined.may_fall_back(first(one), 1.0) is falls


def test_an_entry_ends_with_any_leg_of_its_way() -> None:
    """The host of the second leg loses an address; the first host keeps its own."""
    gone = Host(changes=(Change(at_s=5.0, link="path2", present=False),))
    one = provoked(IPERF3, OTHER, host_settings={"other": gone})
    assert [one.end(entry, 6.0) for entry in one.traffic] == [False, True]
    proxied: Any = SimpleNamespace(served=0, accepts="mptcp", sockets=None)
    second = replace(one.traffic[1], record=proxied)
    joined = replace(one, traffic=(first(one), second))
    assert joined.end(first(one), 6.0)


def ended(*times_s: float | None) -> Outcome:
    processes = tuple(Process("x", 0, 0.0, time_s) for time_s in times_s)
    return SimpleNamespace(processes=processes)  # type: ignore[return-value]


def test_a_run_goes_on_until_its_last_program_ends() -> None:
    """A change at the very end belongs to it: a billionth of a second more."""
    one = provoked()
    for times_s, until_s in (((1.0, 3.0, 2.0), 3.0), ((None,), 0.0), ((), 0.0)):
        made = of_run(one.job, one.traffic, ended(*times_s), one.users)
        assert 0 < made.until_s - until_s < 2e-9


# Counters of one leg


def leg(known: dict[str, int], *events: Any) -> dict[str, int]:
    (entry,) = entries.of_job(replace(JOB, report=None))
    found = legs.counters(entry, 0, {"client": Counters(known)}, Events(tuple(events)))
    assert found.keys() == {"client"}
    return dict(found["client"].values)


def test_a_counter_of_a_leg_is_that_of_its_events() -> None:
    known = {"MPTcpExtRmSubflow": 5, "TcpExtTCPSynRetrans": 3, "TcpInSegs": 9}
    events = (
        event(1.0, "RmSubflow", "2"),
        event(2.0, "RmSubflow", "3", entry=1),
        event(1.0, "RmSubflow", "9", host="server"),
        event(1.0, "TCPSynRetrans", "7"),
        event(2.0, "TCPSynRetrans", "8"),
        event(2.0, "TCPSynRetrans", "1", entry=1),
        replace(event(2.0, "RmSubflow", "9"), connection=None),
    )
    assert leg(known, *events) == {
        "MPTcpExtRmSubflow": 2,
        "TcpExtTCPSynRetrans": 2,
        "TcpInSegs": 0,
    }


def test_a_counter_that_events_do_not_have_belongs_to_its_side() -> None:
    """The client opens connections; where events have all of a counter, they count."""
    name = "MPTcpExtMPJoinSynTx"
    assert leg({name: 4}, event(1.0, "MPJoinSynTx", "1"))[name] == 4
    both = (event(1.0, "MPJoinSynTx", "1"), event(1.0, "MPJoinSynTx", "3", entry=1))
    assert leg({name: 4}, *both)[name] == 1
    assert leg({"MPTcpExtMPJoinSynRx": 4})["MPTcpExtMPJoinSynRx"] == 0
