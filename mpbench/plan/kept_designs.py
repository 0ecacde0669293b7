"""Points of designs in the cache: drawing them needs numpy, which takes long to load.

A file is named by all that decides the points, and its first line is the hash of the
rest. A file that is missing, damaged or not of this design is drawn again, so the
folder can be removed at any time.
"""

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import util
from pathlib import Path
from typing import Any

import wsp
from mpbench.errors import UserError
from mpbench.kernel import cache as kernels
from mpbench.store import atomic, json_file

FOLDER = "designs"
MOST_VALUES = 1_000_000
"""A larger design is drawn each time."""
MOST_BYTES = 32 * MOST_VALUES

Values = list[list[float]]
"""One list per point, with a value per factor, in the factors' units."""


def points(
    factors: Sequence[wsp.Factor],
    count: int,
    seed: int,
    options: Mapping[str, Any],
    draw: Callable[[], Values],
) -> Values:
    """Points of a design without constraints, from the cache or by `draw`.

    options : further keyword arguments of `wsp.make_design`
    """
    if count * len(factors) > MOST_VALUES:
        return draw()
    file = _file([factors, count, seed, options])
    if file is None:
        return draw()
    found = _read(file, factors, count)
    if found is None:
        found = draw()
        _write(file, found)
    return found


def _file(asked: Sequence[Any]) -> Path | None:
    """The file of the points; None without a home."""
    text = json.dumps([_code(), asked], default=vars, sort_keys=True)
    name = hashlib.sha256(text.encode()).hexdigest()[:32]
    try:
        return kernels.root() / FOLDER / f"{name}.json"
    except UserError:
        return None


@cache
def _code() -> str:
    """Everything that draws: this version of wsp and of numpy.

    The file with numpy's version is read, because loading numpy takes longer than all
    else that a plan does.
    """
    own = hashlib.sha256()
    for path in sorted(Path(wsp.__file__).parent.glob("*.py")):
        own.update(path.read_bytes())
    spec = util.find_spec("numpy")
    for folder in spec.submodule_search_locations or () if spec else ():
        own.update(Path(folder, "version.py").read_bytes())
    return own.hexdigest()


def _read(file: Path, factors: Sequence[wsp.Factor], count: int) -> Values | None:
    try:
        head, _, text = json_file.read_bytes(file, MOST_BYTES).partition(b"\n")
        if head != _hash(text):
            return None
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(found, list) and len(found) == count
    return found if whole and all(_fits(row, factors) for row in found) else None


def _fits(row: object, factors: Sequence[wsp.Factor]) -> bool:
    """Whether a point of the file has a value in the range of each factor."""
    return (
        isinstance(row, list)
        and len(row) == len(factors)
        and all(isinstance(value, float) and math.isfinite(value) for value in row)
        and all(
            factor.minimum <= value <= factor.maximum
            for value, factor in zip(row, factors, strict=True)
        )
    )


def _write(file: Path, values: Values) -> None:
    """Keep the points, where the folder can be written."""
    text = json.dumps(values).encode()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_bytes(file, _hash(text) + b"\n" + text)
    except OSError:
        return


def _hash(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()
