"""Subflows and connections that stopped: stale, given up, reset."""

import errno
from collections import defaultdict
from collections.abc import Iterator

from analysis.run.events import Event
from analysis.run.explain.facts import Dark, Facts
from analysis.run.explain.finding import Finding, at, listed, many
from analysis.run.explain.subflows import STATES, Connection, Subflow
from analysis.run.explain.ways import of_path
from analysis.run.labels import label
from analysis.run.outcomes import columns
from analysis.run.outcomes.endings import COMPLETE, HANGING
from jobs.middleboxes import FORGETS_RESET

RESET_REASONS = {
    1: "the kernel could not handle the option",
    2: "lack of resources",
    3: "the path manager forbids it",
    4: "too much outstanding data",
    5: "unacceptable performance",
    6: "a middlebox changes what passes",
}
"""RFC 8684, section 3.6"""
LEAST_BYTES = 20_000
NOT_TOLD = (0, errno.EPIPE)
TOLD = ("TCPAbortOnTimeout",)
"""Events at the end of connections of which other rules tell."""
LEAST_TIMEOUTS = 3
BRIEFLY_S = 1.0
"""A subflow that is stale for less has lost nothing by it."""
STEPS = 3
"""TCP doubles the time between timeouts that follow each other. A next one would have
come within this many times the last step."""
STAYED_S = 5.0
"""A connection without a subflow that ends within this time has ended with it."""


def went_stale(facts: Facts) -> Iterator[Finding]:
    """Subflows that the sender stopped using after timeouts, by path and host."""
    found: dict[tuple[str, str], list[tuple[Subflow, Event]]] = defaultdict(list)
    for one in facts.connections:
        for subflow in one.subflows:
            for event in subflow.named("SubflowStale"):
                if _merely_waited(facts, one, subflow, event):
                    continue
                path = facts.path_name(one.client, subflow.address)
                found[path, event.host].append((subflow, event))
    for (path, host), pairs in found.items():
        subflow, first = pairs[0]
        timeouts = len(_timeouts_until(subflow, first))
        recovered = [
            event.time_s
            for each in dict.fromkeys(subflow for subflow, _ in pairs)
            for event in _at(each, host)
            if event.name == "SubflowRecover"
        ]
        back = f"came back {at(recovered)}" if recovered else "did not come back"
        times = [event.time_s for _, event in pairs]
        number = len({subflow.local for subflow, _ in pairs})
        subject = "its subflow" if number == 1 else f"its {number} subflows"
        yield Finding(
            f"{path}: {subject} went stale {at(times)} after"
            f" {many(timeouts, 'timeout')} and {back}{_cause(facts, subflow, first)}",
            f"SubflowStale {len(pairs)} and SubflowRecover {len(recovered)} on the"
            f" {host}",
        )


def _merely_waited(
    facts: Facts, one: Connection, subflow: Subflow, stale: Event
) -> bool:
    """Whether a host called a subflow stale that was well.

    The kernel calls a subflow stale whose unacknowledged data did not advance between
    some of its looks. That needs no loss: an acknowledgement that waits is enough, be
    it in a queue for a moment, or because the host answered a request with some bytes
    and has nothing to send since.
    """
    host = stale.host
    if _timeouts_until(subflow, stale) or _cause(facts, subflow, stale):
        return False
    back_s = [
        event.time_s
        for event in _at(subflow, host)
        if event.name == "SubflowRecover" and event.time_s >= stale.time_s
    ]
    if not back_s:
        return False
    last = [state for each in one.subflows if (state := each.last(host))]
    trifle = sum(state.count("acked") for state in last) < LEAST_BYTES
    return back_s[0] - stale.time_s < BRIEFLY_S or (bool(last) and trifle)


def _timeouts_until(subflow: Subflow, end: Event) -> list[Event]:
    """The timeouts of the host of an event until then."""
    return [
        event
        for event in _at(subflow, end.host)
        if event.name == "TCPTimeouts" and event.time_s <= end.time_s
    ]


def _at(subflow: Subflow, host: str) -> tuple[Event, ...]:
    return tuple(event for event in subflow.both if event.host == host)


