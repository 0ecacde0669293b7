"""A name, with parameters if it has any: `ewtcp`, `{name: ewtcp, a: 0.25}`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import core_schema

from mpbench.spec import expressions, knobs
from mpbench.spec.expressions import Expression
from mpbench.spec.knobs import Knob, Value
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, OneOf, context
from mpbench.spec.vocabulary import QUIC

OF_PROGRAM = re.compile(r"[a-z0-9][a-z0-9_-]{0,15}")
"""Names of a congestion control or scheduler that programs of users may know."""


COMPUTED = ("congestion_control", "scheduler")
"""Keys of a case whose parameters can be expressions, and whose names plug-ins,
kernels and programs of users add to."""


@dataclass(frozen=True)
class WithParams:
    """A name, with the parameters that the file gives.

    values : pairs of a parameter's name and value, in alphabetical order; the value of
        an expression is known at a point of the design only
    own : the parameters of a user's controller or scheduler
    """

    name: str
    values: tuple[tuple[str, Value | Expression], ...] = ()
    own: Mapping[str, Knob] = field(default_factory=dict, compare=False, repr=False)

    def knobs(self, kind: str) -> Mapping[str, Knob]:
        """The parameters that the name has. kind : the key of the case"""
        return self.own or knobs.KINDS[kind].get(self.name, {})

    def sysctls(self, kind: str) -> dict[str, str]:
        """The sysctls that set the parameters, with the text of expressions.

        kind : the key of the case, such as `scheduler`
        """
        known = self.knobs(kind)
        return {
            known[key].sysctl: value.text
            if isinstance(value, Expression)
            else known[key].text(value)
            for key, value in self.values
        }

    @property
    def expressions(self) -> dict[str, Expression]:
        """The parameters that are computed at each point of the design."""
        return {k: how for k, how in self.values if isinstance(how, Expression)}

    def with_values(self, values: Mapping[str, Value]) -> "WithParams":
        """The same with values in place of expressions."""
        made = {**dict(self.values), **values}
        return replace(self, values=tuple(sorted(made.items())))

    def get(self, key: str, default: Value) -> Value:
        value = dict(self.values).get(key, default)
        return default if isinstance(value, Expression) else value


@dataclass(frozen=True)
class OneOfWithParams:
    """Marks a name out of `choices`, or a mapping of `name` and its parameters.

    what : for messages
    kind : the case's key
    own_knobs : parameters of the names that the file's plug-ins bring
    """

    what: str
    kind: str
    choices: tuple[str, ...]
    own_knobs: Mapping[str, Mapping[str, Knob]] = field(
        default_factory=dict, hash=False
    )

    def check_in_file(self, value: object, info: ValidationInfo) -> WithParams:
        """As `check`, with the names that the file's plug-ins and kernels bring."""
        own: dict[str, tuple[str, ...]] = {
            "congestion_control": context(info).controllers,
            "scheduler": context(info).schedulers,
        }
        if info.data.get("protocol") in QUIC and self.kind in own:
            return self._of_program(value)
        added = context(info).added.get(self.kind, ())
        choices = (*self.choices, *own.get(self.kind, ()), *added)
        known = context(info).own_knobs.get(self.kind, {})
        return replace(self, choices=choices, own_knobs=known).check(value)

    def _of_program(self, value: object) -> WithParams:
        """A name that the case's program knows."""
        if not isinstance(value, str) or not OF_PROGRAM.fullmatch(value):
            reason = f"'{shortened(value)}' is not a name that a program can know"
            raise ValueError(f"{reason}; up to 16 small letters, digits, '-' and '_'")
        return WithParams(value)

    def check(self, value: object) -> WithParams:
        one_of = OneOf(self.what, self.choices)
        if not isinstance(value, Mapping):
            return WithParams(one_of.check(value))
        faults = Faults()
        if "name" not in value:
            raise ValueError(f"without a name; write e.g. {{name: {self.choices[0]}}}")
        try:
            name = one_of.check(value["name"])
        except ValueError as error:
            faults.add(("name",), str(error))
            faults.raise_any()
        own = self.own_knobs.get(name, {})
        known = own or knobs.KINDS[self.kind].get(name, {})
        values: dict[str, Value | Expression] = {}
        for key, given in value.items():
            if key == "name":
                continue
            try:
                knob = _knob(name, known, key)
                computed = expressions.is_expression(given)
                values[key] = (
                    self._computed(knob, given) if computed else knob.check(given)
                )
            except ValueError as error:
                faults.add((str(key),), str(error))
        faults.raise_any()
        return WithParams(name, tuple(sorted(values.items())), own)

    def _computed(self, knob: Knob, text: str) -> Expression:
        """An expression. Raises ValueError if the parameter cannot have one."""
        if self.kind not in COMPUTED or knob.switch or knob.choices:
            what = "only numbers of controllers and schedulers are computed"
            raise ValueError(f"{what}; write a value")
        return expressions.parse(text)

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.with_info_plain_validator_function(
            self.check_in_file,
            serialization=core_schema.plain_serializer_function_ser_schema(_plain),
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        mappings: list[dict[str, Any]] = [
            {
                "type": "object",
                "properties": {
                    "name": {"const": name},
                    **{
                        key: _schema(knob, self.kind)
                        for key, knob in knobs.KINDS[self.kind].get(name, {}).items()
                    },
                },
                "required": ["name"],
                "additionalProperties": False,
            }
            for name in self.choices
        ]
        known = {"type": "string", "enum": list(self.choices)}
        if self.kind not in COMPUTED:
            return {"anyOf": [known, *mappings]}
        added = {"type": "string", "pattern": rf"^{OF_PROGRAM.pattern}$"}
        other = {**added, "not": {"enum": list(self.choices)}}
        parameters = {
            "type": "object",
            "properties": {"name": other},
            "required": ["name"],
        }
        return {"anyOf": [known, added, *mappings, parameters]}


def _schema(knob: Knob, kind: str) -> dict[str, Any]:
    """A parameter's part of the JSON Schema: a value, or an expression."""
    if kind not in COMPUTED or knob.switch or knob.choices:
        return knob.schema()
    computed = {"type": "string", "pattern": rf"^\s*{expressions.MARK}"}
    return {"anyOf": [knob.schema(), computed]}


def _plain(value: WithParams) -> str | dict[str, Value]:
    plain = {k: v.text if isinstance(v, Expression) else v for k, v in value.values}
    return {"name": value.name, **plain} if plain else value.name


def _knob(name: str, known: Mapping[str, Knob], key: object) -> Knob:
    if key in known:
        return known[str(key)]
    if not known:
        raise ValueError(f"{name} has no parameters; remove it")
    raise ValueError(f"{name} has no such parameter; {nearest(str(key), known)}")
