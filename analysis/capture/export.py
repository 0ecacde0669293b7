"""Frames to files that other programs read, at once or in pieces."""

import contextlib
import json
import math
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TextIO, TypeVar

import pandas as pd

from analysis.capture.frames import Frames

FORMAT = 1
TABLES = ("connections", "data", "subflows", "series", "events")


def document(
    frames: Frames, files: Sequence[str], faults: Sequence[str]
) -> dict[str, Any]:
    """All that is known, as JSON has it; None for what is missing."""
    return {
        "format": FORMAT,
        "files": list(files),
        "faults": list(faults),
        "begins_s": frames.zero_s,
        "connections": _nested(frames.connections, frames.data, frames.subflows),
        "series": records(frames.series),
        "events": records(frames.events),
    }


def _nested(
    connections: pd.DataFrame, data: pd.DataFrame, subflows: pd.DataFrame
) -> list[dict[str, Any]]:
    """Each connection with the rows of its directions and subflows."""
    of_data, of_subflows = _by_connection(data), _by_connection(subflows)
    return [
        {
            **row,
            "directions": of_data[row["connection"]],
            "subflow_directions": of_subflows[row["connection"]],
        }
        for row in records(connections)
    ]


def _by_connection(frame: pd.DataFrame) -> dict[int, list[dict[str, Any]]]:
    rows: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in records(frame):
        rows[row.pop("connection")].append(row)
    return rows


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
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


class Output(Protocol):
    """Takes frames in pieces: those of connections together, in the order of TABLES."""

    def add(self, table: str, frame: pd.DataFrame) -> None: ...

    def finish(
        self, files: Sequence[str], faults: Sequence[str], zero_s: float
    ) -> None:
        """End the output, after a capture of which at least a part could be read."""


class Json:
    """The text of `document`, written to a stream in the end.

    folder : for files that wait until then; target : the stream
    """

    SECTIONS = ("connections", "series", "events")

    def __init__(self, folder: Path, target: TextIO) -> None:
        self.target = target
        self.parts = {
            name: (folder / f"{name}.json").open("w+", encoding="utf-8")
            for name in self.SECTIONS
        }
        self._waiting: dict[str, pd.DataFrame] = {}

    def add(self, table: str, frame: pd.DataFrame) -> None:
        if table in ("series", "events"):
            self._append(table, records(frame))
            return
        self._waiting[table] = frame
        if table == "subflows":
            self._append("connections", _nested(**self._waiting))

    def _append(self, section: str, records: list[dict[str, Any]]) -> None:
        file = self.parts[section]
        for record in records:
            text = json.dumps(record, indent=1).replace("\n", "\n  ")
            file.write(f",\n  {text}" if file.tell() else f"\n  {text}")

    def finish(
        self, files: Sequence[str], faults: Sequence[str], zero_s: float
    ) -> None:
        head = {
            "format": FORMAT,
            "files": list(files),
            "faults": list(faults),
            "begins_s": zero_s,
        }
        self.target.write(json.dumps(head, indent=1).removesuffix("\n}"))
        for name, file in self.parts.items():
            self.target.write(f',\n "{name}": [')
            some = file.tell()
            file.seek(0)
            shutil.copyfileobj(file, self.target)
            file.close()
            self.target.write("\n ]" if some else "]")
        self.target.write("\n}\n")


class _Folder:
    """Files of tables that get their names in the end.

    Raises OSError if the folder cannot be made or written.
    """

    suffix = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.paths: dict[str, Path] = {}

    def _new(self, table: str) -> Path:
        self.paths[table] = self.folder / f".{table}.{self.suffix}.part"
        return self.paths[table]

    def _close(self) -> None: ...

    def finish(
        self, files: Sequence[str], faults: Sequence[str], zero_s: float
    ) -> None:
        self._close()
        for table, path in self.paths.items():
            path.replace(self.folder / f"{table}.{self.suffix}")

    def abandon(self) -> None:
        """Remove what has not been finished."""
        self._close()
        for path in self.paths.values():
            path.unlink(missing_ok=True)


class Csv(_Folder):
    """One file per table: connections.csv, data.csv, ..."""

    suffix = "csv"

    def add(self, table: str, frame: pd.DataFrame) -> None:
        new = table not in self.paths
        if frame.empty and not new:
            return
        path = self._new(table) if new else self.paths[table]
        frame.to_csv(path, index=False, mode="w" if new else "a", header=new)


class Parquet(_Folder):
    """One file per table: connections.parquet, data.parquet, ..."""

    suffix = "parquet"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._writers: dict[str, Any] = {}

    def add(self, table: str, frame: pd.DataFrame) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if frame.empty and table in self.paths:
            return
        content = pa.Table.from_pandas(frame, preserve_index=False)
        if table not in self._writers:
            fields = [
                field.with_type(pa.string()) if pa.types.is_null(field.type) else field
                for field in content.schema
            ]
            schema = pa.schema(fields, content.schema.metadata)
            self._writers[table] = pq.ParquetWriter(self._new(table), schema)
        writer = self._writers[table]
        writer.write_table(content.cast(writer.schema))

    def _close(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}


OutputT = TypeVar("OutputT", bound=_Folder)


@contextlib.contextmanager
def unless_abandoned(output: OutputT) -> Iterator[OutputT]:
    """Remove what the output has written if an exception ends the block."""
    try:
        yield output
    except BaseException:
        output.abandon()
        raise
