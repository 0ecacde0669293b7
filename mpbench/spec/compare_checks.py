"""Checks between an experiment's question and its cases, metrics and traffic."""

from typing import TYPE_CHECKING

from analysis.campaign import question
from analysis.campaign.directions import NONE, Direction, direction
from analysis.campaign.question import Question
from mpbench.spec import flows, own_metrics
from mpbench.spec.compare import directions
from mpbench.spec.kernel_factor import OWN
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
    _check_kernel(spec, faults)
    _check_limits(spec, faults)
    own = own_metrics.columns(spec.traffic, spec.plugins.stored.metrics)
    for at in [("compare", "better", name) for name in spec.compare.better or ()] + [
        ("compare", "limits", name) for name in spec.compare.limits or ()
    ]:
        name = at[-1]
        if DOT not in name:
            continue
        phase, _, of_phase = name.partition(DOT)
        if phase in spec.phase_names and of_phase in own:
            continue
        if name in own:
            if name not in spec.metrics:
                reason = f"'{name}' is not among the experiment's metrics"
                faults.add(at, f"{reason}; add it to 'metrics' too")
        elif (fault := unknown_part(spec, name)) is not None:
            faults.add(at, fault)


def unknown_part(spec: Sections, name: str) -> str | None:
    """The reason why runs have no metric of a part or program, such as `late.goodput`;
    None if they have it."""
    own = own_metrics.columns(spec.traffic, spec.plugins.stored.metrics)
    parts = _parts(spec)
    head, _, last = name.rpartition(DOT)
    if name in own or (last in METRICS and set(head.split(DOT)) <= set(parts)):
        return None
    known = [*own, *(f"{part}.{m}" for part in parts for m in METRICS)]
    example = f"add 'phases: {{{head}: 5 s..10 s}}'"
    hint = nearest(name, known) if known else example
    return f"no program and no part of the runs gives '{name}'; {hint}"


def _check_kernel(spec: Sections, faults: Faults) -> None:
    """A kernel that is a baseline has a case, and a case under another kernel."""
    assert spec.compare is not None
    label = spec.compare.kernel
    if label is None:
        return
    at = ("compare", "kernel")
    if spec.compare.baseline is not None:
        faults.add(at, "'baseline' names a case to compare with; take one of them away")
    elif label not in _labels(spec).values():
        faults.add(at, f"no case has the kernel '{label}'; add one, or name another")
    elif not baselines_of(spec, label):
        reason = f"no transport has a case with '{label}' and one with another kernel"
        faults.add(at, f"{reason}; let two cases differ in 'kernel' alone")


def _check_limits(spec: Sections, faults: Faults) -> None:
    """Of each metric with a limit, more or less is known to be better."""
    assert spec.compare is not None
    for name in spec.compare.limits or ():
        if limit_direction(spec, name) == NONE:
            reason = f"say below 'better' whether more or less of it is: '{name}: more'"
            faults.add(("compare", "limits", name), reason)


def limit_direction(spec: Sections, name: str) -> Direction:
    """The direction that is good of a metric with a limit."""
    better = spec.compare.better if spec.compare is not None else None
    stated = directions(better or {})
    own = own_metrics.directions(spec.traffic, spec.plugins.stored.metrics)
    if name in stated:
        return stated[name]
    known = direction(name, own)
    return known if known != NONE else direction(name.rpartition(DOT)[2], {})


def _labels(spec: Sections) -> dict[str, str]:
    """The label of each case's kernel."""
    return {name: case.kernel or OWN for name, case in spec.cases.items()}


def baselines_of(spec: Sections, label: str) -> dict[str, str]:
    """The case with kernel `label` for each case that differs from it in the kernel
    alone."""
    transports = {
        name: case.model_dump(mode="json", exclude={"kernel"})
        for name, case in spec.cases.items()
    }
    labels = _labels(spec)
    return {
        name: base
        for base, own in transports.items()
        if labels[base] == label
        for name, other in transports.items()
        if labels[name] != label and own == other
    }


def _parts(spec: Sections) -> list[str]:
    """Phases and traffic entries whose metrics are columns of their own."""
    several = len(spec.traffic) > 1 or spec.traffic[0].name is not None
    return [*spec.phase_names, *(flows.names(spec.traffic) if several else ())]


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
    kernel = spec.compare.kernel
    baselines = baselines_of(spec, kernel) if kernel else {}
    first = next(iter(baselines.values()), next(iter(spec.cases)))
    return Question(
        baseline=spec.compare.baseline or first,
        baselines=baselines,
        kernels=_labels(spec) if baselines else {},
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
