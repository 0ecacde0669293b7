"""The keys `observed` and `unknown` of a file for `mpbench diagnose`.

    observed: {goodput: 12.3 Mbit/s, within: 5 %}
    unknown:
      path1.queue: [10, 1000]
      path1.loss: any
      congestion_control: [cubic, bbr]

All other keys are those of an experiment file with one case. A number of the network is
a range `[LEAST, GREATEST]`, or `any`; a setting of the transport is a list of values.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.campaign.columns import column_of
from analysis.campaign.diagnosis import Observation, Unknown
from analysis.run.number_columns import words
from jobs.vocabulary import COLUMN_UNITS
from mpbench import units
from mpbench.errors import UserError
from mpbench.spec import Spec
from mpbench.spec.document import Place
from mpbench.spec.messages import listing, shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.vocabulary import METRICS
from topologies import Parameter

OBSERVED, UNKNOWN = "observed", "unknown"
WITHIN, ANY = "within", "any"
USUAL_PERCENT = 5.0
LEAST_PERCENT = 1e-6
LEAST_NUMBER, MOST_NUMBER = 1e-15, 1e15
"""Of what was observed. A tolerance of a smaller number would round to nothing."""
SETTINGS = ("congestion_control", "scheduler", "path_manager", "kernel")
"""Keys of a case that may be unknown, beside sysctls."""
USUAL_RANGES = {
    "capacity": (1.0, 100.0),
    "delay": (1.0, 200.0),
    "jitter": (0.0, 20.0),
    "loss": (0.0, 2.0),
    "queue": (2.0, 1000.0),
}
"""The range of `any` by the last part of a parameter's name, in its canonical unit."""


@dataclass(frozen=True)
class Asked:
    """The question of a file.

    spec : the experiment without the two keys
    case : its case
    """

    spec: Spec
    case: str
    observed: tuple[Observation, ...]
    unknown: tuple[Unknown, ...]


class _Faults:
    def __init__(self, where: Callable[[Place], str]) -> None:
        self._where = where
        self.lines: list[str] = []

    def add(self, place: Place, reason: str) -> None:
        name = ".".join(shortened(part) for part in place)
        self.lines.append(f"{self._where(place)}: {name}: {reason}")


def read(
    spec: Spec,
    keys: Mapping[str, Any],
    where: Callable[[Place], str],
    case: str | None = None,
) -> Asked:
    """Check the keys of a file.

    keys : the values of `observed` and `unknown`, as far as the file has them
    where : `file:line` of a place
    case : the case to search with; None if there is one only

    Raises UserError with one line for each fault.
    """
    faults = _Faults(where)
    chosen = case or next(iter(spec.cases))
    if case is None and len(spec.cases) > 1:
        names = ", ".join(spec.cases)
        faults.add(("cases",), f"there are several; choose with --case: {names}")
    if chosen not in spec.cases:
        raise UserError(f"--case {case}: no such case; {', '.join(spec.cases)} are")
    observed = _observed(spec, keys.get(OBSERVED), faults)
    unknown = _unknown(spec, keys.get(UNKNOWN), faults)
    if faults.lines:
        raise UserError(listing(faults.lines))
    return Asked(spec, chosen, tuple(observed), tuple(unknown))


def _observed(spec: Spec, value: object, faults: _Faults) -> list[Observation]:
    example = "write e.g. {goodput: 12.3 Mbit/s, within: 5 %}"
    if not isinstance(value, dict) or not set(value) - {WITHIN}:
        faults.add((OBSERVED,), f"needs a metric with its value; {example}")
        return []
    percent = USUAL_PERCENT
    if WITHIN in value:
        try:
            percent = units.parse(value[WITHIN], "%", None)
            if not LEAST_PERCENT <= percent <= 100:
                reason = f"{percent:g} % is not from {LEAST_PERCENT:g} to 100 %"
                raise ValueError(reason)
        except ValueError as error:
            faults.add((OBSERVED, WITHIN), str(error))
    found = []
    for metric in value:
        if metric == WITHIN:
            continue
        try:
            found.append(_observation(spec, metric, value[metric], percent / 100))
        except ValueError as error:
            faults.add((OBSERVED, metric), str(error))
    return found


