"""The building blocks of an experiment file: names, numbers, quantities."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Strict,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)
from pydantic.config import JsonDict
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from mpbench import units
from mpbench.spec.messages import MOST_FAULTS, shortened
from mpbench.spec.queue_sizes import packets
from mpbench.spec.suggestions import MOST_LISTED, listed, suggestion
from topologies import Description, Parameter

COMMANDS = {
    "congestion control": "mpbench list controllers",
    "kind of figure": "mpbench list figures",
    "metric": "mpbench list metrics",
    "quantity": "mpbench list quantities",
    "topology": "mpbench list topologies",
}
"""The command that shows all choices, by what is chosen."""

T = TypeVar("T")
Loc = tuple[str | int, ...]

TEXT_PATTERN = r"^\s*[-+]?[0-9._]+([eE][-+]?[0-9]+)?\s*[A-Za-zµμ%/].*$"
ANY_QUANTITY: JsonDict = {"anyOf": [{"type": "string"}, {"type": "number"}]}


class Part(BaseModel):
    """A frozen mapping of a file, which refuses keys that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


@dataclass(frozen=True)
class Context:
    """The rest of the file, as far as a part is checked against it.

    topology : the experiment's topology; None if the file names no known one
    cases : names of the experiment's cases
    beside : what can be a factor beside the topology's parameters: keys of the traffic,
        the design's parts of links, and `variables`
    variables : factors with names of the user's own
    factors : names of the design's factors, as the file writes them
    topologies, tools, controllers, schedulers, programs : those that plug-ins bring
    own_knobs : parameters of these controllers and schedulers, by the case's key and
        their name
    kernels : names of the experiment's kernels
    added : controllers and schedulers that these add, by the case's key
    parameter : the parameter that a factor varies; None outside of factors
    """

    topology: Description | None = None
    cases: tuple[str, ...] = ()
    parameter: Parameter | None = None
    beside: tuple[Parameter, ...] = ()
    variables: tuple[Parameter, ...] = ()
    factors: tuple[str, ...] = ()
    topologies: tuple[str, ...] = ()
    tools: Mapping[str, Any] = field(default_factory=dict)
    controllers: tuple[str, ...] = ()
    schedulers: tuple[str, ...] = ()
    own_knobs: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(
        default_factory=dict
    )
    kernels: tuple[str, ...] = ()
    added: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    programs: tuple[str, ...] = ()


def context(info: ValidationInfo) -> Context:
    """The Context that `load` passes to every validator."""
    return info.context if isinstance(info.context, Context) else Context()


@dataclass
class Faults:
    """Everything that is wrong with a part, each fault with its place."""

    found: list[InitErrorDetails] = field(default_factory=list)

    def add(self, loc: Loc, reason: str) -> None:
        error = PydanticCustomError("reason", "{reason}", {"reason": reason})
        self.found.append(InitErrorDetails(type=error, loc=loc, input=None))

    def add_all(
        self,
        loc: Loc,
        error: ValidationError,
        words: Callable[[Mapping[str, Any]], str | None] = lambda _: None,
    ) -> None:
        """Adds all faults of `error`, with places below `loc`.

        words : may give a better message for one of the faults
        """
        for fault in error.errors():
            at = (*loc, *fault["loc"])
            if better := words(fault):
                self.add(at, better)
            elif fault["type"] == "reason":
                self.add(at, fault["msg"])
            else:
                details = InitErrorDetails(
                    type=fault["type"],
                    loc=at,
                    input=fault["input"],
                    ctx=fault.get("ctx", {}),
                )
                self.found.append(details)

    def raise_any(self) -> None:
        """Raises ValidationError if there is any fault."""
        if self.found:
            raise ValidationError.from_exception_data("part", self.found)


def several(one: type) -> BeforeValidator:
    """Reads a list; a single value of that type is a list of one."""
    return BeforeValidator(lambda value: [value] if isinstance(value, one) else value)


def several_schema(schema: JsonDict) -> None:
    """In the JSON Schema of a list: a single item will do."""
    listed = {key: schema.pop(key) for key in tuple(schema) if key != "description"}
    item = listed["items"]
    assert isinstance(item, dict)
    schema["anyOf"] = [listed, item]


def check_each(
    entries: Mapping[str, object], check: Callable[[str, object], T]
) -> dict[str, T]:
    """`check(name, value)` of every entry. The faults of all are raised at once."""
    faults = Faults()
    result: dict[str, T] = {}
    for name, value in entries.items():
        if len(faults.found) > MOST_FAULTS:  # no more would be shown
            break
        try:
            result[name] = check(name, value)
        except ValidationError as error:
            faults.add_all((name,), error)
        except ValueError as error:
            faults.add((name,), str(error))
    faults.raise_any()
    return result


