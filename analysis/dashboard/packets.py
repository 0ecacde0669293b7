"""Captures of a run, as dots to draw: when which data was sent on which subflow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from analysis.capture.analyse import EVENTS, Settings, Tables, analyse

SUFFIXES = (".pcap", ".pcapng", ".pcap.gz", ".pcapng.gz")
MOST = 4000
"""The most packets of a subflow that are drawn. Of more, every n-th is drawn."""
NANO = 1e9
AGAIN = {"retransmission": "retransmitted", "reinjection": "reinjected"}
"""Kinds of events that send data once more, and their names in the key."""


def files(artefacts: Path) -> list[Path]:
    """The captures taken at the client if there are any, else all captures."""
    found = sorted(p for p in artefacts.iterdir() if p.name.endswith(SUFFIXES))
    return [path for path in found if "client" in path.name] or found


def packets(captures: Sequence[Path]) -> dict[str, Any] | None:
    """Position in the connection's stream, in MB, of each packet with data, over time.

    There is one line per subflow of the connection that carried most data. Two more
    lines show data that was sent again, on the same subflow and on another one. Times
    are in seconds.
    Returns None if no data is seen. Raises OSError, ValueError or MissingCoreError as
    the analysis of captures does.
    """
    kinds = ("data", "segment", "retransmission", "reinjection")
    tables = analyse(captures, settings=Settings(events=(), drawn=kinds, marks=MOST))
    if not len(tables.data):
        return None
    whole = tables.data[tables.data["bytes"].argmax()]
    events = tables.marks
    events = events[
        (events["connection"] == whole["connection"])
        & (events["direction"] == whole["direction"])
    ]
    if not len(events):
        return None
    start = events["time_ns"].min()
    positions = _stream_positions(events)
    new = events["kind"] == EVENTS["data"]
    chosen = [
        (name, new & (events["subflow"] == number))
        for number, name in _subflows(tables, int(whole["connection"]))
    ]
    chosen += [(name, events["kind"] == EVENTS[kind]) for kind, name in AGAIN.items()]
    lines, thinned = [], 1
    for name, which in chosen:
        times, values = events["time_ns"][which], positions[which]
        if not len(times):
            continue
        step = -(-len(times) // MOST)
        thinned = max(thinned, step * tables.thinned)
        lines.append(
            {
                "name": name,
                "t": [round(float(t - start) / NANO, 6) for t in times[::step]],
                "v": [round(float(p) / 1e6, 6) for p in values[::step]],
                "again": name in AGAIN.values(),
            }
        )
    note = f"One packet of {thinned} is drawn where there are most." * (thinned > 1)
    notes = filter(None, (note, *tables.faults))
    return {"unit": "MB", "lines": lines, "note": " ".join(notes)}


def _stream_positions(events: np.ndarray) -> np.ndarray:
    """The position of each event in the connection's stream, in bytes, shape (n,).

    The position of a retransmission counts within its subflow. When the segment at
    that position was first sent, the subflow's new data had the position in the
    connection's stream that is wanted.
    """
    positions = events["position"].astype(float)
    for subflow in np.unique(events["subflow"]):
        of_subflow = events["subflow"] == subflow
        kinds = {name: of_subflow & (events["kind"] == n) for name, n in EVENTS.items()}
        segments = events[kinds["segment"] & (events["value"] == 0)]
        data, again = events[kinds["data"]], kinds["retransmission"]
        if not again.any() or not len(data) or not len(segments):
            continue
        segments = segments[np.argsort(segments["position"], kind="stable")]
        first_sent_ns = np.interp(
            positions[again], segments["position"], segments["time_ns"]
        )
        positions[again] = np.interp(first_sent_ns, data["time_ns"], data["position"])
    return positions


def _subflows(tables: Tables, connection: int) -> list[tuple[int, str]]:
    """The number and the name of each subflow of a connection."""
    mine = tables.subflows[tables.subflows["connection"] == connection]
    return [(int(s["subflow"]), f"subflow {int(s['number']) + 1}") for s in mine]
