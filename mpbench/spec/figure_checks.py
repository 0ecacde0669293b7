"""Checks between the figures of an experiment and what its runs have."""

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from analysis.run import quantities
from mpbench.spec import endpoint, flows
from mpbench.spec.link_traits import WAYS
from mpbench.spec.sections import Sections
from mpbench.spec.suggestions import nearest
from mpbench.spec.trait_factors import parse
from mpbench.spec.values import Faults, Loc
from mpbench.spec.vocabulary import METRICS
from topologies import Description

if TYPE_CHECKING:
    from mpbench.spec.figures import Figure

OF_NUMBERS = ("line", "scatter", "model")
"""Kinds of figures whose factor `by` has to be a number."""
OF_LINKS = ("loss_probability", "mean_queue")
"""Metrics that a figure can show of one link and direction: `part: server.up`."""


def check(spec: Sections, topology: Description | None, faults: Faults) -> None:
    """Figures show what the experiment varies, measures and records."""
    varied = set(spec.design.factors) if spec.design else set()
    words = spec.design.words if spec.design else {}
    for index, figure in enumerate(spec.figures):
        at = ("figures", index)
        for key in ("metric", "against"):
            name = getattr(figure, key)
            if name is not None and name not in spec.metrics:
                reason = f"'{name}' is not among the experiment's metrics"
                faults.add(
                    (*at, key), f"{reason}; {_way_to_show(spec, figure, key, name)}"
                )
        of = _criterion(figure, topology)
        if figure.criterion and of and not varied & of:
            reason = f"'{figure.criterion.factor}' is the same in all runs"
            if figure.criterion.factor in varied:
                reason = f"'{figure.criterion.factor}' is no parameter of each path"
                reason += "; add difference: none"
            faults.add((*at, "criterion", "factor"), reason)
        elif fixed := sorted(name for name in of - varied if parse(name)):
            reason = f"'{fixed[0]}' is no factor, and a difference needs both"
            hint = "vary it too, or take difference: none"
            faults.add((*at, "criterion", "factor"), f"{reason}; {hint}")
        if figure.by is not None and figure.by not in varied:
            faults.add((*at, "by"), f"'{figure.by}' is the same in all runs")
        elif figure.by in words and figure.kind in OF_NUMBERS:
            reason = f"'{figure.by}' has words, and {figure.kind} shows numbers"
            faults.add((*at, "by"), f"{reason}; take kind: groups")
        _check_panels(figure, at, faults, varied)
        if figure.versus is not None and figure.versus not in varied:
            faults.add((*at, "versus"), f"'{figure.versus}' is the same in all runs")
        elif figure.versus is not None and figure.versus == figure.by:
            reason = f"'{figure.versus}' is on the horizontal axis (by)"
            faults.add((*at, "versus"), f"{reason}; take another factor")
        _check_part(spec, figure, at, faults, topology)
        _check_time_figure(spec, figure, at, faults, topology)
        for position, name in enumerate(figure.factors or ()):
            if name not in varied:
                reason = f"'{name}' is the same in all runs"
                faults.add((*at, "factors", position), reason)
            elif name in words:
                reason = f"'{name}' has words, and a histogram shows numbers"
                faults.add((*at, "factors", position), f"{reason}; take it away")


def _way_to_show(spec: Sections, figure: "Figure", key: str, name: str) -> str:
    """The way to show a metric that a figure names and the experiment lacks.

    `handover.goodput` is a metric in a phase, as `compare` has it; a figure has the
    metric and the phase in keys of their own.
    """
    part, dot, metric = name.rpartition(".")
    if not dot or metric not in METRICS:
        return "add it to 'metrics'"
    more = "" if metric in spec.metrics else f", with {metric} in 'metrics'"
    whole = f"parts: [{part}]" if figure.kind == "cases" else f"part: {part}"
    return f"write {key}: {metric}, {whole}{more}"


def _criterion(figure: "Figure", topology: Description | None) -> set[str]:
    """The parameters from which a figure's criterion is computed.

    A difference is one of the first two paths of the user, whatever their links are
    called.
    """
    if figure.criterion is None:
        return set()
    given = set(figure.criterion.parameters())
    users = topology.users if topology else ()
    if figure.criterion.difference == "none" or len(users) != 1 or not given:
        return given
    return {
        f"{link}.{figure.criterion.factor}"
        for path in users[0].paths[:2]
        for link in path
    }


