"""``mpbench merge``: the results of several machines in one folder."""

from pathlib import Path

import click

from mpbench.arguments import results_folders


@click.command("merge")
@results_folders
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    required=True,
    help="The folder to merge into: a new one, or one that holds a part of the same "
    "campaign.",
)
@click.pass_context
def command(context: click.Context, results: tuple[Path, ...], out: Path) -> None:
    """Put the folders RESULTS of one campaign together into one.

    Each folder holds a part of the runs, as `mpbench run --shard I/N` makes it on one
    of several machines. All of them need the same experiment file and the same build.
    Every file is compared with the manifest of its run before it is copied, and the
    folders RESULTS stay as they are. A run that two folders have must have the same
    bytes in both.

    Exit status: 0 when DIR has every run of the plan and all are ok, 1 otherwise.
    """
    from rich.console import Console

    from analysis.campaign.table import build
    from mpbench.engine.merge import merge

    context.exit(merge(results, out, build, Console(highlight=False)))
