"""The columns of a run's row that say what became of each traffic entry."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.run import tools, traffic
from analysis.run.outcomes import counts, endings
from analysis.run.outcomes.endings import Ending, Read
from analysis.run.readers import counters as counter_files
from analysis.run.readers import outcome
from analysis.run.readers.counters import Counters
from analysis.run.traffic import Traffic

OWN = ("connected", "connected_s", "ended", "errno", "ended_s", "tool_error")
NAMES = (*OWN[:2], *counts.NAMES, *OWN[2:])
"""All columns of an entry, in the order of tables."""


def prefix(entries: Sequence[Traffic[Any]], index: int) -> str:
    """The beginning of an entry's columns, as for those of its tool."""
    name = entries[index].name
    if name is None and len(entries) > 1:
        name = f"traffic{index + 1}"
    return f"{name}." if name else ""


def columns(folder: Path, entries: Sequence[Traffic[Any]]) -> dict[str, Any]:
    """The columns of all entries.

    They need neither a sound report nor a sound network. What is not known is None.

    folder : the run's artefacts
    """
    try:
        reported = outcome.read(folder / "outcome.json")
    except ValueError:
        return {}
    if reported.error is not None:
        return {}
    read = endings.read_reports(entries, folder)
    ended = endings.all_of(entries, reported, read, folder)
    return of_entries(entries, _counters(folder, entries), read, ended)


def of_entries(
    entries: Sequence[Traffic[Any]],
    counters: Mapping[str, Counters],
    read: Sequence[Read],
    ended: Sequence[Ending],
) -> dict[str, Any]:
    """The columns of all entries, from what was read.

    counters : by host; may lack some
    """
    found: dict[str, Any] = {}
    for index, entry in enumerate(entries):
        own = _of_entry(entries, entry, counters, read[index], ended[index])
        found |= {prefix(entries, index) + name: own[name] for name in NAMES}
    return found


def _of_entry(
    entries: Sequence[Traffic[Any]],
    entry: Traffic[Any],
    counters: Mapping[str, Counters],
    read: Read,
    ending: Ending,
) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(NAMES)
    hosts = {*entry.sources, *entry.destinations}
    if (
        not (entry.record.datagrams or entry.transport.is_quic)
        and counts.alone(entries, entry)
        and hosts <= counters.keys()
    ):
        found |= counts.columns(entry, counters)
    told = tools.has(entry, "connected")
    if told and read.report is not None:
        found["connected"], found["connected_s"] = told(entry, read.report)
    elif found["syns"] is not None:
        found["connected"] = counts.connected(entry, counters)
    if found["connected"] == 0:
        found["protocol_at_end"] = None
    return found | {
        "ended": ending.word or None,
        "errno": ending.errno or None,
        "ended_s": ending.at_s,
        "tool_error": ending.error or None,
    }


def _counters(folder: Path, entries: Sequence[Traffic[Any]]) -> dict[str, Counters]:
    found = {}
    for host in traffic.hosts(entries):
        try:
            found[host] = counter_files.read(folder / f"nstat-{host}.json")
        except ValueError:
            continue
    return found
