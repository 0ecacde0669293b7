"""The JSON Schema of experiment files, for completion and checks in editors."""

from typing import Any

from mpbench.spec.experiment import Spec

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NULL = {"type": "null"}


def json_schema() -> dict[str, Any]:
    """The schema, as strict as JSON Schema allows.

    Only `load` can check what compares two values, or a unit with its parameter. In one
    thing the schema is stricter: an optional key must not be null. Otherwise editors
    would offer null, and their messages would be unclear.
    """
    schema: dict[str, Any] = _without_null(Spec.model_json_schema(by_alias=True))
    # An included file may have the keys that are missing here.
    required = schema.pop("required")
    network, case = (
        {"required": schema["$defs"][name].pop("required")}
        for name in ("Network", "Case")
    )
    transport = {"items": {"properties": {"transport": case}}}
    parts = {"cases": {"additionalProperties": case}, "traffic": transport}
    schema["anyOf"] = [
        {"required": ["include"]},
        {"required": [*required, "topology"], "properties": parts},
        {
            "required": [*required, "network"],
            "properties": parts | {"network": network},
        },
    ]
    return {"$schema": DIALECT, **schema, "title": "mpbench experiment"}


def _without_null(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_null(item) for item in value]
    if not isinstance(value, dict):
        return value
    result = {k: _without_null(v) for k, v in value.items()}
    choices = result.get("anyOf")
    if isinstance(choices, list) and _NULL in choices:
        del result["anyOf"]
        result.pop("default", None)
        others = [choice for choice in choices if choice != _NULL]
        result |= others[0] if len(others) == 1 else {"anyOf": others}
    return result
