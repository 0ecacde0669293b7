"""Show that another build of the guest leaves kept runs as they were.

    python -m studies.builds FOLDER... [--runs N] [-j N] [--out DIR] [--any-version]

Each FOLDER holds the kept rows of a campaign, such as build/rows/NAME
(`python -m studies.kept unpack` writes it). N of its runs, at even distances in the
plan, are executed under the present build. Every
value that the rows keep must be the same, byte for byte. With this, the pages of two
publications can name two builds (docs/report.md): where the runs of the one are equal
under the build of the other, no page depends on which of them made it.

A version that writes other jobs makes other ids, so no kept row is one of its runs.
With --any-version rows and runs are paired by their network, case and repetition, and
the columns that both have are compared. That says something of campaigns that draw
nothing, because a seed of another version is another one.

Results with their runs have a stronger check, `mpbench verify --any-build`: it compares
every artefact.

The exit status is 0 if all runs are equal, 1 if any differs or was cut short by this
machine, and 2 if a folder cannot be compared.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console

from analysis.run.row import row
from analysis.words import many
from mpbench.backends import registry
from mpbench.backends.base import Backend
from mpbench.engine.campaign import run_campaign
from mpbench.engine.types import AnalysisFunctions, Experiment, Options
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import Plan, make_plan
from mpbench.plan.runs import Run
from mpbench.report.loading import keep_rows
from mpbench.spec import Spec
from mpbench.store import kept_rows, layout, scratch

Item = TypeVar("Item")
RUNS = 6
PLACE: tuple[str, ...] = ("point", "case", "repetition")
OWN = ("id",)
"""Columns that name the run; the build is part of a run's id."""
INTERRUPTED = "interrupted"
ENDED = (0, 1)
"""Exit statuses of a campaign that came to its end; 1: some runs are not ok."""
SHOWN = 5
"""Columns of a run that are shown with their values; of more, the number."""


@dataclass(frozen=True)
class Sample:
    """Runs of a kept campaign, with the same jobs under the present build.

    kept : the row of each run, in the order of `plan`
    plan : the runs to execute
    """

    spec: Spec
    kept: tuple[Mapping[str, Any], ...]
    plan: Plan


@dataclass(frozen=True)
class Compared:
    """A run, and the columns that came out differently, each with both values.

    missing : why the run has no values of its own; empty if it has
    """

    run: Run
    differences: Mapping[str, tuple[Any, Any]]
    missing: str = ""


def sample(
    folder: Path, build: Mapping[str, str], runs: int, any_version: bool = False
) -> Sample:
    """A regular sample of a campaign's kept runs.

    build : the present one
    runs : how many; all of them if there are fewer
    any_version : pair rows and runs by network, case and repetition, not by their id

    Raises UserError if no job of a kept run can be made again.
    """
    if not kept_rows.there(folder):
        raise UserError(
            f"{folder}: no kept rows; `python -m studies.kept unpack` writes build/rows"
        )
    kept = kept_rows.read(folder)
    spec = load(layout.Results(folder).experiment, of_results=True)
    present = make_plan(spec, build)
    keys: list[tuple[Any, ...]]
    if any_version:
        names = PLACE
        keys = [(run.point, run.case, run.repetition) for run in present.runs]
    else:
        names = ("id",)
        keys = [(run.id,) for run in make_plan(spec, kept.head.build).runs]
    rows = {tuple(found[name] for name in names): found for found in kept.rows}
    pairs = [
        (rows[key], run)
        for key, run in zip(keys, present.runs, strict=True)
        if key in rows
    ]
    if not pairs:
        raise UserError(
            f"{folder}: this version makes other jobs of its experiment, so that no "
            "run can be compared; compare with the version that kept the rows, or use "
            "--any-version"
        )
    chosen = regular(pairs, runs)
    plan = replace(present, runs=tuple(now for _, now in chosen))
    return Sample(spec, tuple(found for found, _ in chosen), plan)


