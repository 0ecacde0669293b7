"""Design points: ranges spread by the library wsp, lists crossed with them."""

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import wsp
from analysis.words import many
from mpbench.errors import UserError
from mpbench.plan import kept_designs
from mpbench.plan.parameters import DECIMALS, computed, fixed, sources
from mpbench.spec import Spec
from mpbench.spec.choices import Choices
from mpbench.spec.constraints import Constraint, parse
from mpbench.spec.design import Design
from mpbench.spec.factors import Factor
from mpbench.spec.trait_factors import Words
from topologies import Parameter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Point = dict[str, float | int | str]
Spread = Callable[..., "wsp.Design"]
"""`wsp.make_design`, or a stand-in for it in tests."""


def points(spec: Spec, make_design: Spread | None = None) -> list[Point]:
    """The design points, each from name of a factor to canonical value, or to the
    name of a queue discipline.

    Ranges vary slowest, then the lists in order, the last one fastest. A constraint
    between ranges is applied while they are spread, so that the design has the number
    of points that was asked for. One that names a list drops combinations afterwards.

    No two points are the same: they would have the same runs, which would count twice.

    Raises UserError if the constraints, the steps or the rounding of values leave too
    few points.
    """
    if spec.design is None:
        return [{}]
    design = spec.design
    parameters = _parameters(spec)
    rows: list[Point] = [{}]
    if design.spread:
        names = list(design.spread)
        values = _spread(spec, design, make_design)
        rows = [
            {n: _value(v, parameters[n]) for n, v in zip(names, row, strict=True)}
            for row in values
        ]
    lists = [_listed(factor) for factor in design.crossed.values()]
    result = [
        row
        | {
            n: _value(v, parameters[n])
            for n, v in zip(design.crossed, combination, strict=True)
        }
        for row in rows
        for combination in itertools.product(*lists)
    ]
    result = _allowed(result, spec, design)
    if not result:
        where = spec.where("design", "constraints")
        raise UserError(
            f"{where}: design.constraints: no combination satisfies them; loosen one"
        )
    differing = len({tuple(point.values()) for point in result})
    if differing < len(result):
        where = spec.where("design", "points")
        raise UserError(
            f"{where}: design.points: {many(len(result), 'point')}, of which"
            f" {differing} differ in the {DECIMALS} decimals that a value has; give"
            " fewer, or wider ranges"
        )
    return result


def _spread(
    spec: Spec, design: Design, make_design: Spread | None
) -> list[list[float]]:
    """The points of the factors that have a range, in their order."""

    def draw() -> list[list[float]]:
        drawn = draw_design(spec, make_design)
        return drawn.points.tolist() if drawn is not None else []

    if make_design is not None or design.constraints:
        return draw()
    seed, options = _seed(spec, design), design.wsp_options()
    return kept_designs.points(
        _factors(design), design.points or 0, seed, options, draw
    )


def _listed(factor: Factor | Choices | Words) -> Sequence[float | str]:
    return list(factor.by_label) if isinstance(factor, Choices) else factor.values or ()


def draw_design(spec: Spec, make_design: Spread | None = None) -> "wsp.Design | None":
    """The design of the factors that have a range, in canonical units.

    make_design : in place of `wsp.make_design`

    None if no factor has a range. Raises UserError if there are too few points.
    """
    design = spec.design
    if design is None or not design.spread:
        return None
    import numpy as np

    try:
        return (make_design or wsp.make_design)(
            _factors(design),
            design.points or 0,
            np.random.default_rng(_seed(spec, design)),
            constraint=_constraint(spec, design),
            **design.wsp_options(),
        )
    except ValueError as error:
        where = spec.where("design", "points")
        raise UserError(f"{where}: design: {error}") from error


def design_weights(spec: Spec, values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """A weight per point of the design, shape (n,): see `wsp.weights`.

    values : shape (n, d), the distinct points in canonical units, with one column per
        factor that has a range, in the order of the experiment file

    Raises ValueError if the experiment spreads no factor.
    """
    design = spec.design
    if design is None or not design.spread:
        raise ValueError("the design spreads no factor, so its points have no weights")
    import numpy as np

    return wsp.weights(
        _factors(design),
        values,
        np.random.default_rng(_seed(spec, design)),
        design.distance,  # type: ignore[arg-type]
        _constraint(spec, design),
    )


def _factors(design: Design) -> list[wsp.Factor]:
    return [
        wsp.Factor(name, *factor.ends, factor.step, factor.integer)
        for name, factor in design.spread.items()
    ]


def _seed(spec: Spec, design: Design) -> int:
    return spec.seed if design.seed is None else design.seed


def _constraint(
    spec: Spec, design: Design
) -> "Callable[[NDArray[np.float64]], NDArray[np.bool_]] | None":
    """The constraints that name no list, over an array of shape (n, d)."""
    early = [c for c in map(parse, design.constraints) if not _late(c, spec, design)]
    if not early:
        return None
    import numpy as np

    same = fixed(spec)

    def holds(values: "NDArray[np.float64]") -> "NDArray[np.bool_]":
        columns = dict(zip(design.spread, values.T, strict=True))
        known = computed(spec, same | columns)
        masks = [_mask(c, known, len(values)) for c in early]
        return np.asarray(np.logical_and.reduce(masks))

    return holds


def _mask(
    constraint: Constraint, values: dict[str, Any], n: int
) -> "NDArray[np.bool_]":
    import numpy as np

    return np.broadcast_to(constraint.holds(values), (n,))


def _allowed(rows: list[Point], spec: Spec, design: Design) -> list[Point]:
    late = [c for c in map(parse, design.constraints) if _late(c, spec, design)]
    same = fixed(spec)
    return [
        row
        for row in rows
        if not late or all(c.holds(computed(spec, same | row)) for c in late)
    ]


def _late(constraint: Constraint, spec: Spec, design: Design) -> bool:
    """Whether a constraint needs the value of a factor that is a list."""
    needed = set().union(*(sources(spec, name) for name in constraint.names))
    return not needed.isdisjoint(design.crossed)


def _parameters(spec: Spec) -> dict[str, Parameter]:
    return spec.variable()


def _value(value: float | str, parameter: Parameter) -> float | int | str:
    """Rounded, within the parameter's bounds, and whole where it must be. Words stay
    as they are."""
    if isinstance(value, str):
        return value
    if parameter.integer:
        return round(value)
    rounded = round(float(value), DECIMALS)
    return min(max(rounded, parameter.minimum), parameter.maximum)
