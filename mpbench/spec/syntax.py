"""Faults of a text that is not YAML, and what would put it right."""

import yaml

from mpbench.spec.messages import shortened

EXPLANATIONS = (
    ("'\\t'", "", "indent with spaces"),
    ("expected ',' or '}'", "", "close the bracket { or put a comma"),
    ("expected ',' or ']'", "", "close the bracket [ or put a comma"),
    ("scanning a quoted scalar", "", "close the quote"),
    (
        "mapping values are not allowed",
        "a ': ' stands inside a value",
        "indent this line like the key above it, or put a text with ': ' in quotes",
    ),
    (
        "but found '-'",
        "a list begins among 'key: value' lines",
        "indent all entries of a list alike, below its key",
    ),
    (
        "expected <block end>",
        "this line is indented like no key above it",
        "indent the keys of one mapping alike",
    ),
    ("could not find expected ':'", "", "put ': ' after the key"),
    (
        "undefined alias",
        "",
        "define it with & first, or put a text with * in quotes",
    ),
)
"""Words of the parser's message; what they mean, where the parser's own words do not
say it; and what most often helps."""


def describe(error: yaml.MarkedYAMLError, name: str) -> str:
    """One line: `file:line: not YAML: what was found, and where that began; remedy`."""
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    context = error.context or ""
    if context and error.context_mark and error.context_mark.line + 1 != line:
        context += f" that begins on line {error.context_mark.line + 1}"
    found = ", ".join(shortened(text) for text in (context, error.problem) if text)
    for words, meaning, remedy in EXPLANATIONS:
        if words in found:
            return f"{name}:{line}: not YAML: {meaning or found}; {remedy}"
    return f"{name}:{line}: not YAML: {found}"
