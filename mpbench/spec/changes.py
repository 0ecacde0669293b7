"""The section `changes:`: links that change while a run goes on."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator
from pydantic.config import JsonDict

from mpbench.spec import expressions
from mpbench.spec.change_values import (
    LINK,
    QUANTITIES,
    CapacityRange,
    CapacityValue,
    DelayRange,
    DelayValue,
    Given,
    LossRange,
    LossValue,
    QueueRange,
    QueueValue,
    Value,
    range_field,
    value_field,
)
from mpbench.spec.expressions import Expression
from mpbench.spec.traffic import DAY_S
from mpbench.spec.values import TEXT_PATTERN, Faults, Loc, Part, Quantity, Switch

UP = "up"
"""The key that says whether the interfaces of a link's users are up."""

LEAST_S, MOST_S = 0.001, DAY_S
TIME = Quantity("s", 0, MOST_S)
PERIOD = Quantity("s", LEAST_S, MOST_S)


class Step(Part):
    """Value of a link from a time on. What is not named stays as it is."""

    capacity: CapacityValue = value_field("Rate, or {up, down}; 0 is an outage.")
    delay: DelayValue = value_field("One-way delay, or {up, down}.")
    queue: QueueValue = value_field("Size of the queue in packets, or {up, down}.")
    loss: LossValue = value_field("Probability of random loss, or {up, down}.")
    up: Switch | None = Field(
        default=None,
        description="Whether the interfaces of users on this link are up.",
    )

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.given and self.up is None:
            raise ValueError(f"changes nothing; name one of {_choices(UP)}")
        return self

    @property
    def given(self) -> dict[str, Given]:
        """The parameters that change, by name."""
        return _given(self)


def _given(part: Part) -> dict[str, Given]:
    found = {key: getattr(part, key) for key in QUANTITIES}
    return {key: value for key, value in found.items() if value is not None}


def _choices(*more: str) -> str:
    return ", ".join((*QUANTITIES, *more))


def _period(value: object) -> object:
    """The length of a period in seconds, or the expression that gives it."""
    if expressions.is_expression(value):
        return expressions.parse(str(value))
    return None if value is None else PERIOD.check(value)


def _repeat(value: object) -> object:
    """True, or a period."""
    return None if value is False else True if value is True else _period(value)


class Place(NamedTuple):
    """An expression, where it stands below its link, and the unit of its value.

    quantity : the parameter that it gives a value; None for a time
    """

    at: Loc
    expression: Expression
    unit: str
    quantity: str | None = None


_EVERY_SCHEMA: JsonDict = {
    "anyOf": [{"type": "string", "pattern": rf"{TEXT_PATTERN}|^\s*="}],
    "examples": ["30 s"],
}
_REPEAT_SCHEMA: JsonDict = {"anyOf": [{"const": True}, {"type": "string"}]}
_FILES_SCHEMA: JsonDict = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {"up": {"type": "string"}, "down": {"type": "string"}},
            "required": ["up", "down"],
            "additionalProperties": False,
        },
    ]
}


class Files(Part):
    """The files of a trace, one for each direction."""

    up: str = Field(description="File of the direction of what users send.")
    down: str = Field(description="File of the direction towards users.")


def _files(value: object) -> object:
    return {"up": value, "down": value} if isinstance(value, str) else value


