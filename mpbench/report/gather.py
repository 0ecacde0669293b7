"""Loading a results folder, whether it is finished or not, whole or damaged."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.engine.messages import many
from mpbench.errors import UserError
from mpbench.store import campaign, layout, runs
from mpbench.store.table import collect

if TYPE_CHECKING:
    from analysis.campaign.campaign import Campaign
    from mpbench.spec import Spec

NAMED = 5
"""Damaged runs that are named one by one; of more, the number."""


def load_campaign(root: Path) -> "tuple[Campaign, Spec | None]":
    """The campaign in a results folder, and its experiment.

    The experiment is None, with a warning, if this version cannot read its file.
    Raises UserError if `root` is no results folder or no run in it is finished.
    """
    from analysis.campaign import table
    from analysis.campaign.campaign import Campaign

    results = layout.Results(root)
    head = campaign.read(results.campaign)
    try:
        rows = tuple(collect(results, head.plan))
        state = (*_unfinished(results, head, len(rows)), *_mixed(results, head))
    except OSError as error:
        raise UserError(
            f"{error.filename or root}: cannot be read: {error.strerror}"
        ) from error
    if not rows:
        raise UserError(f"{root}: no run is finished; `mpbench run` goes on with it")
    spec = _spec(results.experiment)
    loaded = Campaign(
        name=head.name,
        runs=table.build(rows),
        factors=tuple(dict.fromkeys(key for run in head.plan for key in run.factors)),
        metrics=spec.metrics if spec else ("goodput",),
        made=_made(results, head, str(rows[-1]["id"]), spec),
        state=state,
        folder=results.runs,
        shown=shown(root),
    )
    return loaded, spec


def _made(
    results: layout.Results, head: campaign.Campaign, last: str, spec: "Spec | None"
) -> dict[str, str]:
    """What determines the numbers, for the foot of a page.

    last : id of the run whose provenance is told
    """
    host = runs.read_json(results.run(last).host) or {}
    provenance = host.get("provenance") or head.provenance
    ours = provenance.get("mpbench") or {}
    made = {
        "experiment": head.name,
        "source": spec.source if spec else None,
        "spec": head.spec_hash,
        "backend": head.backend,
        **head.build,
        "mpbench": ours.get("version"),
        "commit": ours.get("commit"),
        "CPU": (provenance.get("host") or {}).get("cpu"),
    }
    return {name: str(value) for name, value in made.items() if value}


def shown(root: Path) -> str:
    """The folder as commands name it: from the current one, if it lies below."""
    here, there = Path.cwd().resolve(), root.resolve()
    return os.path.relpath(there, here) if there.is_relative_to(here) else str(root)


def _spec(path: Path) -> "Spec | None":
    """The experiment as it was run; None, and a warning, if this version cannot
    read the file."""
    from mpbench.spec import load

    try:
        return load(path)
    except UserError as error:
        click.echo(f"{error}\ndrawing the usual figures in place of its own", err=True)
        return None


def _unfinished(
    results: layout.Results, head: campaign.Campaign, finished: int
) -> list[str]:
    """Of the plan's runs, those that are not there and those that cannot be read."""
    lines = []
    damaged = [
        entry.id
        for entry in head.plan
        if results.run(entry.id).root.exists()
        and runs.read_row(results, entry.id) is None
    ]
    absent = len(head.plan) - finished - len(damaged)
    if absent:
        whole = many(len(head.plan), "run")
        lines.append(f"Unfinished: {absent} of {whole} are not there yet.")
    if damaged:
        names = [f"`runs/{name}`" for name in damaged[:NAMED]]
        more = len(damaged) - len(names)
        names += [f"{more} more"] if more else []
        lines.append(
            f"Damaged, and left out: {', '.join(names)}. Remove what is damaged, and"
            " `mpbench run` executes it again."
        )
    return lines


def _mixed(results: layout.Results, head: campaign.Campaign) -> list[str]:
    """Builds that runs of the plan were made with, where there are several."""
    builds: dict[str, int] = {}
    for entry in head.plan:
        host = runs.read_json(results.run(entry.id).host)
        if host is not None and isinstance(host.get("build"), dict):
            build = host["build"]
            name = ", ".join(f"{key} {build[key]}" for key in sorted(build))
            builds[name] = builds.get(name, 0) + 1
    if len(builds) < 2:
        return []
    counted = "; ".join(f"{many(count, 'run')} of {n}" for n, count in builds.items())
    return [f"Mixed: not all runs were made by the same build: {counted}."]
