"""A results folder as it is: finished or not, whole or damaged, of one build or tw"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mpbench.engine.messages import many
from mpbench.errors import UserError
from mpbench.store import campaign, layout, runs
from mpbench.store.table import collect

if TYPE_CHECKING:
    from mpbench.spec import Spec

NAMED = 5
"""Damaged runs that are named one by one; of more, the number."""


@dataclass(frozen=True)
class Gathered:
    """What stands in one results folder.

    rows : of the finished runs, in the plan's order; at least one
    spec : the experiment, or None if this version cannot read its file
    state : lines about what is missing, damaged or mixed; empty if nothing is
    """

    results: layout.Results
    head: campaign.Campaign
    rows: tuple[Mapping[str, Any], ...]
    spec: "Spec | None"
    state: tuple[str, ...]

    @property
    def factors(self) -> tuple[str, ...]:
        """Columns that the design varies."""
        return tuple(dict.fromkeys(k for e in self.head.plan for k in e.factors))

    @property
    def made(self) -> dict[str, str]:
        """What determines the numbers, for the foot of a page."""
        host = runs.read_json(self.results.run(self.rows[-1]["id"]).host) or {}
        provenance = host.get("provenance") or self.head.provenance
        ours = provenance.get("mpbench") or {}
        made = {
            "experiment": self.head.name,
            "source": self.spec.source if self.spec else None,
            "spec": self.head.spec_hash,
            "backend": self.head.backend,
            **{name: value for name, value in self.head.build.items()},
            "mpbench": ours.get("version"),
            "commit": ours.get("commit"),
            "CPU": (provenance.get("host") or {}).get("cpu"),
        }
        return {name: str(value) for name, value in made.items() if value}


def gather(root: Path) -> Gathered:
    """Raises UserError if it is no results folder or no run in it is finished."""
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
    return Gathered(results, head, rows, _spec(results.experiment), state)


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
