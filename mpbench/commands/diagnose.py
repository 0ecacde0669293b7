"""`mpbench diagnose FILE`: the settings that give a number somebody observed."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.arguments import experiment_file, trust_option
from mpbench.errors import printable

if TYPE_CHECKING:
    import pandas as pd

    from mpbench.plan.runs import Plan
    from mpbench.spec import Spec


@click.command("diagnose")
@experiment_file
@click.option("--case", metavar="CASE", help="The case to search with, of several.")
@click.option(
    "--runs",
    type=click.IntRange(min=5, max=100_000),
    default=60,
    show_default=True,
    help="Runs of all rounds together, about.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1, max=10),
    default=3,
    show_default=True,
    help="Rounds at most; each looks closer at what came near.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder of the search.  [default: results/NAME-diagnosis]",
)
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Runs at a time.")
@click.option(
    "--backend",
    "backend_name",
    type=click.Choice(["virtual", "fake"]),
    default="virtual",
    show_default=True,
    help="Where runs are executed; `fake` is for tests of the search.",
)
@trust_option
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    case: str | None,
    runs: int,
    rounds: int,
    out: Path | None,
    jobs: int | None,
    backend_name: str,
    trusted: bool,
) -> None:
    """Find the unknown settings that give a number that somebody observed.

    FILE is an experiment file with two more keys: `observed`, a metric with its value,
    and `unknown`, ranges of the network's parameters and lists of settings. The answer
    says which values give the number, which unknowns decide, and which counter tells
    the rest apart. It is also in DIR/diagnosis.json. The same command goes on with a
    search that was cut short.

    Exit status: 0 when runs give the number, 3 when none does, 2 for what has to be put
    right first.
    """
    from rich.console import Console

    from mpbench.backends import registry
    from mpbench.backends.virtual import VirtualBackend
    from mpbench.engine import unknowns
    from mpbench.engine.diagnose import Search
    from mpbench.engine.executed import EndedError, execute
    from mpbench.experiment_files import load_with
    from mpbench.report import diagnosis_text

    spec, keys, where = load_with(
        file, (unknowns.OBSERVED, unknowns.UNKNOWN), trusted=trusted
    )
    asked = unknowns.read(spec, keys, where, case)
    backend = registry.create(backend_name)
    if isinstance(backend, VirtualBackend):
        backend.trusted = trusted
    console = Console(highlight=False)

    def say(line: str) -> None:
        text = printable(line)
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    def step(
        made: "Spec", plan: "Plan", folder: Path, others: Sequence[Path]
    ) -> "pd.DataFrame":
        try:
            return execute(made, plan, folder, others, backend, jobs, console)
        except EndedError as error:
            context.exit(error.status)

    root = out or Path("results") / f"{spec.name}-diagnosis"
    search = Search(asked, root, backend.identity(), step, say, runs, rounds)
    found = search.run()
    kept = search.keep(diagnosis_text.answer(found, asked.unknown, asked.observed))
    say("")
    for line in diagnosis_text.lines(found, asked.unknown, asked.observed):
        say(line)
    say("")
    for line in diagnosis_text.table(found, asked.unknown, asked.observed):
        say(f"  {line}")
    say(f"Answer: {kept}")
    context.exit(3 if found.fits.empty else 0)
