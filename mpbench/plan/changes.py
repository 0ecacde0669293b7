"""The changes of links during a run, as a job has them: steps, with nothing to draw."""

import math
import random
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from jobs.changes import MOST_STEPS, Series
from mpbench import units
from mpbench.errors import UserError
from mpbench.plan import delivery_traces
from mpbench.spec import Spec, change_checks, text_files
from mpbench.spec.change_values import LINK, Given, Range, Value, read_value
from mpbench.spec.changes import PERIOD, TIME, UP, Changes, LinkChanges, Place
from mpbench.spec.document import dotted
from mpbench.spec.expressions import Expression
from mpbench.spec.values import Loc
from topologies.parameters import DOWN

DECIMALS = 6
"""Of a drawn value in its canonical unit: 1 bit/s, 1 ns."""

KEYS = {
    "capacity": "capacity_mbps",
    "delay": "delay_ms",
    "queue": "queue_packets",
    "loss": "loss_percent",
    UP: "up",
}
"""Names of the quantities that change, in a job."""


def overrides(
    spec: Spec, point: Mapping[str, float | int | str], number: int | None = None
) -> dict[str, float | int]:
    """The parameters that the file gives by its changes alone, by name.

    What holds at 0 s is the link's parameter, unless the file gives that too. Of
    expressions, only those count here whose names are all factors.

    point, number : as for `at_point`
    """
    found: dict[str, float | int] = {}
    known = {p.name for p in spec.network_description.parameters}
    changing = at_point(spec, point, number, partly=True)
    for link, (_, given) in change_checks.named(changing).items():
        values = {q: dict(ways) for q, ways in change_checks.initial(given).items()}
        if given.trace is not None:
            values["capacity"] = _trace_means(spec, link, given)
        for quantity, ways in values.items():
            for way, value in ways.items():
                down = DOWN if way == "down" else ""
                name = f"{link}.{down}{quantity}"
                if name in known and not _is_given(spec, name):
                    found[name] = value
    return found


def at_point(
    spec: Spec,
    values: Mapping[str, Any],
    number: int | None = None,
    partly: bool = False,
) -> Changes:
    """The changes of a file, with the values of their expressions.

    values : of parameters and factors by name
    number : of the point, for messages; None for the only one
    partly : whether a link stays as it is if a name is not among the values

    Raises UserError for a value that a link cannot have, and for times that do not rise
    or come after the traffic.
    """
    found: Changes = {}
    for key, given in spec.changes.items():
        places = list(given.expressions)
        names = {name for place in places for name in place.expression.names}
        if not places or (partly and not names <= values.keys()):
            found[key] = given
        else:
            found[key] = _Resolved(spec, key, given, values, number).changes
    return found


