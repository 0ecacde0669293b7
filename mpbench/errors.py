"""The one error that a user sees as a line rather than as a traceback."""

import re


class UserError(Exception):
    """Something that the user can put right.

    The message is one line: what is wrong, where, and what would work. The
    command prints it and exits with status 2.
    """


def printable(text: str) -> str:
    """`text` without control characters: names in it may come from a stranger's files,
    and an escape sequence would reach the user's terminal."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "?", text)
