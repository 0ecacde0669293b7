"""`mpbench bisect FILE`: the patch or commit that makes a metric worse."""

from pathlib import Path

import click

from mpbench.arguments import experiment_file, points_option, search_options
from mpbench.errors import UserError


@click.command()
@experiment_file
@click.argument("commits", metavar="[GOOD..BAD]", required=False)
@click.option(
    "--kernel",
    "label",
    metavar="KERNEL",
    help="With GOOD..BAD, the kernel with `git` whose repository has the range; all"
    " steps have its other keys.  [default: the only one]",
)
@click.option(
    "--good",
    metavar="KERNEL",
    help="The kernel without the series.  [default: mpbench's own]",
)
@click.option(
    "--bad",
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
@click.option(
    "--replay",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="LOG",
    help="Take outcomes of steps from this bisect.json, in place of executing them.",
)
@points_option
@search_options("bisect")
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    commits: str | None,
    label: str | None,
    good: str | None,
    bad: str | None,
    limit: str,
    case: str | None,
    replay: Path | None,
    points: str | None,
    out: Path | None,
    jobs: int | None,
    backend_name: str,
    trusted: bool,
) -> None:
    """Find the patch or commit that makes a metric worse.

    FILE has `kernels`: one without a series of patches (--good), and one that is this
    one with more patches (--bad). Or it has a kernel with `git`, and GOOD..BAD is a
    range of its commits, along first parents. A step is the kernel after some of the
    changes. Its networks run in the design's order until the interval of the median
    decides; a step whose first runs have the same bytes is good at once. A step that
    does not build is skipped. The same command goes on with a search that was cut
    short.

    Exit status: 0 when the change is found, 3 when several patches remain, 2 when the
    series does not make the metric worse, or for what has to be put right first.
    """
    from mpbench.engine.bisect import Search, readable
    from mpbench.engine.bisect_log import read_log
    from mpbench.engine.bisect_question import Question
    from mpbench.engine.bisect_ranges import of_commits
    from mpbench.engine.executed import EndedError, Steps
    from mpbench.experiment_files import load
    from mpbench.report.limit_report import read_limit

    if commits is None and bad is None:
        raise UserError("name a range of commits, GOOD..BAD, or a kernel with --bad")
    if commits is None and label is not None:
        raise UserError("--kernel: goes with a range of commits, GOOD..BAD")
    if commits is not None and (good is not None or bad is not None):
        raise UserError("GOOD..BAD: names both ends; leave --good and --bad out")
    metric, percent = read_limit(limit)
    spec = load(file, trusted=trusted, points=points)
    chosen = case or next(iter(spec.cases))
    if chosen not in spec.cases:
        raise UserError(f"--case {chosen}: no such case; {', '.join(spec.cases)} are")
    steps = Steps(backend_name, jobs, trusted)
    say = steps.say
    question = Question(
        *(spec, chosen, good, bad, metric, percent),
        commits=of_commits(spec, label, commits) if commits is not None else None,
        replayed=read_log(replay) if replay is not None else {},
    )
    root = out or Path("results") / f"{spec.name}-bisect"

    build, own = steps.backend.identity(), readable(Path("results") / spec.name)
    search = Search(question, root, build, steps.execute, say, own)
    try:
        found = search.run()
    except EndedError as error:
        context.exit(error.status)
    names = [search.series[number - 1].name for number in found.suspects]
    if found.first_bad is not None:
        bad_step = search.steps[found.first_bad]
        what = "patch" if commits is None else "commit"
        say(f"First bad {what}: {names[0]} ({found.first_bad} of {len(search.series)})")
        say(f"    {bad_step.reason}")
        return
    what = "patch" if commits is None else "commit"
    say(f"The first bad {what} is one of: {', '.join(names)}")
    context.exit(3)
