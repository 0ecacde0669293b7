"""`mpbench sensitivity FILE`: how a campaign's figures move with its design."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench import units
from mpbench.arguments import retry_failed_option
from mpbench.backends.registry import BACKENDS
from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.campaign.sensitivity import Line
    from mpbench.report.settling import Study
    from mpbench.spec import Spec

LEAST_DESIGNS = 2
MOST_DESIGNS = 20
MOST_TIMES = 4


def _percent(_context: click.Context, _name: object, text: str | None) -> float | None:
    """`2%` to 2."""
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
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--designs",
    type=click.IntRange(min=LEAST_DESIGNS),
    default=3,
    show_default=True,
    help="How many designs; the first is the experiment's own.",
)
@click.option(
    "--until",
    "until_percent",
    callback=_percent,
    metavar="PERCENT",
    help="Go on with further designs, or points, until the figures are this sure.",
)
@click.option(
    "--add",
    type=click.Choice(["designs", "points"]),
    default="designs",
    show_default=True,
    help="With --until, what to go on with: further designs, until no figure's"
    " standard error over them is above it; or half as many points again to each"
    " design, until no figure's standard deviation between designs is.",
)
@click.option(
    "--most",
    type=click.IntRange(min=LEAST_DESIGNS),
    help="With --until: give up at so many designs, or points to a design."
    f"  [default: {MOST_DESIGNS} designs, {MOST_TIMES} times the points]",
)
@click.option(
    "--metric",
    "metrics",
    metavar="METRIC",
    multiple=True,
    help="Of this metric; may be given several times.  [default: the experiment's]",
)
@click.option(
    "--only",
    metavar="CASE",
    multiple=True,
    help="Execute this case's runs only; may be given several times.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    help="Runs at a time, one a CPU.  [default: as many as there are CPUs]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the first design's results; those of the others are in"
    " DIR.designs/2 and on.  [default: results/NAME]",
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
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
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
    """Run the experiment in FILE over independent designs and see its figures move.

    For every metric, case and listed factor: median and quartiles, their standard
    deviation over the designs relative to the metric's range (or, where it has none,
    to the mean), as in Tables 3.2, 4.1 and 5.2 of the thesis, and their standard
    error. Design k has the experiment's seed of the design and k - 1. Each is a
    campaign in a folder of its own: what has run stays, here as for `mpbench run`,
    and a later call with more designs, or more points, adds to it.

    Exit status: that of the campaigns; 3 if --until was not reached.
    """
    from rich.console import Console

    from analysis.campaign.table import build
    from analysis.run.row import row
    from mpbench.backends import registry
    from mpbench.engine.campaign import Rooms
    from mpbench.engine.designs import Designs
    from mpbench.engine.types import Options
    from mpbench.report.settling import Interrupted, Study
    from mpbench.spec import load

    spec = load(file)
    _check(spec, file, metrics)
    if add == "points" and until_percent is None:
        raise UserError("--add points: until when? give --until too, e.g. --until 2%")
    series = Designs(
        spec,
        out or Path("results") / spec.name,
        registry.create(backend_name),
        Rooms(measure=row, tabulate=build),
        Options(jobs=jobs, only=only, retry_failed=retry_failed),
        Console(highlight=False, stderr=as_json),
        backend_name in registry.REAL_TIME,
    )
    study = Study(
        series, metrics or spec.metrics, _groups(spec), until_percent, say=_say(as_json)
    )
    try:
        if add == "points":
            trouble = study.grow(designs, most or MOST_TIMES * series.points)
        else:
            trouble = study.repeat(designs, most or MOST_DESIGNS)
    except Interrupted as stopped:
        context.exit(stopped.status)
    if not study.found:
        raise UserError(
            f"{file}: no design has an ok run with {', '.join(study.wanted)}"
        )
    _write(study, as_json)
    if trouble:
        click.echo(trouble, err=True)
        context.exit(3)
    context.exit(study.status)


def _say(as_json: bool) -> Callable[[str], None]:
    return lambda line: click.echo(line, err=as_json)


def _write(study: "Study", as_json: bool) -> None:
    """Save the table, and print it."""
    import pandas as pd

    from mpbench.store import atomic

    series = study.series
    target = series.beside / "sensitivity.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.concat(study.frames, ignore_index=True)
    atomic.write_with(target, lambda path: frame.to_csv(path, index=False))
    if as_json:
        click.echo(frame.to_json(orient="records", indent=2))
        return
    _show(study.found, len(study.tables), study.points)
    if study.points > series.points:
        click.echo(
            f"For a design of these points, in the file: points: {study.points},"
            f" grown_from: {series.grown_from}"
        )
    click.echo(f"Table: {target}")


def _check(spec: "Spec", file: Path, metrics: Sequence[str]) -> None:
    from mpbench.spec.values import OneOf
    from mpbench.spec.vocabulary import METRICS

    if spec.design is None or not spec.design.spread:
        raise UserError(
            f"{file}: no factor has a range, so all designs are the same; `mpbench run`"
            " with repetitions shows what randomness does"
        )
    for metric in metrics:
        try:
            OneOf("metric", METRICS).check(metric)
        except ValueError as error:
            raise UserError(f"--metric: {error}") from error


def _groups(spec: "Spec") -> list[str]:
    """Columns of the factors that are lists: each value is a figure of its own."""
    known = spec.variable()
    crossed = spec.design.crossed if spec.design else ()
    return [known[name].key for name in crossed]


def _show(found: "Sequence[Line]", designs: int, points: int) -> None:
    from rich.console import Console
    from rich.table import Table

    words = ["metric", *found[0].group]
    shown = Table(
        title=f"Relative standard deviation over {designs} designs of {points} points"
        " (standard error)",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for head in (*words, "runs", *found[0].spreads, "of the"):
        shown.add_column(head, justify="left" if head in words else "right")
    for line in found:
        shown.add_row(
            line.metric,
            *(f"{value}" for value in line.group.values()),
            str(sum(line.runs)),
            *(
                f"{spread.mean:.4g}: {100 * spread.relative_deviation:.3f} %"
                f" ({100 * spread.relative_error:.3f} %)"
                for spread in line.spreads.values()
            ),
            "range" if line.ranged else "mean",
        )
    Console(highlight=False, width=200).print(shown)
