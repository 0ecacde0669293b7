"""Reader of the lists that users' own tools left, as data.

A stranger may have written the file, see `analysis.run.readers.plugin_numbers`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from analysis.run.readers import files

MOST_BYTES = 64 << 20
MOST_SECONDS = 1e8
MOST_VALUE = 1e300


@dataclass(frozen=True)
class Timed:
    """Values with their times.

    times_s : seconds after the beginning of the traffic, shape (n,), not falling
    values : shape (n,), finite
    """

    times_s: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class Lists:
    """The lists of one tool.

    received : bytes that arrived, each with the time at which they were read last; None
        if the tool does not say
    samples, series : by name
    """

    received: Timed | None = None
    samples: Mapping[str, np.ndarray] = field(default_factory=dict)
    series: Mapping[str, Timed] = field(default_factory=dict)


def read(
    path: Path, received: bool, samples: Collection[str], series: Collection[str]
) -> Lists:
    """Read the lists of a tool that declares these.

    Raises ValueError, with one line, if the file is missing or damaged.
    """
    if path.exists() and path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name}: larger than {MOST_BYTES >> 20} MiB")
    said = files.read_object(path)
    try:
        found = Lists(
            _timed(said["received"]) if received else None,
            {name: _values(said["samples"][name]) for name in samples},
            {name: _timed(said["series"][name]) for name in series},
        )
        if found.received is not None and (found.received.values < 0).any():
            raise ValueError("a negative number of bytes")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise ValueError(f"{path.name}: not the tool's lists ({reason})") from None
    return found


def _values(given: Any) -> np.ndarray:
    if not isinstance(given, list) or any(
        isinstance(value, bool) or not isinstance(value, int | float) for value in given
    ):
        raise ValueError("not a list of numbers")
    values = np.array(given, dtype=float)
    if not (np.abs(values) <= MOST_VALUE).all():
        raise ValueError("a number that is not finite")
    return values


def _timed(given: Any) -> Timed:
    if not isinstance(given, list) or any(
        not isinstance(pair, list) or len(pair) != 2 for pair in given
    ):
        raise ValueError("not a list of pairs")
    times = _values([pair[0] for pair in given])
    values = _values([pair[1] for pair in given])
    if len(times) and not (times[0] >= 0 and times[-1] <= MOST_SECONDS):
        raise ValueError("a time outside of the run")
    if (np.diff(times) < 0).any():
        raise ValueError("times that fall")
    return Timed(times, values)
