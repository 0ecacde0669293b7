"""Quantities with units, converted once into the canonical unit of their kind.

    parse("20 Mbit/s", "Mbit/s")   -> 20.0
    parse("1.5 Gbit/s", "Mbit/s")  -> 1500.0
    parse(20, "Mbit/s", "kbit/s")  -> 0.02      # bare number, unit stated elsewhere
    parse("10 ms", "Mbit/s")       -> ValueError: '10 ms' is a time; ...

Canonical units: `Mbit/s` (10^6 bit/s), `ms`, `s`, `bytes`, `packets`,
`connections`, `requests`, `users`, `%`, `/s`, and none. A kilo is 1000 and a Ki is
1024, for bits and for bytes. Where a unit is needed, a number without one is refused,
unlike in most tools. There are three exceptions: 0, a count (of packets, connections,
requests or users), and a number whose unit is stated beside it.
"""

import difflib
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pint

# canonical unit -> (kind in words, an example)
KINDS: dict[str, tuple[str, str]] = {
    "Mbit/s": ("a data rate", "20 Mbit/s"),
    "ms": ("a time", "10 ms"),
    "s": ("a time", "30 s"),
    "bytes": ("an amount of data", "100 kB"),
    "packets": ("a number of packets", "100 packets"),
    "connections": ("a number of connections", "4 connections"),
    "requests": ("a number of requests", "100 requests"),
    "users": ("a number of users", "3 users"),
    "%": ("a ratio", "1 %"),
    "/s": ("a number per time", "10 /s"),
    "": ("a number without a unit", "1.5"),
}

COUNTS = ("packets", "connections", "requests", "users")
"""Units that a number may leave out."""
PLAIN = ""
"""The unit of a ratio or another number without one."""

SPELLINGS = (
    "bit/s",
    "kbit/s",
    "Mbit/s",
    "Gbit/s",
    "kbps",
    "Mbps",
    "Gbps",
    "ns",
    "us",
    "ms",
    "s",
    "second",
    "min",
    "minute",
    "h",
    "hour",
    "B",
    "kB",
    "MB",
    "GB",
    "KiB",
    "MiB",
    "GiB",
    "byte",
    "kB/s",
    "MB/s",
    "packets",
    "users",
    "%",
    "percent",
    "/s",
    "/min",
)
"""Usual spellings, the nearest of which is offered for an unknown unit."""

BARE_PREFIXES = {
    "Mbit/s": {"k": "kbit/s", "K": "kbit/s", "m": "Mbit/s", "M": "Mbit/s"}
    | {"g": "Gbit/s", "G": "Gbit/s"},
    "bytes": {"k": "kB", "K": "kB", "m": "MB", "M": "MB", "g": "GB", "G": "GB"},
    "ms": {"m": "ms", "u": "us", "n": "ns"},
}
"""Most likely meaning of a prefix without its unit, such as the M of `10M`."""

MOST_CHARACTERS = 60
"""Length of a quantity's text."""

_DEFINITIONS = (
    "nano- = 1e-9 = n-",
    "micro- = 1e-6 = µ- = μ- = u-",
    "milli- = 1e-3 = m-",
    "kilo- = 1e3 = k-",
    "mega- = 1e6 = M-",
    "giga- = 1e9 = G-",
    "kibi- = 1024 = Ki-",
    "mebi- = 1048576 = Mi-",
    "gibi- = 1073741824 = Gi-",
    "bit = [information] = b",
    "byte = 8 * bit = B",
    "second = [time] = s = sec",
    "minute = 60 * second = min",
    "hour = 60 * minute = h",
    "packet = [packets]",
    "user = [users]",
    "connection = [connections]",
    "request = [requests]",
    "percent = 0.01 = %",
    "bps = bit / second",
    "Bps = byte / second",
)

COMMON = {
    "Mbit/s": {"kbit/s": 1e-3, "Mbit/s": 1.0, "Gbit/s": 1e3},
    "ms": {"us": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4},
    "s": {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0},
    "bytes": {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1024.0}
    | {"MiB": 1024.0**2, "GiB": 1024.0**3},
    "packets": {"packets": 1.0},
    "users": {"users": 1.0},
    "%": {"%": 1.0},
}
"""Factors of units that nearly all files use, by canonical unit. The library for units
takes longer to load than the rest of a short command."""

_QUANTITY = re.compile(
    r"""\s*(?P<number>[-+]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)
        \s*(?P<unit>[A-Za-zµμ%/].*?)?\s*""",
    re.VERBOSE,
)
_UNIT = re.compile(r"/?\s*[A-Za-zµμ%]+(?:\s*[/* ]\s*[A-Za-zµμ%]+)*")
"""No powers: nothing here has a unit with one, and a large one takes for ever."""

_MILLIBIT = re.compile(r"m(bit|b\b|bps|byte|B)")


@cache
def _registry() -> "pint.UnitRegistry[Any]":
    """A registry that knows the units of networks only: no furlongs, no barns."""
    import pint

    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(None)
    for definition in _DEFINITIONS:
        registry.define(definition)
    return registry


