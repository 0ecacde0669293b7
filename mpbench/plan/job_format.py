"""Jobs from files, with the checks that need this machine.

`jobs.load` checks everything that a job says by itself. Two more things need what only
the host has: whether a topology is known, and whether the patterns of a user's command
compile.
"""

from collections.abc import Mapping
from typing import Any

import jobs
import topologies
from analysis.run import patterns
from jobs.values import NAME
from mpbench.spec import builtin
from topologies import networks

FORMAT = jobs.FORMAT


def load(document: Mapping[str, Any]) -> jobs.Job:
    """The job in a JSON object. Raises ValueError, in one line, for anything else.

    A job of an earlier version of mpbench gets the network that it leaves out.
    """
    _check_topology(document)
    job = jobs.load(completed(document))
    check_patterns(job)
    return job


def completed(document: Mapping[str, Any]) -> dict[str, Any]:
    """A job with its network, which earlier versions of mpbench did not write."""
    topology = document.get("topology")
    left_out = document.get("network") is None and isinstance(topology, str)
    if not left_out or builtin.network_of(str(topology)) is None:
        return dict(document)
    network = networks.to_json(builtin.describe(str(topology)))
    return {**document, "network": network}


def _check_topology(document: Mapping[str, Any]) -> None:
    """Raises ValueError for a name that is well-formed, but no topology's."""
    topology = document.get("topology")
    if not isinstance(topology, str) or not NAME.fullmatch(topology):
        return
    if not builtin.known(topology):
        known = ", ".join(builtin.names())
        raise ValueError(f"no topology {topology!r}; known: {known}")
    if topology in topologies.names() and document.get("network") is not None:
        raise ValueError(f"{topology} has no network of its own")


def check_patterns(job: jobs.Job) -> None:
    """Raises ValueError for a pattern that does not compile, or whose groups are not
    those that have units."""
    for index, entry in enumerate(job.traffic):
        for number, (pattern, groups) in enumerate(entry.patterns):
            place = f"traffic.{index}.numbers.{number}"
            try:
                names = patterns.names(pattern)
            except ValueError as error:
                raise ValueError(f"{place}.pattern: {error}") from None
            if {*names} != {*groups}:
                reason = "units: needs one unit per group of the pattern"
                raise ValueError(f"{place}: {reason}")
