"""Jobs: everything that determines one run, from an experiment and one of its points.

`jobs` has the records, and their docstrings describe them key by key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jobs
from jobs import FORMAT, Entry, Job, capture
from jobs.capture import Capture
from jobs.changes import Series
from jobs.ends import Host
from jobs.links import of_shapes
from jobs.linux import OWN, Linux
from jobs.network import of_description
from jobs.report import Report
from mpbench.errors import UserError
from mpbench.plan import (
    capture_places,
    case_values,
    changes,
    job_format,
    perturbation,
    proxies,
    quic,
    records,
    resolved,
    seeds,
)
from mpbench.plan.feasible import check_time_limit
from mpbench.plan.job_traffic import connections, traffic, varied
from mpbench.plan.links import check_changes, shapes
from mpbench.plan.parameters import by_name, parameter_values
from mpbench.plan.timing import known_end_s, time_limit_s
from mpbench.plan.transports import transport, with_transports
from mpbench.spec import Spec, flows, job_keys, middlebox_checks, middleboxes
from mpbench.spec.ends import merged
from mpbench.spec.phases import usual
from mpbench.spec.traffic import BACKGROUND
from topologies import resolve, wire

REPORT = "report"
"""Key of what determines no outcome, and no id: how the run is measured."""


def job(
    spec: Spec,
    point: Mapping[str, float | int | str],
    case: str,
    repetition: int,
    number: int | None = None,
) -> Job:
    """The job of one run.

    point : name of a factor to value in the canonical unit
    case : name of one of the experiment's cases
    repetition : from 0
    number : of the point, for messages; None for the only one
    Raises UserError if the experiment asks for what no job can have.
    """
    defaults = dict(spec.network_description.sysctls)
    values = parameter_values(spec, point, number)
    named = by_name(spec, point, values)
    here = case_values.at_point(spec, spec.cases[case], ("cases", case), named, number)
    transport_ = transport(here, defaults)
    keys = {name: parameter.key for name, parameter in spec.variable().items()}
    factors = {keys[name]: value for name, value in point.items()}
    seed = seeds.run_seed(spec.seed, repetition, factors)
    present = with_transports(spec, varied(spec, point), named, number)
    flowing = connections(spec, present, values)
    quic.check(spec, present, case, here)
    entries = traffic(spec, present, flowing, values, seed, here)
    there = changes.at_point(spec, named, number)
    end_s = known_end_s(entries) or spec.time_limit
    changing = changes.series(spec, there, seed, end_s)
    limit_s = spec.time_limit
    if limit_s is None:
        limit_s = time_limit_s(values, entries, changing)
    check_time_limit(spec, limit_s)
    interfaces = captured(spec, case, values)
    asked = shapes(spec, values, point, number)
    perturb = spec.repetitions.perturb
    percents: dict[str, float] = {}
    if perturb is not None:
        percents = perturbation.drawn(perturb.delay, asked, changing, seed)
        asked = perturbation.of_shapes(asked, percents)
        changing = perturbation.of_changes(changing, percents)
    links = resolved.with_default_jitter(asked, values, changing)
    legs = proxies.of_job(
        entries,
        [present[index] for index in flowing],
        [flows.names(spec.traffic)[index] for index in flowing],
        transport_,
        merged(spec.hosts, spec.cases[case].hosts),
        spec.network_description,
    )
    own = [entry.transport for entry in entries if entry.transport]
    made = Job(
        format=FORMAT,
        seed=seed,
        topology=None if spec.network_is_own else spec.topology,
        network=of_description(spec.network_description),
        fabric=spec.on_fabric.job(point) if spec.on_fabric else None,
        guest=spec.guest.job(),
        parameters=values,
        links=of_shapes(links),
        changes=changing,
        middleboxes=middleboxes.of_job(spec.middlebox, spec.cases[case].middlebox),
        transport=transport_,
        host_settings=hosts_of(spec, case),
        traffic=(*legs.entries, *legs.more),
        time_limit_s=limit_s,
        trace_s=spec.trace_interval,
        queues=records.queues(spec),
        # Of UDP, captures keep whole packets or none.
        capture=Capture(
            interfaces=interfaces,
            full=any(one.is_quic for one in (transport_, *own)),
        )
        if interfaces
        else None,
        report=with_proxies(
            report(spec, flowing, percents, phases(spec, entries, changing)), legs
        ),
        metrics=spec.plugins.metrics(),
        kernel=spec.plugins.kernel([transport_, *own]),
        programs=spec.plugins.programs(
            [
                *(w for index in flowing for w in present[index].named_programs),
                *(one.program for one in (transport_, *own) if one.program),
            ]
        ),
        files=tuple(
            dict.fromkeys(
                name for index in flowing for name in present[index].named_files
            )
        ),
        linux=_kernel(spec, case),
        **job_keys.of_job(spec, point),
    )
    check_changes(spec, made)
    try:
        return job_format.load(jobs.dump(made))
    except ValueError as error:
        raise UserError(f"{spec.where('cases', case)}: {error}") from error


def _kernel(spec: Spec, case: str) -> Linux | None:
    """The kernel of a case; None for mpbench's own.

    Raises UserError for a release whose package has not been looked up.
    """
    try:
        made = middlebox_checks.kernel_of(spec, case)
    except ValueError as error:
        raise UserError(f"{spec.where('cases', case, 'kernel')}: {error}") from None
    return None if made == OWN else made


def hosts_of(spec: Spec, case: str) -> dict[str, Host] | None:
    """The settings of single hosts in a case; None for the usual ones."""
    found = merged(spec.hosts, spec.cases[case].hosts)
    return {name: found[name].job() for name in sorted(found)} or None


def captured(spec: Spec, case: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The interfaces at which a case's packets are captured.

    Raises UserError for one that the network does not have.
    """
    own = spec.cases[case].capture
    wanted = spec.capture if own is None else own
    there = interfaces(spec, values) if wanted else []
    for index, name in enumerate(wanted):
        if name in there:
            continue
        place = ("capture", index) if own is None else ("cases", case, "capture", index)
        key = ".".join(str(part) for part in place[:-1])
        missing = f"no interface '{name}'"
        if whole_segments(spec):
            missing = f"'{name}' is no link, and only links show frames with offload"
        raise UserError(
            f"{spec.where(*place)}: {key}: {missing}; "
            f"{spec.network_description.name} {capture_places.hint(name, there)}"
        )
    return tuple(dict.fromkeys(wanted))


