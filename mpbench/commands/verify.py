"""``mpbench verify``: same run, same bytes."""

from pathlib import Path

import click

from mpbench.errors import UserError


@click.command("verify")
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--run",
    "only",
    metavar="ID",
    multiple=True,
    help="Check this run, named by its id or its beginning; may be given several "
    "times.  [default: all]",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Check N runs drawn at random.  [default: all]",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Of the draw; another seed, another sample.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    help="Runs at a time, one a CPU.  [default: as many as there are CPUs]",
)
@click.option(
    "--any-build",
    is_flag=True,
    help="Compare also what another kernel, or other versions of the tools, made.",
)
@click.pass_context
def command(
    context: click.Context,
    results: Path,
    only: tuple[str, ...],
    sample: int | None,
    seed: int,
    jobs: int | None,
    any_build: bool,
) -> None:
    """Execute finished runs of the folder RESULTS again and compare.

    Every artefact must come out the same, byte for byte; those that do not are
    named, and the second execution is kept for a look. RESULTS is only read.
    Results of the native backend cannot be verified: in real time no two
    executions are the same.

    Exit status: 0 when all are the same, 1 when any differs.
    """
    from rich.console import Console

    from mpbench.backends import registry
    from mpbench.engine.verify import verify
    from mpbench.store import campaign
    from mpbench.store.layout import Results

    folder = Results(results)
    name = campaign.read(folder.campaign).backend
    if name in registry.REAL_TIME:
        raise UserError(
            f"{results}: measured by the {name} backend in real time, where no two "
            "executions are the same; verify results of `mpbench run --backend virtual`"
        )
    backend = registry.create(name)
    console = Console(highlight=False)
    context.exit(verify(folder, backend, console, jobs, sample, seed, any_build, only))
