"""The rows of a campaign in one small file, for when its runs are not kept.

FOLDER/
  rows.jsonl.xz     a head, then one row per line in the plan's order
  experiment.yaml   the experiment file as it was run

Reports and pages are made from rows, so this is all that they need. A campaign of 1,000
runs takes about 100 KB. The rows are those of `row.json`, but for `console_tail`, with
their place in the plan first.
"""

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from mpbench.errors import UserError
from mpbench.store import atomic, json_file, layout
from mpbench.store.json_file import DamagedError
from mpbench.store.records import (
    Count,
    Line,
    Provenance,
    Record,
    Row,
    check_row,
    validated,
)

FILE = "rows.jsonl.xz"
MOST_COMPRESSED = 256 << 20
MOST_PLAIN = 1 << 30
"""Far above 100,000 rows; a file that unpacks to more is refused."""
MOST_LINE_BYTES = json_file.MOST_BYTES
"""As of `row.json`. Small lists take twenty times their text in memory."""
MOST_DECODER_MEMORY = 256 << 20
"""`xz -9` needs 65 MiB."""


class Head(Record):
    """The first line of the file.

    factors : columns that the design varies
    planned : how many runs the plan has; fewer rows are an unfinished campaign
    rows : how many rows follow
    state : sentences about what was missing or damaged when the rows were kept
    shared_seed : whether all networks of a repetition had one seed; None in a file
        that says nothing about it, whose networks did
    root : of the campaign (mpbench.store.root); None if it had none, or if something
        differed from it
    """

    format: Literal[1]
    name: Annotated[Line, Field(min_length=1, max_length=500)]
    spec_hash: Line
    backend: Line
    build: dict[Line, Line]
    factors: list[Line]
    planned: Count
    rows: Count
    state: list[Line]
    provenance: Provenance
    shared_seed: bool | None = None
    root: Line | None = None


@dataclass(frozen=True)
class KeptRows:
    """Contents of the file."""

    head: Head
    rows: list[Row]


def there(root: Path) -> bool:
    """Whether the folder `root` holds kept rows instead of runs."""
    return (root / FILE).is_file() and not layout.Results(root).campaign.exists()


def write(root: Path, head: Head, rows: Sequence[Row], experiment: bytes) -> None:
    """Write the files into the folder `root`, which is made if need be.

    The same rows give the same bytes.
    """
    root.mkdir(parents=True, exist_ok=True)
    lines = [_line(head.model_dump()), *map(_line, rows)]
    atomic.write_bytes(root / FILE, lzma.compress(b"".join(lines), preset=9))
    atomic.write_bytes(layout.Results(root).experiment, experiment)


def read(root: Path) -> KeptRows:
    """Raises UserError if the file holds anything else than `write` writes."""
    path = root / FILE
    try:
        head, *lines = _lines(json_file.read_bytes(path, MOST_COMPRESSED))
        found = _named("line 1", head)
        known: Head = validated(Head, found)
        rows = [_row(f"line {n}", line) for n, line in enumerate(lines, start=2)]
        if len(rows) != known.rows:
            raise DamagedError(f"{len(rows)} rows of {known.rows}")
        if len({row["id"] for row in rows}) != len(rows):
            raise DamagedError("a run is there twice")
    except DamagedError as error:
        raise UserError(
            f"{path}: damaged ({error}); `mpbench rows` makes it from the results"
        ) from error
    return KeptRows(known, rows)


def _line(content: Mapping[str, object]) -> bytes:
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return f"{text}\n".encode()


def _lines(packed: bytes) -> Iterator[bytes]:
    decoder = lzma.LZMADecompressor(memlimit=MOST_DECODER_MEMORY)
    try:
        plain = decoder.decompress(packed, MOST_PLAIN)
    except lzma.LZMAError as error:
        raise DamagedError(f"not xz: {error}") from error
    if not decoder.eof or decoder.unused_data:
        raise DamagedError("cut short, too large, or followed by something else")
    lines = plain.splitlines()
    if not lines:
        raise DamagedError("empty")
    yield from lines


def _row(where: str, line: bytes) -> Row:
    """A row, checked before the next one is read."""
    row = _named(where, line)
    check_row(row, _id(row))
    return row


def _named(where: str, line: bytes) -> Row:
    try:
        if len(line) > MOST_LINE_BYTES:
            raise DamagedError(f"larger than {MOST_LINE_BYTES >> 20} MiB")
        return json_file.parse_object(line)
    except DamagedError as error:
        raise DamagedError(f"{where}: {error}") from error


def _id(row: Row) -> str:
    run_id = row.get("id")
    if not isinstance(run_id, str) or not layout.is_run_id(run_id):
        raise DamagedError("a row without a run's id")
    return run_id
