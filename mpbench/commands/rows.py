"""``mpbench rows``: keep the rows of campaigns without their runs."""

from pathlib import Path

import click

from mpbench.arguments import results_folders


@click.command("rows")
@results_folders
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    required=True,
    help="The folder to write to; each campaign gets a folder of its own in it.",
)
def command(results: tuple[Path, ...], out: Path) -> None:
    """Keep the rows of the campaigns in RESULTS, about 100 bytes per run.

    `mpbench report`, `pages`, `dashboard` and `compare` read a folder of rows as they
    read results. What needs a run's own files, such as a figure over time, needs the
    results. Every run is compared with its manifest before its row is kept.
    """
    from mpbench.report.loading import keep_rows

    for root in results:
        kept = out / root.resolve().name
        for line in keep_rows(root, kept):
            click.echo(f"{root}: {line}", err=True)
        click.echo(f"wrote {kept}")
