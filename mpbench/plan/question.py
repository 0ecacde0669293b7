"""The experiment's question before a run: in words, and whether the design answers it.

An interval over networks needs six of them. Of a single network, repetitions that draw
something are the observations.
"""

from collections.abc import Iterator

from analysis.campaign.columns import TRAFFIC
from analysis.campaign.sample_sizes import least_values
from analysis.words import many
from mpbench.plan import draws
from mpbench.plan.runs import Plan
from mpbench.spec import Spec

LEVEL = 0.95
NEEDED = least_values(LEVEL)


def line(spec: Spec) -> str:
    """`Question: does olia have higher goodput than lia?`; empty without a question."""
    asked = spec.question
    if asked is None:
        return ""
    text = f"Question: {asked.sentence(list(spec.cases))}"
    if not asked.asked:
        return f"{text} ('compare' asks another)"
    return f"{text} Differences within {asked.equal_within_percent:g} % count as none."


def warnings(spec: Spec, plan: Plan) -> Iterator[str]:
    """Reasons why the design cannot answer the question that the experiment asks."""
    if spec.compare is None:
        return
    at = f"{spec.where('compare')}: compare"
    count = networks(spec, plan)
    needs = f"an interval needs {NEEDED}"
    if count > 1:
        if count < NEEDED:
            reason = f"{many(count, 'network')}, and {needs}"
            yield f"{at}: {reason}; {_more(spec, count)}"
        return
    if len(draws.still_points(plan)) == len(plan.design):
        yield (
            f"{at}: there is one network, and nothing in its runs draws from the seed,"
            " so the answer holds for this network alone; add a design with"
            f" {NEEDED} points or more"
        )
    elif spec.repetitions.count < NEEDED:
        yield (
            f"{at}: there is one network with"
            f" {many(spec.repetitions.count, 'repetition')}, and {needs}; write"
            f" repetitions: {NEEDED}, or add a design"
        )


def networks(spec: Spec, plan: Plan) -> int:
    """The number of networks: points that differ in more than crossed factors.

    Points of a grid are networks, unless they differ in the traffic alone.
    """
    design = spec.design
    if design is None:
        return 1
    if design.spread:
        own = set(design.spread)
    else:
        own = {name for name in design.factors if not name.startswith(TRAFFIC)}
    keys = {spec.variable()[name].key for name in own}
    kept = [i for i, key in enumerate(plan.factor_keys) if key in keys]
    return len({tuple(row[i] for i in kept) for row in plan.design})


def _more(spec: Spec, count: int) -> str:
    """The way to get networks enough."""
    asked = spec.question
    if asked is not None and asked.points is not None:
        more = NEEDED - count
        return f"write points: {asked.points + more}, or run with --points +{more}"
    return "give the factors more values"