class LinkChanges(Part):
    """Changes of a link: at times, by draws every so often, or by a trace."""

    at: dict[str, Step] | None = Field(
        default=None,
        min_length=1,
        description="Time after the start of the traffic to what holds from then on.",
    )
    every: Annotated[float | Expression | None, BeforeValidator(_period)] = Field(
        default=None,
        description="How often new values are drawn, from 0 s on.",
        json_schema_extra=_EVERY_SCHEMA,
    )
    capacity: CapacityRange = range_field("Range that `every` draws from.")
    delay: DelayRange = range_field("Range that `every` draws from.")
    queue: QueueRange = range_field("Range that `every` draws from.")
    loss: LossRange = range_field("Range that `every` draws from.")
    trace: Annotated[Files | None, BeforeValidator(_files)] = Field(
        default=None,
        description="A file of delivery opportunities, as Mahimahi has them.",
        json_schema_extra=_FILES_SCHEMA,
    )
    repeat: Annotated[float | bool | Expression | None, BeforeValidator(_repeat)] = (
        Field(
            default=None,
            description="Begin again: true for a trace, the period of `at` otherwise.",
            json_schema_extra=_REPEAT_SCHEMA,
        )
    )
    bin: Annotated[float, Quantity("s", LEAST_S, 1, usual="ms")] | None = Field(
        default=None, description="Length of a step of a trace; 100 ms if not said."
    )
    _times: dict[str, float | Expression] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults = Faults()
        if self.at is None and self.every is None and self.trace is None:
            faults.add((), "changes nothing; give 'at', 'every' or 'trace'")
        self._check_every(faults)
        self._check_repeat(faults)
        self._check_overlap(faults)
        if not faults.found:
            self._read_times(faults)
        faults.raise_any()
        return self

    def _check_every(self, faults: Faults) -> None:
        for key in self.ranges:
            if self.every is None:
                reason = "a range is drawn from again and again; say how often"
                faults.add((key,), f"{reason}, such as 'every: 30 s'")
        if self.every is not None and not self.ranges:
            reason = f"draws nothing; give a range for one of {_choices()}"
            faults.add(("every",), reason)

    def _check_repeat(self, faults: Faults) -> None:
        if self.bin is not None and self.trace is None:
            faults.add(("bin",), "of traces only; take it away")
        if self.repeat is True and self.trace is None:
            reason = "true is for a trace; give the period, such as 'repeat: 4 s'"
            faults.add(("repeat",), reason)
        if isinstance(self.repeat, float | Expression) and self.at is None:
            hint = "write 'repeat: true'" if self.trace else "take it away"
            faults.add(("repeat",), f"a period is for 'at'; {hint}")

    def _check_overlap(self, faults: Faults) -> None:
        """No parameter changes in two ways."""
        if self.trace is not None and "capacity" in self.ranges:
            faults.add(("capacity",), "changes by the trace already; take one away")
        for time, step in (self.at or {}).items():
            for key in step.given:
                if key in self.ranges:
                    reason = "is drawn 'every' so often already; take one away"
                    faults.add(("at", time, key), reason)
                elif key == "capacity" and self.trace is not None:
                    reason = "changes by the trace already; take one away"
                    faults.add(("at", time, key), reason)

    def _read_times(self, faults: Faults) -> None:
        for text in self.at or {}:
            try:
                read = expressions.is_expression(text)
                made = expressions.parse(text) if read else TIME.check(text)
                self._times[text] = made
            except ValueError as error:
                faults.add(("at", text), str(error))
        faults.raise_any()
        known = {text: time for text, time, _ in self.steps}
        for (before, earlier), (text, later) in pairwise(known.items()):
            if later <= earlier:
                reason = f"stands behind {before}; sort the times, each of them once"
                faults.add(("at", text), reason)
        period = self.repeat if isinstance(self.repeat, float) else None
        for text, time_s in known.items():
            if period is not None and time_s >= period:
                reason = f"not before the end of the period of {period:g} s"
                faults.add(("at", text), f"{reason}; give an earlier time")

    @property
    def ranges(self) -> dict[str, Given]:
        """The ranges that `every` draws from, by parameter."""
        return _given(self)

    @property
    def times(self) -> dict[str, float | Expression]:
        """The times of `at` in seconds, or how they follow, as the file has them."""
        return dict(self._times)

    @property
    def steps(self) -> list[tuple[str, float, Step]]:
        """The steps of `at`: the time in the words of the file and in seconds, and what
        changes.

        Those at a time that an expression gives are left out.
        """
        times = {t: s for t, s in self._times.items() if not isinstance(s, Expression)}
        return [(t, times[t], step) for t, step in self.at_items() if t in times]

    @property
    def expressions(self) -> Iterator[Place]:
        """All expressions, whose values are known at a point of the design."""
        for text, time in self._times.items():
            if isinstance(time, Expression):
                yield Place(("at", text), time, "s")
        for key in ("every", "repeat"):
            if isinstance(one := getattr(self, key), Expression):
                yield Place((key,), one, "s")
        given: list[tuple[Loc, str, Given]]
        given = [((key,), key, value) for key, value in self.ranges.items()]
        for text, step in self.at_items():
            given += [(("at", text, k), k, v) for k, v in step.given.items()]
        for at, key, value in given:
            for below, one in value.expressions:
                yield Place((*at, *below), one, LINK[key].unit, key)

    def written(self, text: Callable[[str, Value], str]) -> dict[str, Any]:
        """The changes as a file has them.

        text : of a unit and a number or expression, such as `5.0 ms`
        """

        def plain(part: Part) -> dict[str, object]:
            return {
                key: value.written(partial(text, LINK[key].unit))
                for key, value in _given(part).items()
            }

        found = plain(self) | {"trace": self.trace}
        for key in ("every", "repeat", "bin"):
            value = getattr(self, key)
            plainly = value is None or isinstance(value, bool)
            found[key] = value if plainly else text("s", value)
        if self.at is not None:
            found["at"] = {
                text("s", self._times[key]): plain(step)
                | ({} if step.up is None else {UP: step.up})
                for key, step in self.at.items()
            }
        return found

    def at_items(self) -> list[tuple[str, Step]]:
        """The entries of `at`, in order."""
        return list((self.at or {}).items())

    @property
    def every_s(self) -> float | None:
        """The time between draws; None for no draws."""
        return self.every if isinstance(self.every, float) else None

    @property
    def period_s(self) -> float | None:
        """The period of `at`; None if the steps come once."""
        return self.repeat if isinstance(self.repeat, float) else None

    @property
    def changed(self) -> tuple[str, ...]:
        """The parameters that change, `up` for the interfaces of users included."""
        found = dict.fromkeys(self.ranges)
        if self.trace is not None:
            found["capacity"] = None
        for _, step in self.at_items():
            found |= dict.fromkeys(step.given)
            found |= {} if step.up is None else {UP: None}
        return tuple(found)


Changes = dict[str, LinkChanges]
