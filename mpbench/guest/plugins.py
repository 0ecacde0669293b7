"""Run what users wrote to read numbers from a finished run, inside the guest.

The numbers go to `numbers-traffic-N.json` and `metric-NAME.json` among the artefacts,
and lists to `lists-traffic-N.json`.
So nobody who opens results has to run such code.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobs import Job, dump
from mpbench.guest import lists
from mpbench.guest.topology import reason
from tools import OWN, part
from tools.plugin.record import Plugin

MOST_NUMBERS = 100


@dataclass(frozen=True)
class Read:
    """A plug-in whose file has a function `read`: its name, its text, its numbers with
    their units, and the lists that it declares; None for a metric."""

    plugin: str
    code: str
    numbers: Mapping[str, str]
    wanted: lists.Wanted | None = None


def read_numbers(job: Job, folder: Path, zero_ns: int) -> None:
    """Run the readers of the job's tools, and its metrics.

    zero_ns : the beginning of the traffic, ns of the monotonic clock
    folder : the artefacts; readers get a path to it. What a reader raises is written
        down in place of its numbers
    """
    module = part(OWN, "processes").module
    for index, entry in enumerate(job.traffic):
        reader = getattr(part(entry.tool, "processes"), "reader", None)
        if reader is not None and isinstance(entry, Plugin):
            file = folder / f"numbers-traffic-{index}.json"
            wanted = lists.Wanted(
                entry.received, list(entry.samples), list(entry.series), zero_ns
            )
            given = Read(entry.plugin, entry.code, entry.numbers, wanted)
            _write(file, given, module, (folder, reader(index, entry)))
    shown = {key: value for key, value in dump(job).items() if key != "metrics"}
    for name, metric in (job.metrics or {}).items():
        given = Read(name, metric.code, metric.numbers)
        _write(folder / f"metric-{name}.json", given, module, (folder, shown))


def _write(file: Path, given: Read, module: Any, arguments: tuple[Any, ...]) -> None:
    name = f"{given.plugin}.py"
    before = os.getcwd()  # noqa: PTH109
    found: dict[str, Any] = {}
    try:
        returned = module(given.plugin, given.code)["read"](*arguments)
        if given.wanted:
            found = lists.taken(returned, given.wanted)
        said: dict[str, Any] = {"numbers": checked(returned, given.numbers)}
    except BaseException as error:
        said = {"error": f"{name}:{reason(error, name)}"}
    os.chdir(before)
    file.write_text(json.dumps(said, sort_keys=True) + "\n")
    if found:
        beside = file.with_name(file.name.replace("numbers-", "lists-"))
        beside.write_text(json.dumps(found, sort_keys=True) + "\n")


def checked(numbers: object, units: Mapping[str, str]) -> dict[str, float | None]:
    """The numbers that a reader returned. Raises ValueError or TypeError for others."""
    if not isinstance(numbers, dict):
        raise TypeError(f"read returns a {type(numbers).__name__}, not a dict")
    found: dict[str, float | None] = {}
    for name in units:
        value = numbers.pop(name, None)
        if value is not None and not isinstance(value, int | float):
            raise TypeError(f"{name} is a {type(value).__name__}, not a number")
        found[name] = None if value is None else float(value)
        if value is not None and not math.isfinite(value):
            raise ValueError(f"{name} is {value}")
    if numbers:
        raise ValueError(f"{str(next(iter(numbers)))[:40]} is not among NUMBERS")
    return found
