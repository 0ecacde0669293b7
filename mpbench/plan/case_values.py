"""Cases at a design point: the values of parameters that are computed."""

import math
from collections.abc import Mapping
from typing import Any

from mpbench import units
from mpbench.errors import UserError
from mpbench.spec import Spec, computed_cases
from mpbench.spec.cases import Case
from mpbench.spec.computed_cases import Place
from mpbench.spec.document import dotted
from mpbench.spec.knobs import Knob, Value
from mpbench.spec.values import Loc


def at_point(
    spec: Spec, case: Case, at: Loc, values: Mapping[str, Any], number: int | None
) -> Case:
    """The case with values in place of expressions.

    at : its place in the file
    values : of the network's parameters and of factors, by name
    number : of the point, for messages; None for the only one

    Raises UserError for a value that the parameter cannot have.
    """

    def compute(place: Place, knob: Knob) -> Value:
        try:
            return _value(spec, place, knob, values)
        except ValueError as error:
            where = f"{spec.where(*place.at)}: {dotted(place.at)}"
            point = "" if number is None else f", point {number}"
            raise UserError(f"{where}{point}: {error}") from None

    return computed_cases.at_point(case, at, compute)


def _value(spec: Spec, place: Place, knob: Knob, values: Mapping[str, Any]) -> Value:
    """The value of an expression, whole where the parameter is."""
    expression = place.expression
    unset = [name for name in expression.names if values[name] is None]
    if unset:
        raise ValueError(f"{unset[0]} is not set; set it under 'parameters'")
    known = {name: p.unit for name, p in spec.variable().items()}
    found = float(expression.value(units.PLAIN, known, values))
    text = f"'{expression.text}'"
    if not math.isfinite(found):
        raise ValueError(f"{text} gives {found:g}; it must give a finite number")
    number = math.floor(found + 0.5) if knob.scale == 1 else found
    try:
        return knob.check(number)
    except ValueError as error:
        given = ", ".join(f"{name} = {values[name]:g}" for name in expression.names)
        where = f" where {given}" if given else ""
        raise ValueError(f"{text} gives {found:g}{where}: {error}") from None
