"""Limits on metrics, judged by pairs of runs, and how the judgements are told."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError
from mpbench.report import paired

if TYPE_CHECKING:
    from analysis.campaign.limits import Judgement, Moved


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


def judge_stated(path: Path, tap: bool, confidence: float = 95.0, seed: int = 1) -> int:
    """Judge the limits that the experiment file of a results folder states.

    confidence : level of the intervals in percent

    Prints the judgements, and which runs are not ok. Returns the exit status: 1 if a
    limit is broken or a run not ok, else 3 if a limit is undecided, else 0. Raises
    UserError if the file states no limit, or if there is nothing to judge it by.
    """
    from mpbench.spec import compare_checks

    campaign = paired.read(path)
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
        groups = paired.kernel_groups(campaign, kernel)
    else:
        baseline = spec.compare.baseline or campaign.cases[0]
        groups = [{baseline: case} for case in campaign.cases if case != baseline]
    unpaired: list[str] = []
    judged = judge(
        replace(campaign, directions={**campaign.directions, **directions}),
        *(campaign, campaign.factors, groups, tolerated, confidence / 100, seed),
        at=f"{spec.where('compare', 'limits')}: compare.limits.",
        unpaired=unpaired,
    )
    look = look_command(campaign, campaign, kernel)
    return tell(judged, tap, look, campaign, campaign, [*unpaired, *_faulty(campaign)])


def judge(
    first: paired.Campaign,
    second: paired.Campaign,
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
                    why = _common_failure(second, both[1])
                    unpaired.append(
                        f"{metric}, {against}: no pair of ok runs has it{why}"
                    )
                    continue
                if judged is None:
                    why = paired.why_no_pairs(first, second, factors, [metric])
                    raise UserError(f"{at}{metric}: {why}")
                count = paired.same_bytes(paired.run_pairs(first, second, both))
                found.append(replace(judged, same=count))
    return found


def _common_failure(campaign: paired.Campaign, case: str) -> str:
    """A clause with the reason of a case whose runs all failed alike; else empty."""
    rows = campaign.rows[campaign.rows["case"] == case]
    reasons = set(rows["reason"]) if len(rows) else set()
    failed = set(rows["verdict"]) == {"failed"}
    return f" ({reasons.pop()})" if failed and len(reasons) == 1 else ""


def all_failed(
    campaign: paired.Campaign, groups: "Sequence[Mapping[str, str]]"
) -> bool:
    """Whether every run of the cases that are judged failed, as under a kernel that
    does not boot."""
    judged = {case for cases in groups for case in cases.values()}
    rows = campaign.rows[campaign.rows["case"].isin(judged)]
    return set(rows["verdict"]) == {"failed"}


def look_command(
    first: paired.Campaign, second: paired.Campaign, kernel: str | None
) -> "Callable[[Judgement], str]":
    """The command that shows all pairs of a judgement."""

    def look(judged: "Judgement") -> str:
        one, other = judged.cases
        chosen = f"{second.path} --case {one}={other}"
        chosen = f"--kernel {kernel}" if kernel else chosen
        return f"mpbench compare {first.path} {chosen} --pairs pairs.csv"

    return look


def _again(
    first: paired.Campaign, second: paired.Campaign, judged: "Judgement", moved: "Moved"
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


def _faulty(campaign: paired.Campaign) -> tuple[str, ...]:
    """A line with the number of finished runs that are not ok, if there are any."""
    from analysis.words import many

    count = int((campaign.rows["verdict"] != "ok").sum())
    if not count:
        return ()
    verb = "is" if count == 1 else "are"
    total = many(len(campaign.rows), "run")
    return (f"all runs are ok: {count} of {total} {verb} not",)


def tell(
    judged: "Sequence[Judgement]",
    tap: bool,
    look: "Callable[[Judgement], str]",
    first: paired.Campaign,
    second: paired.Campaign,
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