@dataclass(frozen=True)
class Late:
    """Marks a section whose models are loaded when a file has it.

    Most files have few sections, and reading a file is most of a short command's time.

    load : the annotation that the section would have
    """

    load: Callable[[], Any]

    def read(self, value: object, info: ValidationInfo) -> object:
        """The section. Raises ValidationError."""
        if isinstance(value, list | tuple) and not value:
            return ()
        adapter: TypeAdapter[object] = TypeAdapter(self.load())
        return adapter.validate_python(value, context=info.context)

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(
            self.read, serialization=core_schema.simple_ser_schema("any")
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        adapter: TypeAdapter[object] = TypeAdapter(self.load())
        return handler(adapter.core_schema)


class Mark:
    """Base of the marks of annotations that check a value by themselves."""

    def check(self, value: object) -> object:
        """The value to keep. Raises ValueError, in one line."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of values that pass."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return self.schema()


@dataclass(frozen=True)
class OneOf(Mark):
    """Marks a word out of `choices`; the message for any other word lists them.

    beside : further words that a message may offer
    """

    what: str
    choices: tuple[str, ...]
    beside: tuple[str, ...] = ()

    def check(self, value: object) -> str:
        if isinstance(value, str) and value in self.choices:
            return value
        command = COMMANDS.get(self.what, "")
        known = f"known: {listed(self.choices, command)}"
        near = suggestion(shortened(value), (*self.choices, *self.beside))
        if near is not None and command and len(self.choices) > MOST_LISTED:
            known = f"`{command}` shows all"
        hint = known if near is None else f"did you mean '{near}'? ({known})"
        raise ValueError(f"unknown {self.what} '{shortened(value)}'; {hint}")

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.choices)}


@dataclass(frozen=True)
class Quantity(Mark):
    """Marks a quantity within [low, high], all in the canonical unit `unit`.

    usual : the unit that users most often write, which a message offers
    """

    unit: Literal["s", "bytes", "/s", "%"]
    low: float
    high: float
    usual: str | None = None

    def check(self, value: object) -> float:
        if self.usual is not None and self._bare(value):
            self._refuse(value, self.usual)
        number = units.parse(value, self.unit)
        if not self.low <= number <= self.high:
            limits = f"{self.low:g} to {self.high:g}"
            raise ValueError(f"{number:g} {self.unit} is not within {limits}")
        return number

    @staticmethod
    def _bare(value: object) -> bool:
        """Whether the value is a number, without a unit."""
        return isinstance(value, int | float) and not isinstance(value, bool)

    def _refuse(self, value: object, usual: str) -> None:
        """Offers the usual unit for a number without one, if that is within bounds."""
        if self.low <= units.parse(value, self.unit, usual) <= self.high:
            raise ValueError(f"{shortened(value)} has no unit; write '{value} {usual}'")

    def schema(self) -> dict[str, Any]:
        _, example = units.KINDS[self.unit]
        allowed: list[dict[str, Any]] = [{"type": "string", "pattern": TEXT_PATTERN}]
        if self.low <= 0:
            allowed.append({"type": "number", "const": 0})
        return {"anyOf": allowed, "examples": [example]}


def parameter_value(
    value: object, parameter: Parameter, stated: str | None = None
) -> float | int:
    """The value of a topology's parameter, in its canonical unit and within its range.

    Raises ValueError with a one-line reason.
    """
    if parameter.unit == "packets" and parameter.integer and stated is None:
        number = packets(value, parameter.name)
    else:
        number = units.parse(value, parameter.unit, stated)
    low, high, unit = parameter.minimum, parameter.maximum, parameter.unit
    if not low <= number <= high:
        limits = f"{parameter.name} is {low:g} to {high:g} {unit}".rstrip()
        raise ValueError(f"{number:g} {unit}".rstrip() + f" is out of range; {limits}")
    if parameter.integer and number != int(number):
        raise ValueError(f"{number:g} {unit} is not a whole number")
    return int(number) if parameter.integer else number


def _file_name(value: str) -> str:
    if len(value) > 100 or not value[:1].isalnum() or not _plain(value):
        raise ValueError(
            f"'{shortened(value)}' cannot be a name; use up to 100 letters, digits,"
            " '-', '_' and '.', and begin with a letter or digit"
        )
    return value


def _plain(value: str) -> bool:
    return all(c.isascii() and (c.isalnum() or c in "-_.") for c in value)


Name = Annotated[
    str,
    AfterValidator(_file_name),
    Field(json_schema_extra={"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$"}),
]
Whole = Annotated[int, Strict()]
Count = Annotated[int, Strict(), Field(ge=1)]
Switch = Annotated[bool, Strict()]
