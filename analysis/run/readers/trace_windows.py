"""Reader of the windows in `trace.csv`, without a table of it.

`analysis.run.readers.trace` reads all of the file, and needs pandas.
"""

import math
from dataclasses import dataclass
from pathlib import Path

from analysis.run.readers.files import read_text
from jobs.artefacts import TRACE

NAME = "trace.csv"
MOST_BYTES = 256 << 20


@dataclass(frozen=True)
class Window:
    """One sample of a subflow.

    local, remote : ADDRESS:PORT at the sampled host
    cwnd : segments
    retransmissions : segments that were sent again until then
    """

    time_s: float
    local: str
    remote: str
    cwnd: int
    retransmissions: int


def read(path: Path) -> dict[str, tuple[Window, ...]]:
    """The samples by host, in their order. Raises ValueError, with one line, if the
    file is missing or damaged."""
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name}: larger than {MOST_BYTES >> 20} MiB")
    return parse(read_text(path), path.name)


def parse(text: str, name: str) -> dict[str, tuple[Window, ...]]:
    """Parse the file's text; `name` is the file's name in error messages."""
    head, *lines = text.split("\n")
    columns = head.split(",")
    if tuple(columns[: len(TRACE)]) != TRACE or not lines or lines[-1]:
        raise ValueError(f"{name}: not a trace, or cut short")
    at = {column: number for number, column in enumerate(TRACE)}
    found: dict[str, list[Window]] = {}
    for line in lines[:-1]:
        values = line.split(",")
        try:
            if len(values) != len(columns):
                raise ValueError(f"{len(values)} values")
            time_s = float(values[at["time_s"]])
            if not math.isfinite(time_s):
                raise ValueError("its time is not finite")
            window = Window(
                time_s,
                values[at["local"]],
                values[at["remote"]],
                int(values[at["cwnd"]]),
                int(values[at["retransmissions"]]),
            )
        except ValueError as error:
            raise ValueError(f"{name}: {line[:60]!r} is no sample ({error})") from error
        found.setdefault(values[at["host"]], []).append(window)
    return {host: tuple(samples) for host, samples in found.items()}
