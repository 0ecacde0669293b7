"""The JSON Schema of a job, from the annotations of its records.

A job that `load` takes fits the schema. What the schema cannot say (a method `check`, a
function as a mark, values that a class makes itself) only `load` refuses.
"""

import dataclasses
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from jobs.job import Job
from jobs.marks import Among, Bounds, Length, Made, Matching, Registered, Tagged
from jobs.reading import hints, key_of, parts, required

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}
_BOUNDS = {
    "least": "minimum",
    "most": "maximum",
    "above": "exclusiveMinimum",
    "below": "exclusiveMaximum",
}


def schema() -> Schema:
    """The schema of a job; records stand in `$defs` by the names of their classes."""
    records: dict[str, Schema] = {}
    whole = _of(Job, records)
    return {"$schema": DIALECT, "title": "A job of mpbench", **whole, "$defs": records}


def _of(annotation: Any, records: dict[str, Schema]) -> Schema:
    """The schema of an annotation; adds the records that it needs."""
    bare, marks = parts(annotation)
    found: Schema | None = None
    for mark in marks:
        if isinstance(mark, Made):
            return {"type": "object"}
        if isinstance(mark, Registered):
            found = _one_of(list(mark.records.values()), records)
        if isinstance(mark, Tagged):
            found = _one_of(list(get_args(bare)), records)
    found = _plain(bare, records) if found is None else found
    for mark in marks:
        _state(mark, found)
    return found


def _one_of(choices: list[Any], records: dict[str, Schema]) -> Schema:
    return {"oneOf": [_of(one, records) for one in choices]}


def _state(mark: Any, found: Schema) -> None:
    """Add what a mark says; a nullable value is stated in its other branch."""
    target = next((s for s in found.get("anyOf", ()) if s != {"type": "null"}), found)
    match mark:
        case Bounds():
            ends = ((name, getattr(mark, name)) for name in _BOUNDS)
            target |= {_BOUNDS[name]: end for name, end in ends if end is not None}
        case Length(least=least, most=most):
            kinds = {"string": "Length", "array": "Items", "object": "Properties"}
            kind = kinds[target["type"]]
            target |= {f"min{kind}": least} if least else {}
            target |= {f"max{kind}": most} if most is not None else {}
        case Matching(pattern=pattern):
            target["pattern"] = f"^(?:{pattern.pattern})$"
        case Among(words=words):
            target["enum"] = list(words)


def _plain(bare: Any, records: dict[str, Schema]) -> Schema:
    """The schema of a type without marks."""
    origin, inner = get_origin(bare), get_args(bare)
    if bare in _TYPES:
        return {"type": _TYPES[bare]}
    if bare in (None, NoneType):
        return {"type": "null"}
    if bare is Any:
        return {}
    if dataclasses.is_dataclass(bare) and isinstance(bare, type):
        return _record(bare, records)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, UnionType):
        return {"anyOf": [_of(one, records) for one in inner]}
    if origin is tuple and inner[1:] == (...,):
        return {"type": "array", "items": _of(inner[0], records)}
    if origin is tuple:
        row = [_of(one, records) for one in inner]
        size = {"minItems": len(row), "maxItems": len(row)}
        return {"type": "array", "prefixItems": row, **size}
    if origin is Annotated:
        return _of(bare, records)
    key, value = inner or (str, Any)
    names = _of(key, records)
    stated: Schema = {"type": "object", "additionalProperties": _of(value, records)}
    if names != {"type": "string"}:
        stated["propertyNames"] = names
    return stated


def _record(record: type, records: dict[str, Schema]) -> Schema:
    """A reference to a record, whose schema is added once."""
    name = record.__name__
    if name not in records:
        records[name] = {}  # a record may contain itself
        wanted: Mapping[str, Any] = hints(record)
        fields = dataclasses.fields(record)
        keys = {f.name: key_of(f.name, wanted[f.name]) for f in fields}
        records[name] = {
            "type": "object",
            "properties": {keys[f.name]: _of(wanted[f.name], records) for f in fields},
            "required": [keys[f.name] for f in fields if required(record, f)],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}