def _cause(facts: Facts, subflow: Subflow, event: Event) -> str:
    """The change of a link that explains an event, as the end of a sentence."""
    dark = (*facts.dark(subflow.client, subflow.address), *absent(facts, subflow))
    before = [each for each in dark if each.start_s <= event.time_s]
    return f": {before[-1].words}" if before else ""


def absent(facts: Facts, subflow: Subflow) -> Iterator[Dark]:
    """When a host lacked its address of a subflow."""
    number = facts.path_of(subflow.client, subflow.address)
    links = facts.users[subflow.client][number - 1].links if number else ()
    for link in links:
        yield from facts.absent(subflow.client, link)
    remote = subflow.remote.rpartition(":")[0]
    for host, settings in (facts.job.host_settings or {}).items():
        for link, address in (settings.addresses or {}).items():
            if address == remote:
                yield from facts.absent(host, link)


def unanswered(facts: Facts) -> Iterator[Finding]:
    """Subflows that sent again to the end of the run and never had an answer, though
    the sender did not call them stale: it had too little to send for that."""
    found: dict[str, list[tuple[Subflow, str, list[float]]]] = defaultdict(list)
    for one in facts.connections:
        if len(one.subflows) < 2:
            continue  # the traffic does not complete then, which another rule tells
        for subflow in one.subflows:
            asked = subflow.is_join and not subflow.joined
            if asked or subflow.named("SubflowStale", *TOLD):
                continue
            for host in dict.fromkeys(event.host for event in subflow.both):
                times = _without_answer(facts, subflow, host)
                if times:
                    path = facts.path_name(one.client, subflow.address)
                    found[path].append((subflow, host, times))
    for path, all_found in found.items():
        subflow, host, times = max(all_found, key=lambda each: len(each[2]))
        first = next(e for e in subflow.both if e.time_s == times[0])
        number = len({subflow.local for subflow, _, _ in all_found})
        subject = "its subflow" if number == 1 else f"its {number} subflows"
        began_s = min(each[2][0] for each in all_found)
        yield Finding(
            f"{path}: {subject} had no answer from {began_s:.1f} s on, and the {host}"
            f" sent again {many(len(times), 'time')}{_cause(facts, subflow, first)}",
            f"TCPTimeouts {len(times)} on the {host}, each after a longer time",
        )


def is_told(facts: Facts, subflow: Subflow) -> bool:
    """Whether a rule of this file tells that a subflow stopped, without its share."""
    lost = any(subflow is each for _, each, _ in _resets(facts))
    hosts = dict.fromkeys(event.host for event in subflow.both)
    return lost or any(_without_answer(facts, subflow, host) for host in hosts)


def lost(facts: Facts) -> bool:
    """Whether a subflow was closed with an error while its connection went on."""
    return next(_resets(facts), None) is not None


def ended_unjoined(facts: Facts) -> bool:
    """Whether a subflow was closed that had never joined, while its connection went
    on."""
    return any(
        subflow.is_join and not subflow.joined and not _ends_then(one, event)
        for one in facts.connections
        for subflow in one.subflows
        for event in subflow.named("sub_closed")
    )


def _without_answer(facts: Facts, subflow: Subflow, host: str) -> list[float]:
    """The times of the last timeouts at a host that followed each other without an
    answer, if nothing but the end of the run or of the subflow stopped them.

    Empty for less than `LEAST_TIMEOUTS`. The value of the event counts them.
    """
    own = _at(subflow, host)
    timeouts = [event for event in own if event.name == "TCPTimeouts"]
    states = [event for event in own if event.name in STATES]
    if not timeouts or not states or not timeouts[-1].value.isdecimal():
        return []
    number = int(timeouts[-1].value)
    if number < LEAST_TIMEOUTS or number > len(timeouts):
        return []
    times = [event.time_s for event in timeouts[-number:]]
    answered = states[-1].time_s - times[-1] > STEPS * (times[-1] - times[-2])
    acked = states[-1].count("acked")
    answered = answered or acked > _most_until(facts, subflow, host, times[0])
    return [] if answered else times


def _most_until(facts: Facts, subflow: Subflow, host: str, time_s: float) -> float:
    """The most bytes that a host can have brought over a subflow until a time, by the
    capacity of its path; infinity if that is not known."""
    number = facts.path_of(subflow.client, subflow.address)
    if number is None:
        return float("inf")
    capacity = of_path(facts, subflow.client, number, host).capacity_mbps
    if capacity is None or facts.changes:
        return float("inf")
    return 1e6 / 8 * capacity * (time_s - subflow.opened_s) + LEAST_BYTES