def _check_panels(figure: "Figure", at: Loc, faults: Faults, varied: Set[str]) -> None:
    if figure.panels is None:
        return
    if figure.panels not in varied:
        faults.add((*at, "panels"), f"'{figure.panels}' is the same in all runs")
    elif figure.panels == figure.by:
        reason = f"'{figure.panels}' is on the horizontal axis (by)"
        faults.add((*at, "panels"), f"{reason}; take another factor, or none")


def _check_part(
    spec: Sections,
    figure: "Figure",
    at: Loc,
    faults: Faults,
    topology: Description | None,
) -> None:
    """Whether the part of a run that a figure shows is measured."""
    links = topology.links if topology and figure.metric in OF_LINKS else ()
    users = flows.names(spec.traffic)
    several = len(spec.traffic) > 1 or spec.traffic[0].name is not None
    known = [*spec.phase_names, *(users if several else ())]
    named: list[tuple[Loc, str]] = [((*at, "part"), figure.part or "")]
    named += [((*at, "parts", i), p) for i, p in enumerate(figure.parts or ())]
    for where, text in named:
        phase, _, rest = text.partition(".")
        of_phase = figure.metric == "mean_queue" and phase in spec.phase_names
        link, _, way = (rest if of_phase else text).rpartition(".")
        if link in links:
            if way not in WAYS:
                reason = f"a link has 'up' and 'down', not '{way}'"
                faults.add(where, f"{reason}; write {link}.up")
            continue
        for part in text.split(".") if text else ():
            if part not in known:
                faults.add(
                    where,
                    f"'{part}' is no phase and no traffic entry; {nearest(part, known)}"
                    if known
                    else f"'{part}': there is no phase, and a single traffic entry",
                )


def _hosts_with_traffic(spec: Sections, topology: Description) -> list[str]:
    if any(entry.many for entry in spec.traffic):
        return list(topology.hosts)
    ends = [pair for entry in spec.traffic for pair in entry.ends(topology)]
    return sorted({host for pair in ends for host in pair})


def _own_lists(
    spec: Sections, figure: "Figure", topology: Description | None
) -> Iterator[tuple[Loc, list[str], str]]:
    """Series and samples of users' own tools that a figure names: the key, the names
    that tools have, and the name."""
    series = [name for entry in spec.traffic for name in entry.series]
    series += endpoint.series(spec.cases.values(), topology)
    for position, name in enumerate(figure.quantities or ()):
        if quantities.is_own(name):
            yield ("quantities", position), series, name
    if figure.samples is not None:
        samples = [name for entry in spec.traffic for name in entry.samples]
        yield ("samples",), samples, figure.samples


def _check_time_figure(
    spec: Sections,
    figure: "Figure",
    at: Loc,
    faults: Faults,
    topology: Description | None,
) -> None:
    """Whether the figure's quantities are recorded, and its hosts have traffic.

    topology : None if there is no such network, which is a fault of its own
    """
    for key, known, named in _own_lists(spec, figure, topology):
        if named not in known:
            hint = nearest(named, known) if known else "no tool has any"
            faults.add((*at, *key), f"no tool gives '{named}'; {hint}")
    for position, name in enumerate(figure.quantities or ()):
        if quantities.of(name).column and spec.trace_interval is None:
            reason = f"'{name}' is known of traces only; say e.g. trace: 100 ms"
            faults.add((*at, "quantities", position), reason)
        alone = len(spec.traffic) == 1 and not spec.traffic[0].many
        if name == quantities.FAIRNESS and alone:
            reason = f"'{name}' is of several traffic entries, and there is one"
            faults.add((*at, "quantities", position), f"{reason}; take goodput")
    hosts = _hosts_with_traffic(spec, topology) if topology else figure.users or ()
    for position, name in enumerate(figure.users or ()):
        if name not in hosts:
            reason = f"'{name}' has no traffic; {nearest(name, hosts)}"
            faults.add((*at, "users", position), reason)
    end_s = spec.known_end_s
    if figure.span and end_s is not None and figure.span.start >= end_s:
        reason = f"begins at {figure.span.start:g} s, but the traffic ends at"
        faults.add((*at, "span"), f"{reason} {end_s:g} s; begin earlier")
    if figure.repetition >= spec.repetitions.count:
        reason = f"there is no repetition {figure.repetition}; they are 0 to"
        faults.add((*at, "repetition"), f"{reason} {spec.repetitions.count - 1}")
