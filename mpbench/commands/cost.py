"""`mpbench cost RESULTS...`: the time that campaigns took."""

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
    help="For campaigns that did not record the CPU time of their runs: execute N runs"
    " of each again, one at a time, and measure it.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The Markdown page to write.  [default: print the page]",
)
def command(results: tuple[Path, ...], sample: int, out: Path | None) -> None:
    """Print runs, virtual hours, CPU time and wall time of the campaigns RESULTS.

    The wall time is the one that two cores without other work need. It is computed
    from CPU times, which do not depend on what else the machine did, unlike the wall
    times that the runs took.
    """
    from analysis.report import cost_page
    from mpbench.report import page_file

    costs = [_cost(root, sample) for root in results]
    text = "\n".join(cost_page.page(costs, _machine()))
    if out is None:
        click.echo(text.rstrip())
    else:
        page_file.write(out, text)


def _cost(root: Path, sample: int) -> "Cost":
    """The cost of one campaign.

    sample : how many runs to execute again if some did not record their CPU time
    """
    from analysis.campaign import cost
    from mpbench.store import campaign, layout, runs

    results = layout.Results(root)
    head = campaign.read(results.campaign)
    hosts = []
    ids = list(dict.fromkeys(entry.id for entry in head.plan))
    for stored in runs.read_all(results, ids).values():
        ended = stored.host.exit if stored.row and stored.host else None
        if ended is not None and ended.status == "finished":
            hosts.append(ended.model_dump())
    if not hosts:
        raise UserError(f"{root}: no run is finished; `mpbench run` executes the runs")
    known = all(host.get("cpu_s") is not None for host in hosts)
    sampled_s = [] if known or not sample else _execute(results, head.backend, sample)
    return cost.cost(head.name, len(ids), hosts, sampled_s)


def _execute(results: "Results", backend_name: str, count: int) -> list[float]:
    """Execute some finished runs again, and return the CPU seconds of each.

    Every call draws the same runs.
    """
    from mpbench.backends import registry
    from mpbench.engine import cpus, verify
    from mpbench.engine.bounds import bounds
    from mpbench.store import atomic, campaign, layout, runs, scratch

    backend = registry.create(backend_name)
    head = campaign.read(results.campaign)
    cpu = cpus.choose(1, backend.max_parallel)[0]
    seconds = []
    for chosen in verify.choose(results, head, count, seed=0):
        job, name = verify.check_of(results, chosen).job, chosen.name
        with scratch.folder("cost") as root:
            folder = layout.Run(root)
            folder.artefacts.mkdir()
            atomic.write_json(folder.job, runs.document(job))
            ended = backend.execute(
                job, folder.root, cpu, bounds(job), lambda _: None, threading.Event()
            )
        if ended.status != "finished" or ended.cpu_s is None:
            reason = ended.reason or f"backend {backend_name} records no CPU time"
            raise UserError(f"{chosen.entry.id} {name}: {reason}; leave --sample out")
        click.echo(f"{head.name} {name}: {ended.cpu_s:.2f} s of CPU time", err=True)
        seconds.append(ended.cpu_s)
    return seconds


def _machine() -> str:
    """This machine in running text: its CPU model and number of CPUs."""
    import os

    from mpbench.store.provenance import cpu_model

    return f"{cpu_model()}, {os.cpu_count()} CPUs"
