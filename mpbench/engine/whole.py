"""Faults of a results folder as a whole: its root, labels, rows and tables.

Everything that can be computed from something else is computed again: the plan from the
experiment, the rows from the artefacts, the tables from the rows.
"""

import csv
import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis.words import many
from mpbench import extras
from mpbench.backends.base import Exit
from mpbench.engine.types import AnalysisFunctions, entry
from mpbench.engine.verdict import make_row
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from mpbench.store import (
    content,
    design,
    layout,
    places,
    provenance,
    records,
    root,
    table,
)
from mpbench.store.campaign import Campaign, Entry
from mpbench.store.runs import Row, Stored
from mpbench.version import __version__

NAMED = 3
"""Faults of a kind that are told one by one; of more, the number."""

Runs = Mapping[str, Stored]
LABELS = ("id", "point", "case", "repetition", "verdict")
Columns = dict[str, list[Any]]
"""Values by column, in the order of the table's rows."""


def faults(
    results: layout.Results,
    head: Campaign,
    stored: Runs,
    analysis: AnalysisFunctions | None,
) -> Iterator[str]:
    """Faults of the folder, one line per fault."""
    rows = {key: run.row for key, run in stored.items() if run.row is not None}
    yield from root.check(results, head, stored).faults
    yield from _few(content.faults(results, stored))
    yield from _few(places.faults(head.plan, rows))
    yield from _few(_labels(results, head))
    yield from _design(results, head)
    if analysis is not None:
        yield from _few(_rows(results, head, stored, analysis))
        yield from _tables(results, head, rows, analysis)


def root_line(results: layout.Results, head: Campaign, stored: Runs) -> str:
    """The root of the folder, or why it has none, for the user."""
    if not results.root_file.exists():
        return (
            "No root: an earlier mpbench stored these results, so nothing tells whether"
            " files beside the runs were changed; `mpbench run` and `mpbench analyse`"
            " write one."
        )
    state = root.check(results, head, stored)
    if state.root:
        return f"root: {state.root}"
    if state.faults:
        return "The campaign differs from its root."
    late = many(state.uncovered, "run")
    return f"The root does not cover {late} that ended after it; `mpbench run` goes on."


def _few(lines: Iterator[str]) -> Iterator[str]:
    every = list(lines)
    yield from every[:NAMED]
    if every[NAMED:]:
        yield f"and {many(len(every) - NAMED, 'more such fault')}"


def _labels(results: layout.Results, head: Campaign) -> Iterator[str]:
    """Differences of the plan from the one that the experiment gives on its build.

    Another version of mpbench may give other ids to all runs, or read another language
    of experiments; then nothing is told, because only the root can judge the file. The
    hash of the experiment is compared only if this version and commit wrote it, since a
    key that came later may count in it.
    """
    try:
        spec = load(results.experiment, of_results=True)
        plan = make_plan(spec, head.build)
    except UserError:
        return
    planned: dict[str, Entry] = {run.id: entry(run) for run in plan.runs}
    if not planned.keys() & {one.id for one in head.plan}:
        return
    made = records.Provenance.model_validate(head.provenance).mpbench
    is_mine = (made.version, made.commit) == (__version__, provenance.commit())
    if is_mine and spec.digest != head.spec_hash:
        yield "campaign.json: its spec_hash is not that of experiment.yaml"
    for one in head.plan:
        if one.id not in planned:
            yield f"campaign.json: run {one.id} is not of experiment.yaml"
        elif planned[one.id] != one:
            yield f"campaign.json: run {one.id}: not the labels of experiment.yaml"
    for run_id in planned.keys() - {one.id for one in head.plan}:
        yield f"campaign.json: run {run_id} of experiment.yaml is not in its plan"


def _design(results: layout.Results, head: Campaign) -> Iterator[str]:
    if results.design.is_file() and results.design.read_bytes() != design.text(
        head.plan
    ):
        yield "design.csv: not the points of the plan"


