"""Parameters of controllers and schedulers that are computed at a point of the design.

design: {factors: {beta: [0.1, 0.25, 0.5]}}
cases: {ecf: {scheduler: {name: ecf, beta: = beta}, ...}}
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mpbench import units
from mpbench.spec.cases import Case
from mpbench.spec.expressions import Expression
from mpbench.spec.networks import value_fault
from mpbench.spec.sections import Sections
from mpbench.spec.values import Faults, Loc
from mpbench.spec.with_params import COMPUTED, WithParams
from topologies import Parameter


class Place(NamedTuple):
    """An expression, with its place in the file."""

    at: Loc
    expression: Expression


def transports(spec: Sections) -> Iterator[tuple[Loc, Case]]:
    """The cases, and the transports of traffic entries, with their places."""
    for name, case in spec.cases.items():
        yield ("cases", name), case
    for index, entry in enumerate(spec.traffic):
        if entry.transport is not None:
            yield ("traffic", index, "transport"), entry.transport


def places(spec: Sections) -> Iterator[Place]:
    """All expressions of cases and transports."""
    for at, case in transports(spec):
        for kind, tuned in _tuned(case).items():
            for key, expression in tuned.expressions.items():
                yield Place((*at, kind, key), expression)


def _tuned(case: Case) -> Mapping[str, WithParams]:
    """The controller and the scheduler of a case, by its key."""
    found = {kind: getattr(case, kind) for kind in COMPUTED}
    return {kind: tuned for kind, tuned in found.items() if tuned is not None}


def check(
    spec: Sections, known: Mapping[str, Parameter], network: str, faults: Faults
) -> None:
    """Adds the faults of expressions that name what is not there or give no number.

    known : the network's parameters and the factors with names of the user's own
    network : its name, for messages
    """
    for at, expression in places(spec):
        if reason := value_fault(expression, units.PLAIN, known, network):
            faults.add(at, reason)


def at_point(case: Case, at: Loc, compute: Any) -> Case:
    """The case with values in place of expressions.

    at : its place in the file
    compute : gives the value for a Place and the parameter's Knob
    """
    changed = {}
    for kind, tuned in _tuned(case).items():
        computed = tuned.expressions
        if computed:
            known = tuned.knobs(kind)
            changed[kind] = tuned.with_values(
                {
                    k: compute(Place((*at, kind, k), how), known[k])
                    for k, how in computed.items()
                }
            )
    return case.model_copy(update=changed) if changed else case
