"""Warnings and advice that `mpbench plan` prints: what may fail, and what may help.

What certainly fails is refused: `mpbench.plan.feasible`.
"""

from collections.abc import Iterator
from pathlib import Path

from mpbench import extras, guest_memory
from mpbench.plan import (
    middlebox_expectations,
    timing,
)
from mpbench.plan.feasible import long_connection_faults, place_of, points, transports
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from mpbench.spec.document import dotted
from mpbench.spec.vocabulary import CONGESTION_CONTROLS, RATE_CONTROLS
from topologies.queues import FRAME_BYTES

MOSTLY_LOST_PERCENT = 50.0
"""With more loss hardly a handshake succeeds: both directions lose so much."""
FAST_MBPS = 300.0
"""The rate of a path from which on whole segments save CPU time."""
QUEUED_SHARE = 0.5
"""The part of the guest's memory that packets in queues and under way may take."""
FLUID = "fluid"
"""The model of figures that needs scipy."""


def warnings(spec: Spec, plan: Plan) -> list[str]:
    """Circumstances that may keep runs from being ok, or the report from being
    complete."""
    lines = [*_loss_warnings(spec, plan), *_memory_warnings(spec, plan)]
    lines += _connection_warnings(spec, plan)
    lines += dict.fromkeys(_ending_warnings(spec, plan))
    lines += dict.fromkeys(_delay_warnings(spec, plan))
    lines += dict.fromkeys(_start_warnings(spec, plan))
    lines += _scheduler_warnings(spec)
    lines += middlebox_expectations.warnings(spec, plan)
    if spec.expect is not None and not Path(spec.expect).is_file():
        lines.append(
            f"{spec.where('expect')}: expect: {spec.expect} is not a file here; the"
            " report also looks in the folders above the results"
        )
    return [*lines, *_scipy_warnings(spec)]


def _scipy_warnings(spec: Spec) -> Iterator[str]:
    """Parts of the report that need scipy, where that is not installed."""
    places: list[tuple[str | int, ...]] = []
    if spec.expect is not None:
        places.append(("expect",))
    for number, figure in enumerate(spec.figures):
        if any(theory.model == FLUID for theory in figure.theory or ()):
            places.append(("figures", number, "theory"))
    if places and not extras.knows_scipy():
        for place in places:
            yield (
                f"{spec.where(*place)}: {dotted(place)}: the report needs scipy for it;"
                " `pip install scipy` brings it"
            )


def proposals(spec: Spec, plan: Plan) -> list[str]:
    """Keys that `mpbench plan` and `run` propose for this network: a sentence each."""
    rates = (timing.fastest_path_mbps(run.job) for run in plan.runs)
    if max(rates, default=0.0) < FAST_MBPS:
        return []
    from mpbench.plan import whole_segments  # few files have such links

    return whole_segments.lines(spec, plan)


def _ending_warnings(spec: Spec, plan: Plan) -> Iterator[str]:
    """Transports that cannot end, because nothing passes when their traffic ends."""
    if not spec.changes:
        return
    for run in plan.runs:
        if run.repetition or run.point:
            continue
        end_s = timing.known_end_s(run.job.traffic)
        for index, entry in enumerate(run.job.traffic):
            if end_s is not None and not timing.works_at(run.job, entry, end_s):
                reason = f"{entry.source} has no path that works at {end_s:g} s"
                hint = "its connections may end with an error then, or hang"
                yield (
                    f"{spec.where('changes')}: changes: {run.case}: traffic[{index}]:"
                    f" {reason}; {hint}"
                )


def _delay_warnings(spec: Spec, plan: Plan) -> Iterator[str]:
    """Servers that end before they hear of the client's end."""
    if spec.network_description.mesh:
        return
    for run in plan.runs:
        for index, entry in enumerate(run.job.traffic):
            latest_s = entry.server_lasts_s
            if not run.repetition and timing.first_delay_s(run.job, entry) > latest_s:
                at = f"{spec.where('traffic', index)}: traffic[{index}]: {run.case}"
                reason = (
                    f"{entry.source}'s first path delays by more than {latest_s:g} s"
                )
                hint = f"a server of {entry.tool} ends so long after its client"
                yield f"{at}: {reason}; {hint}, and such runs are not ok"


def _start_warnings(spec: Spec, plan: Plan) -> Iterator[str]:
    """Programs that start too soon after the boot to do what they usually do."""
    for run in plan.runs:
        for index, entry in enumerate(run.job.traffic):
            if not run.repetition and entry.start_s < entry.best_start_s:
                at = f"{spec.where('traffic', index)}: traffic[{index}].start"
                reason = "ping keeps no interval on a machine that has just booted"
                yield f"{at}: {reason}; give {entry.best_start_s:g} s or more"


def _scheduler_warnings(spec: Spec) -> Iterator[str]:
    """`paced` with a controller that sets windows, whose rates it cannot follow."""
    windows = {*CONGESTION_CONTROLS} - {*RATE_CONTROLS}
    for place, case in transports(spec):
        control = case.congestion_control.name
        if case.scheduler and case.scheduler.name == "paced" and control in windows:
            at = f"{spec.where(*place, 'scheduler')}: {dotted((*place, 'scheduler'))}"
            rates = " and ".join(RATE_CONTROLS)
            yield (
                f"{at}: paced is for {rates}, which set rates; {control} sets windows,"
                " and with it paced does what lowrtt does, in smaller portions"
            )


def _loss_warnings(spec: Spec, plan: Plan) -> Iterator[str]:
    highest: dict[str, float] = {}
    for _, values in points(plan):
        for key, value in values.items():
            if key.endswith("loss_percent") and value is not None:
                highest[key] = max(highest.get(key, 0.0), value)
    for key, percent in highest.items():
        if percent > MOSTLY_LOST_PERCENT:
            name = key.removesuffix("_percent")
            place = place_of(spec, name, None)
            yield f"{place}: with {percent:g} % loss few connections come about"


def _memory_warnings(spec: Spec, plan: Plan) -> Iterator[str]:
    """Points whose full queues and delay lines take more memory than the guest has."""
    needs = {
        run.point: sum(
            way.queue_packets * FRAME_BYTES / 2
            + 1e3 * way.delay_ms * (way.capacity_mbps or 0) / 8
            for link in run.job.links
            for way in (link, link.direction(False))
        )
        for run in plan.runs
    }
    point = max(needs, key=lambda number: needs[number])
    has_mib = spec.guest.memory_mib
    if needs[point] > QUEUED_SHARE * has_mib * guest_memory.MIB:
        yield (
            f"point {point}: full queues and packets under way take up to"
            f" {needs[point] / 1e6:.0f} MB, of the guest's"
            f" {guest_memory.words(has_mib)}; a run in which TCP is short of memory is"
            " invalid: give the guest more, 'guest: {memory: 4 GiB}'"
        )


def _connection_warnings(spec: Spec, plan: Plan) -> Iterator[str]:
    """Connections for which the memory may be too small that the file itself gives."""
    if spec.guest.given:
        yield from long_connection_faults(spec, plan)
