"""Reader of the numbers that users' own tools and metrics left, as data.

The code that read them ran in the guest. Here they are values from a file like any
other, which a stranger may have written.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from analysis.run.number_columns import column
from analysis.run.readers import files
from jobs import Job

MOST_BYTES = 1 << 16


@dataclass(frozen=True)
class Report:
    """The numbers of one plug-in by name, None if it gave none, and their units."""

    plugin: str
    numbers: Mapping[str, float | None]
    units: Mapping[str, str]


def read(path: Path, plugin: str, units: Mapping[str, str]) -> Report:
    """Read the numbers of a plug-in.

    Raises ValueError, with one line, if the file is missing or damaged, or if the
    plug-in raised something.
    """
    if path.exists() and path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name}: larger than {MOST_BYTES >> 10} KiB")
    said = files.read_object(path)
    if "error" in said:
        raise ValueError(" ".join(str(said["error"]).split())[:400])
    given = said.get("numbers")
    if not isinstance(given, dict) or set(given) != set(units):
        raise ValueError(f"{path.name}: not the numbers of {plugin}")
    for name, number in given.items():
        real = isinstance(number, float) and math.isfinite(number)
        if number is not None and not real:
            raise ValueError(f"{path.name}: '{name}' is no number")
    return Report(plugin, given, units)


def metrics(folder: Path, job: Job) -> dict[str, float | None]:
    """The columns of the job's own metrics: `NAME.NUMBER_UNIT`."""
    columns: dict[str, float | None] = {}
    for name, metric in (job.metrics or {}).items():
        report = read(folder / f"metric-{name}.json", name, metric.numbers)
        columns |= {
            column(number, report.units[number], name): value
            for number, value in report.numbers.items()
        }
    return columns
