"""Randomness of runs: the parts of a job that follow from its seed.

Where nothing does, repetitions of a network are one observation. A controller that this
file does not know counts as random, and so does a tool that does not say otherwise.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from jobs import Job, Link
from mpbench.plan.jobs import job as job_of
from mpbench.plan.points import Point
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from mpbench.spec.vocabulary import CONGESTION_CONTROLS
from tools import has_part, part
from topologies.queues import DROP_TAIL
from topologies.shaping import Shape

RANDOM_CONTROLS = ("bbr", "mpcc")
"""bbr draws where its cycle of gains begins, mpcc the order of monitor intervals."""
STEADY_CONTROLS = frozenset(CONGESTION_CONTROLS) - set(RANDOM_CONTROLS)
STEADY_DISCIPLINES = (DROP_TAIL, "codel")
"""The others draw drops, or hash flows with a number that is drawn."""
PERTURB = (
    "'repetitions: {count: 5, perturb: {delay: 0.5 %}}' gives each repetition slightly"
    " other delays, and shows how much they matter."
)


def of_job(job: Job) -> list[str]:
    """The names of what draws during a run, each once."""
    return list(dict.fromkeys(_of_job(job)))


def still_points(plan: Plan) -> list[int]:
    """The numbers of the points at which no run draws anything.

    With one repetition, what the plan itself draws is not seen.
    """
    loud: set[int] = set()
    first: dict[tuple[int, str], Job] = {}
    for run in plan.runs:
        if run.point in loud:
            continue
        job = _steady(run.job)
        if (
            _perturbed(run.job)
            or of_job(job)
            or first.setdefault((run.point, run.case), job) != job
        ):
            loud.add(run.point)
    return sorted({run.point for run in plan.runs} - loud)


def anywhere(spec: Spec, points: Iterable[Point]) -> bool:
    """Whether a run of the experiment draws anything at one of these points."""
    for number, point in enumerate(points):
        for case in spec.cases:
            whole = job_of(spec, point, case, 0)
            job = _steady(whole)
            if _perturbed(whole) or of_job(job):
                return True
            # What the plan draws, such as starts, it draws at every point.
            if number == 0 and _steady(job_of(spec, point, case, 1)) != job:
                return True
    return False


def lines(plan: Plan, repetitions: int) -> list[str]:
    """Sentences for `mpbench plan` about repetitions that tell nothing new."""
    still, points = still_points(plan), len(plan.design)
    same = "the same numbers, or nearly"
    if len(still) == points and repetitions == 1:
        return [
            f"Nothing in these runs draws from the seed: repetitions give {same}."
            f" {PERTURB}"
        ]
    if len(still) == points:
        return [
            f"Nothing in these runs draws from the seed: repetitions give {same}."
            f" One repetition is enough. {PERTURB}"
        ]
    if still and repetitions > 1:
        return [
            f"At {len(still)} of {points} points nothing draws from the seed:"
            f" repetitions there give {same}, and count as one observation. {PERTURB}"
        ]
    return []


def _perturbed(job: Job) -> bool:
    """Whether the repetition changes delays."""
    return bool(job.report and job.report.delay_changes_percent)


def _steady(job: Job) -> Job:
    """The job without its seed and its names for reports."""
    return replace(job, seed=0, report=None)


def _of_job(job: Job) -> Iterator[str]:
    for link in job.links:
        yield from _of_link(link)
    for change in job.changes:
        if change.quantity == "loss_percent" and any(change.values):
            yield "loss"
    if job.fabric:
        yield "the choice of paths"
    if job.kernel:
        yield "a user's own kernel code"
    for transport in (job.transport, *(job.transport_of(e) for e in job.traffic)):
        if transport.congestion_control not in STEADY_CONTROLS:
            yield f"the controller {transport.congestion_control}"
    for entry in job.traffic:
        if not _steady_tool(entry.tool):
            yield f"the tool {entry.tool}"


@cache
def _steady_tool(tool: str) -> bool:
    """Whether a tool draws nothing itself; the job has what was drawn for it."""
    return has_part(tool, "keys") and getattr(part(tool, "keys"), "STEADY", False)


def _of_link(link: Link) -> Iterator[str]:
    ways: Sequence[Shape] = (link, link.down) if link.down else (link,)
    for way in ways:
        if way.loss_percent:
            yield "loss"
        if way.jitter_ms:
            yield "jitter"
        if way.impairments:
            yield "impairments"
        if way.discipline and way.discipline.name not in STEADY_DISCIPLINES:
            yield f"the queue discipline {way.discipline.name}"
