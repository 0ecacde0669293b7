"""The record of an entry in a job: connections that the plan draws."""

from dataclasses import dataclass
from typing import Literal

from jobs.entries import DrawnFlows


@dataclass(frozen=True, kw_only=True)
class Flows(DrawnFlows):
    """Connections of mpbench-flows. See `DrawnFlows`."""

    tool: Literal["flows"]


RECORD = Flows
