"""`mpbench plan`: what an experiment would run, and how long that takes."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jobs import dump
from mpbench.arguments import (
    configuration_options,
    experiment_file,
    points_option,
    trust_option,
)
from mpbench.errors import UserError

if TYPE_CHECKING:
    from mpbench.backends.base import Backend
    from mpbench.plan import Estimate, Plan, Run
    from mpbench.spec import Spec

FORMAT = 1


@click.command("plan")
@experiment_file
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    help="Runs at a time, for the estimate.  [default: as many as there are CPUs]",
)
@click.option(
    "--backend",
    "backend_name",
    metavar="NAME",
    default="virtual",
    show_default=True,
    help="The backend whose kernel enters the ids: virtual, native or fake.",
)
@configuration_options
@points_option
@trust_option
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON, jobs and all.")
def command(
    file: Path,
    jobs: int | None,
    backend_name: str,
    configurations: tuple[Path, ...],
    without: tuple[str, ...],
    points: str | None,
    trusted: bool,
    as_json: bool,
) -> None:
    """List the runs of the experiment FILE, with ids and an estimate of time.

    A run is one design point, one case and one repetition. Nothing is executed, and
    nothing is written.
    """
    from mpbench.backends import programs, registry
    from mpbench.engine.twins import Twins
    from mpbench.experiment_files import load
    from mpbench.plan import (
        advice,
        draws,
        estimate,
        feasible,
        kernel_pairs,
        middlebox_expectations,
        new_plan,
        total,
        user_sets,
    )
    from mpbench.plan import question as asked
    from mpbench.spec import flows, middlebox_checks

    spec = load(file, configurations, without, trusted, points=points)
    feasible.check_backend(spec, backend_name)
    programs.check(spec, backend_name)
    backend = registry.create(backend_name, spec.in_qemu)
    build = _build(backend)
    plan = new_plan(spec, build)
    shared: list[str] = []
    if build:
        _warn(backend, plan, spec)
        shared = Twins(plan.runs, backend).lines()
    real_time = backend_name in registry.REAL_TIME
    estimates = [estimate(run.job, real_time) for run in plan.runs]
    workers = jobs or (1 if real_time else len(os.sched_getaffinity(0)))
    whole = total(estimates, workers)
    if as_json:
        click.echo(_as_json(spec, plan, estimates, whole, workers))
        return
    click.echo(_table(plan, estimates))
    click.echo(_summary(spec, plan, whole, workers))
    if line := asked.line(spec):
        click.echo(line)
    for line in (*shared, *kernel_pairs.lines(spec)):
        click.echo(line)
    for line in () if real_time else advice.proposals(spec, plan):
        click.echo(line)
    if middlebox_checks.has_boxes(spec):
        click.echo(middlebox_expectations.KERNEL)
    for line in user_sets.lines(plan, flows.names(spec.traffic)):
        click.echo(line)
    for line in draws.lines(plan, spec.repetitions.count):
        click.echo(line)
    for warning in (*advice.warnings(spec, plan), *asked.warnings(spec, plan)):
        click.echo(f"warning: {warning}", err=True)


def _build(backend: "Backend") -> dict[str, str]:
    """The backend's share of the ids.

    If the backend is not ready, as before the guest kernel is built: nothing, and a
    warning.
    """
    try:
        return dict(backend.identity())
    except UserError as error:
        click.echo(f"warning: the ids will change: {error}", err=True)
        return {}


def _warn(backend: "Backend", plan: "Plan", spec: "Spec") -> None:
    """Say which of the runs could not be executed on this machine.

    Raises UserError with the line of the file where a new kernel lacks something, or
    cannot be built.
    """
    from mpbench import kernel_facts
    from mpbench.backends.features import DoesNotRunError
    from mpbench.kernel.faults import KernelFault

    try:
        backend.check([run.job for run in plan.runs])
    except DoesNotRunError as error:
        click.echo(f"cannot run here: {kernel_facts.named(spec, error)}", err=True)
    except KernelFault as error:
        raise kernel_facts.named(spec, error) from None
    except UserError as error:
        kernel_facts.check(spec)
        click.echo(f"cannot run here: {error}", err=True)


def _table(plan: "Plan", estimates: "Sequence[Estimate]") -> str:
    """One line per run, in columns as wide as their widest entry."""
    from mpbench.plan.runs import factor_text

    repeated = any(run.repetition for run in plan.runs)
    head = ["run", "point", "case", *(["repetition"] if repeated else [])]
    rows = [[*head, *plan.factor_keys, "virtual s", "wall s"]]
    for run, expected in zip(plan.runs, estimates, strict=True):
        place = [run.id, str(run.point), run.case]
        place += [str(run.repetition)] if repeated else []
        factors = [factor_text(run.factors[key]) for key in plan.factor_keys]
        times = [f"{expected.virtual_s:.1f}", f"{expected.wall_s:.1f}"]
        rows.append([*place, *factors, *times])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = {0, 2}  # run and case are words, the rest are numbers
    return "\n".join(
        "  ".join(
            text.ljust(width) if index in left else text.rjust(width)
            for index, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _summary(spec: "Spec", plan: "Plan", whole: "Estimate", workers: int) -> str:
    from analysis.words import many
    from mpbench.engine.durations import duration

    counts = [
        many(len(plan.design), "point"),
        many(len(spec.cases), "case"),
        many(spec.repetitions.count, "repetition"),
    ]
    return (
        f"{spec.name}: {many(len(plan.runs), 'run')} ({' x '.join(counts)}); "
        f"{duration(whole, workers)}"
    )


def _as_json(
    spec: "Spec",
    plan: "Plan",
    estimates: "Sequence[Estimate]",
    whole: "Estimate",
    workers: int,
) -> str:
    def entry(run: "Run", expected: "Estimate") -> dict[str, Any]:
        job = dump(run.job)
        own = {f.name: getattr(run, f.name) for f in fields(run)}
        return {**own, "job": job, "estimate": asdict(expected)}

    return json.dumps(
        {
            "format": FORMAT,
            "name": spec.name,
            "spec_hash": plan.spec_hash,
            "estimate": {**asdict(whole), "jobs": workers},
            "runs": [entry(*pair) for pair in zip(plan.runs, estimates, strict=True)],
        },
        indent=2,
    )
