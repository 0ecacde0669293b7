"""Advice of `mpbench plan` and `run` on whole segments, where paths are fast.

Hosts with network cards handle TCP in segments of up to 64 KiB at such rates.
`offload: true` of the fabric models them. It is no default: a file means the same runs
with every version, and at which rate a real host gathers depends on its card.
"""

from bisect import bisect_right

from jobs import Job
from mpbench.plan import timing
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from mpbench.spec import fabric as fabrics
from topologies.fabric import DOWN, UP

SAVES = {300.0: 0.8, 500.0: 0.6, 1000.0: 0.5}
"""CPU time of a run with whole segments over that with single frames, by the rate of a
path in Mbit/s: MPTCP and the usual time of gathering, as docs/offload.md has it."""


def lines(spec: Spec, plan: Plan) -> list[str]:
    """A sentence where paths are fast and hosts handle single frames; else nothing.

    A file that says `offload: false` or `fabric: false` has decided.
    """
    fabric = spec.fabric
    if fabric is None:
        decided = "fabric" in spec.model_fields_set
    else:
        decided = "offload" in fabric.model_fields_set
    if decided or not _can(spec):
        return []
    mbps = max(
        (timing.fastest_path_mbps(run.job) for run in plan.runs if _works(run.job)),
        default=0.0,
    )
    at = bisect_right(list(SAVES), mbps)
    if not at:
        return []
    ratio = list(SAVES.values())[at - 1]
    words = "'fabric: {offload: true}' models such hosts"
    if spec.on_fabric is None:
        words += ", on the fabric in place of routers"
    keeps = "'fabric: false'" if spec.on_fabric is None else "'offload: false' there"
    return [
        f"Paths have up to {mbps:g} Mbit/s, where hosts with network cards handle"
        f" segments of up to 64 KiB. {words}, and takes about {ratio:g} times the CPU"
        f" time; {keeps} keeps single frames without this line."
    ]


def _can(spec: Spec) -> bool:
    """Whether the experiment can run on the fabric."""
    if spec.on_fabric is not None:
        return True
    return not (spec.link_seeds or fabrics.fault(spec.network_description))


def _works(job: Job) -> bool:
    """Whether a run can have whole segments, which move data over TCP."""
    if job.linux is not None or job.middleboxes or job.transport.is_quic:
        return False
    ends = {f"{link.name}-{way}" for link in job.links for way in (UP, DOWN)}
    return job.capture is None or ends.issuperset(job.capture.interfaces)
