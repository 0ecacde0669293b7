"""What is wrong with a text that is not YAML, and what would put it right."""

import yaml

REMEDIES = (
    ("'\\t'", "indent with spaces"),
    ("expected ',' or '}'", "close the bracket { or put a comma"),
    ("expected ',' or ']'", "close the bracket [ or put a comma"),
    ("scanning a quoted scalar", "close the quote"),
    (
        "mapping values are not allowed",
        "put a text with ': ' in quotes, or indent less",
    ),
    ("expected <block end>", "indent the keys of one mapping alike"),
    ("could not find expected ':'", "put ': ' after the key"),
    ("undefined alias", "define it with & first, or put a text with * in quotes"),
)
"""Words of the parser's message to what most often helps."""


def describe(error: yaml.MarkedYAMLError, name: str) -> str:
    """One line: `file:line: not YAML: what was found, and where that began; remedy`."""
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    context = error.context or ""
    if context and error.context_mark and error.context_mark.line + 1 != line:
        context += f" that begins on line {error.context_mark.line + 1}"
    found = ", ".join(each for each in (context, error.problem) if each)
    remedy = next((then for words, then in REMEDIES if words in found), "")
    return f"{name}:{line}: not YAML: {found}" + (f"; {remedy}" if remedy else "")
