"""Names of topologies: those of files, and those of data centres with their sizes."""

from collections.abc import Sequence

from pydantic.config import JsonDict

from mpbench.spec.builtin import names
from mpbench.spec.messages import shortened
from mpbench.spec.values import OneOf
from topologies import families

PATTERN = f"^({'|'.join(families.FAMILIES)})(-[a-z][0-9]+)*$"


def check(value: object, own: Sequence[str]) -> str:
    """The name, or ValueError with what would work.

    own : names of topologies in files of the user's own
    """
    if isinstance(value, str) and value not in own and families.is_name(value):
        if reason := families.fault(shortened(value)):
            raise ValueError(reason)
        return value
    return OneOf("topology", (*names(), *own, *families.EXAMPLES)).check(value)


def schema() -> JsonDict:
    """In the JSON Schema: what a name can be, apart from the user's own topologies."""
    return {"anyOf": [{"enum": [*names()]}, {"type": "string", "pattern": PATTERN}]}
