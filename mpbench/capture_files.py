"""`mpbench analyse FILE...`: any capture files, analysed in one pass."""

import contextlib
import itertools
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mpbench import extras
from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.capture.analyse import Read, Settings
    from analysis.capture.collect import Collected
    from analysis.capture.export import Output
    from analysis.capture.frames import Frames


PLOTTED_S = 0.02
"""Interval of the goodput in plots, unless --interval says another."""


def report(files: Sequence[str], options: Mapping[str, Any]) -> None:
    """Analyse capture files, and print, write and draw what the options ask for.

    Raises UserError for a file that cannot be opened or of which nothing can be read.
    """
    from analysis.capture.library import MissingCoreError

    _refuse_folders((*files, *options["far"]))
    try:
        _report(files, options)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise UserError(f"{where}{error.strerror or error}") from error
    except (MissingCoreError, ValueError) as error:
        raise UserError(str(error)) from error


def _report(files: Sequence[str], options: Mapping[str, Any]) -> None:
    from analysis.capture import faults, library
    from analysis.capture.analyse import read
    from analysis.capture.collect import Collected
    from analysis.capture.spool import Spool
    from analysis.capture.summary import MOST, summary
    from analysis.capture.thinning import Thinned

    with contextlib.ExitStack() as undo:
        folder = Path(
            undo.enter_context(tempfile.TemporaryDirectory(prefix="mpbench-"))
        )
        outputs = list(_outputs(options, folder, undo))
        settings = _settings(options, bool(outputs))
        series, events = (
            Spool(folder, name, library.row_type(name)) for name in ("series", "events")
        )
        collected = Collected(outputs, MOST, options["connection"], series, events)
        collected.needs_owners = bool(outputs or settings.drawn)
        thinned = Thinned(settings.marks)
        ended = read(files, options["far"], settings, collected, thinned)
        if nothing := faults.unreadable(ended):
            raise UserError(nothing[0])
        lines = (
            faults.of_files(ended)
            + faults.resegmented(collected.totals.resegmented)
            + faults.disagreeing(collected.totals.clocks_differ)
        )
        for line in (*lines, *faults.of_memory(ended, settings.memory_bytes)):
            click.echo(f"mpbench: {line}", err=True)
        frames = _frames_of_largest(collected, thinned.rows(library.row_type("events")))
        if not options["as_json"]:
            click.echo("\n".join(summary(frames, collected.totals)))
        if outputs:
            _finish(outputs, collected, ended, options["interval"], lines)
        _draw(frames, collected, settings, options)


def _settings(options: Mapping[str, Any], tables: bool) -> "Settings":
    """tables : whether the tables of series and events are written"""
    from analysis.capture import drawing
    from analysis.capture.analyse import Settings

    drawn: tuple[str, ...] = ()
    if options["plots"]:
        drawn = drawing.ALL_EVENTS
    elif options["plot"]:
        drawn = drawing.EVENTS
    interval_s = (options["interval"] or 0.0) if tables else 0.0
    return Settings(
        interval_s=interval_s or (PLOTTED_S if options["plots"] else 0.0),
        memory_bytes=options["memory"],
        events=("reinjection", "signal") if tables else (),
        drawn=drawn,
    )


def _outputs(
    options: Mapping[str, Any], folder: Path, undo: contextlib.ExitStack
) -> Iterator["Output"]:
    from analysis.capture import export

    if options["as_json"]:
        yield export.Json(folder, sys.stdout)
    if options["csv"]:
        yield undo.enter_context(export.unless_abandoned(export.Csv(options["csv"])))
    if options["parquet"]:
        if not extras.knows_parquet():
            raise UserError(
                "--parquet: pyarrow is not installed; `pip install pyarrow` brings it,"
                " and --csv needs none"
            )
        parquet = export.Parquet(options["parquet"])
        yield undo.enter_context(export.unless_abandoned(parquet))


def _frames_of_largest(collected: "Collected", marks: Any) -> "Frames":
    """The largest connections, and the events to draw."""
    import pandas as pd

    from analysis.capture.analyse import NANO
    from analysis.capture.frames import Frames, of_connections, of_events

    rows = collected.largest.rows()
    connections, data, subflows = of_connections(rows)
    if collected.needs_owners:
        marks = collected.owners.settled(marks)
    return Frames(
        connections=connections,
        data=data,
        subflows=subflows,
        series=pd.DataFrame(),
        events=pd.DataFrame(),
        marks=of_events(marks, rows.zero_ns),
        zero_s=rows.zero_ns / NANO,
    )


def _finish(
    outputs: Sequence["Output"],
    collected: "Collected",
    ended: "Read",
    interval_s: float | None,
    lines: Sequence[str],
) -> None:
    """Give the outputs the series and events that waited for their connections."""
    import numpy as np

    from analysis.capture import library
    from analysis.capture.analyse import NANO, OF_CONNECTIONS, Rows
    from analysis.capture.export import TABLES
    from analysis.capture.frames import of_connections, of_events, of_series
    from analysis.capture.intervals import summed

    owners = collected.owners.connections()
    collected.losses.resize(len(owners))

    def give(table: str, frame: Any) -> None:
        for output in outputs:
            output.add(table, frame)

    # Even a table without rows has its columns.
    empty = {name: np.empty(0, library.row_type(name)) for name in library.TABLES}
    none = Rows(**{name: empty[name] for name in OF_CONNECTIONS}, zero_ns=0)
    for table, frame in zip(TABLES[:3], of_connections(none), strict=True):
        give(table, frame)
    pieces = collected.series.sorted_pieces("interval") if interval_s else iter([])
    for rows in itertools.chain(pieces, [empty["series"]]):
        settled = summed(collected.owners.settled(rows))
        frame = of_series(settled, interval_s or 0.0, owners, collected.losses)
        give("series", frame)
    for rows in itertools.chain(collected.events.pieces(), [empty["events"]]):
        give("events", of_events(collected.owners.settled(rows), ended.zero_ns))
    for output in outputs:
        output.finish(ended.names, lines, ended.zero_ns / NANO)


def _draw(
    frames: "Frames",
    collected: "Collected",
    settings: "Settings",
    options: Mapping[str, Any],
) -> None:
    from analysis.capture import drawing

    if not options["plot"] and not options["plots"]:
        return
    which = options["connection"]
    if which is None:
        which = drawing.largest(frames)
    if options["plot"]:
        drawing.draw(frames, which, options["plot"])
    if options["plots"]:
        series = _series_of(collected, which, settings.interval_s)
        drawing.draw_all(frames, series, which, options["plots"])


def _series_of(collected: "Collected", connection: int, interval_s: float) -> Any:
    """The series of one connection."""
    import numpy as np

    from analysis.capture.frames import of_series
    from analysis.capture.intervals import summed

    owners = collected.owners.connections()
    collected.losses.resize(len(owners))
    parts = [
        rows[owners[rows["subflow"]] == connection]
        for rows in collected.series.pieces()
    ]
    rows = np.concatenate([np.empty(0, collected.series.kind), *parts])
    settled = summed(collected.owners.settled(rows))
    return of_series(settled, interval_s, owners, collected.losses)


def _refuse_folders(files: Sequence[str]) -> None:
    for name in files:
        if name != "-" and Path(name).is_dir():
            raise UserError(f"{name}: is a folder; name the capture files in it")
