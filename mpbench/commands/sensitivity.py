"""`mpbench sensitivity FILE`: how a campaign's figures move with its design."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench import units
from mpbench.backends.registry import BACKENDS
from mpbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from analysis.sensitivity import Line
    from mpbench.spec import Spec

LEAST_DESIGNS = 2


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
    help="Go on with further designs until no figure's standard error is above this.",
)
@click.option(
    "--most",
    type=click.IntRange(min=LEAST_DESIGNS),
    default=20,
    show_default=True,
    help="With --until: give up after so many designs.",
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
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    designs: int,
    until_percent: float | None,
    most: int,
    metrics: tuple[str, ...],
    only: tuple[str, ...],
    jobs: int | None,
    out: Path | None,
    backend_name: str,
    as_json: bool,
) -> None:
    """Run the experiment in FILE over independent designs and see its figures move.

    For every metric, case and listed factor: median and quartiles, their standard
    deviation over the designs relative to the metric's range (or, where it has none,
    to the mean), as in Tables 3.2, 4.1 and 5.2 of the thesis, and their standard
    error. Design k has the experiment's seed of the design and k - 1. Each is a
    campaign in a folder of its own: what has run stays, here as for `mpbench run`,
    and a later call with more designs adds to it.

    Exit status: that of the campaigns; 3 if --until was not reached.
    """
    from analysis import sensitivity
    from mpbench.spec import load
    from mpbench.store import atomic

    spec = load(file)
    _check(spec, file, metrics)
    root = out or Path("results") / spec.name
    groups = _groups(spec)
    wanted = metrics or spec.metrics
    tables: list[pd.DataFrame] = []
    found: list[Line] = []
    worst_status = 0
    while True:
        number = len(tables) + 1
        click.echo(f"Design {number}:", err=as_json)
        status, table = _run(spec, number, root, only, jobs, backend_name, as_json)
        worst_status = max(worst_status, status)
        if status >= 128:
            context.exit(status)
        tables.append(table)
        if number < designs:
            continue
        found = sensitivity.lines(tables, wanted, groups)
        worst = 100 * sensitivity.worst_error(found)
        if until_percent is None or worst <= until_percent or number >= most:
            break
        click.echo(
            f"Standard error of {worst:.3f} %, above {until_percent:g} %: one more",
            err=as_json,
        )
    if not found:
        raise UserError(f"{file}: no design has an ok run with {', '.join(wanted)}")
    target = root.with_name(f"{root.name}.designs") / "sensitivity.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    frame = sensitivity.frame(found)
    atomic.write_with(target, lambda path: frame.to_csv(path, index=False))
    if as_json:
        click.echo(json.dumps(frame.to_dict("records"), indent=2))
    else:
        _show(found, len(tables))
        click.echo(f"Table: {target}")
    if until_percent is not None and worst > until_percent:
        click.echo(
            f"after {len(tables)} designs the standard error is {worst:.3f} %, above"
            f" {until_percent:g} %; more points to a design, or a larger --most",
            err=True,
        )
        context.exit(3)
    context.exit(worst_status)


def _check(spec: "Spec", file: Path, metrics: Sequence[str]) -> None:
    from mpbench.spec.known import METRICS
    from mpbench.spec.values import OneOf

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


def _run(
    spec: "Spec",
    number: int,
    root: Path,
    only: tuple[str, ...],
    jobs: int | None,
    backend_name: str,
    quiet: bool,
) -> "tuple[int, pd.DataFrame]":
    """Run the campaign over design `number`, from 1; its status and its table."""
    from rich.console import Console

    from analysis.rows import row
    from analysis.table import build
    from mpbench.backends import registry
    from mpbench.engine.campaign import Rooms, run_campaign
    from mpbench.engine.types import Experiment, Options
    from mpbench.plan import make_plan
    from mpbench.spec import with_design_seed
    from mpbench.store import campaign, layout, table

    folder = root
    if number > 1:
        assert spec.design is not None
        seed = spec.seed if spec.design.seed is None else spec.design.seed
        spec = with_design_seed(spec, seed + number - 1)
        folder = root.with_name(f"{root.name}.designs") / str(number)
    backend = registry.create(backend_name)
    build_id = backend.identity()
    experiment = Experiment(spec.name, spec.text.encode(), make_plan(spec, build_id))
    status = run_campaign(
        experiment,
        folder,
        backend,
        build_id,
        Rooms(measure=row, tabulate=build),
        Options(jobs=jobs, only=only),
        Console(highlight=False, stderr=quiet),
    )
    results = layout.Results(folder)
    rows = table.collect(results, campaign.read(results.campaign).plan)
    return status, build(rows)


def _show(found: "Sequence[Line]", designs: int) -> None:
    from rich.console import Console
    from rich.table import Table

    words = ["metric", *found[0].group]
    shown = Table(
        title=f"Relative standard deviation over {designs} designs (standard error)",
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
