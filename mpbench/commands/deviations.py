"""`mpbench deviations`: published deviations over designs, and ours beside them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd


@click.command()
@click.argument("published", type=click.Path(path_type=Path))
@click.argument("tables", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The page to write, Markdown.",
)
def command(published: Path, tables: tuple[Path, ...], out: Path) -> None:
    """Write a page with the numbers of PUBLISHED and ours beside them.

    PUBLISHED is a file of results/published/ such as thesis-table-3.2.csv. Each TABLE
    is a `sensitivity.csv` that `mpbench sensitivity` left in NAME.designs. What no
    table has is said to be not run.
    """
    import pandas as pd

    from analysis.published import deviations
    from mpbench.report import page_file

    try:
        printed = deviations.read(published)
        frames = [_read(path) for path in tables]
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(str(error)) from error
    table = pd.concat(frames, ignore_index=True)
    page_file.write(out, "\n".join(deviations.page(printed, table)))


def _read(path: Path) -> "pd.DataFrame":
    import pandas as pd

    needed = {"experiment", "points", "case", "metric", "statistic", "designs"}
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
    return frame
