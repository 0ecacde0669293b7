"""Middleboxes that make what a traffic entry expects impossible."""

from collections.abc import Iterator, Sequence

from jobs import Job
from jobs.changes import DOWN, UP
from jobs.entries import Entry
from jobs.expect import YES, Expect
from jobs.middleboxes import ALL, DATA, DROP, OF_OPTIONS, STRIP, SYN, SYNACK, Box
from mpbench.plan.runs import Plan
from mpbench.spec import Spec

MP_CAPABLE, MP_JOIN, DSS = "mp_capable", "mp_join", "dss"
KERNEL = (
    "All cases run in a kernel with netfilter, which the middleboxes need. It is built"
    " once, before the first run."
)


def warnings(spec: Spec, plan: Plan) -> Iterator[str]:
    """One line per expectation that a middlebox of a case excludes."""
    first = [run for run in plan.runs if not run.repetition and not run.point]
    for run in first:
        expected = run.job.report.expect if run.job.report else ()
        if len(expected) != len(spec.traffic):
            continue
        for index, wanted in enumerate(expected):
            entry = run.job.traffic[index]
            if wanted is None or not run.job.transport_of(entry).is_mptcp:
                continue
            for key, reason in _excluded(run.job, entry, wanted):
                at = spec.where("traffic", index, "expect", key)
                yield f"{at}: traffic[{index}].expect.{key}: {run.case}: {reason}"


def _excluded(job: Job, entry: Entry, wanted: Expect) -> Iterator[tuple[str, str]]:
    """The keys of an expectation that cannot be met, each with the reason."""
    paths = _paths(job, entry)
    always = [box for box in job.middleboxes if not box.from_s and box.until_s is None]
    if not paths or not always:
        return
    plain = _first(always, paths[0], MP_CAPABLE)
    if plain is None and len(paths) == 1:
        plain = next((box for box in _on(always, paths[0]) if _strips_data(box)), None)
    if plain is not None:
        reason = f"{_named(plain)} makes every connection plain TCP"
        if wanted.mptcp == YES:
            yield "mptcp", f"{reason}; write 'mptcp: fallback', or take it away"
        if (wanted.subflows or 1) > 1:
            yield "subflows", f"{reason}; write 'subflows: 1', or take it away"
    elif wanted.subflows:
        barred = [box for path in paths[1:] if (box := _first(always, path, MP_JOIN))]
        left = len(paths) - len(barred)
        if left < wanted.subflows and barred:
            reason = f"{_named(barred[0])} keeps subflows from joining"
            yield "subflows", f"{reason}; write at most {left}, or take it away"
    if wanted.completes == YES:
        ends = [_first_drop(always, path) for path in paths]
        if all(ends) and ends[0] is not None:
            reason = f"{_named(ends[0])} lets no data of MPTCP pass"
            yield "completes", f"{reason}; write 'completes: false', or take it away"


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
    ways = box.ways
    return (
        box.packets == ALL
        or (box.packets == SYN and UP in ways)
        or (box.packets == SYNACK and DOWN in ways)
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
