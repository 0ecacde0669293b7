"""The one error that a user sees as a line rather than as a traceback."""

import re

DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters that change the direction of text, as between the brackets of a regular
expression. A terminal shows what follows them in another order than it was written."""


class UserError(Exception):
    """Something that the user can put right.

    The message is one line: what is wrong, where, and what would work. The
    command prints it and exits with status 2.
    """


def printable(text: str) -> str:
    """`text` without control characters and changes of direction.

    Names in it may come from a stranger's files, and an escape sequence would reach the
    user's terminal.
    """
    return re.sub(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{DIRECTIONS}]", "?", text)
