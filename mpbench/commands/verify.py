"""``mpbench verify``: same run, same bytes."""

from pathlib import Path

import click

from mpbench.arguments import trust_option
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
    help="Seed of the draw; another seed draws another sample.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    help="Runs at a time, one per CPU.  [default: as many as there are CPUs]",
)
@click.option(
    "--any-build",
    is_flag=True,
    help="Compare also what another kernel, or another root image, made.",
)
@trust_option
@click.option(
    "--stored",
    is_flag=True,
    help="Execute nothing: compare the stored files with the manifests, in seconds.",
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
    trusted: bool,
    stored: bool,
) -> None:
    """Execute finished runs of the folder RESULTS again and compare.

    Every artefact must come out the same, byte for byte. Artefacts that do not are
    named, and the second execution is kept for inspection. RESULTS is only read, and
    a job that mpbench did not write is not executed. Results of the native backend
    cannot be verified so, because in real time no two executions are the same.

    With --stored nothing is executed. Every file of every run is compared with the
    hash that the run's manifest.json has of it, and the folder with the campaign's
    root. The plan is computed again from experiment.yaml, the rows from the artefacts,
    and the tables from the rows.

    Exit status: 0 when all runs are the same, 1 when any differs.
    """
    from rich.console import Console

    from mpbench.backends import registry
    from mpbench.backends.virtual import VirtualBackend
    from mpbench.engine.verify import verify, verify_stored
    from mpbench.store import campaign
    from mpbench.store.layout import Results

    folder = Results(results)
    console = Console(highlight=False)
    if stored:
        if sample is not None or any_build or jobs is not None:
            raise UserError(
                "--stored executes nothing; leave --sample, --any-build and -j out"
            )
        from analysis.campaign.table import build
        from analysis.run.row import row
        from mpbench.engine.types import AnalysisFunctions

        functions = AnalysisFunctions(row, build)
        context.exit(verify_stored(folder, console, only, functions))
    head = campaign.read(folder.campaign)
    name = head.backend
    if name in registry.REAL_TIME:
        raise UserError(
            f"{results}: measured by the {name} backend in real time, where no two "
            "executions are the same; verify results of "
            "`mpbench run --backend virtual`, or give --stored"
        )
    backend = registry.create(name, registry.QEMU in head.build)
    if isinstance(backend, VirtualBackend):
        backend.may_compile = backend.trusted = trusted
    context.exit(verify(folder, backend, console, jobs, sample, seed, any_build, only))
