"""From the validator's findings to one line each: file, line, path, reason."""

from collections.abc import Mapping
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from mpbench.spec.document import Document, Place, dotted
from mpbench.spec.messages import MOST_FAULTS, listing, not_a_list, shortened
from mpbench.spec.suggestions import unknown_key
from mpbench.spec.values import Late

_REASONS: Mapping[str, str] = {
    "missing": "missing",
    "string_type": "expected text; put it in quotes if it is meant as text",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "int_parsing_size": "this number is too large",
    "bool_type": "expected true or false",
    "float_type": "expected a number",
    "finite_number": "expected a finite number",
    "literal_error": "{input} is not known; {expected} works",
    "dict_type": "expected 'key: value' entries",
    "model_type": "expected 'key: value' entries",
    "model_attributes_type": "expected 'key: value' entries",
    "too_short": "empty; give at least one",
    "greater_than_equal": "{input} is below {ge}, the least value that works",
    "less_than_equal": "{input} is above {le}, the greatest value that works",
    "greater_than": "{input} is not above {gt}; give a greater value",
    "less_than": "{input} is not below {lt}; give a smaller value",
}
"""Message for each kind of finding of the validator."""


def describe(error: ValidationError, model: type[BaseModel], document: Document) -> str:
    """All findings, one per line, in the order of the file.

    Findings in an included file come first.
    """
    errors = [finding for finding in error.errors() if not _consequence(finding)]
    # Only what is shown is put into words: a suggestion takes long to find.
    errors.sort(key=lambda finding: _order(finding, document))
    lines = dict.fromkeys(
        _line(finding, model, document) for finding in errors[: 2 * MOST_FAULTS]
    )
    hidden = max(0, len(errors) - 2 * MOST_FAULTS)
    texts = [f"{name}:{line}: {text}" for _, name, line, text in sorted(lines)]
    return listing(texts, len(texts) + hidden)


def _order(error: ErrorDetails, document: Document) -> tuple[bool, str, int]:
    place = _place_of(error, document)
    name = document.origin(place)
    return name == document.name, name, document.line(place)


def _line(
    error: ErrorDetails, model: type[BaseModel], document: Document
) -> tuple[bool, str, int, str]:
    path = shortened(dotted(_place_of(error, document)), 200)
    reason = _reason(error, model)
    text = f"{path}: {reason}" if path else reason
    return *_order(error, document), " ".join(text.split())


def _place_of(error: ErrorDetails, document: Document) -> Place:
    absent = error["type"] in ("missing", "reason")
    return _place(error["loc"], document, absent)


def _consequence(error: ErrorDetails) -> bool:
    """Whether a list counts as too short only because its items are at fault."""
    return error["type"] == "too_short" and bool(error["input"])


def _reason(error: ErrorDetails, model: type[BaseModel]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        keys = keys_at(model, error["loc"][:-1])
        return unknown_key(str(error["loc"][-1]), keys, _keys_by_part(model))
    if kind == "value_error":
        return str(context["error"])
    if kind == "tuple_type":
        return not_a_list(error["input"])
    if kind in _REASONS:
        return _REASONS[kind].format(input=shortened(error["input"]), **context)
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


def keys_at(model: type[BaseModel], loc: Place) -> list[str]:
    """The keys that a mapping of the file may have."""
    here = model
    inside = 0  # lists and mappings of models, of which the next parts pick one
    for part in loc:
        if inside:
            inside -= 1
            continue
        annotation = _annotation(here, str(part))
        models = _models(annotation)
        if not models:
            return []
        here = models[0]
        inside = _containers(annotation)
    return [field.alias or name for name, field in here.model_fields.items()]


def _keys_by_part(model: type[BaseModel]) -> dict[str, set[str]]:
    """The keys of the parts of a file, by what a message calls the part."""
    parts = {"the top level": _names(model)}
    for key, field in model.model_fields.items():
        keys = [_names(part) for part in _models(_whole_annotation(field))]
        if keys:
            parts[f"'{key}'"] = set().union(*keys)
    return parts


def _names(model: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def _annotation(model: type[BaseModel], key: str) -> Any:
    for name, field in model.model_fields.items():
        if key in (name, field.alias):
            return _whole_annotation(field)
    return None


def _whole_annotation(field: FieldInfo) -> Any:
    """The annotation of a key, and that of a section which is loaded late."""
    late = [mark.load() for mark in field.metadata if isinstance(mark, Late)]
    return late[0] if late else field.annotation


def _containers(annotation: Any) -> int:
    """The lists and mappings around the models of an annotation."""
    if not _models(annotation):
        return 0
    own = int(get_origin(annotation) in (dict, tuple))
    return own + max(map(_containers, get_args(annotation)), default=0)


def _models(annotation: Any) -> list[type[BaseModel]]:
    """The models in an annotation such as `dict[str, Case] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models(inner)]
