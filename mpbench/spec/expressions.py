"""Expressions: parameters that are computed from other parameters.

    = 1 Mbit/s * type1.users
    = min(server.capacity / 4, 20 Mbit/s)
    = floor(server.capacity * 80 ms / 1514 B)

The text is parsed here and never executed. It may hold quantities with units, numbers,
names of parameters, + - * /, parentheses, `abs`, `min`, `max`, `floor` and `ceil`.

Each value has a dimension, which is a power of data (bits) and a power of time
(seconds). Counts and ratios have none: `server.capacity * 80 ms / 1514 B` is a number
of packets. An expression whose dimension is not that of its parameter is refused.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

from mpbench import units
from mpbench.spec.late_numpy import function
from mpbench.spec.messages import shortened

MARK = "="
"""The character with which the text of an expression begins."""

MOST_CHARACTERS = 500
MOST_TOKENS = 200
MOST_DEPTH = 30

Dimension = tuple[int, int]
"""Powers of data and of time: (1, -1) for a data rate."""

_NONE: Dimension = (0, 0)
_DIMENSIONS: Mapping[Dimension, str] = {
    (1, -1): "a data rate",
    (0, 1): "a time",
    (1, 0): "an amount of data",
    _NONE: "a number",
}
_BASE: Mapping[str, tuple[float, Dimension]] = {
    "Mbit/s": (1e6, (1, -1)),
    "ms": (1e-3, (0, 1)),
    "s": (1.0, (0, 1)),
    "bytes": (8.0, (1, 0)),
    "%": (0.01, _NONE),
    **dict.fromkeys((*units.COUNTS, units.PLAIN), (1.0, _NONE)),
}
"""The size of each canonical unit in bits and seconds, and its dimension."""

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": function("abs"),
    "ceil": function("ceil"),
    "floor": function("floor"),
    "max": function("maximum"),
    "min": function("minimum"),
}
_SEVERAL = ("max", "min")
"""The functions that take several arguments; the others take one."""

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
        (?:\s*(?P<unit>[A-Za-zµμ%]+(?:/[A-Za-z]+(?![A-Za-z0-9_.(]))?))?
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
      | (?P<sign>[-+*/(),])
    )""",
    re.VERBOSE,
)
_ALLOWED = "quantities, names of parameters, + - * /, parentheses, " + ", ".join(
    sorted(FUNCTIONS)
)


@dataclass(frozen=True)
class Constant:
    """A number in bits and seconds."""

    value: float
    dimension: Dimension


@dataclass(frozen=True)
class Reference:
    """The value of a parameter."""

    name: str


@dataclass(frozen=True)
class Call:
    """An operation: `+`, `-`, `*`, `/`, or the name of a function."""

    operation: str
    arguments: tuple["Node", ...]


