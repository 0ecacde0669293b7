"""Jobs: everything that determines one run, from an experiment and one of its points.

`jobs` has the records, and their docstrings describe them key by key.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jobs
from jobs import FORMAT, Job, Transport, capture, reading, writing
from jobs import entries as records_of
from jobs.capture import Capture
from jobs.ends import Host
from jobs.entries.drawn import UNDRAWN
from jobs.links import of_shapes
from jobs.linux import OWN, Linux
from jobs.network import of_description
from jobs.report import Report
from mpbench.errors import UserError
from mpbench.plan import (
    capture_places,
    case_values,
    changes,
    destinations,
    flow_list,
    job_format,
    perturbation,
    proxies,
    quic,
    records,
    resolved,
    seeds,
    shortest_paths,
    user_sets,
)
from mpbench.plan.feasible import check_time_limit
from mpbench.plan.links import check_changes, shapes
from mpbench.plan.parameters import by_name, parameter_values
from mpbench.plan.timing import known_end_s, time_limit_s
from mpbench.spec import Spec, flows, middlebox_checks, middleboxes, traffic_patterns
from mpbench.spec.cases import Case
from mpbench.spec.drawn_entries import DrawnEntry
from mpbench.spec.ends import merged
from mpbench.spec.traffic import BACKGROUND, Entry, Start
from mpbench.spec.with_params import WithParams
from topologies import resolve, wire

REPORT = "report"
"""Key of what determines no outcome, and no id: how the run is measured."""
START_DECIMALS = 6


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
        link_seeds=spec.link_seeds,
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
        report=with_proxies(report(spec, flowing, percents), legs),
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


def report(
    spec: Spec, flowing: Mapping[int, int], percents: Mapping[str, float]
) -> Report:
    """Names of the traffic entries (null where there is one without a name), and
    the phases, name to start and end in seconds.

    percents : the changes of links' delays, see `perturbation.drawn`
    """
    named = len(spec.traffic) > 1 or spec.traffic[0].name is not None
    names = flows.names(spec.traffic)
    roles = [spec.traffic[index].role for index in flowing]
    behind = (place for place, role in enumerate(roles) if role == BACKGROUND)
    wanted = [spec.traffic[index].expect for index in flowing]
    return Report(
        names=tuple(names[index] for index in flowing) if named else None,
        phases={n: (p.start, p.end) for n, p in spec.phases.items()},
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


def transport(case: Case, defaults: Mapping[str, str] | None = None) -> Transport:
    """The transport of a case, with what it leaves unsaid.

    defaults : sysctls of the network's hosts, where the case does not set them
    """
    mptcp = case.protocol == "mptcp"
    of_program = case.scheduler.name if case.is_quic and case.scheduler else None
    sysctls = {**(defaults or {}), **case.sysctls, **case.parameter_sysctls}
    return Transport(
        protocol=case.protocol,
        congestion_control=case.congestion_control.name,
        scheduler=_name(case.scheduler, "default") if mptcp else of_program,
        path=case.number,
        path_manager=_name(case.path_manager, "fullmesh") if mptcp else None,
        sysctls={name: str(sysctls[name]) for name in sorted(sysctls)},
        backup=case.backup,
        program=case.program,
        keys=case.keys,
        qlog=case.qlog,
    )


def _name(tuned: WithParams | None, otherwise: str) -> str:
    return tuned.name if tuned else otherwise


def connections(
    spec: Spec, entries: Sequence[Entry], values: Mapping[str, Any]
) -> dict[int, int]:
    """Of each traffic entry with users, by its index: its connections.

    entries : as the point has them
    values : of the topology's parameters, by canonical key
    """
    topology = spec.network_description
    found: dict[int, int] = {}
    for index, entry in enumerate(entries):
        if entry.many and topology.mesh:  # its users follow from the seed
            found[index] = 1
            continue
        if isinstance(entry, DrawnEntry) and entry.of_several_users(topology):
            found[index] = user_sets.count(entry, topology, values)
            continue
        users = user_sets.users_of(topology, entry.source, values)
        each, most = entry.per_user
        found[index] = users * each
        if users > 1 and found[index] > most:
            where = spec.where("traffic", index)
            raise UserError(
                f"{where}: traffic[{index}]: {users} users with {each} connections"
                f" each; {entry.tool} has {most} at most"
            )
    if not any(found.values()):
        where = spec.where("traffic")
        raise UserError(f"{where}: traffic: nobody uses the network; set users above 0")
    return {index: count for index, count in found.items() if count}


def varied(spec: Spec, point: Mapping[str, float | int | str]) -> list[Entry]:
    """The traffic entries, as the point has them."""
    entries: list[Entry] = list(spec.traffic)
    for name, (index, key, _) in spec.varied_traffic.items():
        number = point.get(name)
        if isinstance(number, float | int):
            value = entries[index].of_design(key, number)
            entries[index] = entries[index].model_copy(update={key: value})
    return entries


def with_transports(
    spec: Spec, entries: list[Entry], values: Mapping[str, Any], number: int | None
) -> list[Entry]:
    """The entries with their own transports as the point has them.

    values : of parameters and factors, by name
    number : of the point, for messages
    """
    made = []
    for index, entry in enumerate(entries):
        if entry.transport is not None:
            at = ("traffic", index, "transport")
            own = case_values.at_point(spec, entry.transport, at, values, number)
            if own is not entry.transport:
                entry = entry.model_copy(update={"transport": own})
        made.append(entry)
    return made


def traffic(
    spec: Spec,
    entries: Sequence[Entry],
    flowing: Mapping[int, int],
    values: Mapping[str, Any],
    seed: int,
    case: Case,
) -> list[records_of.Entry]:
    """The traffic entries of a job, in order, in canonical units.

    flowing : the indices of those that flow, to their number of connections
    values : of the topology's parameters, by canonical key
    seed : of what is drawn
    case : whose transport an entry has that has none of its own
    """
    made: list[records_of.Entry] = []
    defaults = dict(spec.network_description.sysctls)
    for index, entry in enumerate(entries):
        if index not in flowing:
            continue
        own = entry.transport
        whole = entry.job(spec.port(index))
        document = {
            **quic.document(spec, entry, own or case, index, whole),
            "start_s": start_s(entry.start, seed, index),
            "transport": own and writing.plain(transport(own, defaults)),
        }
        if entry.sockets is not None and (own or case).protocol == "mptcp":
            document["sockets"] = writing.plain(entry.sockets)
        if isinstance(entry, DrawnEntry):
            made.append(
                several(
                    spec,
                    entry,
                    document,
                    index,
                    flowing[index],
                    values,
                    seed,
                    own or case,
                )
            )
            continue
        one = reading.read(records_of.RECORDS[document["tool"]], document)
        made.append(one.with_connections(flowing[index]))
    return made


def several(
    spec: Spec,
    entry: DrawnEntry,
    document: Mapping[str, Any],
    index: int,
    users: int,
    values: Mapping[str, Any],
    seed: int,
    case: Case,
) -> records_of.DrawnFlows:
    """The entry, with all that is drawn.

    document : the keys that the experiment file gives
    index : of the entry, among those of the file
    users : all users of the entry; those of many hosts follow from the seed
    case : the transport of the entry

    Raises UserError if its connections are more than a run can have.
    """
    topology = spec.network_description
    who: dict[str, Any] = {}
    if entry.many and topology.mesh:
        listed = pairs(spec, entry, index, seed)
        (here, there), users = listed[0], len(listed)
        who = {"source": here, "destination": there, "pairs": listed}
    elif entry.of_several_users(topology):
        who = user_sets.of_job(entry, topology, values)
    record = records_of.RECORDS[document["tool"]]
    assert issubclass(record, records_of.DrawnFlows)
    asked = reading.partial(
        record,
        document,
        {**UNDRAWN, **who, "users": users, "stream": index},
    )
    try:
        made = flow_list.complete(asked, seed)
    except ValueError as error:
        where = spec.where("traffic", index)
        raise UserError(f"{where}: traffic[{index}]: {error}") from None
    if case.highest:
        return replace(made, paths=shortest_paths.highest(spec.topology or "", made))
    if case.shortest:
        paths = shortest_paths.drawn(spec.topology or "", made, seed)
        return replace(made, paths=paths)
    return made


def pairs(
    spec: Spec, entry: DrawnEntry, index: int, seed: int
) -> tuple[records_of.Pair, ...]:
    """The pairs (from, to) of an entry between many hosts.

    seed, index : of the run and the entry, from which they are drawn
    """
    topology = spec.network_description
    pattern, whole = entry.pattern(topology), (index, entry)
    if entry.of_rest:
        (whole,) = (
            (place, other)
            for place, other in enumerate(spec.traffic)
            if isinstance(other, DrawnEntry) and entry.is_rest_of(other)
        )
    found = destinations.pairs(
        topology.hosts,
        pattern.name,
        f"{seed}/pairs/{whole[0]}",
        count=pattern.count,
        share=whole[1].pattern(topology).share,
        rest=entry.of_rest,
        neighbours=traffic_patterns.neighbours(topology),
    )
    return tuple(found)


def start_s(start: Start, seed: int, index: int) -> float:
    """The start of a traffic entry; where it has a range, drawn from it.

    seed, index : of the run and the entry; cases of a point start alike
    """
    drawn = random.Random(f"{seed}/start/{index}").random()
    width = start.latest - start.earliest
    return round(start.earliest + drawn * width, START_DECIMALS)
