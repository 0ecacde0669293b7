"""The columns of a run's row that say what became of each traffic entry."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.run import events as record_of_events
from analysis.run import tools, traffic
from analysis.run.events import Events
from analysis.run.outcomes import connecting, counts, endings, legs, losses, shared
from analysis.run.outcomes.endings import Ending, Read
from analysis.run.readers import counters as counter_files
from analysis.run.readers import outcome
from analysis.run.readers.counters import Counters
from analysis.run.traffic import Traffic

CONNECTED = ("connected", "connected_s", "connected_syns")
NAMES = (*CONNECTED, *counts.NAMES, "ended", "errno", "ended_s", "tool_error")
"""All columns of an entry, in the order of tables."""


def prefix(entries: Sequence[Traffic[Any]], index: int) -> str:
    """The beginning of an entry's columns, as for those of its tool."""
    name = entries[index].name
    own = sum(traffic.served(entry, at) == at for at, entry in enumerate(entries))
    if name is None and own > 1:
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
    return of_entries(entries, _counters(folder, entries), read, ended, noted(folder))


def noted(folder: Path) -> Events | None:
    """The events of a run; None without any, or if they are damaged."""
    try:
        return record_of_events.load(folder)
    except ValueError:
        return None


def of_entries(
    entries: Sequence[Traffic[Any]],
    counters: Mapping[str, Counters],
    read: Sequence[Read],
    ended: Sequence[Ending],
    events: Events | None = None,
) -> dict[str, Any]:
    """The columns of all entries, from what was read.

    counters : by host; may lack some
    events : of the run; None if it has none
    """
    found: dict[str, Any] = {}
    for index, entry in enumerate(entries):
        own = {
            **dict.fromkeys(NAMES),
            **_counted(entries, index, counters, events),
        }
        _tell(own, entry, read[index], ended[index])
        if events is not None and own["subflows_lost"] is not None:
            own["subflows_lost"] = losses.of_entry(index, events, own["subflows_lost"])
        if events is not None and not entry.record.datagrams:
            _without_hanging(own, entry, index, events)
            syns, at_s = connecting.first(entry, index, events)
            own["connected_syns"] = syns if at_s is not None else None
            if own["connected_s"] is None:
                own["connected_s"] = at_s
        found |= {prefix(entries, index) + name: own[name] for name in NAMES}
    return found


def _without_hanging(
    own: dict[str, Any], entry: Traffic[Any], index: int, events: Events
) -> None:
    """Leave out of an entry's columns what was not established to the end."""
    if own["connected"] and own["syns"] is not None and not events.left_out:
        left = own["connected"] - connecting.hanging(entry, index, events)
        own["connected"] = max(0, left)
        if left <= 0:
            own["protocol_at_end"] = None


def _counted(
    entries: Sequence[Traffic[Any]],
    index: int,
    known: Mapping[str, Counters],
    events: Events | None,
) -> dict[str, Any]:
    """The columns of an entry that follow from kernel counters; none for datagrams.

    Where hosts have connections of other entries too, events tell them apart.
    """
    entry = entries[index]
    if entry.record.datagrams or entry.transport.is_quic:
        return {}
    if counts.alone(entries, index):
        if len(traffic.proxied(entries, index)) > 1:
            if events is None:
                return {}
            known = legs.counters(entry, index, known, events)
        if not {*entry.sources, *entry.destinations} <= known.keys():
            return {}
        return _from(entry, known)
    found = events and shared.counters(entry, index, known, events)
    if not found:
        return {}
    return shared.same(_from(entry, found.least), _from(entry, found.most))


def _from(entry: Traffic[Any], counters: Mapping[str, Counters]) -> dict[str, Any]:
    """The columns of an entry's own counters."""
    connected = counts.connected(entry, counters)
    return {"connected": connected, **counts.columns(entry, counters)}


def _tell(own: dict[str, Any], entry: Traffic[Any], read: Read, ending: Ending) -> None:
    """Add to the columns of an entry what its tool and its processes tell."""
    told = tools.has(entry, "connected")
    if told and read.report is not None:
        own["connected"], own["connected_s"] = told(entry, read.report)
    if own["connected"] == 0:
        own["protocol_at_end"] = None
    own |= {
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
