"""`mpbench compare A B`: the differences between two campaigns, point by point."""

import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError
from mpbench.report import limit_report, paired

if TYPE_CHECKING:
    from analysis.campaign.comparison import Interval, Line


@click.command()
@click.argument("a", type=click.Path(path_type=Path, file_okay=False))
@click.argument("b", type=click.Path(path_type=Path, file_okay=False), required=False)
@click.option(
    "--case",
    "case_options",
    metavar="CASE[=CASE]",
    multiple=True,
    help="Compare this case, or with CASE=CASE a case of A with a case of B that has"
    " another name; may be given several times.  [default: all cases of both]",
)
@click.option(
    "--kernel",
    "kernel",
    metavar="KERNEL[=KERNEL]",
    help="Compare the cases of A that have another kernel with those that have this"
    " one and are the same otherwise; with KERNEL=KERNEL, those of one other kernel.",
)
@click.option(
    "--metric",
    "metrics",
    metavar="METRIC",
    multiple=True,
    help="Compare this metric; may be given several times.  [default: the metrics of"
    " both experiments]",
)
@click.option(
    "--confidence",
    type=click.FloatRange(50, 99.9),
    default=95.0,
    show_default=True,
    metavar="PERCENT",
    help="Confidence level of the intervals.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Seed of the bootstrap resampling.",
)
@click.option(
    "--pairs",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write every pair and its difference to this CSV file.",
)
@click.option(
    "--limit",
    "limits",
    metavar="METRIC=PERCENT",
    multiple=True,
    help="Let B be worse than A by so many percent at most, in the median over"
    " networks; may be given several times. The exit status is then 1 if a limit is"
    " broken, and 3 if none is, but some are undecided.",
)
@click.option(
    "--tap",
    is_flag=True,
    help="Print the limits in the Test Anything Protocol (TAP 14), and nothing else.",
)
def command(
    a: Path,
    b: Path | None,
    case_options: tuple[str, ...],
    kernel: str | None,
    metrics: tuple[str, ...],
    confidence: float,
    seed: int,
    target: Path | None,
    limits: tuple[str, ...],
    tap: bool,
) -> None:
    """Compare the campaigns in A and B, paired by design point.

    Without B and without options, the command judges the limits that the experiment
    file of A states below `compare`.

    The table has a row per metric and case. It shows the medians of A and B, and the
    mean and median of the differences B - A with bootstrap intervals (BCa). A pair is
    a design point whose runs are ok in both campaigns; its repetitions are averaged.
    Of a single design point, the repetitions are the pairs. The command
    refuses campaigns that vary different factors or have no design point in common.

    A and B may be one folder, for two of its cases: `--case before=after`. With
    --kernel, B is left out, and the command also counts the pairs of runs that left the
    same bytes.
    """
    import numpy as np
    import pandas as pd

    from analysis.campaign import comparison, listed
    from analysis.campaign.columns import links_named, plain_label
    from analysis.words import many
    from mpbench.store.table import measured

    if b is None and not (kernel or case_options or metrics or limits or target):
        sys.exit(limit_report.judge_stated(a, tap, confidence, seed))
    tolerated = dict(map(limit_report.read_limit, limits))
    if tap and not limits:
        raise UserError("--tap: shows limits; give some, such as --limit goodput=1")
    if (b is None) != (kernel is not None) or (kernel and case_options):
        raise UserError("name two folders, A and B, or A with --kernel and no --case")
    first = paired.read(a)
    second = first if b is None else paired.read(b)
    groups = (
        [paired.named_cases(first, second, case_options)]
        if b
        else paired.kernel_groups(first, kernel)
    )
    b = b or a
    factors = paired.same_factors(first, second)
    if limits:
        broken: list[str] = []
        judged = limit_report.judge(
            *(first, second, factors, groups, tolerated, confidence / 100, seed),
            unpaired=broken,
        )
        if not judged and not limit_report.all_failed(second, groups):
            why = paired.why_no_pairs(first, second, factors, list(tolerated))
            raise UserError(f"--limit {next(iter(tolerated))}: {why}")
        look = limit_report.look_command(first, second, kernel)
        sys.exit(limit_report.tell(judged, tap, look, first, second, broken))
    names = metrics or [m for m in first.metrics if m in second.metrics]
    if not names:
        raise UserError(
            f"{a} and {b}: no metric in common; name one with --metric, such as goodput"
        )
    every = listed.factors(first.rows, factors, first.listed)
    crossed = listed.crossed(first.rows, factors, every)
    split = listed.splitting(first.rows, crossed)
    rng = np.random.default_rng(seed)
    lines: list[Line] = []
    pairs_by_metric = []
    with measured(f"{a} and {b}"):
        columns = {k: v for name in names for k, v in first.columns(name).items()}
        for (metric, column), cases in product(columns.items(), groups):
            pairs = comparison.pairs(first.rows, second.rows, factors, cases, column)
            partners = pairs["case"].map(cases)
            pairs_by_metric.append(pairs.assign(metric=metric, partner=partners))
            lines += comparison.lines(
                pairs, cases, metric, rng, confidence / 100, split
            )
    if not lines:
        raise UserError(paired.why_no_pairs(first, second, factors, names))
    with links_named(first.rows):
        _show(lines, confidence, [plain_label(name) for name in split])
    told = {line.metric for line in lines}
    if without := [metric for metric in columns if metric not in told]:
        click.echo(f"\nNo pair of runs that are ok has {', '.join(without)}.")
    planned = first.rows.groupby(["repetition", *factors], dropna=False).ngroups
    click.echo(
        f"\nDifferences are B - A. A, {a}, has {planned} design points and repetitions;"
        f" B is {b}."
    )
    for cases in groups if kernel else ():
        for both in cases.items():
            runs = paired.run_pairs(first, second, both)
            count = paired.same_bytes(runs)
            total = many(len(runs), "run")
            click.echo(f"{both[1]}: {count} of {total} left the bytes of {both[0]}.")
    if target is not None:
        pd.concat(pairs_by_metric).to_csv(target, index=False)
        click.echo(f"wrote {target}")


