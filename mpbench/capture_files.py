"""Any packet capture, analysed for the command line."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from mpbench.errors import UserError


def report(files: Sequence[str], options: Mapping[str, Any]) -> None:
    """Analyse captures and print, write and draw what was asked for.

    Raises UserError for a file that cannot be opened or holds nothing to read.
    """
    from analysis.capture import drawing, export
    from analysis.capture import faults as reasons
    from analysis.capture.analyse import Settings, analyse
    from analysis.capture.frames import frames
    from analysis.capture.library import MissingCoreError
    from analysis.capture.summary import summary

    settings = Settings(
        interval_s=options["interval"] or 0.0,
        drawn=drawing.EVENTS if options["plot"] else (),
    )
    _refuse_folders((*files, *options["far"]))
    try:
        tables = analyse(files, options["far"], settings)
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from error
    except (MissingCoreError, ValueError) as error:
        raise UserError(str(error)) from error
    lines = reasons.faults(tables) + reasons.clocks(tables)
    if nothing := reasons.unreadable(tables):
        raise UserError(nothing[0])
    found = frames(tables)
    for line in lines:
        click.echo(f"mpbench: {line}", err=True)
    if tables.short_of_memory:
        click.echo(
            f"mpbench: {settings.memory_bytes >> 20} MiB were not enough for all "
            "connections; some are left out or incomplete",
            err=True,
        )
    if options["as_json"]:
        click.echo(export.as_json(found, tables.names, lines))
    else:
        click.echo("\n".join(summary(found)))
    _write(found, options)


def _write(found: Any, options: Mapping[str, Any]) -> None:
    from analysis.capture import drawing, export

    try:
        if options["csv"]:
            export.write_csv(found, options["csv"])
        if options["parquet"]:
            export.write_parquet(found, options["parquet"])
        if options["plot"]:
            which = options["connection"]
            if which is None:
                which = drawing.largest(found)
            drawing.draw(found, which, options["plot"])
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(str(error)) from error


def _refuse_folders(files: Sequence[str]) -> None:
    for name in files:
        if name != "-" and Path(name).is_dir():
            raise UserError(f"{name}: is a folder; name the capture files in it")
