"""Writing of records: from frozen dataclasses to plain JSON.

The keys stand in the order of the fields. A field with its default value is left out,
unless it is marked with `marks.WRITTEN`.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from jobs import reading
from jobs.marks import WRITTEN

_FIELDS: dict[type, list[tuple[str, str, Any]]] = {}


def plain(value: Any) -> Any:
    """The JSON of a value."""
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "to_json"):
        return value.to_json()
    if dataclasses.is_dataclass(value):
        return {
            key: plain(getattr(value, name))
            for key, name, default in _fields(type(value))
            if default is dataclasses.MISSING or getattr(value, name) != default
        }
    return value


def _fields(record: type) -> list[tuple[str, str, Any]]:
    """The key and name of each field, and the value with which it is left out."""
    if record not in _FIELDS:
        _FIELDS[record] = _new_fields(record)
    return _FIELDS[record]


def _new_fields(record: type) -> list[tuple[str, str, Any]]:
    wanted = reading.hints(record)
    return [
        (
            reading.key_of(field.name, wanted[field.name]),
            field.name,
            dataclasses.MISSING
            if reading.required(record, field)
            or WRITTEN in reading.parts(wanted[field.name])[1]
            else _default(field),
        )
        for field in dataclasses.fields(record)
    ]


def _default(field: "dataclasses.Field[Any]") -> Any:
    made = field.default_factory
    return field.default if made is dataclasses.MISSING else made()
