"""Whether runs of a network under several kernels meet the same losses and delays."""

from collections.abc import Iterable

from jobs import Job
from mpbench.kernel import releases
from mpbench.plan import draws
from mpbench.plan.jobs import job as job_of
from mpbench.plan.points import Point, points
from mpbench.spec import Spec, kernels

OF_LINKS = {"loss", "jitter", "impairments"}
"""The names in `draws` of what links draw."""
LAST_WITHOUT = (6, 6)
"""The last release whose netem takes no seed."""
HINT = (
    "Links draw losses or delays, and two kernels may draw others; 'link_seeds: true'"
    " gives every link a seed of its own, which pairs their runs."
)


def unpaired(spec: Spec, at: Iterable[Point]) -> bool:
    """Whether links draw at one of these points, and kernels may draw differently."""
    if len({case.kernel for case in spec.cases.values()}) < 2:
        return False
    if spec.link_seeds and not without_seeds(spec):
        return False
    case = next(iter(spec.cases))
    return any(_draws(job_of(spec, point, case, 0)) for point in at)


def lines(spec: Spec) -> list[str]:
    """A sentence for `mpbench plan` where kernels are not paired."""
    if not unpaired(spec, points(spec)):
        return []
    old = without_seeds(spec)
    if not spec.link_seeds:
        return [HINT]
    return [
        "Links draw losses or delays, and Linux before 6.7 takes no seeds of links:"
        f" runs under {', '.join(old)} are not paired with others."
    ]


def without_seeds(spec: Spec) -> list[str]:
    """The labels of kernels of cases whose netem takes no seed."""
    labels = {case.kernel for case in spec.cases.values() if case.kernel}
    return [name for name in spec.kernels if name in labels and _is_old(spec, name)]


def _is_old(spec: Spec, label: str) -> bool:
    linux = kernels.resolved(spec.kernels, label)
    if linux.packages:
        upstream = linux.packages[0].upstream
        return releases.numbers(".".join(upstream.split(".")[:2])) <= LAST_WITHOUT
    if linux.binary is not None:
        return releases.numbers(linux.binary.series) <= LAST_WITHOUT
    return linux.series is not None and releases.numbers(linux.series) <= LAST_WITHOUT


def _draws(job: Job) -> bool:
    return not OF_LINKS.isdisjoint(draws.of_job(job))
