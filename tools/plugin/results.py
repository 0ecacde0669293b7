"""Results of a user's own tool, which read its numbers in the guest.
`analysis.run.tools` describes each function."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis.run.number_columns import column
from analysis.run.readers import plugin_numbers
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from tools.command import results as command
from tools.plugin.record import Plugin

ENDED = True


def read(folder: Path, index: int, entry: Traffic[Plugin]) -> plugin_numbers.Report:
    name = f"numbers-traffic-{index}.json"
    own = entry.record
    return plugin_numbers.read(folder / name, own.plugin, own.numbers)


def flow(_entry: Traffic[Plugin], _report: plugin_numbers.Report) -> Flow | None:
    """None: what arrived is not known, only what the tool says about it."""
    return None


def part(
    _entry: Traffic[Plugin],
    _report: plugin_numbers.Report,
    _start_s: float,
    _end_s: float,
) -> Flow | None:
    return None


def columns(
    _entry: Traffic[Plugin], report: plugin_numbers.Report
) -> Mapping[str, Any]:
    return {
        column(name, report.units[name], report.plugin): number
        for name, number in report.numbers.items()
    }


def wrong(_entry: Traffic[Plugin], report: plugin_numbers.Report) -> Iterator[str]:
    """Check that every number is there."""
    for name, number in report.numbers.items():
        if number is None:
            yield f"{report.plugin} gives no '{name}'"


def lasted(_entry: Traffic[Plugin], _report: plugin_numbers.Report) -> Lasted:
    """The number of connections that the tool opened is not known."""
    return Lasted(0, 0.0)


def allowed(_entry: Traffic[Plugin]) -> tuple[int, ...]:
    return (0,)


explain = command.explain