Node = Constant | Reference | Call
Units = Mapping[str, str]
"""Name of a parameter to its canonical unit."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression.

    text : as written, with its mark
    """

    text: str
    tree: Node

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that the expression is computed from, in order."""
        return tuple(dict.fromkeys(_names(self.tree)))

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: object, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.is_instance_schema(
            cls,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda expression: expression.text
            ),
        )

    def check(self, unit: str, known: Units) -> None:
        """Check that the expression gives a value in `unit`.

        known : every parameter that the expression names

        Raises ValueError, in one line, if the dimensions do not fit.
        """
        found, (_, wanted) = _dimension(self.tree, known), _BASE[unit]
        if found != wanted:
            reason = f"'{shortened(self.text)}' gives {_words(found)}"
            raise ValueError(f"{reason}; {_words(wanted)} is needed")

    def value(self, unit: str, known: Units, values: Mapping[str, Any]) -> Any:
        """The value in `unit`, rounded to 12 significant digits.

        values : the value of each named parameter in its own canonical unit; a number
            or an array. NaN stands for a parameter that is not set.

        A name alone passes on what the parameter has, also NaN. A division by zero
        gives infinity or NaN.
        """
        if isinstance(self.tree, Reference):
            return values[self.tree.name]
        import numpy as np

        with np.errstate(all="ignore"):
            result = _value(self.tree, known, values) / _BASE[unit][0]
        if np.ndim(result):
            return result
        return float(f"{float(result):.12g}")


def is_expression(value: object) -> bool:
    """Whether a value of an experiment file is the text of an expression."""
    return isinstance(value, str) and value.lstrip().startswith(MARK)


def follow(name: str) -> Expression:
    """The expression for the value of another parameter."""
    return Expression(f"{MARK} {name}", Reference(name))


def parse(text: str) -> Expression:
    """The expression of a text that begins with `=`.

    Raises ValueError, in one line, if it is not one.
    """
    if len(text) > MOST_CHARACTERS:
        reason = f"an expression of {len(text)} characters"
        raise ValueError(f"{reason}; at most {MOST_CHARACTERS} work")
    tokens = _tokens(text.strip().removeprefix(MARK))
    tree = _Parser(text, tokens).whole()
    return Expression(" ".join(text.split()), tree)


@dataclass(frozen=True)
class _Token:
    """A number, a name, a sign, or the end of the text."""

    kind: str
    text: str
    node: Constant | None = None


_END = _Token("end", "the end")


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            character = text[position:].strip()[0]
            raise ValueError(f"'{character}' cannot be used here; there are {_ALLOWED}")
        tokens.append(_token(match))
        position = match.end()
        if len(tokens) > MOST_TOKENS:
            reason = f"more than {MOST_TOKENS} numbers, names and signs"
            raise ValueError(f"{reason} in an expression; make it shorter")
    return [*tokens, _END]


def _token(match: re.Match[str]) -> _Token:
    if match["number"]:
        constant = _constant(match["number"], match["unit"])
        return _Token("number", match[0].strip(), constant)
    kind = "name" if match["name"] else "sign"
    return _Token(kind, match[kind])


def _constant(number: str, unit: str | None) -> Constant:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"'{shortened(number)}' is too large a number")
    if unit is None:
        return Constant(value, _NONE)
    reason = ""
    every = ("Mbit/s", "s", "bytes", "%", *units.COUNTS)
    # To try a unit of another kind loads pint, which takes as long as the whole file.
    for canonical in sorted(
        every, key=lambda one: unit not in units.COMMON.get(one, {})
    ):
        try:
            converted = units.parse(f"{number} {unit}", canonical)
        except ValueError as error:
            reason = reason or str(error)
            continue
        size, dimension = _BASE[canonical]
        return Constant(converted * size, dimension)
    raise ValueError(reason)


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self.text = text
        self.tokens: Iterator[_Token] = iter(tokens)
        self.next = next(self.tokens)
        self.depth = 0

    def whole(self) -> Node:
        """The tree of the whole text."""
        tree = self.sum()
        if self.next is not _END:
            raise self.refusal("an operator or the end")
        return tree

    def take(self) -> _Token:
        taken = self.next
        if taken is not _END:
            self.next = next(self.tokens)
        return taken

    def refusal(self, wanted: str) -> ValueError:
        found = "the end" if self.next is _END else f"'{shortened(self.next.text)}'"
        text = shortened(self.text)
        return ValueError(f"'{text}': {found} stands where {wanted} is expected")

    def sum(self) -> Node:
        tree = self.product()
        while self.next.kind == "sign" and self.next.text in "+-":
            tree = Call(self.take().text, (tree, self.product()))
        return tree

    def product(self) -> Node:
        tree = self.factor()
        while self.next.kind == "sign" and self.next.text in "*/":
            tree = Call(self.take().text, (tree, self.factor()))
        return tree

    def factor(self) -> Node:
        """A number, a name, a call, or something in parentheses, with its signs."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            reason = f"more than {MOST_DEPTH} parentheses and signs within one another"
            raise ValueError(f"an expression has {reason}; make it simpler")
        tree = self.atom()
        self.depth -= 1
        return tree

    def atom(self) -> Node:
        token = self.next
        if token.node is not None:
            self.take()
            return token.node
        if token.kind == "name":
            self.take()
            if self.next.text == "(" and self.next.kind == "sign":
                return self.call(token.text)
            return Reference(token.text)
        if token.text == "-" and token.kind == "sign":
            self.take()
            return Call("*", (Constant(-1.0, _NONE), self.factor()))
        if token.text == "(" and token.kind == "sign":
            self.take()
            tree = self.sum()
            self.closing()
            return tree
        raise self.refusal("a quantity, a name or '('")

    def call(self, name: str) -> Node:
        if name not in FUNCTIONS:
            known = ", ".join(sorted(FUNCTIONS))
            raise ValueError(f"no function '{shortened(name)}'; known: {known}")
        self.take()
        arguments = [self.sum()]
        while self.next.text == "," and self.next.kind == "sign":
            self.take()
            arguments.append(self.sum())
        self.closing()
        if (len(arguments) > 1) != (name in _SEVERAL):
            count = "at least two values" if name in _SEVERAL else "one value"
            raise ValueError(f"{name}() takes {count}, not {len(arguments)}")
        return Call(name, tuple(arguments))

    def closing(self) -> None:
        if self.next.text != ")" or self.next.kind != "sign":
            raise self.refusal("')'")
        self.take()


def _names(node: Node) -> Iterator[str]:
    if isinstance(node, Reference):
        yield node.name
    elif isinstance(node, Call):
        for argument in node.arguments:
            yield from _names(argument)


def _dimension(node: Node, known: Units) -> Dimension:
    if isinstance(node, Constant):
        return node.dimension
    if isinstance(node, Reference):
        return _BASE[known[node.name]][1]
    parts = [_dimension(argument, known) for argument in node.arguments]
    if node.operation in ("*", "/"):
        sign = 1 if node.operation == "*" else -1
        (data, time), (other_data, other_time) = parts
        return (data + sign * other_data, time + sign * other_time)
    if any(part != parts[0] for part in parts):
        other = next(part for part in parts if part != parts[0])
        verb = f"'{node.operation}' cannot combine"
        what = f"{verb} {_words(parts[0])} and {_words(other)}"
        if _NONE in (parts[0], other):
            what += "; a number here needs its unit, as in 5 s or 2 Mbit/s"
        raise ValueError(what)
    if node.operation in ("ceil", "floor") and parts[0] != _NONE:
        raise ValueError(f"{node.operation}() takes a number, not {_words(parts[0])}")
    return parts[0]


def _words(dimension: Dimension) -> str:
    data, time = dimension
    other = f"data to the power {data} times time to the power {time}"
    return _DIMENSIONS.get(dimension, other)


def _value(node: Node, known: Units, values: Mapping[str, Any]) -> Any:
    """The value in bits and seconds."""
    import numpy as np

    if isinstance(node, Constant):
        return np.float64(node.value)
    if isinstance(node, Reference):
        return np.asarray(values[node.name], float) * _BASE[known[node.name]][0]
    first, *others = (_value(argument, known, values) for argument in node.arguments)
    match node.operation:
        case "+":
            return first + others[0]
        case "-":
            return first - others[0]
        case "*":
            return first * others[0]
        case "/":
            return np.divide(first, others[0])
        case "abs" | "ceil" | "floor":
            return FUNCTIONS[node.operation](first)
    return reduce(FUNCTIONS[node.operation], others, first)