def _rows(
    results: layout.Results, head: Campaign, stored: Runs, analysis: AnalysisFunctions
) -> Iterator[str]:
    """The rows that are not what this mpbench makes of the artefacts.

    Rows that another version or commit made may differ, and are not looked at.
    """
    mine = (__version__, provenance.commit())
    own = places.Places(head.plan)
    for one in head.plan:
        run = stored.get(one.id)
        if run is None or run.row is None or run.host is None:
            continue
        made = run.host.provenance.mpbench
        if run.host.has_row_alone or (made.version, made.commit) != mine:
            continue
        ended = Exit(**run.host.exit.model_dump())
        place = own.of(one, run.row)
        if make_row(place, results.run(one.id), ended, analysis.measure) != run.row:
            yield f"runs/{one.id}: its row is not what its artefacts give"


def _tables(
    results: layout.Results,
    head: Campaign,
    rows: Mapping[str, Row],
    analysis: AnalysisFunctions,
) -> Iterator[str]:
    """The tables that are not those of the rows.

    Another version or commit may compute other columns. Of a table that it wrote, only
    the labels and what stands in the rows themselves are compared; without pyarrow, the
    labels.
    """
    if not results.csv.is_file() or not rows:
        return
    collected = table.collect(results, head.plan, rows)
    with tempfile.TemporaryDirectory() as folder:
        aside = layout.Results(Path(folder))
        try:
            table.write(aside, collected, analysis.tabulate, head.spec_hash)
        except UserError as error:
            yield f"runs.csv: {error}"
            return
        if not extras.knows_parquet():
            # Who wrote the table stands in the Parquet file.
            cells = _common(_cells(aside.csv), _cells(results.csv), set(LABELS))
            if cells[0] != cells[1]:
                yield "runs.csv: not the table of the rows"
            return
        made = _frame(aside.parquet) or {}
        held = _frame(results.parquet) or {}
        only = None if _is_mine(results.parquet) else _copied(made, collected)
        cells = _common(_cells(aside.csv), _cells(results.csv), only)
        if cells[0] != cells[1]:
            yield "runs.csv: not the table of the rows"
        columns = _common(made, held, only)
        if columns[0] != columns[1]:
            yield "runs.parquet: not the table of the rows"


def _is_mine(path: Path) -> bool:
    """Whether this version and commit wrote a Parquet table, by its metadata."""
    import pyarrow
    import pyarrow.parquet

    try:
        with path.open("rb") as file:
            metadata = pyarrow.parquet.read_schema(file).metadata or {}
        made = json.loads(metadata[b"mpbench"])
        return (made["version"], made["commit"]) == (__version__, provenance.commit())
    except (OSError, pyarrow.ArrowException, KeyError, TypeError, ValueError):
        return False


def _copied(made: Columns, rows: list[Row]) -> set[str]:
    """The columns of a table that hold what the rows hold under the same name."""
    same = {
        name
        for name, values in made.items()
        if values == [row.get(name) for row in rows]
        and any(name in row for row in rows)
    }
    return same | {*LABELS}


def _common(
    made: Columns, held: Columns, only: set[str] | None
) -> tuple[Columns, Columns]:
    """Two tables without the columns that need not be equal.

    only : columns that must be equal where both tables have them, and `id`; None for
        all columns
    """
    if only is None:
        return made, held
    names = [name for name in made if name in only and (name in held or name == "id")]
    ours = {name: made[name] for name in names}
    return ours, {name: held.get(name, []) for name in names}


def _cells(path: Path) -> Columns:
    """The columns of a CSV file, as text, by name."""
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        head, *lines = list(csv.reader(file)) or [[]]
    width = len(head)
    if any(len(line) != width for line in lines):
        return {}
    return {name: [line[at] for line in lines] for at, name in enumerate(head)}


def _frame(path: Path) -> Columns | None:
    """The columns and values of a Parquet file, without its metadata; None if it is
    none."""
    import pyarrow
    import pyarrow.parquet

    try:
        with path.open("rb") as file:  # a name need not be UTF-8
            read = pyarrow.parquet.read_table(file)
    except (OSError, pyarrow.ArrowException):
        return None
    columns: Columns = read.to_pydict()
    return columns