def interfaces(spec: Spec, values: Mapping[str, Any]) -> list[str]:
    """All places of a network to capture at; values : parameters by canonical key."""
    description = spec.network_description
    shapes = resolve(description, values)
    wired = wire(description, shapes)
    on_fabric = spec.on_fabric is not None
    whole = on_fabric and whole_segments(spec)
    return sorted(capture.places(description, wired, shapes, on_fabric, whole))


def whole_segments(spec: Spec) -> bool:
    """Whether hosts hand down whole segments, which their interfaces show."""
    return spec.on_fabric is not None and spec.on_fabric.offload


def phases(
    spec: Spec, entries: Sequence[Entry], changing: Sequence[Series]
) -> dict[str, tuple[float, float]]:
    """Start and end of each phase in seconds: those of the file, or those that follow
    from the changes of the run.

    The last of these ends with the durations of the traffic. An answer that is still
    waited for then, for half a minute maybe, makes no phase longer.
    """
    if spec.phases or not entries or known_end_s(entries) is None:
        return {name: (each.start, each.end) for name, each in spec.phases.items()}
    begin_s = min(entry.start_s for entry in entries)
    end_s = max(entry.start_s + (entry.duration_s or 0) for entry in entries)
    return usual(spec.changes, changing, begin_s, end_s)


def report(
    spec: Spec,
    flowing: Mapping[int, int],
    percents: Mapping[str, float],
    spans: Mapping[str, tuple[float, float]],
) -> Report:
    """Names of the traffic entries (null where there is one without a name), and
    the phases, name to start and end in seconds.

    percents : the changes of links' delays, see `perturbation.drawn`
    spans : the phases
    """
    named = len(spec.traffic) > 1 or spec.traffic[0].name is not None
    names = flows.names(spec.traffic)
    roles = [spec.traffic[index].role for index in flowing]
    behind = (place for place, role in enumerate(roles) if role == BACKGROUND)
    wanted = [spec.traffic[index].expect for index in flowing]
    return Report(
        names=tuple(names[index] for index in flowing) if named else None,
        phases=spans,
        background=tuple(behind),
        expect=tuple(one.job() if one else None for one in wanted)
        if any(wanted)
        else (),
        delay_changes_percent=percents,
    )


def with_proxies(one: Report, legs: proxies.Legs) -> Report:
    """The measures of a run with the connections that proxies open, which stay in the
    background."""
    if not legs.more:
        return one
    first = len(legs.entries)
    after = range(first, first + len(legs.more))
    return replace(
        one,
        names=(*(one.names or (None,) * first), *legs.names),
        background=(*one.background, *after),
        expect=(*one.expect, *(None for _ in after)) if one.expect else (),
    )
