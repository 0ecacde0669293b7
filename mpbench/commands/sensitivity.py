"""`mpbench sensitivity FILE`: how much a campaign's figures depend on its design."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from analysis.words import many
from mpbench import units
from mpbench.arguments import experiment_file, retry_failed_option
from mpbench.backends.registry import BACKENDS
from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.campaign.sensitivity import Line
    from mpbench.engine.designs import Designs
    from mpbench.engine.types import Options
    from mpbench.report.design_convergence import ConvergenceStudy
    from mpbench.spec import Spec

LEAST_DESIGNS = 2
MOST_DESIGNS = 20
MOST_TIMES = 4
NOT_CONVERGED = 3


def _percent(_context: click.Context, _name: object, text: str | None) -> float | None:
    """The number of percent in an option's text: 2.0 for `2%`."""
    if text is None:
        return None
    try:
        value = units.parse(text, "%", "%")
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if value <= 0:
        raise click.BadParameter(f"{value:g} % is never reached; write e.g. 2%")
    return value


@click.command()
@experiment_file
@click.option(
    "--designs",
    type=click.IntRange(min=LEAST_DESIGNS),
    default=3,
    show_default=True,
    help="The number of designs. The first is the experiment's own.",
)
@click.option(
    "--until",
    "until_percent",
    callback=_percent,
    metavar="PERCENT",
    help="Add designs, or points, until the figures vary by no more than this.",
)
@click.option(
    "--add",
    type=click.Choice(["designs", "points"]),
    default="designs",
    show_default=True,
    help="What --until adds. `designs`: one more design at a time, until no figure has"
    " a standard error above PERCENT. `points`: half as many points again to each"
    " design, until no figure has a standard deviation between designs above PERCENT.",
)
@click.option(
    "--most",
    type=click.IntRange(min=LEAST_DESIGNS),
    help="With --until: give up at this number of designs, or of points per design."
    f"  [default: {MOST_DESIGNS} designs, {MOST_TIMES} times the points]",
)
@click.option(
    "--metric",
    "metrics",
    metavar="METRIC",
    multiple=True,
    help="Compute the figures of this metric; may be given several times."
    "  [default: the experiment's metrics]",
)
@click.option(
    "--only",
    metavar="CASE",
    multiple=True,
    help="Execute the runs of this case only; may be given several times.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    help="Runs at a time, one per CPU.  [default: as many as there are CPUs]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of the first design's results. The other designs have theirs in"
    " DIR.designs/2, DIR.designs/3 and so on.  [default: results/NAME]",
)
@click.option(
    "--backend",
    "backend_name",
    type=click.Choice(list(BACKENDS)),
    default="virtual",
    show_default=True,
    help="Where runs happen, as for `mpbench run`.",
)
@retry_failed_option
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    designs: int,
    until_percent: float | None,
    add: str,
    most: int | None,
    metrics: tuple[str, ...],
    only: tuple[str, ...],
    jobs: int | None,
    out: Path | None,
    backend_name: str,
    retry_failed: bool,
    as_json: bool,
) -> None:
    """Run the experiment in FILE over several designs and show how its figures vary.

    The table has a row per metric, case and value of a factor that is a list. It
    shows the median and quartiles, and for each of these the standard deviation over
    the designs and the standard error. Both are relative to the metric's range, or to
    the mean if the metric has no range, as in Tables 3.2, 4.1 and 5.2 of the thesis.

    Design k is drawn with the experiment's design seed plus k - 1. Each design is a
    campaign with a folder of its own. Finished runs are kept, as for `mpbench run`,
    so a later call with more designs or points executes the new runs only.

    The exit status is that of the campaigns, or 3 if --until was not reached.
    """
    from mpbench.engine.types import Options
    from mpbench.experiment_files import load
    from mpbench.plan import feasible
    from mpbench.report.design_convergence import ConvergenceStudy, Interrupted

    spec = load(file)
    _check(spec, file, metrics)
    feasible.check_backend(spec, backend_name)
    options = Options(jobs=jobs, only=only, retry_failed=retry_failed)
    series = _designs(spec, out, backend_name, options, as_json)
    study = ConvergenceStudy(
        series, metrics or spec.metrics, _groups(spec), say=_printer(as_json)
    )
    try:
        if add == "designs":
            most = _most("designs", designs, most, max(MOST_DESIGNS, designs))
            shortfall = study.add_designs(designs, most, until_percent)
        elif until_percent is None:
            raise UserError(
                "--add points: until when? give --until too, e.g. --until 2%"
            )
        else:
            most = _most("points", series.points, most, MOST_TIMES * series.points)
            shortfall = study.add_points(designs, most, until_percent)
    except Interrupted as stopped:
        context.exit(stopped.status)
    if not study.lines:
        raise UserError(
            f"{file}: no design has an ok run with {', '.join(study.metrics)}"
        )
    _write(study, as_json)
    if shortfall:
        click.echo(shortfall, err=True)
        context.exit(NOT_CONVERGED)
    context.exit(study.status)


