"""The JSON Schema of experiment files, for completion and checks in editors."""

from typing import Any

from mpbench.spec.experiment import Spec

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """As strict as JSON Schema allows: what compares two values, or a unit with
    its parameter, only `load` can check."""
    schema = Spec.model_json_schema(by_alias=True)
    return {"$schema": DIALECT, **schema, "title": "mpbench experiment"}
