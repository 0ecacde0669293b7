"""Reading of records: from plain JSON to frozen dataclasses, strictly.

The annotations of a record say everything: a key that no field has is refused, and so
is a value of another type, a number outside its bounds, NaN, and a text that does not
match. No value is converted, so that a record gives the same JSON again. Only lists
become tuples, and mappings records.

A record may have a method `check`, which raises ValueError, in one line, for fields
that do not fit one another.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from jobs.marks import Bounds, Key, Length, Made, Registered, Tagged, Written, one_of

Read = Callable[[Any], Any]
T = TypeVar("T")

_WORDS = {str: "string", bool: "boolean", int: "integer", float: "number"}
_FOREIGN: dict[type, Mapping[str, Any]] = {}
_REQUIRED: dict[type, tuple[str, ...]] = {}
_READERS: dict[type, Read] = {}


class Fault(ValueError):
    """A value that cannot be. place : the keys that lead to it"""

    def __init__(self, reason: str, *place: str | int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place

    def __str__(self) -> str:
        place = ".".join(str(part)[:40] for part in self.place)
        return f"{place}: {self.reason}" if place else self.reason


def foreign(
    record: type, annotations: Mapping[str, Any], required: tuple[str, ...] = ()
) -> None:
    """State the marks of a dataclass of another package, field by field.

    required : fields that JSON must have, although the dataclass has defaults
    """
    _FOREIGN[record] = annotations
    _REQUIRED[record] = required


def read(record: type[T], document: object) -> T:
    """The record in a JSON value. Raises Fault for anything else."""
    made: T = _record(record)(document)
    return made


def partial(
    record: type[T], document: Mapping[str, Any], fields: Mapping[str, Any]
) -> T:
    """A record from some keys in JSON, and the other fields by their names.

    It need not be whole: `check` is not called. Raises Fault as `read`.
    """
    wanted = hints(record)
    found = {}
    for field in dataclasses.fields(record):  # type: ignore[arg-type]
        key = key_of(field.name, wanted[field.name])
        if key in document and field.name not in fields:
            try:
                found[field.name] = reader(wanted[field.name])(document[key])
            except Fault as fault:
                raise Fault(fault.reason, key, *fault.place) from None
    return record(**{**found, **fields})


def hints(record: type) -> dict[str, Any]:
    """The annotation of each field of a record, with its marks."""
    own: dict[str, Any] = {}
    for base in reversed(record.__mro__):
        own |= _FOREIGN.get(base, {})
    fields = dataclasses.fields(record)
    return {f.name: own.get(f.name, f.type) for f in fields}


def required(record: type, field: "dataclasses.Field[Any]") -> bool:
    """Whether JSON must have a field."""
    forced = {name for base in record.__mro__ for name in _REQUIRED.get(base, ())}
    missing = dataclasses.MISSING
    has_default = field.default is not missing or field.default_factory is not missing
    return field.name in forced or not has_default


def key_of(name: str, annotation: Any) -> str:
    """The key in JSON of a field."""
    _, marks = parts(annotation)
    return next((mark.key for mark in marks if isinstance(mark, Key)), name)


def parts(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """An annotation without its marks, and its marks."""
    if get_origin(annotation) is Annotated:
        bare, *marks = get_args(annotation)
        return bare, tuple(marks)
    return annotation, ()


def _record(record: type) -> Read:
    """The function that reads a record. It is made once."""
    if record not in _READERS:
        _READERS[record] = _new_record(record)
    return _READERS[record]


def _new_record(record: type) -> Read:
    wanted = hints(record)
    fields = [
        (
            key_of(field.name, wanted[field.name]),
            field.name,
            reader(wanted[field.name]),
            required(record, field),
        )
        for field in dataclasses.fields(record)
    ]
    known = {key for key, *_ in fields}
    check = getattr(record, "check", None)

    def read_record(document: Any) -> Any:
        if not isinstance(document, dict):
            raise Fault("Input should be a valid dictionary")
        values = {}
        for key, name, read_field, needed in fields:
            if key in document:
                try:
                    values[name] = read_field(document[key])
                except Fault as fault:
                    raise Fault(fault.reason, key, *fault.place) from None
            elif needed:
                raise Fault("Field required", key)
        if len(document) > len(values):
            extra = next(key for key in document if key not in known)
            raise Fault("Extra inputs are not permitted", extra)
        made = record(**values)
        if check is not None:
            _checked(check, made)
        return made

    return read_record


def _checked(check: Callable[[Any], object], value: object) -> None:
    try:
        check(value)
    except Fault:
        raise
    except ValueError as error:
        raise Fault(str(error)) from None


@cache
def reader(annotation: Any) -> Read:
    """The function that reads the values of an annotation."""
    bare, marks = parts(annotation)
    for mark in marks:
        if isinstance(mark, Made):
            return _made(mark)
        if isinstance(mark, Registered):
            return _tagged(mark.key, mark.records)
        if isinstance(mark, Tagged):
            by_tag = {t: one for one in get_args(bare) for t in tags(one, mark.key)}
            return _tagged(mark.key, by_tag)
    plain = _plain(bare)
    tests = [_test(mark, bare) for mark in marks if not isinstance(mark, Key | Written)]
    if not tests:
        return plain

    def read_marked(value: Any) -> Any:
        found = plain(value)
        for test in tests:
            test(found)
        return found

    return read_marked


def _test(mark: Any, bare: Any) -> Callable[[Any], None]:
    """The function that raises Fault for a value that a mark excludes."""
    if isinstance(mark, Bounds):

        def within(value: Any) -> None:
            if reason := mark.fault(value):
                raise Fault(reason)

        return within
    if isinstance(mark, Length):
        return _length(mark, bare)
    return lambda value: _checked(mark, value)


def _length(mark: Length, bare: Any) -> Callable[[Any], None]:
    kind, item, after = "List", "item", " after validation, not {}"
    if bare is str:
        kind, item, after = "String", "character", ""
    elif get_origin(bare) not in (tuple, list):
        kind = "Dictionary"

    def fits(value: Any) -> None:
        for wrong, end, number in (
            (len(value) < mark.least, "least", mark.least),
            (mark.most is not None and len(value) > mark.most, "most", mark.most),
        ):
            if wrong:
                items = item if number == 1 else f"{item}s"
                reason = f"{kind} should have at {end} {number} {items}"
                raise Fault(reason + after.format(len(value)))

    return fits


def _plain(bare: Any) -> Read:
    """The function that reads the values of a type without marks."""
    if bare in _WORDS:
        return _float if bare is float else _of(bare)
    if bare in (None, NoneType):
        return _none
    if dataclasses.is_dataclass(bare):
        return lambda value: _record(bare)(value)  # type: ignore[arg-type]
    origin, inner = get_origin(bare), get_args(bare)
    if origin is Literal:
        return _literal(inner)
    if origin in (Union, UnionType):
        return _union(inner)
    if origin is tuple:
        return _list(inner)
    return _mapping(*(inner or (str, Any)))


def _of(kind: type) -> Read:
    words = f"Input should be a valid {_WORDS[kind]}"

    def read_value(value: Any) -> Any:
        if type(value) is not kind:
            raise Fault(words)
        return value

    return read_value


def _float(value: Any) -> Any:
    if type(value) is int:
        return value
    if type(value) is not float:
        raise Fault("Input should be a valid number")
    if not math.isfinite(value):
        raise Fault("Input should be a finite number")
    return value


def _anything(value: Any) -> Any:
    return value


def _none(value: Any) -> None:
    if value is not None:
        raise Fault("Input should be None")


def _literal(values: tuple[Any, ...]) -> Read:
    shown = [repr(value) for value in values]
    words = f"Input should be {one_of(shown)}"

    def read_literal(value: Any) -> Any:
        if any(value == known and type(value) is type(known) for known in values):
            return value
        raise Fault(words)

    return read_literal


def _union(inner: tuple[Any, ...]) -> Read:
    """None or a value, or a value of one of several plain types."""
    readers = [reader(one) for one in inner if one is not NoneType]
    nullable = len(readers) < len(inner)

    def read_any(value: Any) -> Any:
        if value is None and nullable:
            return None
        first: Fault | None = None
        for read_one in readers:
            try:
                return read_one(value)
            except Fault as fault:
                first = first or fault
        assert first is not None
        raise first

    return read_any


def _list(inner: tuple[Any, ...]) -> Read:
    """Lists: `tuple[X, ...]` of any length, `tuple[X, Y]` of two."""
    if inner[1:] == (...,):
        return _items(reader(inner[0]))
    readers = [reader(one) for one in inner]
    test = _length(Length(len(readers), len(readers)), tuple[Any, ...])

    def read_row(value: Any) -> Any:
        if not isinstance(value, list):
            raise Fault("Input should be a valid list")
        test(value)
        pairs = zip(readers, value, strict=True)
        return tuple(_item(read, at, one) for at, (read, one) in enumerate(pairs))

    return read_row


def _items(read_item: Read) -> Read:
    def read_items(value: Any) -> Any:
        if not isinstance(value, list):
            raise Fault("Input should be a valid list")
        try:
            return tuple([read_item(item) for item in value])
        except Fault:
            return tuple([_item(read_item, at, one) for at, one in enumerate(value)])

    return read_items


def _item(read_item: Read, at: int, item: Any) -> Any:
    try:
        return read_item(item)
    except Fault as fault:
        raise Fault(fault.reason, at, *fault.place) from None


def _mapping(key: Any, value: Any) -> Read:
    read_key = reader(key)
    read_value = _anything if value is Any else reader(value)

    def read_mapping(given: Any) -> Any:
        if not isinstance(given, dict):
            raise Fault("Input should be a valid dictionary")
        found = {}
        for name, each in given.items():
            try:
                found[read_key(name)] = read_value(each)
            except Fault as fault:
                raise Fault(fault.reason, name, *fault.place) from None
        return found

    return read_mapping


def _made(mark: Made) -> Read:
    def make(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Fault("Input should be a valid dictionary")
        try:
            return mark.function(value)
        except ValueError as error:
            raise Fault(str(error)) from None

    return make


def _tagged(key: str, records: Mapping[str, type]) -> Read:
    """One of several records, which a key tells apart."""

    def read_tagged(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Fault("Input should be a valid dictionary")
        if key not in value:
            raise Fault(f"Unable to extract tag using discriminator {key!r}")
        tag = value[key]
        if not isinstance(tag, str) or tag not in records:
            known = ", ".join(map(repr, records))
            raise Fault(
                f"Input tag {str(tag)[:40]!r} found using {key!r} does not match any"
                f" of the expected tags: {known}"
            )
        return _record(records[tag])(value)

    return read_tagged


def tags(record: type, key: str) -> tuple[str, ...]:
    """The values of the key by which a record is told from others."""
    return get_args(hints(record)[key])
