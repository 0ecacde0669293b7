"""The plan: every run of an experiment, named by what determines its outcome."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from mpbench.plan import feasible
from mpbench.plan.jobs import REPORT, job
from mpbench.plan.points import Spread, points
from mpbench.plan.runs import Plan, Run
from mpbench.spec import Spec

ID_DIGITS = 16


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
    chosen = points(spec, make_design)
    keys = {name: parameter.key for name, parameter in spec.variable().items()}
    runs = []
    for number, point in enumerate(chosen):
        shown = number if len(chosen) > 1 else None
        factors = {keys[name]: value for name, value in point.items()}
        for repetition in range(spec.repetitions):
            for case in spec.cases:
                work = job(spec, point, case, repetition, shown)
                name = run_id(work, build)
                runs.append(Run(name, number, case, repetition, factors, work))
    plan = Plan(
        runs=tuple(runs),
        factor_keys=tuple(keys[name] for name in chosen[0]),
        design=tuple(tuple(point.values()) for point in chosen),
        spec_hash=spec.digest,
    )
    feasible.check(spec, plan)
    return plan


def run_id(job: Mapping[str, Any], build: Mapping[str, str]) -> str:
    """The first 16 hexadecimal digits of SHA-256 over canonical JSON of everything
    that determines the outcome."""
    determining = {key: value for key, value in job.items() if key != REPORT}
    text = json.dumps(
        {"job": determining, "build": dict(build)},
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]
