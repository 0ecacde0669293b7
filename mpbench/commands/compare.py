"""`mpbench compare A B`: the differences between two campaigns, point by point."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from analysis.campaign.comparison import Interval, Line
    from analysis.campaign.directions import Direction
    from analysis.campaign.limits import Judgement, Moved
    from mpbench.spec import Spec
    from mpbench.spec.networks import Network
    from mpbench.store.layout import Run


@dataclass(frozen=True)
class Campaign:
    """The parts of a results folder that can be compared.

    rows : the table of runs
    factors : the columns that identify a design point
    directions : the directions in which metrics of the user's own are good
    metrics, topology, network, listed : metrics, network and listed factors of the
        experiment file; empty and None if this version cannot read it
    spec : the experiment file
    """

    path: Path
    rows: "pd.DataFrame"
    factors: tuple[str, ...]
    cases: tuple[str, ...]
    metrics: tuple[str, ...]
    topology: str | None
    network: "Network | None"
    directions: "Mapping[str, Direction]" = field(default_factory=dict)
    listed: tuple[str, ...] | None = None
    spec: "Spec | None" = None


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
    from analysis.campaign.columns import plain_label
    from analysis.words import many
    from mpbench.store.table import measured

    if b is None and not (kernel or case_options or metrics or limits or target):
        sys.exit(judge_stated(a, tap, confidence, seed))
    tolerated = dict(map(read_limit, limits))
    if tap and not limits:
        raise UserError("--tap: shows limits; give some, such as --limit goodput=1")
    if (b is None) != (kernel is not None) or (kernel and case_options):
        raise UserError("name two folders, A and B, or A with --kernel and no --case")
    first = _read(a)
    second = first if b is None else _read(b)
    groups = [_cases(first, second, case_options)] if b else _kernels(first, kernel)
    b = b or a
    factors = _same_factors(first, second)
    if limits:
        judged = _judged(
            first, second, factors, groups, tolerated, confidence / 100, seed
        )
        sys.exit(_tell(judged, tap, _look(first, second, kernel), first, second))
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
        for metric, cases in product(names, groups):
            pairs = comparison.pairs(first.rows, second.rows, factors, cases, metric)
            partners = pairs["case"].map(cases)
            pairs_by_metric.append(pairs.assign(metric=metric, partner=partners))
            lines += comparison.lines(
                pairs, cases, metric, rng, confidence / 100, split
            )
    if not lines:
        raise UserError(_why_no_pairs(first, second, factors, names))
    _show(lines, confidence, [plain_label(name) for name in split])
    planned = first.rows.groupby(["repetition", *factors], dropna=False).ngroups
    click.echo(
        f"\nDifferences are B - A. A, {a}, has {planned} design points and repetitions;"
        f" B is {b}."
    )
    for cases in groups if kernel else ():
        for both in cases.items():
            runs = _runs(first, second, both)
            count = _same(runs)
            total = many(len(runs), "run")
            click.echo(f"{both[1]}: {count} of {total} left the bytes of {both[0]}.")
    if target is not None:
        pd.concat(pairs_by_metric).to_csv(target, index=False)
        click.echo(f"wrote {target}")


def judge_stated(path: Path, tap: bool, confidence: float = 95.0, seed: int = 1) -> int:
    """Judge the limits that the experiment file of a results folder states.

    confidence : level of the intervals in percent

    Prints the judgements, and which runs are not ok. Returns the exit status: 1 if a
    limit is broken or a run not ok, else 3 if a limit is undecided, else 0. Raises
    UserError if the file states no limit, or if there is nothing to judge it by.
    """
    from mpbench.spec import compare_checks

    campaign = _read(path)
    spec = campaign.spec
    if spec is None or spec.compare is None or not spec.compare.limits:
        raise UserError(
            "name two folders, A and B, or A with --kernel; A alone needs an experiment"
            " file with 'compare: {limits: {goodput: 1 %}}'"
        )
    tolerated, kernel = spec.compare.limits, spec.compare.kernel
    directions = {
        name: compare_checks.limit_direction(spec, name) for name in tolerated
    }
    if kernel is not None:
        groups = _kernels(campaign, kernel)
    else:
        baseline = spec.compare.baseline or campaign.cases[0]
        groups = [{baseline: case} for case in campaign.cases if case != baseline]
    unpaired: list[str] = []
    judged = _judged(
        replace(campaign, directions={**campaign.directions, **directions}),
        *(campaign, campaign.factors, groups, tolerated, confidence / 100, seed),
        at=f"{spec.where('compare', 'limits')}: compare.limits.",
        unpaired=unpaired,
    )
    look = _look(campaign, campaign, kernel)
    return _tell(judged, tap, look, campaign, campaign, [*unpaired, *_faulty(campaign)])


def _look(
    first: Campaign, second: Campaign, kernel: str | None
) -> "Callable[[Judgement], str]":
    """The command that shows all pairs of a judgement."""

    def look(judged: "Judgement") -> str:
        one, other = judged.cases
        chosen = f"{second.path} --case {one}={other}"
        chosen = f"--kernel {kernel}" if kernel else chosen
        return f"mpbench compare {first.path} {chosen} --pairs pairs.csv"

    return look


def _faulty(campaign: Campaign) -> tuple[str, ...]:
    """A line with the number of finished runs that are not ok, if there are any."""
    from analysis.words import many

    count = int((campaign.rows["verdict"] != "ok").sum())
    if not count:
        return ()
    verb = "is" if count == 1 else "are"
    total = many(len(campaign.rows), "run")
    return (f"all runs are ok: {count} of {total} {verb} not",)


def read_limit(text: str) -> tuple[str, float]:
    """A metric and its percent from `goodput=1` or `goodput=1 %`."""
    metric, _, value = text.partition("=")
    try:
        percent = float(value.strip().removesuffix("%"))
    except ValueError:
        percent = -1.0
    if not metric or not 0 <= percent <= 100:
        hint = "write e.g. --limit goodput=1, from 0 to 100"
        raise UserError(f"--limit {text}: expected METRIC=PERCENT; {hint}")
    return metric, percent


def _judged(
    first: Campaign,
    second: Campaign,
    factors: Sequence[str],
    groups: "Sequence[Mapping[str, str]]",
    tolerated: "Mapping[str, float]",
    confidence: float,
    seed: int,
    at: str = "--limit ",
    unpaired: list[str] | None = None,
) -> "list[Judgement]":
    """One judgement per limit and pair of cases. Raises UserError if there is none.

    at : stands before a metric in messages
    unpaired : takes a line for each limit without a pair of runs; None refuses them
    """
    import numpy as np

    from analysis.campaign import comparison, directions, limits, question
    from mpbench.spec.suggestions import nearest
    from mpbench.store.table import measured

    rng = np.random.default_rng(seed)
    found = []
    with measured(f"{first.path} and {second.path}"):
        for (metric, percent), cases in product(tolerated.items(), groups):
            column = next(iter(question.columns(metric, first.rows, ())), metric)
            pairs = comparison.pairs(first.rows, second.rows, factors, cases, column)
            known = {**directions.DIRECTIONS, **first.directions}
            if metric not in known:
                hint = nearest(metric, known)
                raise UserError(f"{at}{metric}: no metric has this name; {hint}")
            good = known[metric]
            for both in cases.items():
                try:
                    judged = limits.judge(
                        pairs, both, metric, percent, good, rng, confidence
                    )
                except ValueError as error:
                    raise UserError(f"{at}{error}") from None
                if judged is None and unpaired is not None:
                    against = f"{both[1]} against {both[0]}"
                    unpaired.append(f"{metric}, {against}: no pair of ok runs has it")
                    continue
                if judged is None:
                    why = _why_no_pairs(first, second, factors, [metric])
                    raise UserError(f"{at}{metric}: {why}")
                count = _same(_runs(first, second, both))
                found.append(replace(judged, same=count))
    return found


def _runs(
    first: Campaign, second: Campaign, both: tuple[str, str]
) -> "list[tuple[Run, Run]]":
    """The ok runs of two cases, pair by pair."""
    from mpbench.store import layout

    keys = ["point", "repetition"]
    good = [c.rows[c.rows["verdict"] == "ok"] for c in (first, second)]
    one, other = (
        rows.loc[rows["case"] == case, [*keys, "id"]]
        for rows, case in zip(good, both, strict=True)
    )
    joined = one.merge(other, on=keys, suffixes=("_first", "_second"))
    places = [layout.Results(campaign.path) for campaign in (first, second)]
    return [
        (places[0].run(a), places[1].run(b))
        for a, b in zip(joined["id_first"], joined["id_second"], strict=True)
    ]


def _same(runs: "Sequence[tuple[Run, Run]]") -> int:
    """The number of pairs that left the same bytes."""
    from mpbench.store import alike

    return sum(alike.same(one, other) for one, other in runs)


def _again(
    first: Campaign, second: Campaign, judged: "Judgement", moved: "Moved"
) -> str:
    """The command that executes the runs of a pair again."""
    chosen: dict[Path, list[str]] = {}
    for campaign, case in zip((first, second), judged.cases, strict=True):
        rows = campaign.rows[campaign.rows["case"] == case]
        for name, value in moved.factors.items():
            at = rows[name]
            rows = rows[at.isna() if value != value else at == value]
        chosen.setdefault(campaign.path, []).extend(map(str, rows["id"]))
    return " && ".join(
        f"mpbench verify {path}" + "".join(f" --run {run_id}" for run_id in ids)
        for path, ids in chosen.items()
    )


def _kernels(campaign: Campaign, asked: str | None) -> list[dict[str, str]]:
    """Cases with a kernel and their partners, which differ in the kernel alone.

    asked : a kernel, or two as `stock=mine`

    Raises UserError for kernels that no two such cases have.
    """
    from mpbench.spec import compare_checks
    from mpbench.spec.kernel_factor import OWN

    spec = campaign.spec
    if spec is None:
        raise UserError(f"{campaign.path}: another version wrote it; use --case")
    base, _, other = str(asked).partition("=")
    labels = {name: case.kernel or OWN for name, case in spec.cases.items()}
    known = ", ".join(dict.fromkeys(labels.values()))
    for label in filter(None, (base, other)):
        if label not in labels.values():
            raise UserError(f"--kernel {asked}: no case has '{label}'; known: {known}")
    groups: dict[str, dict[str, str]] = {}
    for partner, first in compare_checks.baselines_of(spec, base).items():
        if other in ("", labels[partner]):
            groups.setdefault(labels[partner], {})[first] = partner
    if not groups:
        reason = "no two cases differ in these kernels alone"
        raise UserError(f"--kernel {asked}: {reason}; pair cases with --case")
    return list(groups.values())


def _tell(
    judged: "Sequence[Judgement]",
    tap: bool,
    look: "Callable[[Judgement], str]",
    first: Campaign,
    second: Campaign,
    broken: Sequence[str] = (),
) -> int:
    """Print judgements; the exit status.

    look : the command that shows all pairs of a judgement
    broken : what else is not ok, a line each
    """
    from analysis.campaign import limits

    again = partial(_again, first, second)
    if tap:
        click.echo(limits.tap(judged, look, again, broken), nl=False)
    else:
        for one in judged:
            click.echo(f"{one.outcome}: {limits.sentence(one)}{limits.hint(one)}")
            for moved in one.moved:
                click.echo(f"    moved: {limits.values(moved)}")
                click.echo(f"        {again(one, moved)}")
        for line in broken:
            click.echo(f"not ok: {line}")
    outcomes = {one.outcome for one in judged}
    return 1 if "not ok" in outcomes or broken else 3 if "undecided" in outcomes else 0


def _read(path: Path) -> Campaign:
    """Read a results folder. Raises UserError if no run is finished."""
    from analysis.campaign import table
    from mpbench.experiment_files import load
    from mpbench.report.loading import listed_factors
    from mpbench.spec import own_metrics
    from mpbench.store import campaign, layout, places, runs
    from mpbench.store.table import collect, tabled

    folder = layout.Results(path)
    head = campaign.read(folder.campaign)
    stored = runs.read_all(folder, (entry.id for entry in head.plan))
    for run_id, run in stored.items():
        if run.row is None:
            line = f"{path}: run {run_id} is damaged and left out: {run.fault}"
            click.echo(line, err=True)
    known = {key: run.row for key, run in stored.items() if run.row is not None}
    for line in places.faults(head.plan, known):
        click.echo(f"{path}: {line}", err=True)
    rows = collect(folder, head.plan, known)
    if not rows:
        raise UserError(f"{path}: no run is finished; `mpbench run` executes the runs")
    try:
        spec = load(folder.experiment, of_results=True)
    except UserError:
        # Another version wrote the file. The runs can be compared without it.
        spec = None
    return Campaign(
        path=path,
        rows=tabled(path, table.build, rows),
        factors=tuple(dict.fromkeys(k for e in head.plan for k in e.factors)),
        cases=tuple(dict.fromkeys(entry.case for entry in head.plan)),
        metrics=spec.metrics if spec else (),
        listed=listed_factors(spec) if spec else None,
        topology=spec.topology if spec else None,
        network=spec.network if spec else None,
        spec=spec,
        directions=own_metrics.directions(spec.traffic, spec.plugins.stored.metrics)
        if spec
        else {},
    )


def _same_factors(first: Campaign, second: Campaign) -> list[str]:
    """The factors of both campaigns.

    Raises UserError if their topologies or their factors differ.
    """
    both = f"{first.path} and {second.path}"
    if (
        first.topology
        and second.topology
        and not _alike(first.topology, second.topology)
    ):
        raise UserError(
            f"{both} have different topologies, {first.topology} and"
            f" {second.topology}; compare campaigns over the same topology"
        )
    if first.network and second.network and first.network != second.network:
        raise UserError(
            f"{both} describe different networks; compare campaigns over the same"
            " network"
        )
    for campaign, other in ((first, second), (second, first)):
        more = [name for name in campaign.factors if name not in other.factors]
        if more:
            names = more[0] + (f" (and {len(more) - 1} more)" if more[1:] else "")
            raise UserError(
                f"{both} vary different factors: {names} varies in {campaign.path}"
                " only; compare campaigns over the same factors"
            )
    return list(first.factors)


def _alike(first: str, second: str) -> bool:
    """Whether two topologies have the same users, paths, links and parameters.

    `two_path` and `minitopo`, for example, differ in how a link is built only.
    """
    from mpbench.spec.builtin import describe

    return replace(describe(first), name="") == replace(describe(second), name="")


def _cases(
    first: Campaign, second: Campaign, case_options: Sequence[str]
) -> dict[str, str]:
    """Each case of the first campaign to compare, and its partner in the second.

    case_options : texts such as `lia` or `lia=olia`; without any, all cases that both
        campaigns have

    Raises UserError if a campaign lacks a case, or they have none in common.
    """
    if not case_options:
        common = {case: case for case in first.cases if case in second.cases}
        if not common:
            raise UserError(
                f"{first.path} and {second.path}: no case in common"
                f" ({', '.join(first.cases)}; {', '.join(second.cases)}); pair them"
                f" with --case {first.cases[0]}={second.cases[0]}"
            )
        return common
    chosen = {}
    for text in case_options:
        first_case, _, second_case = text.partition("=")
        pair = (first_case, second_case or first_case)
        for campaign, case in zip((first, second), pair, strict=True):
            if case not in campaign.cases:
                raise UserError(
                    f"--case {text}: {campaign.path} has no case '{case}'; known:"
                    f" {', '.join(campaign.cases)}"
                )
        chosen[pair[0]] = pair[1]
    return chosen


def _why_no_pairs(
    first: Campaign, second: Campaign, factors: Sequence[str], metrics: Sequence[str]
) -> str:
    """The reason why two campaigns have no pair of runs, in one line."""
    both = f"{first.path} and {second.path}"
    if factors:
        keys = list(factors)
        if first.rows[keys].merge(second.rows[keys], on=keys).empty:
            return (
                f"{both} have no design point in common; compare campaigns of the same"
                " design (its seed, points and ranges)"
            )
    return f"{both} have no pair of ok runs with {', '.join(metrics)}"


def _show(lines: "Sequence[Line]", confidence: float, split: Sequence[str]) -> None:
    """Print the lines.

    confidence : level of the intervals in percent
    split : labels of the listed factors that have a column each
    """
    from rich.console import Console
    from rich.table import Table

    from analysis.campaign import sample_sizes

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
            f"{line.first:.4g}",
            f"{line.second:.4g}",
            f"{line.mean.estimate:+.4g}",
            _interval(line.mean, least),
            f"{line.median.estimate:+.4g}",
            _interval(line.median, least),
            str(line.above),
            str(line.below),
        )
    Console(highlight=False, width=200).print(table)


def _interval(interval: "Interval", least: int) -> str:
    """`+0.1 to +0.2`, or how many pairs an interval needs."""
    if interval.low is None or interval.high is None:
        return f"needs {least}"
    return f"{interval.low:+.4g} to {interval.high:+.4g}"
