"""Frames to files that other programs read."""

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.capture.frames import Frames

FORMAT = 1


def document(
    frames: Frames, files: Sequence[str], faults: Sequence[str]
) -> dict[str, Any]:
    """All that is known, as JSON has it; None for what is missing."""
    data, subflows = _by_connection(frames.data), _by_connection(frames.subflows)
    connections = [
        {
            **row,
            "directions": data[row["connection"]],
            "subflow_directions": subflows[row["connection"]],
        }
        for row in _records(frames.connections)
    ]
    return {
        "format": FORMAT,
        "files": list(files),
        "faults": list(faults),
        "begins_s": frames.zero_s,
        "connections": connections,
        "series": _records(frames.series),
        "events": _records(frames.events),
    }


def _by_connection(frame: pd.DataFrame) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in _records(frame):
        found[row.pop("connection")].append(row)
    return found


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(name): _plain(value) for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def _plain(value: Any) -> Any:
    if value is None or value is pd.NA:
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def as_json(frames: Frames, files: Sequence[str], faults: Sequence[str]) -> str:
    return json.dumps(document(frames, files, faults), indent=1)


def write_csv(frames: Frames, folder: Path) -> None:
    """One file a frame: connections.csv, data.csv, subflows.csv, series.csv,
    events.csv."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.all().items():
        frame.to_csv(folder / f"{name}.csv", index=False)


def write_parquet(frames: Frames, folder: Path) -> None:
    """The same in Parquet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.all().items():
        frame.to_parquet(folder / f"{name}.parquet", index=False)
