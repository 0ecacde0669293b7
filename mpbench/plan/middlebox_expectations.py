"""Middleboxes that make what a traffic entry expects impossible.

What proxies and the programs at the ends exclude is told with it.
"""

from collections.abc import Iterator, Sequence

from jobs import Job
from jobs.changes import DOWN, UP
from jobs.entries import Entry
from jobs.expect import YES, Expect
from jobs.middleboxes import (
    ACK,
    ALL,
    DATA,
    DROP,
    GARBLE,
    OF_OPTIONS,
    STRIP,
    SYN,
    SYNACK,
    Box,
)
from mpbench.plan import socket_expectations
from mpbench.plan.runs import Plan
from mpbench.plan.socket_expectations import Excluded
from mpbench.spec import Spec

MP_CAPABLE, MP_JOIN, DSS = "mp_capable", "mp_join", "dss"
AWAY = "or take the box away"
KERNEL = (
    "All cases run in a kernel with netfilter, which the middleboxes need. It is built"
    " once, before the first run."
)


def faults(spec: Spec, plan: Plan) -> Iterator[str]:
    """One line per expectation that no run of a case can meet."""
    return (line for line, found in _told(spec, plan) if found.certain)


def warnings(spec: Spec, plan: Plan) -> Iterator[str]:
    """One line per expectation that a middlebox of a case may exclude."""
    return (line for line, found in _told(spec, plan) if not found.certain)


def _told(spec: Spec, plan: Plan) -> Iterator[tuple[str, Excluded]]:
    """The excluded keys, each with its line."""
    first = [run for run in plan.runs if not run.repetition and not run.point]
    for run in first:
        expected = run.job.report.expect if run.job.report else ()
        own = [entry for entry in run.job.traffic if entry.served is None]
        if not expected or len(own) != len(spec.traffic):
            continue
        for index, wanted in enumerate(expected[: len(own)]):
            entry = run.job.traffic[index]
            if wanted is None or not run.job.transport_of(entry).is_mptcp:
                continue
            others = socket_expectations.excluded(run.job, index, wanted)
            for found in (*others, *_excluded(run.job, entry, wanted)):
                at = spec.where("traffic", index, "expect", found.key)
                yield (
                    f"{at}: traffic[{index}].expect.{found.key}: {run.case}:"
                    f" {found.reason}; {found.hint}",
                    found,
                )


def _excluded(job: Job, entry: Entry, wanted: Expect) -> Iterator[Excluded]:
    """The keys of an expectation that cannot be met."""
    paths = _paths(job, entry)
    always = [box for box in job.middleboxes if not box.from_s and box.until_s is None]
    if not paths or not always:
        return
    plain = _first(always, paths[0], MP_CAPABLE)
    certain = plain is not None and _acts_at_once(plain)
    if plain is None and len(paths) == 1:
        plain = next((box for box in _on(always, paths[0]) if _strips_data(box)), None)
        certain = (
            plain is not None
            and _acts_at_once(plain)
            and plain.subtype is None
            and len(plain.ways) > 1
        )
    if plain is not None:
        reason = f"{_named(plain)} makes every connection plain TCP"
        if wanted.mptcp == YES:
            hint = f"write 'mptcp: fallback' or 'any', {AWAY}"
            yield Excluded("mptcp", reason, hint, certain)
        if (wanted.subflows or 1) > 1:
            hint = f"write 'subflows: 1' or 'any', {AWAY}"
            yield Excluded("subflows", reason, hint, certain)
    elif wanted.subflows:
        barred = [box for path in paths[1:] if (box := _first(always, path, MP_JOIN))]
        left = len(paths) - len(barred)
        if left < wanted.subflows and barred:
            reason = f"{_named(barred[0])} keeps subflows from joining"
            certain = all(map(_acts_at_once, barred)) and _one_per_path(job, entry)
            hint = f"write at most {left}, {AWAY}"
            yield Excluded("subflows", reason, hint, certain)
    if wanted.completes == YES:
        ends = [_first_drop(always, path) for path in paths]
        if all(ends) and ends[0] is not None:
            reason = f"{_named(ends[0])} lets no data of MPTCP pass"
            hint = f"write 'completes: false' or 'any', {AWAY}"
            certain = plain is None and all(_acts_at_once(box) for box in ends if box)
            yield Excluded("completes", reason, hint, certain)


def _acts_at_once(box: Box) -> bool:
    """Whether a box acts before the first connection is opened."""
    return box.from_s is None


def _one_per_path(job: Job, entry: Entry) -> bool:
    """Whether a connection can have no more than one subflow on a path: no host of the
    entry has addresses, endpoints or a path manager of its own."""
    hosts = {*entry.sources, *entry.destinations}
    return job.transport_of(entry).over_all and not hosts & {*(job.host_settings or {})}


def _paths(job: Job, entry: Entry) -> list[Sequence[str]]:
    """The links of each path of an entry's user."""
    users = [user for user in job.users if user.host in entry.sources]
    return list(users[0].paths) if users else []


def _on(boxes: Sequence[Box], path: Sequence[str]) -> Iterator[Box]:
    return (box for box in boxes if box.link in path)


def _first(boxes: Sequence[Box], path: Sequence[str], subtype: str) -> Box | None:
    """The first box that no handshake with a subtype passes unchanged on a path."""
    return next((box for box in _on(boxes, path) if _bars(box, subtype)), None)


def _bars(box: Box, subtype: str) -> bool:
    if box.kind not in OF_OPTIONS or box.subtype not in (None, subtype):
        return False
    if box.kind == GARBLE and subtype == MP_CAPABLE:
        return False  # a SYN has no key, and a wrong one is noticed later
    ways = box.ways
    return (
        box.packets == ALL
        or (box.packets == SYN and UP in ways)
        or (box.packets == SYNACK and DOWN in ways)
        or (box.packets == ACK and UP in ways and box.kind != DROP)
    )


def _strips_data(box: Box) -> bool:
    return box.kind == STRIP and box.packets == DATA and box.subtype in (None, DSS)


def _first_drop(boxes: Sequence[Box], path: Sequence[str]) -> Box | None:
    """The first box of a path that drops all data, up and down."""
    return next(
        (
            box
            for box in _on(boxes, path)
            if (box.kind, box.packets) == (DROP, DATA)
            and box.subtype in (None, DSS)
            and len(box.ways) > 1
        ),
        None,
    )


def _named(box: Box) -> str:
    of = f", of: {box.subtype}" if box.subtype else ""
    return f"'{box.kind}: {box.packets}{of}' at {box.link}"