def regular(items: Sequence[Item], count: int) -> list[Item]:
    """`count` of the items at even distances, or all if there are fewer."""
    count = min(count, len(items))
    return [items[index * len(items) // count] for index in range(count)]


def execute(chosen: Sample, out: Path, backend: Backend, jobs: int | None) -> None:
    """Execute the runs of a sample into the results folder `out`.

    Raises UserError if the campaign was stopped.
    """
    text = chosen.spec.text.encode()
    status = run_campaign(
        Experiment(chosen.spec.name, text, chosen.plan),
        out,
        backend,
        backend.identity(),
        AnalysisFunctions(measure=row, tabulate=_tabulate),
        Options(jobs=jobs),
        Console(stderr=True, highlight=False),
    )
    if status not in ENDED:
        raise UserError(f"{out}: stopped; the same command with --out goes on")


def _tabulate(rows: Sequence[Mapping[str, Any]]) -> Any:
    from analysis.campaign.table import build

    return build(rows)


def compared(
    chosen: Sample, out: Path, any_version: bool = False
) -> Iterator[Compared]:
    """Each run of the sample beside its execution in `out`.

    any_version : compare the columns that both have

    A run that the machine cut short says nothing of the build.
    """
    with scratch.folder("rows") as folder:
        keep_rows(out, folder / "rows")
        found = {r["id"]: r for r in kept_rows.read(folder / "rows").rows}
    for before, run in zip(chosen.kept, chosen.plan.runs, strict=True):
        after = found.get(run.id, {"verdict": INTERRUPTED, "reason": "no row"})
        if after["verdict"] == INTERRUPTED:
            yield Compared(run, {}, missing=str(after["reason"]))
            continue
        yield Compared(
            run,
            {
                column: (before.get(column), after.get(column))
                for column in dict.fromkeys((*before, *after))
                if (not any_version or (column in before and column in after))
                if column not in OWN and _bytes(before, column) != _bytes(after, column)
            },
        )


def _bytes(found: Mapping[str, Any], column: str) -> str | None:
    """Bytes of a column in a kept row; None if it has no such column."""
    return json.dumps(found[column]) if column in found else None


def report(name: str, results: Sequence[Compared]) -> Iterator[str]:
    """Number of runs that are equal, and a line per run that is not."""
    executed = [result for result in results if not result.missing]
    equal = sum(not result.differences for result in executed)
    yield f"{name}: {equal} of {many(len(executed), 'run')} equal"
    for result in results:
        run, columns = result.run, result.differences
        shown = [f"{c} {a!r} -> {b!r}" for c, (a, b) in list(columns.items())[:SHOWN]]
        shown += [f"{len(columns) - SHOWN} more"] if len(columns) > SHOWN else []
        if result.missing:
            hint = "the same command with --out executes it again"
            shown = [f"interrupted by this machine ({result.missing}); {hint}"]
        what = f"point {run.point}, {run.case}, repetition {run.repetition}"
        if shown:
            yield f"  {run.id} ({what}): {'; '.join(shown)}"


def check(
    folder: Path,
    out: Path,
    backend: Backend,
    runs: int,
    jobs: int | None,
    any_version: bool = False,
) -> Iterator[Compared]:
    """Execute a sample of the kept runs in `folder`, and compare it."""
    chosen = sample(folder, backend.identity(), runs, any_version)
    execute(chosen, out, backend, jobs)
    return compared(chosen, out, any_version)


def main(words: Sequence[str] | None = None, backend: Backend | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=RUNS, help="of each campaign")
    parser.add_argument("-j", "--jobs", type=int, help="runs at a time")
    parser.add_argument("--any-version", action="store_true")
    parser.add_argument("--out", type=Path, help="keep what is executed below this")
    options = parser.parse_args(words)
    if options.runs < 1:
        parser.error("--runs: at least 1")
    equal = True
    try:
        backend = backend or registry.create("virtual")
        with scratch.folder("builds") as temporary:
            for folder in options.folders:
                name = folder.resolve().name
                out = (options.out or temporary) / name
                wanted = (options.runs, options.jobs, options.any_version)
                found = list(check(folder, out, backend, *wanted))
                print("\n".join(report(name, found)), flush=True)
                equal = equal and not any(
                    each.differences or each.missing for each in found
                )
    except UserError as error:
        print(f"builds: {error}", file=sys.stderr)
        return 2
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
