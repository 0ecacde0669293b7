"""Factors with names of the user's own, from which parameters are computed.

    design: {factors: {rtt_ratio: [1, 2, 4, 8]}}
    parameters: {path2.delay: = path1.delay * rtt_ratio}

Such a name has no dot. Its unit is that of its values, or none.
"""

import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any

from analysis.campaign.columns import OWN_FACTOR
from mpbench import units
from mpbench.spec import expressions
from mpbench.spec.factor_units import SUFFIXES, unit_of
from topologies import Parameter

PATTERN = r"^[A-Za-z][A-Za-z0-9_]{0,29}$"
MOST = 1e9
"""Of the absolute value of a number, in its canonical unit."""
_NAME = re.compile(PATTERN)
_USED = re.compile(r"(?<![A-Za-z0-9_.])[A-Za-z][A-Za-z0-9_]*(?![A-Za-z0-9_.(])")
_SECTIONS = ("parameters", "network", "changes", "cases", "traffic")
_TIMES = ("s", "ms")
_OTHERS = ("Mbit/s", "bytes", "%", *units.COUNTS)


def given(
    raw_factors: Mapping[Any, object], document: Mapping[Any, object]
) -> dict[str, Parameter]:
    """The factors without a dot that stand in expressions of a file, by name.

    raw_factors : the design's, as the file has them
    document : the file
    """
    used = {name for key in _SECTIONS for name in _names(document.get(key))}
    return {
        str(name): parameter(str(name), unit_of(raw))
        for name, raw in raw_factors.items()
        if str(name) in used
    }


def of_factors(factors: Mapping[str, Any]) -> dict[str, Parameter]:
    """The factors of a validated design that are names of the user's own, by name."""
    return {n: parameter(n, f.unit) for n, f in factors.items() if "." not in n}


def _names(value: object) -> Iterator[str]:
    """The names without a dot in all expressions of a part of a file."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _names(key)
            yield from _names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)
    elif expressions.is_expression(value):
        yield from _USED.findall(str(value)[: expressions.MOST_CHARACTERS])


def parameter(name: str, spelled: str | None) -> Parameter:
    """The factor as a parameter. spelled : its unit in the words of the file"""
    unit = _canonical(spelled)
    return Parameter(
        name,
        unit,
        f"{OWN_FACTOR}{name}{SUFFIXES.get(unit, '')}",
        None,
        -MOST,
        MOST,
        unit in units.COUNTS,
        "from which others are computed",
    )


def _canonical(spelled: str | None) -> str:
    """The canonical unit of a spelled one: seconds for whole seconds or longer times.

    None for an unknown unit, which is reported where the values are read.
    """
    for unit in (*_TIMES, *_OTHERS) if spelled else ():
        try:
            size = units.parse(f"1 {spelled}", unit)
        except ValueError:
            continue
        if unit != "s" or size >= 1:
            return unit
    return units.PLAIN


def fault(name: str) -> str:
    """Reason why a name cannot be one of a user's own; empty if it can."""
    if not _NAME.match(name):
        return "a name has up to 30 letters, digits and '_', and begins with a letter"
    taken = keyword.iskeyword(name) or name in expressions.FUNCTIONS
    if taken or name in units.SPELLINGS:
        return f"'{name}' has a meaning of its own in expressions; take another name"
    return ""


def hint(name: str) -> str:
    """Advice for a factor without a dot that no expression uses; empty for others."""
    if "." in name or not _NAME.match(name):
        return ""
    return (
        "A name of your own needs an expression that uses it, such as"
        f" 'LINK.delay: = 10 ms * {name}' under 'parameters'."
    )
