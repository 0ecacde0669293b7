"""``mpbench export``: runs in the file formats of other tools."""

from pathlib import Path

import click


@click.command("export")
@click.argument("results", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(["flent"]),
    required=True,
    help="flent: goodput and round-trip time of each run, for the plots of flent.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder to write to.  [default: RESULTS/FORMAT]",
)
def command(results: Path, form: str, out: Path | None) -> None:
    """Write the runs of RESULTS in the file format of another tool.

    Every run that is ok becomes a file of its own, named by the run's id. The
    round-trip time needs `trace` in the experiment file.
    """
    from analysis.words import many
    from mpbench.errors import printable
    from mpbench.report.flent import export

    folder = out or results / form
    made, left_out = export(results, folder)
    for reason in left_out:
        click.echo(printable(f"{results}: left out: {reason}"), err=True)
    click.echo(printable(f"wrote {many(len(made), 'file')} into {folder}"))