class _Resolved:
    """The changes of a link at a point. Raises UserError for impossible ones."""

    def __init__(
        self,
        spec: Spec,
        key: str,
        given: LinkChanges,
        values: Mapping[str, Any],
        number: int | None,
    ) -> None:
        self.spec, self.key, self.values, self.number = spec, key, values, number
        self.units = {name: p.unit for name, p in spec.variable().items()}
        for place in given.expressions:
            self._check(place)
        self.times: dict[str, str] = {}
        for text, how in given.times.items():
            time = self._text("s", how)
            if time in self.times:
                reason = f"two changes come at the same time, {time}"
                raise self._refusal(("at",), f"{reason}; keep them apart")
            self.times[time] = text
        try:
            self.changes = LinkChanges.model_validate(given.written(self._text))
        except ValidationError as error:
            fault = error.errors()[0]
            at = tuple(self.times.get(str(part), part) for part in fault["loc"])
            reason = fault.get("ctx", {}).get("error", fault["msg"])
            raise self._refusal(at, str(reason)) from None
        end_s = spec.known_end_s
        for text, time_s, _ in self.changes.steps:
            if end_s is not None and time_s >= end_s:
                reason = f"{text} is not before the end of the traffic, at {end_s:g} s"
                hint = "give an earlier time"
                raise self._refusal(("at", self.times[text]), f"{reason}; {hint}")

    def _check(self, place: Place) -> None:
        """Raises UserError if an expression gives no value of its quantity."""
        text = f"'{place.expression.text}'"
        try:
            value = self._number(place.unit, place.expression)
        except ValueError as error:
            raise self._refusal(place.at, f"{text} {error}") from None
        written = self._text(place.unit, place.expression)
        try:
            if place.quantity is not None:
                read_value(written, LINK[place.quantity])
            elif place.at[0] == "at":
                TIME.check(written)
            else:
                PERIOD.check(written)
        except ValueError as error:
            given = f"{text} gives {value:g} {place.unit}"
            raise self._refusal(place.at, f"{given}: {error}") from None

    def _number(self, unit: str, expression: Expression) -> float:
        unset = [name for name in expression.names if self.values[name] is None]
        if unset:
            raise ValueError(f"needs {unset[0]}, which is not set")
        value = float(expression.value(unit, self.units, self.values))
        if not math.isfinite(value):
            raise ValueError(f"gives {value:g}; it must give a finite number")
        if unit in units.COUNTS:
            return math.floor(value + 0.5)
        return round(value, DECIMALS)

    def _text(self, unit: str, value: Value) -> str:
        """A number, or that of an expression, as text for an experiment file."""
        number = self._number(unit, value) if isinstance(value, Expression) else value
        return f"{number!r}".removesuffix(".0") + f" {unit}"

    def _refusal(self, at: Loc, reason: str) -> UserError:
        place = ("changes", self.key, *at)
        where = f"{self.spec.where(*place)}: {dotted(place)}"
        point = "" if self.number is None else f", point {self.number}"
        return UserError(f"{where}{point}: {reason}")


def _is_given(spec: Spec, name: str) -> bool:
    """Whether the file gives a parameter by itself."""
    own = spec.network.given if spec.network else ()
    return name in spec.parameters or name in own or name in spec.expressions


def series(
    spec: Spec, changing: Changes, seed: int, limit_s: float | None
) -> tuple[Series, ...]:
    """The changes of a job: one object per link, direction and quantity.

    changing : the changes at the job's point, see `at_point`
    seed : of the run; draws follow from it
    limit_s : when the traffic ends, at the latest; None if it is not known

    Raises UserError for a trace that cannot be read, for one that ends too early, and
    for draws without an end.
    """
    made: list[Series] = []
    for link, (key, given) in change_checks.named(changing).items():
        made += _steps(link, given)
        if given.every is not None:
            end_s = _needed(spec, key, "every", limit_s)
            made += _draws(link, given, seed, end_s)
        if given.trace is not None:
            made += _traced(spec, link, key, given, limit_s)
    count = sum(len(one.at_s) for one in made)
    if count > MOST_STEPS:
        reason = f"{count} steps in a run; at most {MOST_STEPS} work"
        where = spec.where("changes")
        raise UserError(f"{where}: changes: {reason}; give fewer, or a longer 'bin'")
    return tuple(made)


def _series(
    link: str,
    way: str,
    quantity: str,
    steps: list[tuple[float, float]],
    period_s: float | None,
) -> Series:
    return Series(
        link=link,
        direction=way,
        quantity=KEYS[quantity],
        at_s=tuple(time for time, _ in steps),
        values=tuple(value for _, value in steps),
        period_s=period_s,
    )