def _designs(
    spec: "Spec", out: Path | None, backend_name: str, options: "Options", as_json: bool
) -> "Designs":
    """The designs of an experiment, with what is needed to run and measure them."""
    from rich.console import Console

    from analysis.campaign.table import build
    from analysis.run.row import row
    from mpbench.backends import registry
    from mpbench.engine.designs import Designs
    from mpbench.engine.types import AnalysisFunctions

    return Designs(
        spec,
        out or Path("results") / spec.name,
        registry.create(backend_name, spec.in_qemu),
        AnalysisFunctions(measure=row, tabulate=build),
        options,
        Console(highlight=False, stderr=as_json),
        backend_name in registry.REAL_TIME,
    )


def _most(what: str, start: int, most: int | None, default: int) -> int:
    """The number of designs or points at which to give up.

    Raises UserError if `--most` is less than the number to begin with.
    """
    if most is None:
        return default
    if most < start:
        raise UserError(
            f"--most {most}: the study begins with {start} {what}; give at least"
            f" --most {start}"
        )
    return most


def _printer(as_json: bool) -> Callable[[str], None]:
    """Prints a line of progress, beside the JSON if that goes to standard output."""
    return lambda line: click.echo(line, err=as_json)


def _write(study: "ConvergenceStudy", as_json: bool) -> None:
    """Save the figures as `sensitivity.csv`, and print them."""
    import pandas as pd

    from mpbench.store import atomic

    designs = study.designs
    target = designs.beside / "sensitivity.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.concat(study.frames, ignore_index=True)
    atomic.write_with(target, lambda path: frame.to_csv(path, index=False))
    if as_json:
        click.echo(frame.to_json(orient="records", indent=2))
        return
    _show(study.lines, len(study.tables), study.points)
    if study.points > designs.points:
        click.echo(
            "To have a design with these points, write in the file: points:"
            f" {study.points}, grown_from: {designs.grown_from}"
        )
    click.echo(f"Table: {target}")


def _check(spec: "Spec", file: Path, metrics: Sequence[str]) -> None:
    """Raises UserError if designs cannot differ, or a metric is unknown."""
    from mpbench.spec.values import OneOf
    from mpbench.spec.vocabulary import METRICS

    if spec.design is None or not spec.design.spread:
        raise UserError(
            f"{file}: no factor has a range, so all designs are the same; use"
            " `mpbench run` with repetitions to see the effect of randomness"
        )
    for metric in metrics:
        try:
            OneOf("metric", METRICS).check(metric)
        except ValueError as error:
            raise UserError(f"--metric: {error}") from error


def _groups(spec: "Spec") -> list[str]:
    """The columns of the factors that are lists. Each of their values has its own row
    in the table of figures."""
    known = spec.variable()
    crossed = spec.design.crossed if spec.design else ()
    return [known[name].key for name in crossed]


def _show(lines: "Sequence[Line]", designs: int, points: int) -> None:
    from rich.console import Console
    from rich.table import Table

    from analysis.campaign.numbers import short

    text_columns = ["metric", *lines[0].group]
    table = Table(
        title=f"Relative standard deviation over {many(designs, 'design')} of"
        f" {many(points, 'point')} (standard error)",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for head in (*text_columns, "runs", *lines[0].spreads, "relative to"):
        table.add_column(head, justify="left" if head in text_columns else "right")
    for line in lines:
        table.add_row(
            line.metric,
            *(f"{value}" for value in line.group.values()),
            str(sum(line.runs)),
            *(
                f"{short(spread.mean, 4)}: {100 * spread.relative_deviation:.3f} %"
                f" ({100 * spread.relative_error:.3f} %)"
                for spread in line.spreads.values()
            ),
            "range" if line.ranged else "mean",
        )
    Console(highlight=False, width=200).print(table)
