"""`mpbench diagnose FILE`: the settings that give a number somebody observed."""

from pathlib import Path

import click

from mpbench.arguments import experiment_file, search_options


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
@search_options("diagnosis")
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
    from mpbench.engine import unknowns
    from mpbench.engine.diagnose import Search
    from mpbench.engine.executed import EndedError, Steps
    from mpbench.experiment_files import load_with
    from mpbench.report import diagnosis_text

    spec, keys, where = load_with(
        file, (unknowns.OBSERVED, unknowns.UNKNOWN), trusted=trusted
    )
    asked = unknowns.read(spec, keys, where, case)
    steps = Steps(backend_name, jobs, trusted)
    say = steps.say

    root = out or Path("results") / f"{spec.name}-diagnosis"
    search = Search(
        asked, root, steps.backend.identity(), steps.execute, say, runs, rounds
    )
    try:
        found = search.run()
    except EndedError as error:
        context.exit(error.status)
    kept = search.keep(diagnosis_text.answer(found, asked.unknown, asked.observed))
    say("")
    for line in diagnosis_text.lines(found, asked.unknown, asked.observed):
        say(line)
    say("")
    for line in diagnosis_text.table(found, asked.unknown, asked.observed):
        say(f"  {line}")
    say(f"Answer: {kept}")
    context.exit(3 if found.fits.empty else 0)
