"""The one error that a user sees as a line rather than as a traceback."""


class UserError(Exception):
    """Something that the user can put right.

    The message is one line: what is wrong, where, and what would work. The
    command prints it and exits with status 2.
    """
