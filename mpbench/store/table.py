"""The tidy table of runs: one row per run of the present plan, Parquet and CSV."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mpbench import extras
from mpbench.errors import UserError
from mpbench.store import atomic, campaign, layout, provenance, runs
from mpbench.store.places import Places
from mpbench.version import __version__

if TYPE_CHECKING:
    import pandas as pd

Tabulate = Callable[[list[runs.Row]], "pd.DataFrame"]

UNTABLED = ("console_tail",)
"""Keys of a row that stay in its row.json."""


def collect(
    results: layout.Results,
    plan: Iterable[campaign.Entry],
    known: Mapping[str, runs.Row] | None = None,
) -> list[runs.Row]:
    """The rows of the finished runs of `plan`, in its order.

    A run's case, repetition and factors are those of its own row, which its manifest
    covers (`mpbench.store.places`). Damaged runs are left out.
    known : the rows by id, if they were read already
    """
    entries = list(plan)
    if known is None:
        stored = runs.read_all(results, (entry.id for entry in entries))
        known = {key: s.row for key, s in stored.items() if s.row is not None}
    own = Places(entries)
    return [
        placed(own.of(entry, known[entry.id]), known[entry.id])
        for entry in entries
        if entry.id in known
    ]


def placed(entry: campaign.Entry, row: Mapping[str, Any]) -> runs.Row:
    """`row` with its place in the plan first, without the keys that stay out of the
    table."""
    place = entry.columns()
    verdict = {"verdict": row["verdict"], "reason": row.get("reason", "")}
    rest = {
        key: value
        for key, value in row.items()
        if key not in place and key not in verdict and key not in UNTABLED
    }
    return {**place, **verdict, **rest}


def tabled(root: Path, tabulate: Tabulate, rows: list[runs.Row]) -> "pd.DataFrame":
    """The table of the rows in the results folder `root`.

    Raises UserError for rows that no measurement could have given.
    """
    with measured(root):
        return tabulate(rows)


@contextmanager
def measured(where: object) -> Iterator[None]:
    """Raises UserError where the block meets a value that no measurement could give."""
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise UserError(
            f"{where}: the rows make no table ({' '.join(str(error).split())}); "
            "`mpbench analyse` computes them again"
        ) from error


def write(
    results: layout.Results,
    rows: list[runs.Row],
    tabulate: Tabulate,
    spec_hash: str,
    root: str = "",
) -> None:
    """Make runs.csv and runs.parquet from `rows`, each atomically.

    Without pyarrow there is no runs.parquet, also none of before.

    Raises UserError as `tabled`.

    The Parquet file carries the format, the spec's hash, the campaign's root and the
    version and commit that wrote it as metadata under ``mpbench``; the CSV is plain.
    """
    frame = _plain(tabled(results.root, tabulate, rows), rows)
    atomic.write_with(results.csv, lambda path: _csv(frame, path))
    head = {"format": layout.FORMAT, "spec_hash": spec_hash, "root": root}
    head |= {"version": __version__, "commit": provenance.commit()}
    if extras.knows_parquet():
        atomic.write_with(results.parquet, lambda path: _parquet(frame, path, head))
    else:
        results.parquet.unlink(missing_ok=True)


def _csv(frame: "pd.DataFrame", path: Path) -> None:
    """The text that `DataFrame.to_csv` makes, in a third of the time."""
    columns = [_cells(frame[name]) for name in frame.columns]
    with path.open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file, lineterminator="\n")
        written.writerow(frame.columns)
        written.writerows(zip(*columns, strict=True))


def _cells(column: "pd.Series[Any]") -> list[Any]:
    """The values of a column as the module csv writes them; empty where one misses."""
    missing = column.isna()
    if not missing.any():
        return column.tolist()
    values = column.astype(object)
    return values.where(~missing, "").tolist()


def _parquet(frame: "pd.DataFrame", path: Path, head: Mapping[str, Any]) -> None:
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    metadata = {**(table.schema.metadata or {}), b"mpbench": json.dumps(head).encode()}
    with path.open("wb") as file:  # pyarrow takes a name such as a:b for a URI
        pyarrow.parquet.write_table(table.replace_schema_metadata(metadata), file)


def _plain(frame: "pd.DataFrame", rows: list[runs.Row]) -> "pd.DataFrame":
    """Columns that both formats can hold: those of mixed types become text."""
    if not rows and not len(frame.columns):
        frame = frame.reindex(
            columns=["id", "point", "case", "repetition", "verdict", "reason"]
        )
    mixed = {
        name: frame[name].map(str, na_action="ignore")
        for name in frame.columns
        if _is_mixed(frame[name])
    }
    return frame.assign(**mixed)


def _is_mixed(column: "pd.Series[Any]") -> bool:
    """Whether a column holds values of more than one type."""
    if column.dtype != object:
        return False
    kinds = {_kind(value) for value in column if value is not None}
    return len(kinds) > 1


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, int | float) else type(value).__name__
