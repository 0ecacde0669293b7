"""Loading a results folder, whether it is finished or not, whole or damaged."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from analysis.words import many
from mpbench.errors import UserError
from mpbench.report import seeds
from mpbench.store import campaign, json_file, kept_rows, layout, places, runs
from mpbench.store import root as root_file
from mpbench.store.json_file import DamagedError
from mpbench.store.records import Provenance, validated
from mpbench.store.table import collect, tabled

if TYPE_CHECKING:
    from analysis.campaign.campaign import Campaign
    from mpbench.spec import Spec

MOST_EXPERIMENT_BYTES = 64 << 20
NAMED = 5
"""Damaged runs that are named one by one; of more, the number."""


def load_campaign(root: Path) -> "tuple[Campaign, Spec | None]":
    """The campaign in a results folder or in a folder of rows, and its experiment.

    Every run is compared with its manifest. A run that differs from it is left out,
    and the campaign's state says so. The experiment is None, with a warning, if this
    version cannot read its file.
    Raises UserError if `root` is no results folder or no run in it is finished.
    """
    from analysis.campaign import table
    from analysis.campaign.campaign import Campaign
    from mpbench.spec import own_metrics
    from mpbench.theory.planned import PlannedSettings

    has_runs = not kept_rows.there(root)
    kept = _measured(root) if has_runs else kept_rows.read(root)
    head, rows = kept.head, kept.rows
    spec = _spec(layout.Results(root).experiment)
    loaded = Campaign(
        name=head.name,
        runs=tabled(root, table.build, rows),
        factors=tuple(head.factors),
        listed=listed_factors(spec) if spec else None,
        entries=entries_of(spec) if spec else (),
        background=_background(spec) if spec else (),
        metrics=spec.metrics if spec else ("goodput",),
        question=seeds.question(spec, rows) if spec else None,
        directions=own_metrics.directions(spec.traffic, spec.plugins.stored.metrics)
        if spec
        else {},
        made=_made(head, spec),
        shared_seed=seeds.noise_is_shared(head, rows, spec),
        state=tuple(head.state),
        folder=layout.Results(root).runs if has_runs else None,
        shown=shown(root),
        network=_drawn(spec),
        description=(spec.description or "") if spec else "",
        figures=spec.requests if spec else (),
        settings=PlannedSettings(spec) if spec else None,
        changing=tuple(spec.changes) if spec else (),
        phases=spec.phase_spans if spec and spec.changes else {},
    )
    return loaded, spec


def listed_factors(spec: "Spec") -> tuple[str, ...]:
    """The columns of the factors that the experiment lists."""
    if spec.design is None:
        return ()
    variable = spec.variable()
    names = {*spec.design.crossed, *spec.design.choices}
    return tuple(variable[n].key for n in spec.design.factors if n in names)


def entries_of(spec: "Spec") -> tuple[str, ...]:
    """The names of several traffic entries that are no background, as their columns
    begin with."""
    from mpbench.spec import flows
    from mpbench.spec.traffic import BACKGROUND

    pairs = zip(flows.names(spec.traffic), spec.traffic, strict=True)
    names = tuple(name for name, entry in pairs if entry.role != BACKGROUND)
    return names if len(names) > 1 else ()


def _background(spec: "Spec") -> tuple[str, ...]:
    """The names of the traffic entries that are background."""
    from mpbench.spec import flows
    from mpbench.spec.traffic import BACKGROUND

    pairs = zip(flows.names(spec.traffic), spec.traffic, strict=True)
    return tuple(name for name, entry in pairs if entry.role == BACKGROUND)


def keep_rows(root: Path, out: Path) -> tuple[str, ...]:
    """Write the rows of the results in `root` to the folder `out`.

    Returns what is missing or damaged, in sentences. Raises UserError as
    `load_campaign`, if `out` holds results, and if the experiment is no regular file:
    what a link leads to is not copied.
    """
    if layout.Results(out).campaign.exists():
        raise UserError(f"{out}: holds results; give another folder with --out")
    path = layout.Results(root).experiment
    try:
        experiment = json_file.read_bytes(path, MOST_EXPERIMENT_BYTES)
    except DamagedError as error:
        raise UserError(
            f"{path}: {error}; the rows are kept with the experiment as it was run, "
            "so put back the file"
        ) from error
    kept = _measured(root)
    kept_rows.write(out, kept.head, kept.rows, experiment)
    return tuple(kept.head.state)


def _measured(root: Path) -> kept_rows.KeptRows:
    """The rows of the sound runs in the results folder `root`."""
    results = layout.Results(root)
    head = campaign.read(results.campaign)
    try:
        stored = runs.read_all(results, (entry.id for entry in head.plan))
    except OSError as error:
        raise UserError(
            f"{error.filename or root}: cannot be read: {error.strerror}"
        ) from error
    known = {key: run.row for key, run in stored.items() if run.row is not None}
    rows = collect(results, head.plan, known)
    if not rows:
        for run_id, run in stored.items():
            raise UserError(
                f"{root}: every run is damaged, runs/{run_id} for one ({run.fault}); "
                "`mpbench run` executes them again"
            )
        raise UserError(f"{root}: no run is finished; `mpbench run` goes on with it")
    last = stored[rows[-1]["id"]].host
    rooted = root_file.check(results, head, stored)
    labelled = places.faults(head.plan, known)
    known_head = kept_rows.Head(
        format=1,
        name=head.name,
        spec_hash=head.spec_hash,
        backend=head.backend,
        build=dict(head.build),
        factors=list(dict.fromkeys(key for run in head.plan for key in run.factors)),
        planned=len(head.plan),
        rows=len(rows),
        state=[*_state(results, head, stored), *rooted.faults, *labelled],
        provenance=last.provenance if last else validated(Provenance, head.provenance),
        shared_seed=seeds.shared(results, rows),
        root=rooted.root,
    )
    return kept_rows.KeptRows(known_head, rows)


def _drawn(spec: "Spec | None") -> str:
    """The drawing of the experiment's network; empty without an experiment."""
    from mpbench.drawing.picture import of_experiment
    from mpbench.drawing.svg import svg

    return svg(of_experiment(spec)) if spec else ""