def given_up(facts: Facts) -> Iterator[Finding]:
    """Subflows and connections that TCP closed after too many timeouts."""
    found: dict[tuple[str, str], list[tuple[Connection, Subflow, Event]]]
    found = defaultdict(list)
    for one in facts.connections:
        for subflow in one.subflows:
            for event in subflow.named("TCPAbortOnTimeout"):
                if subflow.is_join and not subflow.joined:
                    continue  # its SYN got no answer, which another rule tells
                path = facts.path_name(one.client, subflow.address)
                found[path, event.host].append((one, subflow, event))
    for (path, host), all_found in found.items():
        one, subflow, first = all_found[0]
        timeouts = max(_timeouts(subflow, host) for _, subflow, _ in all_found)
        transport = facts.traffic[one.entry].transport
        noun = "subflow" if transport.is_mptcp else "connection"
        yield Finding(
            f"the {host} gave up {many(len(all_found), noun)} on {path}"
            f" {at([event.time_s for _, _, event in all_found])} after"
            f" {many(timeouts, 'timeout')}{_cause(facts, subflow, first)}",
            f"TCPAbortOnTimeout {len(all_found)} on the {host}"
            f"{_errors([event for _, _, event in all_found])}",
        )


def cut_off(facts: Facts) -> Iterator[Finding]:
    """Entries that did not complete because all their paths were dark at their end,
    where no host gave up: it still sends again, or waits for data."""
    for index, entry in enumerate(facts.traffic):
        start = columns.prefix(facts.traffic, index)
        word, at_s = facts.row.get(f"{start}ended"), facts.row.get(f"{start}ended_s")
        if not isinstance(at_s, int | float) or word in (None, COMPLETE):
            continue
        own = [one for one in facts.connections if one.entry == index]
        if not own or any(e.name in TOLD for one in own for e in one.events):
            continue
        dark = [
            next((d for d in facts.dark(one.client, s.address) if d.covers(at_s)), None)
            for one in own
            for s in one.subflows
        ]
        known = [each for each in dark if each is not None]
        if known and len(known) == len(dark):
            words = listed(each.words for each in known)
            yield Finding(
                f"the traffic {entry.title} was cut off ({word} at {at_s:.1f} s):"
                f" {words}",
                "ended of the run's row; no timeout ended it before",
            )


def interrupted(facts: Facts) -> Iterator[Finding]:
    """Connections over one path that stood still while it was dark, and went on."""
    for one in facts.connections:
        used = [each for each in one.subflows if not each.is_join or each.joined]
        if len(used) != 1 or used[0].named("SubflowStale", *TOLD):
            continue  # it went on elsewhere, or another rule tells its end
        (subflow,) = used
        for dark in (
            *facts.dark(one.client, subflow.address),
            *absent(facts, subflow),
        ):
            for host in dict.fromkeys(event.host for event in subflow.both):
                yield from _interrupted(facts, one, subflow, host, dark)


def _interrupted(
    facts: Facts, one: Connection, subflow: Subflow, host: str, dark: Dark
) -> Iterator[Finding]:
    """A sentence on the timeouts of a host while a path was dark, if one came after."""
    last = subflow.last(host)
    if dark.end_s is None or last is None or not last.count("acked"):
        return
    times = [
        event.time_s
        for event in _at(subflow, host)
        if event.name == "TCPTimeouts" and event.time_s >= dark.start_s
    ]
    tried = [time_s for time_s in times if time_s < dark.end_s]
    after = [time_s for time_s in times if time_s >= dark.end_s][:1]
    if not tried or not after or last.time_s <= after[0]:
        return
    path = facts.path_name(one.client, subflow.address)
    late_s = after[0] - dark.end_s
    yield Finding(
        f"{path}: the {host} sent again {many(len(tried), 'time')} while {dark.words},"
        f" and next at {after[0]:.1f} s, {late_s:.1f} s later: TCP doubles the time"
        " between attempts",
        f"TCPTimeouts {len(tried) + 1} on the {host} from {tried[0]:.1f} s on",
    )


