"""Expressions: their values by hand, their faults, and any text at all."""

import ast
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mpbench.spec import expressions
from mpbench.spec.messages import MOST_CHARACTERS

UNITS = {
    "a.capacity": "Mbit/s",
    "a.delay": "ms",
    "a.loss": "%",
    "a.queue": "packets",
    "b.users": "users",
}
VALUES = {
    "a.capacity": 8.0,
    "a.delay": 20.0,
    "a.loss": 5.0,
    "a.queue": 30,
    "b.users": 3,
}


def value(text: str, unit: str) -> float:
    expression = expressions.parse(text)
    expression.check(unit, UNITS)
    found: float = expression.value(unit, UNITS, VALUES)
    return found


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("= 1 Mbit/s * b.users", "Mbit/s", 3.0),
        ("=b.users*1.5 Mbit/s", "Mbit/s", 4.5),
        ("= a.capacity", "Mbit/s", 8.0),
        ("= a.capacity / 4 - 500 kbit/s", "Mbit/s", 1.5),
        ("= a.capacity / (4 - 500)", "Mbit/s", 8 / -496),
        ("= 2 - -3", "users", 5.0),
        ("= 8 - 4 - 2", "users", 2.0),
        ("= 8 / 4 / 2", "users", 1.0),
        ("= 2 + 3 * 4", "users", 14.0),
        ("= min(a.capacity, 1 Gbit/s, 7 Mbit/s)", "Mbit/s", 7.0),
        ("= max(b.users, 4)", "users", 4.0),
        ("= abs(1 - b.users)", "users", 2.0),
        ("= floor(a.capacity * 80 ms / 1514 B)", "packets", 52.0),
        ("= ceil(a.capacity * 80 ms / 1514 B)", "packets", 53.0),
        ("= 1 s - a.delay", "ms", 980.0),
        ("= 10 ms/a.delay * 1 s", "ms", 500.0),
        ("= 12 kB / a.capacity", "ms", 12.0),
        ("= 2 * a.loss", "%", 10.0),
        ("= 1 - a.loss", "%", 95.0),
        ("= 30 packets * b.users", "packets", 90.0),
        ("= a.queue / 2", "packets", 15.0),
    ],
)
def test_values_by_hand(text: str, unit: str, expected: float) -> None:
    assert value(text, unit) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("= 1 Mbit/s * b.users", "ms", "gives a data rate; a time is needed"),
        ("= a.delay * a.delay", "ms", "data to the power 0 times time to the power 2"),
        (
            "= a.delay + 1",
            "ms",
            "'+' cannot combine a time and a number; a number here needs its unit",
        ),
        ("= max(a.delay, 1 kB)", "ms", "'max' cannot combine a time and an amount"),
        ("= floor(a.delay)", "ms", "floor() takes a number, not a time"),
        ("=", "ms", "the end stands where a quantity, a name or '(' is expected"),
        ("= 1 ms 2 ms", "ms", "'2 ms' stands where an operator or the end"),
        ("= (1 ms", "ms", "the end stands where ')' is expected"),
        ("= 1 furlong", "ms", "unknown unit 'furlong'"),
        ("= 2 ** 3", "users", "'*' stands where a quantity"),
        ("= a.delay[0]", "ms", "'[' cannot be used here; there are quantities"),
        ("= open('f')", "ms", "''' cannot be used here"),
        ("= exec(1)", "ms", "no function 'exec'; known: abs"),
        ("= min(1 ms)", "ms", "min() takes at least two values, not 1"),
        ("= abs(1 ms, 2 ms)", "ms", "abs() takes one value, not 2"),
        ("= 1e999 ms", "ms", "'1e999' is too large a number"),
        ("= " + "(" * 40 + "1" + ")" * 40, "users", "within one another"),
        ("= " + "-" * 40 + "1", "users", "within one another"),
        ("= " + "1+" * 150 + "1", "users", "more than 200 numbers, names and signs"),
        ("= " + "1" * 600, "users", "an expression of 602 characters; at most 500"),
    ],
)
def test_faults(text: str, unit: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        value(text, unit)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_alone_passes_on_what_is_not_set() -> None:
    expression = expressions.parse("= a.queue")
    assert math.isnan(expression.value("packets", UNITS, {"a.queue": math.nan}))


def test_names_are_listed_once_in_order() -> None:
    expression = expressions.parse("= b.users * min(a.capacity, 2 * a.capacity)")
    assert expression.names == ("b.users", "a.capacity")


@given(st.text(alphabet="= abmsMkit/.()+-*,0123456789eE%µfloreinxu\n\t", max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_a_tree_or_one_line(text: str) -> None:
    try:
        expressions.parse(f"= {text}")
    except ValueError as error:
        message = str(error)
        assert message and "\n" not in message and len(message) < MOST_CHARACTERS


numbers = st.integers(1, 999).map(str)
terms = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(" ".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-({text})"),
    ),
    max_leaves=12,
)


@given(terms)
@settings(max_examples=300, deadline=None)
def test_arithmetic_is_that_of_exact_fractions(text: str) -> None:
    """A second implementation: Python's parser and fractions."""
    try:
        expected = exact(ast.parse(text, mode="eval").body)
    except ZeroDivisionError:
        return
    if len(text) > 400 or abs(expected) > 1e12:
        return
    found = value(f"= {text}", "users")
    assert found == pytest.approx(float(expected), rel=1e-6, abs=1e-3)


def exact(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() as number):
            return Fraction(number)
        case ast.UnaryOp(operand=operand):
            return -exact(operand)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = exact(left), exact(right)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
            return a / b
    raise AssertionError(ast.dump(node))
