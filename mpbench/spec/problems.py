"""From the validator's findings to one line each: file, line, path, reason."""

from collections.abc import Mapping
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from mpbench.spec.document import Document, Place, dotted
from mpbench.spec.values import nearest

_REASONS: Mapping[str, str] = {
    "missing": "missing",
    "string_type": "expected text; put it in quotes if it is meant as such",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "bool_type": "expected true or false",
    "float_type": "expected a number",
    "tuple_type": "expected a list",
    "dict_type": "expected 'key: value' entries",
    "model_type": "expected 'key: value' entries",
    "model_attributes_type": "expected 'key: value' entries",
    "too_short": "empty; give at least one",
    "greater_than_equal": "{input} is below {ge}, the least that does",
    "less_than_equal": "{input} is above {le}, the most that does",
}


def describe(error: ValidationError, model: type[BaseModel], document: Document) -> str:
    """All findings, one a line, in the order of the file; first what it includes."""
    errors = [each for each in error.errors() if not _consequence(each)]
    found = sorted({_line(each, model, document) for each in errors})
    return "\n".join(f"{name}:{line}: {text}" for _, name, line, text in found)


def _line(
    error: ErrorDetails, model: type[BaseModel], document: Document
) -> tuple[bool, str, int, str]:
    place = _place(error["loc"], document, error["type"] in ("missing", "reason"))
    path = dotted(place)
    reason = _reason(error, model)
    text = f"{path}: {reason}" if path else reason
    name = document.origin(place)
    words = " ".join(text.split())
    return name == document.name, name, document.line(place), words


def _consequence(error: ErrorDetails) -> bool:
    """Whether a list counts as too short only because its items are at fault."""
    return error["type"] == "too_short" and bool(error["input"])


def _reason(error: ErrorDetails, model: type[BaseModel]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        keys = _keys(model, error["loc"][:-1])
        return f"unknown key; {nearest(str(error['loc'][-1]), keys)}"
    if kind == "value_error":
        return str(context["error"])
    if kind in _REASONS:
        return _REASONS[kind].format(input=error["input"], **context)
    return error["msg"]


def _place(loc: Place, document: Document, absent: bool) -> Place:
    """The place in the file that the validator's location stands for.

    The two differ where the file uses a short form: `values` of a factor that
    is a bare list is in the location and not in the file.

    absent : whether the last part may be a key that the file lacks
    """
    place: Place = ()
    for index, part in enumerate(loc):
        last = index == len(loc) - 1
        if part == "[key]":
            break
        if (*place, part) in document.lines or (last and absent):
            place = (*place, part)
    return place


def _keys(model: type[BaseModel], loc: Place) -> list[str]:
    """The keys that a mapping of the file may have."""
    here = model
    inside = False  # of a list or mapping of models: the next part picks one
    for part in loc:
        if inside:
            inside = False
            continue
        annotation = _annotation(here, str(part))
        models = _models(annotation)
        if not models:
            return []
        here = models[0]
        kinds = {get_origin(each) for each in (annotation, *get_args(annotation))}
        inside = bool(kinds & {dict, tuple})
    return [field.alias or name for name, field in here.model_fields.items()]


def _annotation(model: type[BaseModel], key: str) -> Any:
    for name, field in model.model_fields.items():
        if key in (name, field.alias):
            return field.annotation
    return None


def _models(annotation: Any) -> list[type[BaseModel]]:
    """The models in an annotation such as `dict[str, Case] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models(inner)]