def _made(head: kept_rows.Head, spec: "Spec | None") -> dict[str, str]:
    """Determinants of the numbers, for the foot of a page."""
    provenance = head.provenance
    made = {
        "experiment": head.name,
        "source": spec.source if spec else None,
        "spec": head.spec_hash,
        "backend": head.backend,
        **head.build,
        **_kernels(spec),
        "mpbench": provenance.mpbench.version,
        "commit": provenance.mpbench.commit,
        "CPU": provenance.host.cpu,
        "root": head.root,
    }
    return {name: str(value) for name, value in made.items() if value}


def _kernels(spec: "Spec | None") -> dict[str, str]:
    """The kernels of an experiment's own, by a label that names their cases."""
    if spec is None or not spec.kernels:
        return {}
    from mpbench.spec import kernels

    found = {}
    for label in spec.kernels:
        linux = kernels.resolved(spec.kernels, label)
        cases = [name for name, case in spec.cases.items() if case.kernel == label]
        if cases:
            patches = ", ".join(patch.name for patch in linux.patches)
            words = f"{linux.words}: {patches}" if patches else linux.words
            found[f"kernel of {', '.join(cases)}"] = words
    return found


def shown(root: Path) -> str:
    """The folder as commands name it: from the current one, if it lies below."""
    here, there = Path.cwd().resolve(), root.resolve()
    return os.path.relpath(there, here) if there.is_relative_to(here) else str(root)


def _spec(path: Path) -> "Spec | None":
    """The experiment as it was run; None, and a warning, if this version cannot
    read the file."""
    from mpbench.experiment_files import load

    try:
        return load(path, of_results=True)
    except UserError as error:
        click.echo(f"{error}\ndrawing the usual figures in place of its own", err=True)
        return None


def _state(
    results: layout.Results, head: campaign.Campaign, stored: Mapping[str, runs.Stored]
) -> Iterator[str]:
    """Runs of the plan that are missing, damaged, or cannot be compared."""
    absent = sum(entry.id not in stored for entry in head.plan)
    if absent:
        whole = many(len(head.plan), "run")
        yield f"Unfinished: {absent} of {whole} are not there yet."
    damaged = [(key, run.fault) for key, run in stored.items() if run.row is None]
    if damaged:
        names = [f"`runs/{key}` ({fault})" for key, fault in damaged[:NAMED]]
        more = len(damaged) - len(names)
        names += [f"{more} more"] if more else []
        yield (
            f"Damaged, and left out: {', '.join(names)}. `mpbench run` executes these "
            "runs again."
        )
    if older := sum(run.row is not None and not run.covered for run in stored.values()):
        from mpbench.engine.messages import uncovered

        yield uncovered(older, results.root)
