"""`mpbench shell`: Mininet's prompt inside the network of one run."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from analysis.words import many
from mpbench.arguments import configuration_options, experiment_file, trust_option
from mpbench.errors import UserError

if TYPE_CHECKING:
    from mpbench.plan import Run


@click.command("shell")
@experiment_file
@click.option(
    "--run",
    "run_id",
    metavar="ID",
    help="Build the network of this run, named by its id or the beginning of its id "
    "(`mpbench plan FILE` lists them).  [default: the first run]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The one folder that the guest may write to, where it is /run/mpbench. "
    " [default: a temporary one, removed at the end]",
)
@configuration_options
@trust_option
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    run_id: str | None,
    out: Path | None,
    configurations: tuple[Path, ...],
    without: tuple[str, ...],
    trusted: bool,
) -> None:
    """Open a Mininet prompt inside a run's network, in a guest.

    The network, congestion control and scheduler are those of the run. No traffic is
    started. The guest's clock follows the host's, because someone is typing.

    Commands on a standard input that is no terminal are read to their end, and executed
    in virtual time.
    """
    from mpbench.backends import registry, session
    from mpbench.engine import cpus
    from mpbench.experiment_files import load
    from mpbench.plan import feasible, make_plan
    from mpbench.plan.runs import factor_text

    spec = load(file, configurations, without, trusted)
    feasible.check_sysctls(spec)
    backend = registry.create("virtual", spec.in_qemu)
    run = _chosen(make_plan(spec, backend.identity()).runs, run_id, file)
    commands = None
    if not sys.stdin.isatty():
        commands = session.commands_from(sys.stdin.buffer)
    click.echo(f"{spec.name}, run {run.id}: point {run.point}, case {run.case}")
    for key, value in run.factors.items():
        click.echo(f"  {key} = {factor_text(value)}")
    with _folder(out) as folder:
        cpu = cpus.pinnable()[0]
        if commands is None:
            status = session.prompt(run.job, folder, cpu, trusted)
        else:
            status = session.execute(commands, run.job, folder, cpu, trusted)
        context.exit(status)


def _chosen(runs: "tuple[Run, ...]", run_id: str | None, file: Path) -> "Run":
    if run_id is None:
        return runs[0]
    named = {run.id: run for run in runs if run.id.startswith(run_id)}
    if len(named) == 1:
        return next(iter(named.values()))
    what = "no run" if not named else many(len(named), "run")
    raise UserError(
        f"--run {run_id}: {what} of {file} with an id that begins so; "
        f"`mpbench plan {file}` lists them"
    )


@contextlib.contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is None:
        from mpbench.store import scratch

        with scratch.folder("shell") as path:
            yield path
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{out}: {error.strerror}; name another folder") from error
    yield out