def _observation(spec: Spec, metric: str, value: object, within: float) -> Observation:
    if metric not in METRICS and "." not in metric:
        raise ValueError(f"no such metric; {nearest(metric, METRICS)}")
    column = column_of(metric)
    _, unit = words(column)
    suffix = column.rpartition("_")[2]
    if unit := unit or COLUMN_UNITS.get(suffix, ""):
        number = units.parse(value, unit)
    elif isinstance(value, str) and value.rstrip().endswith("%"):
        number = units.parse(value, "%") / 100
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value)
    else:
        raise ValueError(f"'{shortened(value)}' is not a number, or one with %")
    if number == 0:
        raise ValueError("0 has no tolerance in percent; take another metric")
    if not LEAST_NUMBER <= abs(number) <= MOST_NUMBER:
        raise ValueError(
            f"{number:g} is no value of a metric; give one from {LEAST_NUMBER:g} to"
            f" {MOST_NUMBER:g}, in the unit {unit or '1'}"
        )
    return Observation(metric, column, number, within)


def _unknown(spec: Spec, value: object, faults: _Faults) -> list[Unknown]:
    if not isinstance(value, dict) or not value:
        reason = "needs at least one setting; write e.g. {path1.queue: [10, 1000]}"
        faults.add((UNKNOWN,), reason)
        return []
    parameters = {p.name: p for p in spec.network_description.parameters}
    factors = spec.design.factors if spec.design else {}
    found = []
    for name, given in value.items():
        try:
            if name in factors:
                raise ValueError("the design varies it as a factor; take it from there")
            if name in spec.parameters:
                raise ValueError("`parameters` sets it; take it away there")
            if name in parameters:
                found.append(_range(parameters[name], given))
            elif name in SETTINGS or name.startswith("net."):
                found.append(_choice(name, given))
            else:
                hint = nearest(name, [*parameters, *SETTINGS])
                raise ValueError(f"no parameter, setting or sysctl; {hint}")
        except ValueError as error:
            faults.add((UNKNOWN, name), str(error))
    return found


def _range(parameter: Parameter, given: object) -> Unknown:
    """A range of a parameter, in its canonical unit."""
    if given == ANY:
        kind = parameter.name.rpartition(".")[2]
        low, high = USUAL_RANGES.get(kind, (parameter.minimum, parameter.maximum))
    elif isinstance(given, list) and len(given) == 2:
        low, high = (units.parse(end, parameter.unit) for end in given)
    else:
        raise ValueError("expected [LEAST, GREATEST], or any")
    low, high = max(low, parameter.minimum), min(high, parameter.maximum)
    if not low < high:
        raise ValueError(
            f"{low:g} is not below {high:g} {parameter.unit}; write [LEAST, GREATEST]"
        )
    if parameter.integer and (low % 1 or high % 1):
        raise ValueError("expected whole numbers")
    name, key, unit = parameter.name, parameter.key, parameter.unit
    return Unknown(name, key, unit, (), low, high, parameter.integer)


def _choice(name: str, given: object) -> Unknown:
    if not isinstance(given, list) or len(given) < 2:
        raise ValueError("expected a list of two or more values")
    if not all(isinstance(one, str | int) for one in given):
        raise ValueError("expected words or whole numbers")
    values = tuple(map(str, given))
    if len(set(values)) < len(values):
        raise ValueError("a value stands there twice")
    return Unknown(name, name, "", values)


def cases(asked: Asked, unknown: Sequence[Unknown]) -> dict[str, dict[str, str]]:
    """The values of all settings by the name of a case, for each combination."""
    found: dict[str, dict[str, str]] = {asked.case: {}}
    for one in unknown:
        if one.is_range:
            continue
        found = {
            f"{name}-{number}": {**values, one.name: value}
            for name, values in found.items()
            for number, value in enumerate(one.values, start=1)
        }
    return found
