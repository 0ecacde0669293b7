"""`mpbench bisect FILE`: the patch of a series that makes a metric worse."""

from pathlib import Path

import click

from mpbench.arguments import experiment_file, search_options
from mpbench.errors import UserError


@click.command()
@experiment_file
@click.option(
    "--good",
    metavar="KERNEL",
    help="The kernel without the series.  [default: mpbench's own]",
)
@click.option(
    "--bad",
    required=True,
    metavar="KERNEL",
    help="The kernel with all patches of the series.",
)
@click.option(
    "--limit",
    required=True,
    metavar="METRIC=PERCENT",
    help="A step is bad if it makes this metric worse by more, in the median over"
    " networks.",
)
@click.option(
    "--case",
    metavar="CASE",
    help="The transport to search with.  [default: the first case]",
)
@search_options("bisect")
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    good: str | None,
    bad: str,
    limit: str,
    case: str | None,
    out: Path | None,
    jobs: int | None,
    backend_name: str,
    trusted: bool,
) -> None:
    """Find the patch in a series that makes a metric worse.

    FILE has `kernels`: one without the series, and one that is this one with more
    patches. A step is the first with some patches of the series. Its networks run in
    the design's order until the interval of the median decides; a step whose first
    runs have the same bytes is good at once. A step that does not build is skipped.
    The same command goes on with a search that was cut short.

    Exit status: 0 when the patch is found, 3 when several patches remain, 2 when the
    series does not make the metric worse, or for what has to be put right first.
    """
    from mpbench.commands.compare import read_limit
    from mpbench.engine.bisect import Question, Search
    from mpbench.engine.executed import EndedError, Steps
    from mpbench.experiment_files import load

    metric, percent = read_limit(limit)
    spec = load(file, trusted=trusted)
    chosen = case or next(iter(spec.cases))
    if chosen not in spec.cases:
        raise UserError(f"--case {chosen}: no such case; {', '.join(spec.cases)} are")
    steps = Steps(backend_name, jobs, trusted)
    say = steps.say
    question = Question(spec, chosen, good, bad, metric, percent)
    root = out or Path("results") / f"{spec.name}-bisect"

    search = Search(question, root, steps.backend.identity(), steps.execute, say)
    try:
        found = search.run()
    except EndedError as error:
        context.exit(error.status)
    names = [search.series[number - 1].name for number in found.suspects]
    if found.first_bad is not None:
        bad_step = search.steps[found.first_bad]
        say(f"First bad patch: {names[0]} ({found.first_bad} of {len(search.series)})")
        say(f"    {bad_step.reason}")
        return
    say(f"The first bad patch is one of: {', '.join(names)}")
    context.exit(3)
