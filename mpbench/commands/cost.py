"""`mpbench cost RESULTS...`: what campaigns took."""

import shutil
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.arguments import results_folders
from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.campaign.cost import Cost
    from mpbench.store.layout import Results


@click.command()
@results_folders
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Execute so many runs of each campaign again, one at a time, for their CPU"
    " time, where it was not noted when they ran.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A page to write, Markdown.  [default: print it]",
)
def command(results: tuple[Path, ...], sample: int, out: Path | None) -> None:
    """Tell runs, virtual hours, CPU time and wall time of the campaigns RESULTS.

    The wall time is that of two cores with nothing else to do, from CPU times: unlike
    the wall times that runs took, they do not depend on what else the machine did.
    """
    from analysis.campaign import cost
    from mpbench.report import page_file

    costs = [_cost(root, sample) for root in results]
    text = "\n".join(cost.page(costs, _machine()))
    if out is None:
        click.echo(text.rstrip())
    else:
        page_file.write(out, text)


def _cost(root: Path, sample: int) -> "Cost":
    from analysis.campaign import cost
    from mpbench.store import campaign, layout, runs

    results = layout.Results(root)
    head = campaign.read(results.campaign)
    hosts = []
    for entry in {each.id: each for each in head.plan}.values():
        host = runs.read_json(results.run(entry.id).host)
        if host is not None and host["exit"]["status"] == "finished":
            hosts.append(host["exit"])
    if not hosts:
        raise UserError(f"{root}: no finished run; `mpbench run` makes some")
    known = all(host.get("cpu_s") is not None for host in hosts)
    again = [] if known or not sample else _execute(results, head.backend, sample)
    return cost.cost(head.name, len({e.id for e in head.plan}), hosts, again)


def _execute(results: "Results", backend_name: str, count: int) -> list[float]:
    """CPU seconds of some finished runs, drawn alike each time, executed again."""
    from mpbench.backends import registry
    from mpbench.engine import cpus, verify
    from mpbench.engine.bounds import bounds
    from mpbench.store import atomic, campaign, layout, runs

    backend = registry.create(backend_name)
    head = campaign.read(results.campaign)
    cpu = cpus.choose(1, backend.max_parallel)[0]
    taken = []
    for entry, run, name in verify.choose(results, head, count, seed=0):
        job = runs.read_json(run.job)
        if job is None:
            raise UserError(f"{run.root}: damaged (no readable job.json)")
        folder = layout.Run(Path(tempfile.mkdtemp(prefix="mpbench-cost-")))
        try:
            folder.artefacts.mkdir()
            atomic.write_json(folder.job, job)
            ended = backend.execute(
                job, folder.root, cpu, bounds(job), lambda _: None, threading.Event()
            )
        finally:
            shutil.rmtree(folder.root, ignore_errors=True)
        if ended.status != "finished" or ended.cpu_s is None:
            reason = ended.reason or f"backend {backend_name} notes no CPU time"
            raise UserError(f"{entry.id} {name}: {reason}; leave --sample out")
        click.echo(f"{head.name} {name}: {ended.cpu_s:.2f} s of CPU time", err=True)
        taken.append(ended.cpu_s)
    return taken


def _machine() -> str:
    import os

    from mpbench.store.provenance import cpu_model

    return f"{cpu_model()}, {os.cpu_count()} CPUs"
