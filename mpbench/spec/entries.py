"""The list of traffic: the model of each tool's entries, and the keys that may vary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo
from pydantic.config import JsonDict, JsonValue

from mpbench import units
from mpbench.spec.cases import Case
from mpbench.spec.cbr import ConstantRate
from mpbench.spec.command import Command
from mpbench.spec.factors import Factor
from mpbench.spec.flow_entry import MOST_CONNECTIONS, MOST_RATE_PER_S, Flows
from mpbench.spec.messages import MOST_FAULTS
from mpbench.spec.plugin_tool import PluginTool
from mpbench.spec.suggestions import suggestion, unknown_key
from mpbench.spec.traffic import Entry, Traffic
from mpbench.spec.values import Faults, Loc, OneOf, context
from mpbench.spec.vocabulary import TOOLS
from mpbench.spec.web import Download, Requests
from topologies import Parameter

MODELS: Mapping[str, type[Entry]] = {
    "iperf3": Traffic,
    "curl": Download,
    "ab": Requests,
    "cbr": ConstantRate,
    "command": Command,
    "flows": Flows,
}


MOST_ENTRIES = 1000


@dataclass(frozen=True)
class _Varied:
    """A key of an entry that a design can vary."""

    key: str
    unit: str
    suffix: str
    low: float
    high: float
    whole: bool
    doc: str


_SIZE = _Varied("size", "bytes", "size_bytes", 1, 1e12, True, "amount of data")
_START = _Varied("start", "s", "start_s", 0, 86_400, False, "when it starts")
_DURATION = _Varied("duration", "s", "duration_s", 1, 86_400, True, "how long it sends")
_TIMEOUT = _Varied("timeout", "s", "timeout_s", 0.001, 86_400, False, "longest time")
VARIED: Mapping[str, tuple[_Varied, ...]] = {
    "iperf3": (
        _SIZE,
        _DURATION,
        _START,
        _Varied("parallel", "connections", "parallel", 1, 128, True, "connections"),
    ),
    "curl": (
        _SIZE,
        _START,
        _TIMEOUT,
    ),
    "ab": (
        _SIZE,
        _DURATION,
        _START,
        _Varied("requests", "requests", "requests", 1, 1e6, True, "requests in all"),
        _Varied(
            "concurrency",
            "connections",
            "concurrency",
            1,
            1000,
            True,
            "requests at a time",
        ),
    ),
    "cbr": (
        _DURATION,
        _START,
        _Varied("rate", "Mbit/s", "rate_mbps", 0.001, 10_000, False, "rate"),
        _Varied("burst", "s", "burst_s", 1e-6, 86_400, False, "mean length of a burst"),
        _Varied("pause", "s", "pause_s", 1e-6, 86_400, False, "mean time between"),
    ),
    "command": (
        _Varied("duration", "s", "duration_s", 0.001, 86_400, False, "its duration"),
        _START,
    ),
    "flows": (
        _SIZE,
        _Varied("duration", "s", "duration_s", 0.001, 86_400, False, "how long"),
        _START,
        _TIMEOUT,
        _Varied(
            "connections",
            "connections",
            "connections",
            1,
            MOST_CONNECTIONS,
            True,
            "connections of each user",
        ),
        _Varied(
            "arrivals",
            "/s",
            "arrivals_per_s",
            1e-6,
            MOST_RATE_PER_S,
            False,
            "rate of each user's Poisson arrivals",
        ),
    ),
}


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
        for varied in VARIED.get(str(tool), ()):
            name = f"{start}.{varied.key}"
            parameter = Parameter(
                name,
                varied.unit,
                f"{start}.{varied.suffix}",
                default=None,
                minimum=varied.low,
                maximum=varied.high,
                integer=varied.whole,
                doc=f"{varied.doc}, of {tool}",
            )
            parameters_[name] = (index, varied.key, parameter)
    return parameters_


def read_entries(value: object, info: ValidationInfo) -> object:
    """Each entry by the model of its tool.

    A key that the design varies gets the largest of its values, until a run's job is
    made.
    """
    if not isinstance(value, list):
        raise ValueError(_not_a_list(value))
    faults = Faults()
    if len(value) > MOST_ENTRIES:
        reason = f"a run has at most {MOST_ENTRIES} entries"
        faults.add((MOST_ENTRIES,), f"{reason}; use 'parallel' for more connections")
    varied = _varied(value, info)
    entries: list[Entry] = []
    for index, raw in enumerate(value[:MOST_ENTRIES]):
        if len(faults.found) > MOST_FAULTS:  # no more would be shown
            break
        tool = raw.get("tool") if isinstance(raw, dict) else None
        try:
            model = _model(tool, info)
        except ValueError as error:
            faults.add((index, "tool"), str(error))
            continue
        given = _given(raw, varied.get(index, {}), (index,), faults)
        try:
            entries.append(model.model_validate(given, context=context(info)))
        except ValidationError as error:
            faults.add_all((index,), error, partial(_nearest_key, model=model))
    faults.raise_any()
    return entries


def _model(tool: object, info: ValidationInfo) -> type[Entry]:
    """The model of a tool's entries. Raises ValueError for an unknown tool."""
    own = tuple(context(info).tools)
    if tool is None:
        return Traffic
    return MODELS.get(OneOf("tool", (*TOOLS, *own)).check(tool), PluginTool)


def _not_a_list(value: object) -> str:
    """What to write where `traffic` is not a list, mostly because a dash is missing."""
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
    if error["type"] != "extra_forbidden" or len(error["loc"]) != 1:
        return None
    key = str(error["loc"][0])
    keys = [field.alias or name for name, field in model.model_fields.items()]
    of_case = suggestion(key, Case.model_fields)
    if suggestion(key, keys) is None and of_case is not None:
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
            "then": model,
        }
        for tool, model in zip(MODELS, choices, strict=False)
    ]
    known: JsonValue = {"properties": {"tool": {"enum": [*TOOLS]}}}
    rules.append({"if": {"not": known}, "then": choices[-1]})
    schema["items"] = {
        "type": "object",
        "properties": {"tool": {"type": "string"}},
        "required": ["tool", "from", "to"],
        "allOf": rules,
    }


Entries = Annotated[
    tuple[
        Traffic | Download | Requests | ConstantRate | Command | Flows | PluginTool, ...
    ],
    BeforeValidator(read_entries),
    Field(json_schema_extra=_by_tool),
]