def left_open(facts: Facts) -> Iterator[Finding]:
    """MPTCP connections that the host kept open without a subflow.

    Linux closes such a connection after a time of its own, and wakes no program that
    waits in a blocking call.
    """
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in facts.connections:
        if not facts.traffic[one.entry].transport.is_mptcp:
            continue
        if one.first("created") is None:
            continue
        fast = [e.host for e in one.events if e.name.startswith("MPFastclose")]
        if one.client in fast:
            continue  # its end was sound
        ends = [_lost_s(subflow) for subflow in one.subflows]
        gone = [time_s for time_s in ends if time_s is not None]
        if not gone or len(gone) < len(ends):
            continue
        closed_s = one.first("closed", one.client)
        if closed_s is None:
            until = "to the end of the run"
        elif closed_s - max(gone) >= STAYED_S:
            until = f"until {closed_s:.1f} s"
        else:
            continue
        start = columns.prefix(facts.traffic, one.entry)
        if facts.row.get(f"{start}ended") == HANGING:
            until += "; Linux wakes no program that waits in a blocking call then"
        found[one.client, until].append(max(gone))
    for (host, until), times in found.items():
        number = len(times)
        yield Finding(
            f"{many(number, 'connection')} of the {host} lost the last subflow"
            f" {at(times)}, and stayed open {until}",
            f"tcp_closed of every subflow, and no closed then, on the {host}",
        )


def _lost_s(subflow: Subflow) -> float | None:
    """When a subflow ended at the client by an error, or was closed while its
    connection went on; None if it did not."""
    ended = [event for event in subflow.own if event.name == "tcp_closed"]
    alone = any(event.name == "sub_closed" for event in subflow.own)
    lost = ended and (alone or ended[-1].count("error"))
    return ended[-1].time_s if lost else None


def _timeouts(subflow: Subflow, host: str) -> int:
    return sum(event.name == "TCPTimeouts" for event in _at(subflow, host))


def _errors(events: list[Event]) -> str:
    numbers = dict.fromkeys(event.count("error") for event in events)
    names = [errno.errorcode.get(number, str(number)) for number in numbers if number]
    return f", {' and '.join(names)}" if names else ""


def was_reset(facts: Facts) -> Iterator[Finding]:
    """Subflows that were closed with an error while their connection went on."""
    found: dict[tuple[str, str, str], list[Event]] = defaultdict(list)
    for one, subflow, event in _resets(facts):
        path = facts.path_name(one.client, subflow.address)
        reason = RESET_REASONS.get(event.count("reason"))
        found[path, event.host, reason or _unsaid(facts, subflow)].append(event)
    for (path, host, why), events in found.items():
        lost = "its subflow" if len(events) == 1 else many(len(events), "subflow")
        yield Finding(
            f"{path}: the {host} lost {lost} {at([e.time_s for e in events])}: {why}",
            f"sub_closed ({events[0].value}) on the {host}",
        )


def _resets(facts: Facts) -> Iterator[tuple[Connection, Subflow, Event]]:
    """Subflows that were closed with an error while their connections went on."""
    for one in facts.connections:
        if len(one.subflows) == 1:
            continue  # of which another rule tells
        for subflow in one.subflows:
            for event in subflow.named("sub_closed"):
                if event.count("error") in (*NOT_TOLD, errno.ETIMEDOUT):
                    continue
                if subflow.is_join and not subflow.joined:
                    continue
                if any(e.host == event.host for e in subflow.named(*TOLD)):
                    continue
                if not _ends_then(one, event):
                    yield one, subflow, event


def _unsaid(facts: Facts, subflow: Subflow) -> str:
    """The reason of a reset that gave none, by the middleboxes of the path."""
    number = facts.path_of(subflow.client, subflow.address)
    links = facts.users[subflow.client][number - 1].links if number else ()
    for box in facts.job.middleboxes:
        if box.forgets == FORGETS_RESET and box.link in links:
            return f"the {box.kind} at {label(box.link)} did not know it any more"
    return "no reason was given"


def _ends_then(one: Connection, event: Event) -> bool:
    """Whether the connection ended at either end by then, or within a second."""
    closed = one.first("closed")
    fast = [e.time_s for e in one.events if e.name.startswith("MPFastclose")]
    times = [time_s for time_s in (closed, *fast) if time_s is not None]
    return bool(times) and min(times) <= event.time_s + 1.0
