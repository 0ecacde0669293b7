"""`mpbench network FILE`: a drawing of an experiment's network."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench import carried
from mpbench.errors import UserError

if TYPE_CHECKING:
    from mpbench.drawing.picture import Picture


@click.command()
@click.argument("experiment", metavar="FILE|TOPOLOGY")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the drawing to this file too, as SVG.",
)
def command(experiment: str, out: Path | None) -> None:
    """Draw the network of an experiment file, or a topology by its name.

    Shows the hosts, the paths of each user, and every link with its parameters, with
    what varies in the design and what is computed.
    """
    from mpbench.drawing.svg import svg
    from mpbench.drawing.text import text

    picture = _picture(experiment)
    click.echo(text(picture), nl=False)
    if out is None:
        return
    try:
        out.write_text(svg(picture), encoding="utf-8")
    except OSError as error:
        reason = f"cannot be written: {error.strerror}"
        raise UserError(f"{out}: {reason}; give another file by --out") from None
    click.echo(f"wrote {out}")


def _picture(experiment: str) -> "Picture":
    from mpbench.drawing.picture import of_experiment, of_topology
    from mpbench.experiment_files import load
    from mpbench.spec import builtin, topology_names

    file = carried.experiment(Path(experiment))
    if file.exists() or not re.fullmatch(r"[\w-]+", experiment):
        return of_experiment(load(file))
    try:
        topology_names.check(experiment, ())
    except ValueError as error:
        raise UserError(f"{experiment}: no such file; as a topology: {error}") from None
    return of_topology(builtin.describe(experiment))
