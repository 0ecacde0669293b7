"""Traffic of a job: the entries of a file, as a point varies and a run draws them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jobs import entries as records_of
from jobs import reading, writing
from jobs.entries.drawn import UNDRAWN
from mpbench.errors import UserError
from mpbench.plan import (
    destinations,
    flow_list,
    quic,
    shortest_paths,
    user_sets,
)
from mpbench.plan.transports import transport
from mpbench.spec import Spec, traffic_patterns
from mpbench.spec.cases import Case
from mpbench.spec.drawn_entries import DrawnEntry
from mpbench.spec.traffic import Entry, Start

START_DECIMALS = 6


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
