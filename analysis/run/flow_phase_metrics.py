"""Metrics of a run's parts: by traffic entry, and by phase."""

from collections.abc import Sequence
from typing import Any

from analysis.run import metrics, tools
from analysis.run.artefacts import Artefacts
from analysis.run.job import Traffic
from analysis.run.link_traffic import path_bytes

LEAST_SHARE_OF_PHASE = 0.5
"""An entry belongs to a phase if it was on for more than this part of it."""


def by_entry(run: Artefacts, moved: Sequence[tools.Flow]) -> dict[str, Any]:
    """Goodput of each named traffic entry, and how it splits its data.

    `NAME.goodput_mbps`; `NAME.share`, its part of all goodput;
    `NAME.connection_mbps`, the mean of its connections; and, of an entry that has
    its host for itself, `NAME.path<i>.share` and `NAME.path<i>.throughput_mbps`,
    by frames, headers and retransmissions included.
    """
    columns: dict[str, Any] = {}
    total = sum(each.goodput_mbps for each in moved)
    for entry, each in zip(run.job.traffic, moved, strict=True):
        name = entry.name
        columns[f"{name}.goodput_mbps"] = each.goodput_mbps
        columns[f"{name}.share"] = each.goodput_mbps / total if total else None
        columns[f"{name}.connection_mbps"] = each.goodput_mbps / entry.parallel
        if sum(entry.source == e.source for e in run.job.traffic) == 1:
            columns |= _by_path(run, entry)
    return columns


def _by_path(run: Artefacts, entry: Traffic) -> dict[str, Any]:
    carried = path_bytes(run, entry)
    if len(carried) < 2 or not any(carried.values()):
        return {}
    columns: dict[str, Any] = {}
    seconds = _lasted_s(run, entry)
    parts = metrics.shares(list(carried.values()))
    for (number, count), part in zip(carried.items(), parts, strict=True):
        name = f"{entry.name}.path{number}"
        columns[f"{name}.share"] = part
        if seconds:
            columns[f"{name}.throughput_mbps"] = count * 8 / seconds / 1e6
    return columns


def by_phase(run: Artefacts) -> dict[str, Any]:
    """`PHASE.goodput_mbps` and `PHASE.jain` of all entries that were on, and
    `PHASE.NAME.goodput_mbps` of each, which is missing where it was not."""
    columns: dict[str, Any] = {}
    for phase, (start_s, end_s) in run.job.phases.items():
        present = []
        for index, entry in enumerate(run.job.traffic):
            zero_s = began_s(run, index)
            found = tools.tool(entry.tool).part(
                entry, run.reports[index], start_s - zero_s, end_s - zero_s
            )
            least_s = LEAST_SHARE_OF_PHASE * (end_s - start_s)
            if found is not None and found.seconds < least_s:
                found = None
            if found is not None:
                present.append(found)
            if entry.name is not None:
                key = f"{phase}.{entry.name}.goodput_mbps"
                columns[key] = found.goodput_mbps if found else None
        rates = [b / each.seconds for each in present for b in each.stream_bytes]
        total = sum(each.goodput_mbps for each in present)
        columns[f"{phase}.goodput_mbps"] = total if present else None
        fair = len(rates) > 1 and any(rates)
        columns[f"{phase}.jain"] = metrics.jain(rates) if fair else None
    return columns


def began_s(run: Artefacts, index: int) -> float:
    """When the intervals of an entry begin, after the beginning of the traffic.

    That is its client's start, and of iperf3, which connects first and exchanges
    results at the end, half of what the client took beyond the time asked.
    """
    entry = run.job.traffic[index]
    for process in run.outcome.processes:
        if process.name == f"traffic-{index}-client" and process.start_s is not None:
            if entry.tool != "iperf3" or not entry.duration_s or not process.end_s:
                return process.start_s
            more_s = process.end_s - process.start_s - entry.duration_s
            return process.start_s + max(0.0, more_s) / 2
    return entry.start_s


def _lasted_s(run: Artefacts, entry: Traffic) -> float | None:
    index = run.job.traffic.index(entry)
    for process in run.outcome.processes:
        if process.name == f"traffic-{index}-client":
            if process.start_s is None or process.end_s is None:
                return None
            return process.end_s - process.start_s
    return None
