"""Captures of a run, as dots to draw: when which data was sent on which subflow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.capture.analyse import EVENTS, Settings, Tables, analyse

SUFFIXES = (".pcap", ".pcapng", ".pcap.gz", ".pcapng.gz")
MOST = 4000
"""Packets of a subflow that are drawn; of more, every n-th."""
NANO = 1e9
AGAIN = {"retransmission": "retransmitted", "reinjection": "reinjected"}
"""Kinds of events that send data once more, and their names in the key."""


def files(artefacts: Path) -> list[Path]:
    """The captures of one point: the client's if there are any, else all."""
    found = sorted(p for p in artefacts.iterdir() if p.name.endswith(SUFFIXES))
    return [path for path in found if "client" in path.name] or found


def packets(captures: Sequence[Path]) -> dict[str, Any] | None:
    """Position in the stream, in MB, of each packet with data, over time in s.

    A line a subflow of the connection that carried most, and one each for what was
    sent again on the same subflow and on another. None if no data is seen. Raises
    OSError, ValueError or MissingCoreError as the analysis of captures does.
    """
    wanted = ("data", "retransmission", "reinjection")
    tables = analyse(captures, settings=Settings(events=(), drawn=wanted, marks=MOST))
    if not len(tables.data):
        return None
    whole = tables.data[tables.data["bytes"].argmax()]
    events = tables.marks
    mine = (events["connection"] == whole["connection"]) & (
        events["direction"] == whole["direction"]
    )
    events = events[mine]
    if not len(events):
        return None
    start = events["time_ns"].min()
    lines, thinned = [], 1
    new = events["kind"] == EVENTS["data"]
    chosen = [
        (name, new & (events["subflow"] == number))
        for number, name in _subflows(tables, int(whole["connection"]))
    ]
    chosen += [(name, events["kind"] == EVENTS[kind]) for kind, name in AGAIN.items()]
    for name, which in chosen:
        some = events[which]
        if not len(some):
            continue
        step = -(-len(some) // MOST)
        thinned = max(thinned, step * tables.thinned)
        some = some[::step]
        lines.append(
            {
                "name": name,
                "t": [round(float(t - start) / NANO, 6) for t in some["time_ns"]],
                "v": [round(float(p) / 1e6, 6) for p in some["position"]],
                "again": name in AGAIN.values(),
            }
        )
    note = f"One packet of {thinned} is drawn where there are most." * (thinned > 1)
    notes = filter(None, (note, *tables.faults))
    return {"unit": "MB", "lines": lines, "note": " ".join(notes)}


def _subflows(tables: Tables, connection: int) -> list[tuple[int, str]]:
    """Number of each subflow of a connection, and its name."""
    mine = tables.subflows[tables.subflows["connection"] == connection]
    return [(int(s["subflow"]), f"subflow {int(s['number']) + 1}") for s in mine]
