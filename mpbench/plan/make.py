"""The plan: every run of an experiment, named by what determines its outcome."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jobs
from mpbench.plan import feasible
from mpbench.plan.jobs import REPORT, job
from mpbench.plan.points import Point, Spread, points
from mpbench.plan.runs import Plan, Run
from mpbench.spec import Spec

ID_DIGITS = 16


def new_plan(spec: Spec, build: Mapping[str, str]) -> Plan:
    """The runs of an experiment that are to be executed, as `make_plan` gives them.

    Stored results are read with `make_plan`: it accepts what earlier versions executed.

    Raises UserError also for metrics that no run can have, for equal cases, and for
    expectations that a middlebox excludes.
    """
    feasible.check_metrics(spec)
    plan = make_plan(spec, build)
    feasible.check_cases(spec, plan)
    feasible.check_expectations(spec, plan)
    return plan


def make_plan(
    spec: Spec, build: Mapping[str, str], make_design: Spread | None = None
) -> Plan:
    """The runs of an experiment.

    build : what else determines an outcome (kernel build, guest code); it enters
        the ids
    make_design : replaces `wsp.make_design`, in tests

    Raises UserError if the design cannot give the points asked for, or if no run of
    the experiment can be ok (`feasible.check`).
    """
    whole = points(spec, make_design)
    chosen = kept(spec, whole)
    keys = {name: parameter.key for name, parameter in spec.variable().items()}
    runs = []
    for number, point in chosen.items():
        shown = number if len(whole) > 1 else None
        factors = {keys[name]: value for name, value in point.items()}
        for repetition in range(spec.repetitions.count):
            for case in spec.cases:
                work = job(spec, point, case, repetition, shown)
                name = run_id(jobs.dump(work), build)
                runs.append(Run(name, number, case, repetition, factors, work))
    plan = Plan(
        runs=tuple(runs),
        factor_keys=tuple(keys[name] for name in whole[0]),
        design=tuple(tuple(point.values()) for point in chosen.values()),
        spec_hash=spec.digest,
    )
    feasible.check(spec, plan)
    return plan


def kept(spec: Spec, whole: Sequence[Point]) -> dict[int, Point]:
    """The points that are executed, by their numbers in the whole design.

    A point keeps its number, so that its runs are those of the whole design. Lists are
    not thinned: a point of the ranges is executed with all their values, or not.
    """
    design = spec.design
    if design is None or design.thinned_to is None or not design.spread:
        return dict(enumerate(whole))
    keys = [tuple(point[name] for name in design.spread) for point in whole]
    order = {key: rank for rank, key in enumerate(dict.fromkeys(keys))}
    step = -(-len(order) // design.thinned_to)
    return {
        number: point
        for number, (key, point) in enumerate(zip(keys, whole, strict=True))
        if order[key] % step == 0
    }


def run_id(job: Mapping[str, Any], build: Mapping[str, str]) -> str:
    """The first 16 hexadecimal digits of SHA-256 over canonical JSON of everything
    that determines the outcome.

    job : in JSON, as `jobs.dump` gives it or a file has it
    """
    determining = {key: value for key, value in job.items() if key != REPORT}
    text = json.dumps(
        {"job": determining, "build": dict(build)},
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]
