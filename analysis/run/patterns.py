"""Patterns that users write, in time that grows with the text alone.

Python's own regular expressions can take years for a text of a line. RE2 (Cox 2010,
"Regular Expression Matching in the Wild") takes a bounded time per character of the
text and a bounded memory. It has no look-around and no back-references.
"""

import re
from collections.abc import Mapping
from typing import Any

MOST_CHARACTERS = 500
"""Length of a pattern."""

MOST_MEMORY_BYTES = 1 << 20

NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")
"""Names that a named group can have: the name becomes part of a column's name."""


def compiled(pattern: str) -> Any:
    """The pattern, compiled by RE2.

    Raises ValueError, in one line, for a pattern that RE2 cannot read, that is too
    long, or whose groups have no names that a column can have.
    """
    import re2

    if len(pattern) > MOST_CHARACTERS:
        raise ValueError(f"{len(pattern)} characters; at most {MOST_CHARACTERS} work")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MOST_MEMORY_BYTES
    try:
        found = re2.compile(pattern, options=options)
    except re2.error as error:
        reason = error.args[0] if error.args else "not a pattern"
        words = reason.decode(errors="replace") if isinstance(reason, bytes) else reason
        raise ValueError(
            f"not a pattern: {words}; the syntax is that of RE2, which has no"
            " look-around and no back-references"
        ) from None
    names = list(found.groupindex)
    if not names:
        raise ValueError("no named group; mark the number: (?P<time>[0-9.]+)")
    for name in names:
        if not NAME.fullmatch(name):
            raise ValueError(
                f"the group '{name[:40]}'; use up to 30 small letters, digits and '_',"
                " and begin with a letter"
            )
        if pattern.count(f"(?P<{name}>") > 1:
            raise ValueError(f"two groups are called '{name}'; give each its own name")
    return found


def names(pattern: str) -> tuple[str, ...]:
    """The names of the groups of a pattern, in its order; see `compiled`."""
    index: Mapping[str, int] = compiled(pattern).groupindex
    return tuple(sorted(index, key=lambda name: index[name]))
