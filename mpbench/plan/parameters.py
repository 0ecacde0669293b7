"""The value of every parameter of the network at a design point."""

import math
from collections.abc import Mapping
from typing import Any

from mpbench.errors import UserError
from mpbench.plan import changes
from mpbench.spec import Spec
from mpbench.spec.document import dotted
from mpbench.spec.expressions import Expression, Reference
from topologies import Parameter

DECIMALS = 6
"""Of a value in its canonical unit: 1 bit/s, 1 ns. What tc can set, and coarse
enough that the last bit of a mathematics library does not change a run's id."""

Value = float | int | None


def parameter_values(
    spec: Spec, point: Mapping[str, float | int | str], number: int | None = None
) -> dict[str, Value]:
    """The value of each parameter of the network by canonical key; None for "not set".

    point : name of a factor to its value in the canonical unit
    number : of the point, for messages; None for the only one

    Raises UserError if an expression gives a value that its parameter cannot have.
    """
    parameters = {p.name: p for p in spec.network_description.parameters}
    values: dict[str, Any] = {n: p.default for n, p in parameters.items()}
    values |= changes.overrides(spec, point, number)
    values |= {n: v for n, v in spec.parameters.items() if not _computed(v)}
    known = parameters | spec.variables
    values |= {n: v for n, v in point.items() if n in known}
    for name, expression in spec.expressions.items():
        try:
            value = _value(expression, parameters[name], known, values)
        except ValueError as error:
            place = spec.place(name)
            at = f"{spec.where(*place)}: {dotted(place)}"
            where = "" if number is None else f", point {number}"
            raise UserError(f"{at}{where}: {error}") from None
        values[name] = value
    return {p.key: values[name] for name, p in parameters.items()}


def by_name(
    spec: Spec, point: Mapping[str, float | int | str], values: Mapping[str, Value]
) -> dict[str, Any]:
    """The values of parameters and factors of a point by their names.

    values : of the network's parameters, by canonical key
    """
    parameters = spec.network_description.parameters
    return {**point, **{p.name: values[p.key] for p in parameters}}


def computed(spec: Spec, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with those of expressions, as far as they follow from `values`.

    values : a number or an array for each parameter by name; NaN for one not set
    """
    units = {name: p.unit for name, p in spec.variable().items()}
    result = dict(values)
    for name, expression in spec.expressions.items():
        result.pop(name, None)
        if all(used in result for used in expression.names):
            result[name] = expression.value(units[name], units, result)
    return result


def fixed(spec: Spec) -> dict[str, Any]:
    """The parameters that are the same in all points, by name; NaN if not set.

    What an expression computes is left out.
    """
    varied = spec.design.factors if spec.design else {}
    values: dict[str, Any] = {
        name: math.nan if p.default is None else p.default
        for name, p in spec.variable().items()
        if name not in varied
    }
    values |= {n: v for n, v in spec.parameters.items() if not _computed(v)}
    return {n: v for n, v in values.items() if n not in spec.expressions}


def sources(spec: Spec, name: str) -> set[str]:
    """The parameter itself, and all that it is computed from."""
    found = {name}
    for computed_name, expression in reversed(list(spec.expressions.items())):
        if computed_name in found:
            found.update(expression.names)
    return found


def _computed(value: object) -> bool:
    return isinstance(value, Expression)


def _value(
    expression: Expression,
    parameter: Parameter,
    known: Mapping[str, Parameter],
    values: Mapping[str, Any],
) -> Value:
    """The value of an expression, checked. Raises ValueError if it does not fit."""
    unset = [name for name in expression.names if values[name] is None]
    if unset:
        if isinstance(expression.tree, Reference) and parameter.default is None:
            return None
        raise ValueError(f"{unset[0]} is not set; set it under 'parameters'")
    units = {name: known[name].unit for name in expression.names}
    units[parameter.name] = parameter.unit
    number = float(expression.value(parameter.unit, units, values))
    text = f"'{expression.text}'"
    if not math.isfinite(number):
        raise ValueError(f"{text} gives {number:g}; it must give a finite number")
    number = round(number, DECIMALS)
    if parameter.integer:
        number = math.floor(number + 0.5)
    low, high, unit = parameter.minimum, parameter.maximum, parameter.unit
    if not low <= number <= high:
        reason = f"{text} gives {number:g} {unit}"
        inputs = ", ".join(
            f"{n} = {values[n]:g} {known[n].unit}".rstrip() for n in expression.names
        )
        if inputs:
            reason += f" where {inputs}"
        raise ValueError(f"{reason}; {parameter.name} is {low:g} to {high:g} {unit}")
    return int(number) if parameter.integer else number
