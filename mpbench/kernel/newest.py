"""Whether a build takes the newest Linux of the series in place of the pinned one."""

from enum import Enum


class Newest(Enum):
    """NEVER; OTHERWISE, if no archive has the pinned Linux; ALWAYS."""

    NEVER = "never"
    OTHERWISE = "otherwise"
    ALWAYS = "always"
