"""Results of any program, as its patterns read them. `analysis.run.tools` describes
each function."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis.run.number_columns import column
from analysis.run.readers import files
from analysis.run.tools import Flow, Lasted
from analysis.run.traffic import Traffic
from tools.command import reader
from tools.command.record import Command

ENDED = True


def read(folder: Path, index: int, entry: Traffic[Command]) -> reader.Report:
    return reader.read(folder, index, entry.record.numbers)


def silent(_entry: Traffic[Command]) -> bool:
    return True


def flow(_entry: Traffic[Command], _report: reader.Report) -> Flow | None:
    """None: what arrived is not known, only what the program says about it."""
    return None


def part(
    _entry: Traffic[Command], _report: reader.Report, _start_s: float, _end_s: float
) -> Flow | None:
    return None


def columns(_entry: Traffic[Command], report: reader.Report) -> Mapping[str, Any]:
    """The numbers that were read, and the time that the client took."""
    read_numbers = {
        column(name, report.units[name]): number
        for name, number in report.numbers.items()
    }
    return {"command.client_s": report.seconds, **read_numbers}


def wrong(_entry: Traffic[Command], report: reader.Report) -> Iterator[str]:
    """Check that every number is there."""
    for name, number in report.numbers.items():
        if number is None:
            yield f"no line of the output gives '{name}'"


def lasted(_entry: Traffic[Command], report: reader.Report) -> Lasted:
    """The number of connections that the program opened is not known."""
    return Lasted(0, report.seconds)


def allowed(_entry: Traffic[Command]) -> tuple[int, ...]:
    return (0,)


def explain(folder: Path, name: str) -> str:
    return files.last_words(folder, name)
