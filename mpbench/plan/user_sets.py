"""Traffic of several users of a network: the pairs of hosts in a job, and who sends
what."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from analysis.words import many
from jobs.entries import DrawnFlows
from mpbench.plan.flow_list import drawn, ends_of
from mpbench.spec import user_sets
from mpbench.spec.drawn_entries import DrawnEntry
from topologies import Description

if TYPE_CHECKING:
    from mpbench.plan.runs import Plan

MOST_LINES = 10
MOST_SHOWN = 8
"""Hosts that a line names."""


def users_of(topology: Description, host: str, values: Mapping[str, Any]) -> int:
    """Number of users that a host stands for. values : parameters by canonical key"""
    count = topology.user(host).count
    return 1 if count is None else int(values[count])


def count(entry: DrawnEntry, topology: Description, values: Mapping[str, Any]) -> int:
    """Number of users that an entry has, on all its hosts."""
    ends = entry.ends(topology)
    return sum(users_of(topology, host, values) for host, _ in ends)


def of_job(
    entry: DrawnEntry, topology: Description, values: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of a job's entry that say who its users are.

    pairs : host and server of the users; hosts without users are left out
    counts : how many users each host stands for
    assign : how connections are assigned to users; None if each has its own
    """
    counted = [
        (pair, users)
        for pair in entry.ends(topology)
        if (users := users_of(topology, pair[0], values))
    ]
    (here, there), _ = counted[0]
    assign = user_sets.ASSIGNMENTS[entry.assign or user_sets.EACH]
    return {
        "source": here,
        "destination": there,
        "pairs": tuple(pair for pair, _ in counted),
        "counts": tuple(users for _, users in counted),
        "assign": assign,
    }


def lines(plan: "Plan", names: tuple[str, ...]) -> Iterator[str]:
    """Who opens how many connections, in words: a line per entry of several users,
    repetition and point. All cases have the same.

    names : of all traffic entries of the experiment
    """
    repeated = any(run.repetition for run in plan.runs)
    told: set[tuple[int, str]] = set()
    left_out = 0
    for run in plan.runs:
        for entry in run.job.traffic:
            if not isinstance(entry, DrawnFlows) or entry.counts is None:
                continue
            words = _words(entry, run.job.seed)
            words = f"traffic[{entry.stream}] {names[entry.stream]}%s: {words}"
            if (run.repetition, words) in told:
                continue
            told.add((run.repetition, words))
            if len(told) > MOST_LINES:
                left_out += 1
                continue
            place = f", point {run.point}" if len(plan.design) > 1 else ""
            place += f", repetition {run.repetition}" if repeated else ""
            yield words % place
    if left_out:
        yield f"{many(left_out, 'more draw')}; --json has them"


def _words(entry: DrawnFlows, seed: int) -> str:
    flows, sent = Counter[str](), Counter[str]()
    for flow in drawn(entry, seed):
        host, _, _ = ends_of(entry, flow.user)
        flows[host] += 1
        sent[host] += flow.size
    hosts = [here for here, _ in entry.between]
    shown = [f"{host} {_amount(flows[host], sent[host])}" for host in hosts]
    if len(shown) > MOST_SHOWN:
        shown = [*shown[:MOST_SHOWN], many(len(shown) - MOST_SHOWN, "more host")]
    whole = _amount(flows.total(), sent.total(), " connections")
    return f"{whole}: {', '.join(shown)}"


def _amount(flows: int, sent: int, what: str = "") -> str:
    return f"{flows}{what} ({sent / 1e6:.3g} MB)" if sent else f"{flows}{what}"
