"""Traffic entries: the interface of each, and the records of the registered tools.

The record of a tool stands in the tool's folder, as `RECORD` of `record.py`. The
registry `tools.ALL` says which tools there are, and the record of one is imported when
an entry of the tool is read. Everything else about a job's traffic uses the interface
`Entry`, or `DrawnFlows` for connections that the plan draws.
"""

from collections.abc import Iterator, Mapping

import tools
from jobs.entries.base import Entry, Pair
from jobs.entries.drawn import DrawnFlows
from jobs.marks import Registered

__all__ = ["BY_TOOL", "RECORDS", "DrawnFlows", "Entry", "Pair"]


class _Records(Mapping[str, type[Entry]]):
    def __getitem__(self, tool: str) -> type[Entry]:
        if tool not in tools.ALL:
            raise KeyError(tool)
        record: type[Entry] = tools.part(tool, "record").RECORD
        return record

    def __iter__(self) -> Iterator[str]:
        return iter(tools.ALL)

    def __len__(self) -> int:
        return len(tools.ALL)


RECORDS: Mapping[str, type[Entry]] = _Records()
"""The record of each tool's entries, by the tool's name."""

BY_TOOL = Registered("tool", RECORDS)
