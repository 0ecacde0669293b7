"""``mpbench explain``: why a run went as it did, in a few sentences."""

from pathlib import Path

import click

from mpbench.errors import UserError, printable


@click.command("explain")
@click.argument(
    "runs",
    nargs=-1,
    required=True,
    metavar="RUN...",
    type=click.Path(path_type=Path),
)
def command(runs: tuple[Path, ...]) -> None:
    """Say why a run went as it did, in at most ten lines, each with its evidence.

    RUN is a run's folder, such as results/NAME/runs/ID. The lines follow from the plan,
    the kernel's counters and the events of connections. A run that is well has none;
    where nothing tells the reason, the line says "not known".

    Exit status: 0, or 2 if a folder is no run.
    """
    from analysis.run.explain import explain

    for run in runs:
        if not (run / "job.json").is_file():
            raise UserError(
                f"{run}: no run; name a folder such as results/NAME/runs/ID"
            )
        try:
            found = explain(run)
        except ValueError as error:
            raise UserError(f"{run}: {error}") from error
        if len(runs) > 1:
            click.echo(f"{printable(run.name)}:")
        for finding in found:
            click.echo(printable(finding.line))
