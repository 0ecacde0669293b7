"""The JSON Schema of experiment files, for completion and checks in editors."""

from typing import Any

from mpbench.spec.experiment import Spec

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NULL = {"type": "null"}


def json_schema() -> dict[str, Any]:
    """As strict as JSON Schema allows: what compares two values, or a unit with
    its parameter, only `load` can check.

    Stricter in one thing: a key that may be left out may not be null, for which
    editors would otherwise offer it, and blur their messages.
    """
    schema: dict[str, Any] = _without_null(Spec.model_json_schema(by_alias=True))
    # What is missing may be in a file that is included.
    schema["anyOf"] = [
        {"required": ["include"]},
        {"required": schema.pop("required")},
    ]
    return {"$schema": DIALECT, **schema, "title": "mpbench experiment"}


def _without_null(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_null(each) for each in value]
    if not isinstance(value, dict):
        return value
    result = {k: _without_null(v) for k, v in value.items()}
    choices = result.get("anyOf")
    if isinstance(choices, list) and _NULL in choices:
        del result["anyOf"]
        result.pop("default", None)
        others = [each for each in choices if each != _NULL]
        result |= others[0] if len(others) == 1 else {"anyOf": others}
    return result
