"""The list of traffic: the model of each tool's entries, and the keys that may vary."""

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from operator import or_
from types import GenericAlias
from typing import Annotated, Any

from pydantic import Field, ValidationError, ValidationInfo
from pydantic.config import JsonDict, JsonValue
from pydantic_core import PydanticKnownError

from mpbench import units
from mpbench.spec.cases import Case
from mpbench.spec.factors import Factor
from mpbench.spec.messages import MOST_FAULTS
from mpbench.spec.problems import keys_at
from mpbench.spec.suggestions import is_sure, suggestion, unknown_key
from mpbench.spec.traffic import Entry
from mpbench.spec.values import Faults, Late, Loc, OneOf, context
from mpbench.spec.varied import Varied
from tools import NAMES, OWN, part
from topologies import Parameter

MOST_ENTRIES = 1000


def model(tool: str) -> type[Entry]:
    """The model of the entries of a tool, or of OWN."""
    found: type[Entry] = part(tool, "keys").MODEL
    return found


def varied(tool: object) -> tuple[Varied, ...]:
    """The keys of a tool that a design can vary; none of a tool of users."""
    return part(str(tool), "keys").VARIED if tool in NAMES else ()


def prefix(index: int, count: int) -> str:
    """The name of an entry in factors: `traffic`, or `traffic1` and so on if there are
    several."""
    return "traffic" if count == 1 else f"traffic{index + 1}"


def parameters(tools: Sequence[object]) -> dict[str, tuple[int, str, Parameter]]:
    """The keys of the entries that can be factors, by name such as `traffic.size`.

    tools : the tool of each entry; an unknown tool has no such keys

    Each value holds the index of the entry, the key, and the key's unit and range.
    """
    parameters_ = {}
    for index, tool in enumerate(tools):
        start = prefix(index, len(tools))
        for key in varied(tool):
            name = f"{start}.{key.key}"
            parameter = Parameter(
                name,
                key.unit,
                f"{start}.{key.suffix}",
                default=None,
                minimum=key.low,
                maximum=key.high,
                integer=key.whole,
                doc=f"{key.doc}, of {tool}",
            )
            parameters_[name] = (index, key.key, parameter)
    return parameters_


def read_entries(value: object, info: ValidationInfo) -> tuple[Entry, ...]:
    """Each entry by the model of its tool.

    A key that the design varies gets the largest of its values, until a run's job is
    made.
    """
    if not isinstance(value, list):
        raise ValueError(_not_a_list(value))
    if not value:
        least = {"field_type": "List", "min_length": 1, "actual_length": 0}
        raise PydanticKnownError("too_short", least)
    faults = Faults()
    if len(value) > MOST_ENTRIES:
        reason = f"a run has at most {MOST_ENTRIES} entries"
        faults.add((MOST_ENTRIES,), f"{reason}; use 'parallel' for more connections")
    given_by_design = _varied(value, info)
    entries: list[Entry] = []
    for index, raw in enumerate(value[:MOST_ENTRIES]):
        if len(faults.found) > MOST_FAULTS:  # no more would be shown
            break
        tool = raw.get("tool") if isinstance(raw, dict) else None
        try:
            of_tool = _model(tool, info)
        except ValueError as error:
            faults.add((index, "tool"), str(error))
            continue
        given = _given(raw, given_by_design.get(index, {}), (index,), faults)
        try:
            entries.append(of_tool.model_validate(given, context=context(info)))
        except ValidationError as error:
            faults.add_all((index,), error, partial(_nearest_key, model=of_tool))
    faults.raise_any()
    return tuple(entries)


def _model(tool: object, info: ValidationInfo) -> type[Entry]:
    """The model of a tool's entries. Raises ValueError for an unknown tool."""
    own = tuple(context(info).tools)
    if tool is None:
        return model(NAMES[0])
    name = OneOf("tool", (*NAMES, *own)).check(tool)
    return model(name if name in NAMES else OWN)


def _not_a_list(value: object) -> str:
    """Advice where `traffic` is not a list, mostly because a dash is missing."""
    example = "- {tool: iperf3, from: client, to: server, duration: 30 s}"
    if isinstance(value, dict) and value:
        return f"expected a list; begin each entry with '- ', such as {example}"
    return f"expected a list of entries, such as {example}"


def _varied(
    entries: list[Any], info: ValidationInfo
) -> dict[int, dict[str, str | int]]:
    """By entry and key: one value that stands for all values of the design."""
    tools = [raw.get("tool") if isinstance(raw, dict) else None for raw in entries]
    known = parameters(tools)
    design = info.data.get("design")
    found: dict[int, dict[str, str | int]] = {}
    for name in context(info).factors:
        if name not in known:
            continue
        index, key, parameter = known[name]
        value = parameter.minimum
        factor = design.factors.get(name) if design is not None else None
        if isinstance(factor, Factor):
            value = factor.largest
        counts = parameter.unit in units.COUNTS
        text = int(value) if counts else f"{value!r} {parameter.unit}"
        found.setdefault(index, {})[key] = text
    return found


def _given(
    raw: object, varied: Mapping[str, str | int], at: Loc, faults: Faults
) -> object:
    """The entry as written, with values for what the design varies."""
    if not isinstance(raw, dict):
        return raw
    for key in varied:
        if key in raw:
            faults.add((*at, key), "a factor of the design too; take one away")
    return {**raw, **varied}


def _nearest_key(error: Mapping[str, Any], model: type[Entry]) -> str | None:
    """The message for an unknown key of an entry; None for another fault."""
    if error["type"] != "extra_forbidden":
        return None
    key = str(error["loc"][-1])
    if len(error["loc"]) > 1:
        keys = keys_at(model, error["loc"][:-1])
        return unknown_key(key, keys) if keys else None
    keys = [field.alias or name for name, field in model.model_fields.items()]
    of_case = suggestion(key, Case.model_fields)
    sure = of_case is not None and is_sure(key, of_case)
    if suggestion(key, keys) is None and sure:
        return f"unknown key; write 'transport: {{{of_case}: ...}}' with it"
    return unknown_key(key, keys)


def _by_tool(schema: JsonDict) -> None:
    """In the JSON Schema: the tool decides which keys an entry has, so that an editor
    marks the key at fault. A key that the design gives may be missing."""
    items = schema.get("items")
    choices = items.get("anyOf") if isinstance(items, dict) else None
    if not isinstance(choices, list):
        return
    rules: list[JsonValue] = [
        {
            "if": {"properties": {"tool": {"const": tool}}, "required": ["tool"]},
            "then": choice,
        }
        for tool, choice in zip(NAMES, choices, strict=False)
    ]
    known: JsonValue = {"properties": {"tool": {"enum": [*NAMES]}}}
    rules.append({"if": {"not": known}, "then": choices[-1]})
    schema["items"] = {
        "type": "object",
        "properties": {"tool": {"type": "string"}},
        "required": ["tool", "from", "to"],
        "allOf": rules,
    }


def _annotation() -> Any:
    """All entries that a file can have, each by the model of its tool."""
    models = [model(tool) for tool in (*NAMES, OWN)]
    whole: Any = Annotated
    entries = GenericAlias(tuple, (reduce(or_, models), ...))
    return whole[entries, Field(min_length=1, json_schema_extra=_by_tool)]


class _Entries(Late):
    """Marks the list of traffic, of which each entry loads the model of its tool."""

    def read(self, value: object, info: ValidationInfo) -> object:
        return read_entries(value, info)


Entries = Annotated[tuple[Entry, ...], _Entries(_annotation)]
