"""Checks between an experiment's question and its cases, metrics and traffic."""

from typing import TYPE_CHECKING

from analysis.campaign import question
from analysis.campaign.question import Question
from mpbench.spec import flows, own_metrics
from mpbench.spec.compare import directions
from mpbench.spec.own_metrics import DOT
from mpbench.spec.sections import Sections
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults
from mpbench.spec.vocabulary import METRICS

if TYPE_CHECKING:
    from mpbench.spec.design import Design


def check(spec: Sections, faults: Faults) -> None:
    """There is something to compare, and runs have what is compared."""
    if spec.compare is None:
        return
    if len(spec.cases) < 2:
        only = next(iter(spec.cases))
        reason = f"there is one case, {only}, and a comparison needs two"
        faults.add(("compare",), f"{reason}; add a case, or take 'compare' away")
    own = own_metrics.columns(spec.traffic, spec.plugins.stored.metrics)
    parts = _parts(spec)
    for name in spec.compare.better or ():
        at = ("compare", "better", name)
        head, dot, last = name.rpartition(DOT)
        if not dot:
            continue
        if name in own:
            if name not in spec.metrics:
                reason = f"'{name}' is not among the experiment's metrics"
                faults.add(at, f"{reason}; add it to 'metrics' too")
        elif last not in METRICS or not set(head.split(DOT)) <= set(parts):
            known = [*own, *(f"{part}.{m}" for part in parts for m in METRICS)]
            reason = f"no program and no part of the runs gives '{name}'"
            example = f"add 'phases: {{{head}: 5 s..10 s}}'"
            hint = nearest(name, known) if known else example
            faults.add(at, f"{reason}; {hint}")


def _parts(spec: Sections) -> list[str]:
    """Phases and traffic entries whose metrics are columns of their own."""
    several = len(spec.traffic) > 1 or spec.traffic[0].name is not None
    return [*spec.phases, *(flows.names(spec.traffic) if several else ())]


def asked(spec: Sections) -> Question | None:
    """The experiment's question, or the usual one; None if there is nothing to ask."""
    own = own_metrics.directions(spec.traffic, spec.plugins.stored.metrics)
    usual = question.usual(list(spec.cases), spec.metrics, own)
    points, grown = _points(spec.design)
    if spec.compare is None:
        if usual is None:
            return None
        return Question(usual.baseline, usual.better, points=points, grown=grown)
    better = spec.compare.better
    if better is None and usual is None:
        return None
    return Question(
        baseline=spec.compare.baseline or next(iter(spec.cases)),
        better=directions(better) if better else usual.better if usual else {},
        equal_within_percent=spec.compare.equal_within,
        asked=True,
        points=points,
        grown=grown,
    )


def _points(design: "Design | None") -> tuple[int | None, bool]:
    """The number of points of a design that can grow, and whether it has grown."""
    if design is None or design.points is None or design.method != "wsp":
        return None, False
    return design.points, design.grown_from is not None
