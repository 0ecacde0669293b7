"""Traffic by a tool that stands in the user's own file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import ConfigDict, Field, PrivateAttr, ValidationInfo, model_validator

from analysis.campaign.directions import Direction
from analysis.run.number_columns import column
from jobs.plugins import FILES, PROGRAMS
from mpbench import units
from mpbench.spec.file_limits import FileLimit, limited
from mpbench.spec.messages import shortened
from mpbench.spec.plugin_format import FILE, PROGRAM, TEXT
from mpbench.spec.plugins import Tool
from mpbench.spec.suggestions import nearest, unknown_key
from mpbench.spec.traffic import DAY_S, Entry, Json
from mpbench.spec.values import Faults, Quantity, Switch, context
from tools.plugin.record import PERCENTILES

MOST_CHARACTERS = 1000


class PluginTool(Entry):
    """A tool of the section `plugins`. Its file says which keys its entries have."""

    model_config = ConfigDict(extra="allow")
    first_port: ClassVar[int] = 9501
    _plugin: Tool | None = PrivateAttr(default=None)

    duration: Annotated[float, Quantity("s", 0.001, DAY_S)] = Field(
        description="How long the client takes, about."
    )
    reverse: Switch = Field(
        default=False, description="Whether data flows from `to` to `from`."
    )
    file_limit: FileLimit | None = Field(
        default=None, description="The largest file that its programs can write."
    )

    @model_validator(mode="after")
    def _keys_of_the_tool(self, info: ValidationInfo) -> Self:
        tool = context(info).tools.get(self.tool)
        if self._plugin is not None or not isinstance(tool, Tool):
            return self
        faults = Faults()
        given = dict(self.__pydantic_extra__ or {})
        for name, value in given.items():
            if name not in tool.keys:
                known = [*PluginTool.model_fields, *tool.keys]
                faults.add((name,), unknown_key(name, known))
                continue
            try:
                given[name] = _value(value, tool.keys[name], context(info).programs)
            except ValueError as error:
                faults.add((name,), str(error))
        for name in tool.keys if not faults.found else ():
            if name not in given:
                unit = tool.keys[name]
                how = "a" if unit in (TEXT, PROGRAM, FILE) else "in"
                reason = f"missing; {self.tool} needs it, {how} {unit}"
                faults.add((name,), reason)
        faults.raise_any()
        object.__setattr__(self, "__pydantic_extra__", given)
        self._plugin = tool
        return self

    @property
    def plugin(self) -> Tool:
        assert self._plugin is not None
        return self._plugin

    @property
    def end_s(self) -> float:
        return self.start.latest + self.duration

    @property
    def named_programs(self) -> tuple[str, ...]:
        return tuple(self._of_unit(PROGRAM))

    @property
    def named_files(self) -> tuple[str, ...]:
        return tuple(value["sha256"] for value in self._of_unit(FILE))

    def _of_unit(self, wanted: str) -> list[Any]:
        """The values of the tool's own keys that have a unit."""
        given = self.__pydantic_extra__ or {}
        return [given[key] for key, unit in self.plugin.keys.items() if unit == wanted]

    @property
    def own_code(self) -> bool:
        return True

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that its numbers get, without the entry's name."""
        return tuple(column(name, unit, self.tool) for name, unit, _ in self._numbers())

    @property
    def series(self) -> tuple[str, ...]:
        return self._columns(self.plugin.series)

    @property
    def samples(self) -> tuple[str, ...]:
        return self._columns(self.plugin.samples)

    def _columns(self, units: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(column(name, unit, self.tool) for name, unit in units.items())

    def _numbers(self) -> Iterator[tuple[str, str, Direction | None]]:
        """Name, unit and good direction of each number, those of samples included."""
        tool = self.plugin
        for name, unit in tool.numbers.items():
            yield name, unit, tool.good.get(name)
        for name, unit in tool.samples.items():
            for word in PERCENTILES:
                yield f"{name}_{word}", unit, tool.good.get(name)

    @property
    def good(self) -> Mapping[str, Direction]:
        """The directions in which its numbers are good, by their columns."""
        return {
            column(name, unit, self.tool): direction
            for name, unit, direction in self._numbers()
            if direction is not None
        }

    def job(self, port: int) -> Json:
        given: dict[str, Any] = dict(self.__pydantic_extra__ or {})
        values = {
            name: _in_job(value, self.plugin.keys[name])
            for name, value in given.items()
        }
        return {
            **super().job(port),
            "tool": "plugin",
            "plugin": self.tool,
            "code": self.plugin.code,
            "numbers": dict(self.plugin.numbers),
            "received": self.plugin.received,
            "samples": dict(self.plugin.samples),
            "series": dict(self.plugin.series),
            "duration_s": self.duration,
            "bytes": None,
            "reverse": self.reverse,
            **limited(self.file_limit),
            "values": {name: values[name] for name in sorted(values)},
        }


def _in_job(value: Any, unit: str) -> Any:
    """A value in the form of a job: of a program or file, the path in the guest."""
    if unit == PROGRAM:
        return f"{PROGRAMS}/{value}"
    return f"{FILES}/{value['sha256']}" if unit == FILE else value


def _value(value: object, unit: str, programs: Sequence[str]) -> Any:
    """A value in the unit that the tool's file states.

    programs : the names of the user's own programs
    """
    if unit == PROGRAM:
        if value not in programs:
            known = nearest(shortened(value), programs)
            hint = known if programs else "`plugins: {programs: {NAME: FILE}}` adds one"
            raise ValueError(f"no program '{shortened(value)}' among plugins; {hint}")
        return str(value)
    if unit == FILE:
        sha256 = value.get("sha256") if isinstance(value, dict) else None
        if not re.fullmatch("[0-9a-f]{64}", str(sha256)):
            raise ValueError("expected the name of a file")
        return {"sha256": sha256}
    if unit == TEXT:
        if not isinstance(value, str) or len(value) > MOST_CHARACTERS:
            raise ValueError(f"expected a text of up to {MOST_CHARACTERS} characters")
        return value
    if unit == "1":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"'{shortened(value)}' is not a number")
        return float(value)
    return units.parse(value, unit)


MODEL = PluginTool
