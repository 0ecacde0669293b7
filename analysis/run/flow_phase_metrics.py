"""Metrics of the parts of a run: of each traffic entry, and of each phase."""

from collections.abc import Sequence
from typing import Any

from analysis.run import clock, metrics, path_names, together, tools
from analysis.run.artefacts import Artefacts
from analysis.run.link_traffic import path_bytes
from analysis.run.traffic import Traffic, served

LEAST_SHARE_OF_PHASE = 0.5
"""An entry counts in a phase if it was active for at least this share of it."""


def by_entry(run: Artefacts, moved: Sequence[tools.Flow | None]) -> dict[str, Any]:
    """The columns of each named traffic entry.

    moved : what the receiver of each entry read, in the job's order; None if the
        entry's tool does not say

    NAME.goodput_mbps : the entry's goodput
    NAME.share : its share of the goodput of all entries, 0-1; None if that is 0, or if
        the entries cannot be added
    NAME.connection_mbps : mean goodput per connection, except for the tool flows

    If no other entry of the same direction starts at the entry's host, also, under the
    names of the paths (`path_names`),

    NAME.path<i>.share : share of the frames' bytes that path i carried, 0-1
    NAME.path<i>.throughput_mbps : rate of these frames, with headers and
        retransmissions
    """
    columns: dict[str, Any] = {}
    measured = together.measured(run, moved)
    known = [flow.goodput_mbps for flow in measured if flow is not None]
    total_mbps = 0.0 if together.apart(run, measured) else sum(known)
    for entry, flow in zip(run.traffic, moved, strict=True):
        name = entry.name
        if flow is not None:
            goodput_mbps = flow.goodput_mbps
            columns[f"{name}.goodput_mbps"] = goodput_mbps
            if not entry.background:
                share = goodput_mbps / total_mbps if total_mbps else None
                columns[f"{name}.share"] = share
        if flow is not None and entry.flows is None:
            columns[f"{name}.connection_mbps"] = goodput_mbps / entry.parallel
        if len(entry.sources) == 1 and _alone(run, entry):
            columns |= _by_path(run, entry, flow)
    return columns


def _alone(run: Artefacts, entry: Traffic[Any]) -> bool:
    """Whether no other entry of the same direction starts at the entry's host."""
    alike = [other for other in run.traffic if other.forward == entry.forward]
    return sum(entry.source in other.sources for other in alike) == 1


def _by_path(
    run: Artefacts, entry: Traffic[Any], moved: tools.Flow | None
) -> dict[str, Any]:
    carried = path_bytes(run, entry)
    if len(carried) < 2 or not any(carried.values()):
        return {}
    columns: dict[str, Any] = {}
    names = dict(enumerate(path_names.of_job(run.job), start=1))
    seconds = _client_s(run, entry)
    if entry.flows is not None and moved is not None:
        seconds = moved.seconds
    shares = metrics.shares(list(carried.values()))
    for (number, frame_bytes), share in zip(carried.items(), shares, strict=True):
        name = f"{entry.name}.{names.get(number, f'path{number}')}"
        columns[f"{name}.share"] = share
        if seconds:
            columns[f"{name}.throughput_mbps"] = frame_bytes * 8 / seconds / 1e6
    return columns


def by_phase(run: Artefacts) -> dict[str, Any]:
    """The columns of each phase.

    PHASE.goodput_mbps : sum over the entries that were active in the phase and are no
        background; None if data flow in both directions then, or if an entry does not
        say what arrived
    PHASE.jain : Jain's index over all streams of these entries; None for one stream
    PHASE.NAME.goodput_mbps : goodput of a named entry; None if it was not active

    PHASE.COLUMN, PHASE.NAME.COLUMN : the columns of a tool, of the messages, requests
        or files that began in the phase
    """
    columns: dict[str, Any] = {}
    names = own_names(run)
    for phase, (start_s, end_s) in run.job.phases.items():
        active, ways = [], set[bool]()
        for index, entry in enumerate(run.traffic):
            flow = flow_in_phase(run, index, start_s, end_s)
            if flow is not None and not entry.background:
                active.append(flow)
                ways.add(entry.forward)
            if entry.name is not None:
                key = f"{phase}.{entry.name}.goodput_mbps"
                columns[key] = flow.goodput_mbps if flow else None
        if len(ways) > 1 or together.silent(run):
            active = []  # two directions are not added, nor known and unknown amounts
        rates = [count / flow.seconds for flow in active for count in flow.stream_bytes]
        total_mbps = sum(flow.goodput_mbps for flow in active)
        columns[f"{phase}.goodput_mbps"] = total_mbps if active else None
        has_index = len(rates) > 1 and any(rates)
        columns[f"{phase}.jain"] = metrics.jain(rates) if has_index else None
        for index, prefixes in enumerate(names):
            found = _began_in_phase(run, index, start_s, end_s)
            columns |= {
                f"{phase}.{p}{n}": v for p in prefixes for n, v in found.items()
            }
    return columns


def own_names(run: Artefacts) -> tuple[tuple[str, ...], ...]:
    """The beginnings of the names of the columns that only its tool measures, for each
    traffic entry.

    They are the entry's name and a dot, or `traffic1.` and so on if there are several
    entries without names. An entry with background traffic alone beside it has the same
    columns without a name too, because they are those of the run.
    """
    several = sum(served(e, n) == n for n, e in enumerate(run.traffic)) > 1
    shown = [entry for entry in run.traffic if not entry.background]
    found: list[tuple[str, ...]] = []
    for number, entry in enumerate(run.traffic, start=1):
        name = entry.name or (f"traffic{number}" if several else None)
        whole = ("",) if several and shown == [entry] else ()
        found.append(((f"{name}.") if name else "", *whole))
    return tuple(found)


def _began_in_phase(
    run: Artefacts, index: int, start_s: float, end_s: float
) -> dict[str, Any]:
    """The columns of what began in a phase; none if the entry's tool has no such."""
    entry, report = run.traffic[index], run.reports[index]
    columns = tools.has(entry, "part_columns")
    if columns is None or report is None:
        return {}
    zero_s = clock.began_s(run, index)
    return dict(columns(entry, report, start_s - zero_s, end_s - zero_s))


def flow_in_phase(
    run: Artefacts, index: int, start_s: float, end_s: float
) -> tools.Flow | None:
    """Data that an entry's receiver read in a phase; None if the entry was hardly
    active.

    start_s, end_s : of the phase, seconds after the beginning of the traffic
    """
    entry = run.traffic[index]
    zero_s = clock.began_s(run, index)
    report = run.reports[index]
    flow = tools.of(entry, report).part(entry, report, start_s - zero_s, end_s - zero_s)
    if flow is None or flow.seconds < LEAST_SHARE_OF_PHASE * (end_s - start_s):
        return None
    return flow


def _client_s(run: Artefacts, entry: Traffic[Any]) -> float | None:
    """Time for which an entry's client ran, in seconds; None if that is not known."""
    index = run.traffic.index(entry)
    for process in run.outcome.processes:
        if process.name == f"traffic-{index}-client":
            if process.start_s is None or process.end_s is None:
                return None
            return process.end_s - process.start_s
    return None