def parse(value: object, unit: str, stated: str | None = None) -> float:
    """A quantity of an experiment file in the canonical unit.

    value : a number, or text such as `20 Mbit/s`
    unit : canonical unit of the result, a key of KINDS
    stated : unit of a bare number, where the file says it beside the number

    The result is rounded to 12 significant digits, so that `0.1 s` is 100 ms
    and not 100.00000000000001. Raises ValueError with a one-line reason.
    """
    _, example = KINDS[unit]
    number, own = _split(value, example)
    if own is None:
        own = stated
    if own is None:
        if number == 0 or unit in (*COUNTS, PLAIN):
            return number
        raise ValueError(f"{_shown(value)} has no unit; {_with_unit(number, unit)}")
    return _convert(number, own, unit, value)


def _with_unit(number: float, unit: str) -> str:
    """Advice for a number without a unit.

    A fraction may be meant as a ratio or as a percentage, which nobody can guess.
    """
    if unit == "%" and 0 < abs(number) <= 1:
        return f"write '{100 * number:g} %' if it is a fraction, else '{number:g} %'"
    return f"write '{number:g} {unit}'"


def spelled(value: object) -> str | None:
    """The unit of a value, as the file spells it; None for none, or for no quantity."""
    try:
        return _split(value, "")[1]
    except ValueError:
        return None


def check_unit(text: str, unit: str) -> None:
    """Raises ValueError unless `text` is a unit of the same kind as `unit`."""
    _convert(1.0, text, unit, text)


def _split(value: object, example: str) -> tuple[float, str | None]:
    """The number and the unit of a value of a file; None for no unit."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{_shown(value)} is not a quantity; write e.g. '{example}'")
    if isinstance(value, str):
        match = _QUANTITY.fullmatch(value) if len(value) <= MOST_CHARACTERS else None
        if match is None:
            reason = f"{_shown(value)} is not a quantity; write e.g. '{example}'"
            raise ValueError(reason)
        number, own = float(match["number"]), match["unit"]
    else:
        number, own = _float(value), None
    if not math.isfinite(number):
        reason = f"{_shown(value)} is not a finite number; write e.g. '{example}'"
        raise ValueError(reason)
    return number, own


def _float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _convert(number: float, own: str, unit: str, value: object) -> float:
    factor = COMMON.get(unit, {}).get(own)
    if factor is not None:
        return float(f"{number * factor:.12g}")
    import pint

    if _MILLIBIT.match(own):
        correct = "M" + own[1:]
        raise ValueError(f"'{own}': m is for milli; did you mean '{correct}'?")
    registry = _registry()
    try:
        if not _UNIT.fullmatch(own):
            raise ValueError
        source = registry.parse_units(_spelled(own))
    except Exception:  # pint's parser fails in many ways on what is not a unit
        reason = f"unknown unit '{_cut(own)}'; {_nearest(own, unit)}"
        raise ValueError(reason) from None
    target = registry.parse_units(_spelled(unit))
    try:
        result = registry.Quantity(number, source).to(target).magnitude
    except pint.DimensionalityError:
        kind, example = KINDS[unit]
        reason = f"{_shown(value)} is {_kind(source)}; {kind} is needed"
        raise ValueError(f"{reason}, such as '{example}'") from None
    return float(f"{result:.12g}")


def _spelled(unit: str) -> str:
    """A unit as pint reads it, which knows no unit that begins with a slash."""
    return f"1{unit}" if unit.startswith("/") else unit


def _kind(unit: "pint.Unit") -> str:
    """Kind of quantity that a unit measures, in words."""
    registry = _registry()
    for canonical, (kind, _) in KINDS.items():
        if (
            registry.parse_units(_spelled(canonical)).dimensionality
            == unit.dimensionality
        ):
            return kind
    return f"of dimension {unit.dimensionality}"


def _nearest(own: str, unit: str) -> str:
    """Advice in place of an unknown unit."""
    meant = BARE_PREFIXES.get(unit, {}).get(own)
    if meant is not None:
        return f"did you mean '{meant}'?"
    fitting = [s for s in SPELLINGS if _fits(s, unit)]
    for choice in (fitting, list(SPELLINGS)):
        near = difflib.get_close_matches(_cut(own), choice, n=1, cutoff=0.5)
        if near:
            return f"did you mean '{near[0]}'?"
    return f"units that fit: {', '.join(fitting)}"


def _fits(spelling: str, unit: str) -> bool:
    registry = _registry()
    return (
        registry.parse_units(_spelled(spelling)).dimensionality
        == registry.parse_units(_spelled(unit)).dimensionality
    )


def _shown(value: object) -> str:
    """A value as a message quotes it."""
    if isinstance(value, str):
        return f"'{_cut(value)}'"
    try:
        return _cut(str(value).lower())
    except ValueError:  # Python prints no integer of more than 4,300 digits
        return "a number of thousands of digits"


def _cut(text: str) -> str:
    """A text on one line, without its end if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_CHARACTERS else f"{line[:MOST_CHARACTERS]}..."
