"""Columns and series of the programs that speak QUIC in cases.

`tools/plugin/endpoint.py` reads them, as a tool of the user's own would do it.
"""

from collections.abc import Iterable, Iterator

from analysis.run.number_columns import column
from mpbench.spec.cases import Case
from topologies import Description

TOOL = "endpoint"
COUNTS = {"lost": "packets", "sent": "packets"}
"""Numbers of each path, with their units."""
COURSES = {"rtt": "ms", "window": "bytes"}
"""Series of each path, with their units."""


def columns(cases: Iterable[Case], topology: Description | None) -> Iterator[str]:
    """The columns of numbers, without an entry's name; none without such a case."""
    return _of_paths(cases, topology, COUNTS)


def series(cases: Iterable[Case], topology: Description | None) -> Iterator[str]:
    """The series, as figures name them; none without such a case."""
    return _of_paths(cases, topology, COURSES)


def _of_paths(
    cases: Iterable[Case], topology: Description | None, units: dict[str, str]
) -> Iterator[str]:
    if topology is None or not any(case.is_quic for case in cases):
        return
    for number in range(1, topology.paths + 1):
        for name, unit in units.items():
            yield column(f"path{number}_{name}", unit, TOOL)
