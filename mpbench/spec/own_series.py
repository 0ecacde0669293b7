"""Series and samples of users' own tools, as figures name them."""

import re
from dataclasses import dataclass
from typing import Any

from analysis.run.quantities import QUANTITIES
from mpbench.spec.values import Mark, OneOf

OWN_COLUMN = r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$"
"""`TOOL.NAME_UNIT`."""


@dataclass(frozen=True)
class QuantityName(Mark):
    """Marks a quantity over time of mpbench, or a series of a user's own tool.

    Whether a tool has the series is checked with the whole file.
    """

    def check(self, value: object) -> str:
        if isinstance(value, str) and re.fullmatch(OWN_COLUMN, value):
            return value
        return OneOf("quantity", tuple(QUANTITIES)).check(value)

    def schema(self) -> dict[str, Any]:
        own = {"type": "string", "pattern": OWN_COLUMN}
        return {"anyOf": [{"type": "string", "enum": [*QUANTITIES]}, own]}
