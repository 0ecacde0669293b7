"""Jobs: everything that determines one run, as plain JSON.

The format is the contract with the guest, the engine and the analysis; it is
described key by key in docs/experiment-file.md.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from mpbench.plan.timing import time_limit_s
from mpbench.spec import Spec
from mpbench.spec.cases import Case
from mpbench.spec.tuned import Tuned
from topologies import describe

FORMAT = 1

Json = dict[str, Any]


def job(
    spec: Spec, point: Mapping[str, float | int], case: str, repetition: int
) -> Json:
    """The job of one run.

    point : name of a factor to value in the canonical unit
    case : name of one of the experiment's cases
    repetition : from 0
    """
    transport_ = transport(spec.cases[case])
    values: Json = {}
    for parameter in describe(spec.topology).parameters:
        fixed = spec.parameters.get(parameter.name, parameter.default)
        values[parameter.key] = point.get(parameter.name, fixed)
    entries = traffic(spec)
    limit_s = spec.time_limit
    if limit_s is None:
        limit_s = time_limit_s(values, transport_, entries)
    return {
        "format": FORMAT,
        "seed": run_seed(spec.seed, repetition),
        "topology": spec.topology,
        "parameters": values,
        "transport": transport_,
        "traffic": entries,
        "time_limit_s": limit_s,
    }


def run_seed(seed: int, repetition: int) -> int:
    """Seed of a run's randomness, 63 bits.

    The same for all points and cases of a repetition, so that cases are
    compared under the same random numbers.
    """
    digest = hashlib.sha256(f"{seed}/{repetition}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def transport(case: Case) -> Json:
    """The transport of a case, with what it leaves unsaid."""
    mptcp = case.protocol == "mptcp"
    return {
        "protocol": case.protocol,
        "congestion_control": case.congestion_control.name,
        "scheduler": _name(case.scheduler, "default") if mptcp else None,
        "path": case.path,
        "path_manager": _name(case.path_manager, "fullmesh") if mptcp else None,
        "sysctls": dict(sorted({**case.sysctls, **case.parameter_sysctls}.items())),
    }


def _name(tuned: Tuned | None, otherwise: str) -> str:
    return tuned.name if tuned else otherwise


def traffic(spec: Spec) -> list[Json]:
    """The traffic entries, in order, in canonical units."""
    return [
        {
            "tool": entry.tool,
            "from": entry.source,
            "to": entry.destination,
            "duration_s": entry.duration,
            "bytes": None if entry.size is None else round(entry.size),
            "reverse": entry.reverse,
            "parallel": entry.parallel,
            "start_s": entry.start,
            "interval_s": entry.interval,
            "port": spec.port(index),
            "read": entry.read.mode,
            "read_bytes": entry.read.wake_bytes,
        }
        for index, entry in enumerate(spec.traffic)
    ]
