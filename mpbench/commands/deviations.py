"""`mpbench deviations`: published deviations between designs, and ours beside them."""

import math
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError
from mpbench.spec.messages import shortened

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = ("designs", "points", "relative_deviation")
"""Columns of a `sensitivity.csv` that have a number in each row."""


@click.command()
@click.argument("published", type=click.Path(path_type=Path))
@click.argument("tables", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The Markdown page to write.",
)
def command(published: Path, tables: tuple[Path, ...], out: Path) -> None:
    """Write a page with the deviations in PUBLISHED and ours beside them.

    PUBLISHED is a file of results/published/ such as thesis-table-3.2.csv. Each of
    TABLES is a `sensitivity.csv` that `mpbench sensitivity` wrote into NAME.designs.
    The page says "not run" for a number that no table has.
    """
    import pandas as pd

    from analysis.published import deviations
    from analysis.report import deviations_page
    from mpbench.report import page_file

    try:
        printed = deviations.read(published)
        frames = [_read(path) for path in tables]
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(str(error)) from error
    table = pd.concat(frames, ignore_index=True)
    page_file.write(out, "\n".join(deviations_page.page(printed, table)))


def _read(path: Path) -> "pd.DataFrame":
    """A `sensitivity.csv`. Raises UserError if it lacks a column or a number."""
    import pandas as pd

    needed = {"experiment", "case", "metric", "statistic", *NUMBERS}
    try:
        frame = pd.read_csv(path)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError):
        frame = pd.DataFrame()
    missing = sorted(needed - set(frame.columns))
    if missing:
        raise UserError(
            f"{path}: no column {missing[0]}; give a sensitivity.csv that"
            " `mpbench sensitivity` wrote"
        )
    for line, row in enumerate(frame.to_dict("records"), start=2):
        for column in _numbers(row):
            if not _is_number(row.get(column)):
                raise UserError(
                    f"{path}:{line}: {column}: {shortened(row.get(column))} is no"
                    " number; take the table from `mpbench sensitivity` again"
                )
    return frame


def _numbers(row: Mapping[Hashable, object]) -> Iterator[str]:
    """The columns of a row that have to be numbers, of each design as well."""
    yield from NUMBERS
    designs = round(float(str(row["designs"])))
    yield from (f"design{number}" for number in range(1, designs + 1))


def _is_number(value: object) -> bool:
    """A column in which one value is none has texts for all."""
    try:
        return math.isfinite(float(str(value)))
    except ValueError:
        return False