def _steps(link: str, given: LinkChanges) -> Iterator[Series]:
    """Series from `at`: one for each quantity and direction that it names."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _, time_s, step in given.steps:
        for quantity, value in step.given.items():
            for way, number in _numbers(value):
                found.setdefault((quantity, way), []).append((time_s, number))
        if step.up is not None:
            found.setdefault((UP, "both"), []).append((time_s, float(step.up)))
    for (quantity, way), steps in _apart(found).items():
        yield _series(link, way, quantity, steps, given.period_s)


def _apart(
    found: dict[tuple[str, str], list[tuple[float, float]]],
) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """The steps of each direction alone, where some are of one direction only."""
    result: dict[tuple[str, str], list[tuple[float, float]]] = {}
    split = {quantity for quantity, way in found if way != "both"}
    for (quantity, way), steps in found.items():
        ways = ("up", "down") if quantity in split and way == "both" else (way,)
        for one in ways:
            result.setdefault((quantity, one), []).extend(steps)
    return {key: sorted(steps) for key, steps in result.items()}


def _numbers(value: Given) -> Iterator[tuple[str, float]]:
    for way, number in value.ways.items():
        assert not isinstance(number, Range | Expression)
        yield way, float(number)


def _draws(link: str, given: LinkChanges, seed: int, end_s: float) -> Iterator[Series]:
    """Draws of `every`: uniform between the ends of each range.

    Each draw has a generator of its own, so that a longer run begins as a shorter one.
    """
    every_s = given.every_s or 0.0
    count = min(int(end_s / every_s) + 1, MOST_STEPS + 1)
    times = [round(number * every_s, 9) for number in range(count)]
    times = [time for time in times if time < end_s] or [0.0]
    for quantity, drawn in given.ranges.items():
        for way, span in drawn.ways.items():
            assert isinstance(span, Range)
            steps = [
                (time, _draw(span, f"{seed}/changes/{link}/{way}/{quantity}/{number}"))
                for number, time in enumerate(times)
            ]
            yield _series(link, way, quantity, steps, None)


def _draw(span: Range, seed: str) -> float:
    random_ = random.Random(seed)
    assert not isinstance(span.min, Expression)
    assert not isinstance(span.max, Expression)
    if isinstance(span.min, int) and isinstance(span.max, int):
        return float(random_.randint(span.min, span.max))
    return round(random_.uniform(span.min, span.max), DECIMALS)


def _needed(spec: Spec, key: str, what: str, limit_s: float | None) -> float:
    """The end of the traffic. Raises UserError if it is not known."""
    if limit_s is not None:
        return limit_s
    where = f"{spec.where('changes', key, what)}: changes.{key}.{what}"
    reason = "the end of traffic of a given size is not known"
    raise UserError(f"{where}: {reason}; give a 'time_limit', or a 'duration'")


def _trace_means(spec: Spec, link: str, given: LinkChanges) -> dict[str, float]:
    found = {}
    for way, file in _trace_files(given).items():
        trace = delivery_traces.read(*_trace_place(spec, link, way, file))
        found[way] = round(trace.mean_mbps, DECIMALS)
    return found


def _traced(
    spec: Spec, link: str, key: str, given: LinkChanges, limit_s: float | None
) -> Iterator[Series]:
    """Capacity of each bin of a trace."""
    for way, file in _trace_files(given).items():
        path, where = _trace_place(spec, link, way, file)
        trace = delivery_traces.read(path, where)
        if given.repeat is not True:
            hint = "write 'repeat: true'"
            if limit_s is None:
                reason = "the traffic may go on for longer than the trace"
                raise UserError(f"{where}: {reason}; {hint}")
            if trace.lasts_s < limit_s:
                reason = f"ends at {trace.lasts_s:g} s, before the traffic"
                raise UserError(f"{where}: {reason}, at {limit_s:g} s; {hint}")
        steps = trace.steps(given.bin or delivery_traces.BIN_S)
        if len(steps) > MOST_STEPS:
            reason = f"{len(steps)} steps; at most {MOST_STEPS} work"
            raise UserError(f"{where}: {reason}; give a longer 'bin'")
        period_s = trace.lasts_s if given.repeat is True else None
        yield _series(link, way, "capacity", steps, period_s)


def _trace_files(given: LinkChanges) -> Mapping[str, str]:
    """The file of each direction: `both`, or `up` and `down`."""
    assert given.trace is not None
    up, down = given.trace.up, given.trace.down
    return {"both": up} if up == down else {"up": up, "down": down}


def _trace_place(spec: Spec, link: str, way: str, file: str) -> tuple[str, str]:
    """The path of a trace, and `file:line: key: trace` for messages."""
    key = change_checks.named(spec.changes)[link][0]
    place = ("changes", key, "trace", *(() if way == "both" else (way,)))
    where = f"{spec.where(*place)}: {dotted(place)}: {file[:200]}"
    return str(text_files.placed(spec.folder(*place), file, where)), where
