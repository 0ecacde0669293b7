"""Small random changes of the delays of links, which a repetition's seed gives.

A network without noise gives the same run under every seed. With slightly other delays
in each repetition, the spread of its results says how much of a number belongs to the
network, and how much to chance.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from jobs.changes import Series
from mpbench.plan.parameters import DECIMALS
from topologies.shaping import Shape

DELAY = "delay_ms"
PERCENT_DECIMALS = 6


def drawn(
    share_percent: float,
    shapes: Mapping[str, Shape],
    changing: Sequence[Series],
    seed: int,
) -> dict[str, float]:
    """The change of each link's delay in percent of it, by the link's name.

    share_percent : the changes are uniform from minus to plus this
    shapes : of the links as the file asks for them
    changing : the changes during the run
    seed : of the run; all cases of a point and repetition have the same

    A link without any delay has no change. A link keeps its change when others come.
    """
    moved = {one.link for one in changing if one.quantity == DELAY}
    return {
        name: _percent(share_percent, seed, name)
        for name, shape in shapes.items()
        if shape.delay_ms or (shape.down and shape.down.delay_ms) or name in moved
    }


def _percent(share_percent: float, seed: int, name: str) -> float:
    place = random.Random(f"{seed}/perturb/delay/{name}").random()
    return round(share_percent * (2 * place - 1), PERCENT_DECIMALS)


def of_shapes(
    shapes: Mapping[str, Shape], percents: Mapping[str, float]
) -> dict[str, Shape]:
    """The links with their changed delays, the same change in both directions."""
    return {
        name: _of_shape(shape, percents[name]) if name in percents else shape
        for name, shape in shapes.items()
    }


def of_changes(
    changing: Sequence[Series], percents: Mapping[str, float]
) -> tuple[Series, ...]:
    """The changes during a run; a delay is changed as the link's own is."""
    return tuple(
        replace(one, values=tuple(_ms(v, percents[one.link]) for v in one.values))
        if one.quantity == DELAY
        else one
        for one in changing
    )


def _of_shape(shape: Shape, percent: float) -> Shape:
    down = _of_shape(shape.down, percent) if shape.down else None
    return replace(shape, delay_ms=_ms(shape.delay_ms, percent), down=down)


def _ms(delay_ms: float, percent: float) -> float:
    return round(delay_ms * (1 + percent / 100), DECIMALS)