def _show(lines: "Sequence[Line]", confidence: float, split: Sequence[str]) -> None:
    """Print the lines.

    confidence : level of the intervals in percent
    split : labels of the listed factors that have a column each
    """
    from rich.console import Console
    from rich.table import Table

    from analysis.campaign import sample_sizes
    from analysis.campaign.numbers import short

    table = Table(box=None, pad_edge=False)
    level = f"{confidence:g} %"
    least = sample_sizes.least_values(confidence / 100)
    for head in (
        "metric",
        "case",
        *split,
        "pairs",
        "A median",
        "B median",
        "mean of B - A",
        level,
        "median of B - A",
        level,
        "B > A",
        "B < A",
    ):
        table.add_column(
            head, justify="left" if head in ("metric", "case") else "right"
        )
    for line in lines:
        first_case, second_case = line.cases
        table.add_row(
            line.metric,
            first_case if first_case == second_case else f"{first_case}={second_case}",
            *line.place,
            str(line.pairs),
            short(line.first, 4),
            short(line.second, 4),
            short(line.mean.estimate, 4, "+"),
            _interval(line.mean, least),
            short(line.median.estimate, 4, "+"),
            _interval(line.median, least),
            str(line.above),
            str(line.below),
        )
    Console(highlight=False, width=200).print(table)


def _interval(interval: "Interval", least: int) -> str:
    """`+0.1 to +0.2`, or how many pairs an interval needs."""
    from analysis.campaign.numbers import short

    if interval.low is None or interval.high is None:
        return f"needs {least}"
    return f"{short(interval.low, 4, '+')} to {short(interval.high, 4, '+')}"
