"""`mpbench compare A B`: two campaigns, point by point."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from analysis.campaign.comparison import Interval, Line


@dataclass(frozen=True)
class Side:
    """One results folder: its table, its factors, its cases and metrics."""

    path: Path
    rows: "pd.DataFrame"
    factors: tuple[str, ...]
    cases: tuple[str, ...]
    metrics: tuple[str, ...]
    topology: str | None


@click.command()
@click.argument("a", type=click.Path(path_type=Path, file_okay=False))
@click.argument("b", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--case",
    "asked",
    metavar="CASE[=CASE]",
    multiple=True,
    help="Compare this case, or a case of A with one of B that has another name; may"
    " be given several times.  [default: all cases that both have]",
)
@click.option(
    "--metric",
    "metrics",
    metavar="METRIC",
    multiple=True,
    help="Compare this metric; may be given several times.  [default: those of both"
    " experiments]",
)
@click.option(
    "--confidence",
    type=click.FloatRange(50, 99.9),
    default=95.0,
    show_default=True,
    metavar="PERCENT",
    help="Of the intervals.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Of the resampling.",
)
@click.option(
    "--pairs",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write every pair and its difference (CSV).",
)
def command(
    a: Path,
    b: Path,
    asked: tuple[str, ...],
    metrics: tuple[str, ...],
    confidence: float,
    seed: int,
    target: Path | None,
) -> None:
    """Set the results A and B side by side, paired by design point.

    For each metric and case: medians, and mean and median of the differences B - A
    with bootstrap intervals (BCa). A pair is a design point and repetition at which
    the runs of both are ok. Campaigns with other factors, or without a point in
    common, are not compared.
    """
    import numpy as np
    import pandas as pd

    from analysis.campaign import comparison

    one, other = _read(a), _read(b)
    cases = _cases(one, other, asked)
    factors = _same_factors(one, other)
    names = metrics or [m for m in one.metrics if m in other.metrics]
    if not names:
        raise UserError(
            f"{a} and {b}: no metric in common; name one with --metric, such as goodput"
        )
    rng = np.random.default_rng(seed)
    found: list[Line] = []
    every = []
    for metric in names:
        joined = comparison.pairs(one.rows, other.rows, factors, cases, metric)
        every.append(joined.assign(metric=metric))
        found += comparison.lines(joined, cases, metric, rng, confidence / 100)
    if not found:
        raise UserError(_why_none(one, other, factors, names))
    _show(found, confidence)
    planned = one.rows.groupby(["repetition", *factors], dropna=False).ngroups
    click.echo(
        f"\nB - A over the pairs of {planned} design points and repetitions of A;"
        f" A is {a}, B is {b}."
    )
    if target is not None:
        pd.concat(every).to_csv(target, index=False)
        click.echo(f"wrote {target}")


def _read(path: Path) -> Side:
    from analysis.campaign import table
    from mpbench.spec import load
    from mpbench.store import campaign, layout
    from mpbench.store.table import collect

    folder = layout.Results(path)
    head = campaign.read(folder.campaign)
    rows = collect(folder, head.plan)
    if not rows:
        raise UserError(f"{path}: no run is finished; `mpbench run` goes on with it")
    try:
        spec = load(folder.experiment)
    except UserError:  # of another version; it is the runs that are compared
        spec = None
    return Side(
        path=path,
        rows=table.build(rows),
        factors=tuple(dict.fromkeys(k for e in head.plan for k in e.factors)),
        cases=tuple(dict.fromkeys(entry.case for entry in head.plan)),
        metrics=spec.metrics if spec else (),
        topology=spec.topology if spec else None,
    )


def _same_factors(one: Side, other: Side) -> list[str]:
    """Raises UserError if the two are of other networks or vary other things."""
    if one.topology and other.topology and one.topology != other.topology:
        raise UserError(
            f"{one.path} and {other.path} are unlike: their networks are {one.topology}"
            f" and {other.topology}; compare campaigns over one network"
        )
    if set(one.factors) == set(other.factors):
        return list(one.factors)
    for side, against in ((one, other), (other, one)):
        more = [name for name in side.factors if name not in against.factors]
        if more:
            what = more[0] + (f" (and {len(more) - 1} more)" if more[1:] else "")
            raise UserError(
                f"{one.path} and {other.path} are unlike: {what} varies in"
                f" {side.path} alone; compare campaigns over the same factors"
            )
    raise AssertionError


def _cases(one: Side, other: Side, asked: Sequence[str]) -> dict[str, str]:
    """Cases of A to cases of B."""
    if not asked:
        common = {case: case for case in one.cases if case in other.cases}
        if not common:
            raise UserError(
                f"{one.path} and {other.path}: no case in common"
                f" ({', '.join(one.cases)}; {', '.join(other.cases)}); pair them with"
                f" --case {one.cases[0]}={other.cases[0]}"
            )
        return common
    chosen = {}
    for text in asked:
        first, _, second = text.partition("=")
        pair = (first, second or first)
        for side, case in zip((one, other), pair, strict=True):
            if case not in side.cases:
                known = ", ".join(side.cases)
                raise UserError(
                    f"--case {text}: {side.path} has no case '{case}'; known: {known}"
                )
        chosen[pair[0]] = pair[1]
    return chosen


def _why_none(
    one: Side, other: Side, factors: Sequence[str], metrics: Sequence[str]
) -> str:
    both = f"{one.path} and {other.path}"
    if factors:
        shared = one.rows[[*factors]].merge(other.rows[[*factors]], on=[*factors])
        if shared.empty:
            return (
                f"{both} have no design point in common; compare campaigns of the same"
                " design (its seed, points and ranges)"
            )
    return f"{both} have no pair of ok runs with {', '.join(metrics)}"


def _show(found: "Sequence[Line]", confidence: float) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=None, pad_edge=False)
    words = ("metric", "case")
    level = f"{confidence:g} %"
    heads = [*words, "pairs", "A median", "B median", "mean of B - A", level]
    for head in (*heads, "median of B - A", level, "B > A", "B < A"):
        shown.add_column(head, justify="left" if head in words else "right")
    for line in found:
        one, other = line.cases
        shown.add_row(
            line.metric,
            one if one == other else f"{one} and {other}",
            str(line.pairs),
            f"{line.first:.4g}",
            f"{line.second:.4g}",
            f"{line.mean.estimate:+.4g}",
            _ends(line.mean),
            f"{line.median.estimate:+.4g}",
            _ends(line.median),
            str(line.above),
            str(line.below),
        )
    Console(highlight=False, width=200).print(shown)


def _ends(interval: "Interval") -> str:
    if interval.low is None or interval.high is None:
        return "too few"
    return f"{interval.low:+.4g} to {interval.high:+.4g}"
