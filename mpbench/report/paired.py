"""Two campaigns, or two cases of one, pair by pair: what `mpbench compare` reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from analysis.campaign.directions import Direction
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
    entries : the names of its traffic entries, if there are several
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
    entries: tuple[str, ...] = ()

    def columns(self, metric: str) -> dict[str, str]:
        """The columns of a metric by the names that they are shown with: `goodput`, or
        `web.goodput` and so on of entries whose values are not added."""
        from analysis.campaign import question
        from analysis.campaign.columns import column_of

        whole = column_of(metric, self.rows)
        found = question.columns(metric, self.rows, self.entries)
        of_entries = [name for name in found if name.endswith(f".{whole}")]
        if "." in metric or not of_entries:
            return {metric: next(iter(found), whole)}
        return {f"{name.removesuffix(whole)}{metric}": name for name in of_entries}


def read(path: Path) -> Campaign:
    """Read a results folder. Raises UserError if no run is finished."""
    from analysis.campaign import table
    from mpbench.experiment_files import load
    from mpbench.report.loading import entries_of, listed_factors
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
        entries=entries_of(spec) if spec else (),
        topology=spec.topology if spec else None,
        network=spec.network if spec else None,
        spec=spec,
        directions=own_metrics.directions(spec.traffic, spec.plugins.stored.metrics)
        if spec
        else {},
    )


def same_factors(first: Campaign, second: Campaign) -> list[str]:
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


def named_cases(
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


def kernel_groups(campaign: Campaign, asked: str | None) -> list[dict[str, str]]:
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


def why_no_pairs(
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


def run_pairs(
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


def same_bytes(runs: "Sequence[tuple[Run, Run]]") -> int:
    """The number of pairs that left the same bytes."""
    from mpbench.store import alike

    return sum(alike.same(one, other) for one, other in runs)
