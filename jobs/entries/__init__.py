"""Traffic entries: one record per tool, in a file of the tool's name.

A tool is known when its record stands in `RECORDS`. Everything else about a job's
traffic uses the interface `Entry`.
"""

from jobs.entries.ab import Ab
from jobs.entries.base import Entry, Pair
from jobs.entries.cbr import Cbr
from jobs.entries.command import Command
from jobs.entries.curl import Curl
from jobs.entries.flows import Flows
from jobs.entries.iperf3 import Iperf3
from jobs.entries.plugin import Plugin
from jobs.marks import Registered

__all__ = [
    "RECORDS",
    "Ab",
    "Cbr",
    "Command",
    "Curl",
    "Entry",
    "Flows",
    "Iperf3",
    "Pair",
    "Plugin",
]

RECORDS: dict[str, type[Entry]] = {
    "iperf3": Iperf3,
    "curl": Curl,
    "ab": Ab,
    "cbr": Cbr,
    "command": Command,
    "flows": Flows,
    "plugin": Plugin,
}
"""The record of each tool's entries, by the tool's name."""

BY_TOOL = Registered("tool", RECORDS)
