"""Constraints on design points: comparisons between parameters.

    path1.capacity >= path2.capacity
    0.5 <= path1.delay / path2.delay <= 2 or path1.loss == 0

Each name stands for its value in the canonical unit (Mbit/s, ms, packets, %).
The text is parsed and never executed. It may hold names, numbers, + - * /,
comparisons, and, or, not, parentheses, abs(), min() and max().
"""

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from mpbench.spec.late_numpy import function
from mpbench.spec.messages import shortened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Values = Mapping[str, Any]
Operation = Callable[..., Any]

_ARITHMETIC: dict[type[ast.AST], Operation] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: function("divide"),
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_LOGIC: dict[type[ast.AST], Operation] = {
    ast.And: function("logical_and"),
    ast.Or: function("logical_or"),
    ast.Not: function("logical_not"),
}
_COMPARISONS: dict[type[ast.AST], Operation] = {
    ast.Lt: function("less"),
    ast.LtE: function("less_equal"),
    ast.Gt: function("greater"),
    ast.GtE: function("greater_equal"),
    ast.Eq: function("equal"),
    ast.NotEq: function("not_equal"),
}
_FUNCTIONS: dict[str, Operation] = {
    "abs": function("abs"),
    "min": function("minimum"),
    "max": function("maximum"),
}
_MOST_NODES = 200
_MOST_CHARACTERS = 2000
_MOST_NUMBER = 1e300
_QUANTITY = re.compile(
    r"(?<![\w.])(\d+\.?\d*(?:[eE][-+]?\d+)?)\s*([A-Za-zµμ%]+(?:/[A-Za-z]+)?)"
)
"""A number with a unit, as parameters have them and constraints do not."""


@dataclass(frozen=True)
class Constraint:
    """A condition on the values of parameters.

    text : as written
    names : the names of the parameters that it compares
    """

    text: str
    names: frozenset[str]

    def holds(self, values: Values) -> "NDArray[np.bool_]":
        """Whether each point is allowed, shape (n,); () if all values are numbers.

        values : the value of each parameter by name, a number or shape (n,)

        A division by zero gives infinity or NaN, and NaN meets no comparison but
        `!=`.
        """
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(_value(_tree(self.text), values), dtype=bool)


def parse(text: str) -> Constraint:
    """The constraint of a text; ValueError, one line, if it is not a condition."""
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(_TOO_LONG)
    tree = _tree(text)
    if sum(1 for _ in ast.walk(tree)) > _MOST_NODES:
        raise ValueError(_TOO_LONG)
    names: set[str] = set()
    _check_condition(tree, names)
    if not names:
        raise ValueError(f"'{text}' names no parameter")
    return Constraint(text, frozenset(names))


_TOO_LONG = "too long; write several constraints, all of which must hold"


def with_numbers(
    text: str, number: Callable[[str, str], float | None]
) -> tuple[str, list[str]]:
    """The text with a plain number in place of each quantity with a unit.

    number : the number for a number and a unit, as text; None to leave them

    The second value lists the quantities that were replaced.
    """
    replaced: list[str] = []

    def plain(match: re.Match[str]) -> str:
        value = number(match[1], match[2])
        if value is None:
            return match[0]
        replaced.append(match[0])
        return f"{value:g}"

    return _QUANTITY.sub(plain, text[:_MOST_CHARACTERS]), replaced


def _tree(text: str) -> ast.expr:
    try:
        with warnings.catch_warnings():  # of numbers that run into a word
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        reason = f"'{shortened(text)}' is not a comparison such as 'a.b >= c.d'"
        raise ValueError(reason) from None


def _check_condition(node: ast.expr, names: set[str]) -> None:
    """A comparison, or several joined by `and`, `or` and `not`."""
    match node:
        case ast.BoolOp(values=operands):
            for operand in operands:
                _check_condition(operand, names)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _check_condition(operand, names)
        case ast.Compare(left=left, ops=ops, comparators=others):
            if not all(type(op) in _COMPARISONS for op in ops):
                raise _refusal(node)
            for term in (left, *others):
                _check_term(term, names)
        case _:
            text = shortened(ast.unparse(node))
            raise ValueError(f"'{text}' compares nothing; write e.g. 'a.b >= c.d'")


def _check_term(node: ast.expr, names: set[str]) -> None:
    """A number: what stands on either side of a comparison."""
    match node:
        case ast.Constant(value=bool()):
            raise _refusal(node)
        case ast.Constant(value=int() | float() as number):
            if abs(number) > _MOST_NUMBER:
                raise ValueError(f"a number is too large; at most {_MOST_NUMBER:g}")
        case ast.Name() | ast.Attribute():
            names.add(_dotted(node))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _ARITHMETIC:
            _check_term(operand, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            _check_term(left, names)
            _check_term(right, names)
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as args, keywords=[]):
            if name not in _FUNCTIONS or (len(args) == 1) != (name == "abs"):
                raise _refusal(node)
            for argument in args:
                _check_term(argument, names)
        case _:
            raise _refusal(node)


def _refusal(node: ast.expr) -> ValueError:
    text = shortened(ast.unparse(node))
    return ValueError(
        f"'{text}' is not allowed in a constraint; there are names, numbers, + - * /,"
        " comparisons, and, or, not, abs, min and max"
    )


def _dotted(node: ast.expr) -> str:
    """`path1.capacity` of the tree of an attribute."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    raise _refusal(node)


def _value(node: ast.expr, values: Values) -> Any:
    match node:
        case ast.Constant(value=number):
            return number
        case ast.BoolOp(op=op, values=operands):
            return reduce(_LOGIC[type(op)], [_value(o, values) for o in operands])
        case ast.UnaryOp(op=op, operand=operand):
            return (_ARITHMETIC | _LOGIC)[type(op)](_value(operand, values))
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_value(left, values), _value(right, values))
        case ast.Compare(left=left, ops=ops, comparators=others):
            terms = [_value(term, values) for term in (left, *others)]
            links = [
                _COMPARISONS[type(op)](a, b)
                for op, a, b in zip(ops, terms[:-1], terms[1:], strict=True)
            ]
            return reduce(function("logical_and"), links)
        case ast.Call(func=ast.Name(id=name), args=args):
            operation = _FUNCTIONS[name]
            arguments = [_value(argument, values) for argument in args]
            return (
                operation(arguments[0])
                if name == "abs"
                else reduce(operation, arguments)
            )
    return values[_dotted(node)]
