"""Constraints on design points: comparisons between parameters.

    path1.capacity >= path2.capacity
    0.5 <= path1.delay / path2.delay <= 2 or path1.loss == 0

Each name stands for its value in the canonical unit (Mbit/s, ms, packets, %).
The text is parsed, never executed: names, numbers, + - * /, comparisons, and,
or, not, parentheses, abs(), min() and max() are all there is.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = Mapping[str, Any]
Operation = Callable[..., Any]

_ARITHMETIC: dict[type[ast.AST], Operation] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_LOGIC: dict[type[ast.AST], Operation] = {
    ast.And: np.logical_and,
    ast.Or: np.logical_or,
    ast.Not: np.logical_not,
}
_COMPARISONS: dict[type[ast.AST], Operation] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_FUNCTIONS: dict[str, Operation] = {
    "abs": np.abs,
    "min": np.minimum,
    "max": np.maximum,
}
_MOST_NODES = 200


@dataclass(frozen=True)
class Constraint:
    """A condition on the values of parameters.

    text : as written
    names : of the parameters that it compares
    """

    text: str
    names: frozenset[str]

    def holds(self, values: Values) -> NDArray[np.bool_]:
        """Which points are allowed.

        values : name to value, a number or an ndarray of shape (n,)

        Shape (n,), or () if all values are numbers. A division by zero gives
        infinity or NaN, and NaN meets no comparison but `!=`.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(_value(_tree(self.text), values), dtype=bool)


def parse(text: str) -> Constraint:
    """Raises ValueError, one line, for what is not such a condition."""
    tree = _tree(text)
    if sum(1 for _ in ast.walk(tree)) > _MOST_NODES:
        raise ValueError("too long; write several constraints, all of which must hold")
    names: set[str] = set()
    _check_condition(tree, names)
    if not names:
        raise ValueError(f"'{text}' names no parameter")
    return Constraint(text, frozenset(names))


def _tree(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"'{text}' is not a comparison such as 'a.b >= c.d'") from None


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
            text = ast.unparse(node)
            raise ValueError(f"'{text}' compares nothing; write e.g. 'a.b >= c.d'")


def _check_term(node: ast.expr, names: set[str]) -> None:
    """A number: what stands on either side of a comparison."""
    match node:
        case ast.Constant(value=bool()):
            raise _refusal(node)
        case ast.Constant(value=int() | float()):
            return
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
    return ValueError(f"'{ast.unparse(node)}' is not allowed in a constraint")


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
            return reduce(np.logical_and, links)
        case ast.Call(func=ast.Name(id=name), args=args):
            operation = _FUNCTIONS[name]
            arguments = [_value(argument, values) for argument in args]
            return (
                operation(arguments[0])
                if name == "abs"
                else reduce(operation, arguments)
            )
    return values[_dotted(node)]
