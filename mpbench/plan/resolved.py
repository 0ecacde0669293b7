"""Rules for the links of a resolved job, whoever gave the values.

A value that the file gives and one that mpbench chooses have the same rules, so the
rules are checked after every value is known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobs.changes import Series
from topologies.parameters import DOWN
from topologies.shaping import MOST_QUEUE_PACKETS, Shape

ROUNDING_MS = 1e-6
"""Values are rounded to a nanosecond."""


@dataclass(frozen=True)
class Fault:
    """A value of a link that no run can have.

    link : its name
    quantity : the parameter to change, such as `jitter`
    reason : what is wrong, and what would work
    changed : whether only a change during the run makes it wrong
    """

    link: str
    quantity: str
    reason: str
    changed: bool = False


def with_default_jitter(
    shapes: Mapping[str, Shape],
    values: Mapping[str, Any],
    changing: Sequence[Series],
) -> dict[str, Shape]:
    """The links with a jitter that no delay of the run is less than, where the file
    leaves the jitter to mpbench.

    values : parameters by canonical key; a jitter of None is one that is not set
    changing : the job's changes
    """
    found = dict(shapes)
    for name, shape in shapes.items():
        if values.get(f"{name}.jitter_ms", 0.0) is not None:
            continue
        up = _at_most(shape, least_delay_ms(name, shape, False, changing))
        down = shape.down and _at_most(
            shape.down, least_delay_ms(name, shape.down, True, changing)
        )
        found[name] = replace(up, down=down)
    return found


def _at_most(shape: Shape, delay_ms: float) -> Shape:
    return replace(shape, jitter_ms=min(shape.jitter_ms, delay_ms))


def least_delay_ms(
    name: str, way: Shape, down: bool, changing: Sequence[Series]
) -> float:
    """The shortest delay of a link's direction during the run."""
    delays = [
        float(value)
        for one in changing
        if one.link == name and one.quantity == "delay_ms" and one.of(not down)
        for value in one.values
    ]
    return min([way.delay_ms, *delays])


def faults(shapes: Mapping[str, Shape], changing: Sequence[Series]) -> Iterator[Fault]:
    """The values of the links that no run can have."""
    for name, shape in shapes.items():
        for down, way in ((False, shape), (True, shape.down or shape)):
            yield from _jitter(name, way, down, changing)
            yield from _queue(name, way, down and shape.down is not None)


def _jitter(
    name: str, way: Shape, down: bool, changing: Sequence[Series]
) -> Iterator[Fault]:
    """A delay line cannot take a packet's delay below nothing."""
    jitter_ms = way.jitter_ms
    if jitter_ms > way.delay_ms + ROUNDING_MS:
        reason = f"{jitter_ms:g} ms is more than the delay, {way.delay_ms:g} ms"
        yield Fault(name, "jitter", f"{reason}; give at most that")
        return
    least_ms = least_delay_ms(name, way, down, changing)
    if jitter_ms > least_ms + ROUNDING_MS:
        reason = f"a delay of {least_ms:g} ms is less than the jitter, {jitter_ms:g} ms"
        hint = "give at least that, or less jitter"
        yield Fault(name, "delay", f"{reason}; {hint}", changed=True)


def _queue(name: str, way: Shape, down: bool) -> Iterator[Fault]:
    """tc counts the bytes of a queue in 32 bits."""
    if way.capacity_mbps is not None and way.queue_packets > MOST_QUEUE_PACKETS:
        reason = f"at {way.capacity_mbps:g} Mbit/s the queue has {way.queue_packets}"
        reason += f" packets, and {MOST_QUEUE_PACKETS} at most work"
        yield Fault(
            name, f"{DOWN if down else ''}queueing_delay", f"{reason}; give less"
        )
