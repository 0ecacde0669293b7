"""Mutants of C, by regular expressions over code without comments and strings."""

import re
from collections.abc import Iterator

from tests.mutants.mutant import Mutant

_HIDDEN = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|#include[^\n]*",
    re.DOTALL,
)
_COMPARISONS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
}
_COMPARISON = re.compile(r"(?<![<>\-=!+*/|&^])(<=|>=|==|!=|<|>)(?![<>=])")
_NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])")
_LOGIC = re.compile(r"&&|\|\|")
_BOUND = re.compile(r"\b(min|max)(?=\()")
_STATEMENT = re.compile(r"^\t+((?!return|break|continue|goto|case|default)[a-z*(].*;)$")
_DECLARES = re.compile(
    r"(const |static |struct |enum )?\w+ [\w*, ]+( =|;|,|\[)|.*\) \{"
)


def _visible(source: str) -> str:
    """The source with spaces in place of what is no code."""
    return _HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source)


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of its lines.

    - comparisons: one that lets equal values in or out, and == for !=
    - constants: one more, one less
    - && for ||, min for max
    - statements that are left out
    """
    lines = source.split("\n")
    for index, code in enumerate(_visible(source).split("\n")):
        for operator, column, before, after in _of_line(code, lines[index]):
            text = lines[index].strip()
            yield Mutant(file, index + 1, column, operator, before, after, text)


def _of_line(code: str, line: str) -> Iterator[tuple[str, int, str, str]]:
    for found in _COMPARISON.finditer(code):
        sign = found.group(1)
        yield "comparison", found.start(1), sign, _COMPARISONS[sign]
    for found in _NUMBER.finditer(code):
        digits, suffix = found.groups()
        value = int(digits, 0)
        for operator, other in (("one more", value + 1), ("one less", value - 1)):
            if other >= 0:
                shown = hex(other) if digits[:2].lower() == "0x" else str(other)
                yield operator, found.start(), digits + suffix, shown + suffix
    for found in _LOGIC.finditer(code):
        sign = found.group()
        yield "logic", found.start(), sign, "||" if sign == "&&" else "&&"
    for found in _BOUND.finditer(code):
        name = found.group(1)
        yield "bound", found.start(), name, "max" if name == "min" else "min"
    statement = _STATEMENT.match(code)
    if statement and line == code and not _DECLARES.match(statement.group(1)):
        yield "statement", statement.start(1), statement.group(1), ";"
