"""From a Spec to the list of its runs: points x cases x repetitions."""

from mpbench.plan.estimate import Estimate, estimate, total
from mpbench.plan.make import make_plan, new_plan
from mpbench.plan.points import design_weights, draw_design
from mpbench.plan.runs import Plan, Run

__all__ = [
    "Estimate",
    "Plan",
    "Run",
    "design_weights",
    "draw_design",
    "estimate",
    "make_plan",
    "new_plan",
    "total",
]
