"""Requests of an experiment that no run can meet: refused before the first run.

A refusal is certain: every such run would fail, or be invalid. What only may fail is a
warning, which `mpbench plan` prints.
"""

from collections.abc import Iterator, Mapping

from jobs.entries import DrawnFlows
from mpbench.errors import UserError
from mpbench.plan import (
    absent_metrics,
    flow_memory,
    long_connections,
    middlebox_expectations,
    resolved,
    settings,
    timing,
)
from mpbench.plan.runs import Plan
from mpbench.spec import Spec, change_checks, middlebox_checks, sysctls
from mpbench.spec.cases import Case
from mpbench.spec.document import Place, dotted
from mpbench.spec.messages import MOST_FAULTS, listing
from topologies.parameters import DOWN

MOST_VALUES = 16
"""Values of `by` that a figure can show, as in `analysis.figures`."""

MOST_SECONDS = 30 * 86_400.0
"""The longest time limit that a file may set too."""


def check(spec: Spec, plan: Plan) -> None:
    """Raises UserError, one line per fault, for an experiment that cannot work."""
    faults = [
        *_links(spec, plan),
        *_resolved(spec, plan),
        *_figures(spec, plan),
        *_theory(spec, plan),
        *_connections(spec, plan),
    ]
    if faults:
        raise UserError(listing(list(dict.fromkeys(faults))))


def check_metrics(spec: Spec) -> None:
    """Raises UserError, one line per metric, for metrics that no run can have.

    Runs that are there already are read all the same, so only what begins runs asks.
    """
    faults = list(absent_metrics.faults(spec))
    if faults:
        raise UserError(listing(faults))


def check_cases(spec: Spec, plan: Plan) -> None:
    """Raises UserError, one line per case, for cases with the same jobs.

    Equal jobs are one run, so the table would have the rows of one of the cases only.
    """
    first: dict[str, str] = {}
    faults = []
    for run in plan.runs[: len(spec.cases)]:
        other = first.setdefault(run.id, run.case)
        if other != run.case:
            faults.append(
                f"{spec.where('cases', run.case)}: cases.{run.case}: the same as"
                f" cases.{other}, to the last value, so both would be one run; leave"
                " one out. To see chance, give 'repetitions'"
            )
    if faults:
        raise UserError(listing(faults))


def check_expectations(spec: Spec, plan: Plan) -> None:
    """Raises UserError, one line per expectation of traffic that a middlebox makes
    impossible."""
    faults = list(middlebox_expectations.faults(spec, plan))
    if faults:
        raise UserError(listing(faults))


def check_time_limit(spec: Spec, limit_s: float) -> None:
    """Raises UserError for traffic that may go on for longer than a run can.

    limit_s : virtual time after which the run is given up
    """
    if limit_s > MOST_SECONDS:
        reason = f"a run may take {limit_s / 86_400:.3g} days, and at most 30 work"
        hint = "give a smaller size, more capacity or a time_limit"
        raise UserError(f"{spec.where('traffic')}: traffic: {reason}; {hint}")


def check_backend(spec: Spec, backend: str) -> None:
    """Raises UserError for what no machine has on which this backend executes runs."""
    if backend == "virtual":
        check_sysctls(spec)
    elif backend == "native":
        check_fabric(spec)
        check_middleboxes(spec)


def check_middleboxes(spec: Spec) -> None:
    """Raises UserError for middleboxes, which only a guest's kernel has for sure.

    Only native runs need this check.
    """
    if not middlebox_checks.has_boxes(spec):
        return
    cases = (name for name, case in spec.cases.items() if case.middlebox)
    place: Place = ("middlebox",) if spec.middlebox else ("cases", next(cases))
    place = place if len(place) == 1 else (*place, "middlebox")
    raise UserError(
        f"{spec.where(*place)}: {dotted(place)}: runs in a kernel with netfilter, which"
        " mpbench builds for guests, and not in this machine's; use --backend virtual"
    )


def check_fabric(spec: Spec) -> None:
    """Raises UserError for a network on the fabric, which the guest's kernel alone has.

    Only native runs need this check.
    """
    if spec.on_fabric is None:
        return
    name = spec.network_description.name
    key, reason, remedy = "fabric", "runs on the fabric", "take 'fabric' away, or "
    if spec.fabric is None:
        key, reason, remedy = "topology", f"{name} runs on the fabric", ""
    raise UserError(
        f"{spec.where(key)}: {key}: {reason}, which only the guest's kernel has, and"
        f" not --backend native; {remedy}use --backend virtual"
    )


def check_sysctls(spec: Spec) -> None:
    """Raises UserError for sysctls or values that the guest's kernel does not have.

    Only runs in a guest need this check: another kernel may have other sysctls.
    """
    found: list[tuple[Place, str, str | int]] = [
        ((*place, "sysctls"), name, value)
        for place, given in _sysctls_byplace_of(spec)
        for name, value in given.items()
        if not sysctls.can_be_set(name) or sysctls.value_trouble(name, value)
    ]
    if found:
        # A message takes long to make where the nearest name is looked for.
        faults = [
            f"{spec.where(*place, name)}: {dotted(place)}.{name}:"
            f" {_sysctl_trouble(name, value)}"
            for place, name, value in found[:MOST_FAULTS]
        ]
        raise UserError(listing(faults, len(found)))


def _sysctls_byplace_of(
    spec: Spec,
) -> Iterator[tuple[Place, Mapping[str, str | int]]]:
    """The sysctls of cases, entries and hosts, each with the place of their key."""
    for place, case in transports(spec):
        yield place, case.sysctls
        for host, own in case.hosts.items():
            yield (*place, "hosts", host), own.sysctls or {}
    for host, own in spec.hosts.items():
        yield ("hosts", host), own.sysctls or {}


def transports(spec: Spec) -> list[tuple[Place, Case]]:
    """The cases, and the transports of traffic entries, each with its place."""
    found: list[tuple[Place, Case]] = [
        (("cases", name), case) for name, case in spec.cases.items()
    ]
    return found + [
        (("traffic", index, "transport"), entry.transport)
        for index, entry in enumerate(spec.traffic)
        if entry.transport is not None
    ]


def _sysctl_trouble(name: str, value: str | int) -> str:
    if sysctls.can_be_set(name):
        return sysctls.value_trouble(name, value)
    return sysctls.trouble(name)


def _links(spec: Spec, plan: Plan) -> Iterator[str]:
    """Links that lose every packet."""
    parameters = {p.key: p for p in spec.network_description.parameters}
    for number, values in points(plan):
        for key, value in values.items():
            name = parameters[key].name
            quantity = name.rpartition(".")[2]
            lost = quantity.removeprefix(DOWN) == "loss"
            # A loss that only 'changes' gives may be another one later.
            if lost and value == timing.ALL_LOST_PERCENT and len(spec.place(name)) > 1:
                reason = "100 % loses every packet; give less"
                yield f"{place_of(spec, name, number)}: {reason}"


def _resolved(spec: Spec, plan: Plan) -> Iterator[str]:
    """Values of links that no run can have, those included that mpbench chooses."""
    parameters = {p.name for p in spec.network_description.parameters}
    perturb = spec.repetitions.perturb
    for run in plan.runs:
        if run.case != plan.runs[0].case:
            continue
        for fault in resolved.faults(run.job.shapes, run.job.changes):
            if fault.changed:
                key = change_checks.named(spec.changes)[fault.link][0]
                at = f"{spec.where('changes', key)}: changes.{key}: {fault.link}"
            elif (name := f"{fault.link}.{fault.quantity}") in parameters:
                at = place_of(spec, name, run.point)
            else:
                place = "network" if spec.network else "topology"
                at = f"{spec.where(place)}: {place}: {name}"
            if perturb and not fault.changed and fault.quantity == "jitter":
                reason = f"a repetition may have {perturb.delay:g} % less delay"
                yield f"{at}: {reason}, below this jitter; give less jitter"
            else:
                yield f"{at}: {fault.reason}"


def _connections(spec: Spec, plan: Plan) -> Iterator[str]:
    """Connections for which a guest has not the memory."""
    for run in plan.runs:
        for number, reason in flow_memory.faults(run.job):
            entry = run.job.traffic[number]
            index = entry.stream if isinstance(entry, DrawnFlows) else number
            at = f"traffic[{index}]"
            at += f", point {run.point}" if len(plan.design) > 1 else ""
            yield f"{spec.where('traffic', index)}: {at}: {reason}"
    if not spec.guest.given:
        yield from long_connection_faults(spec, plan)


def _figures(spec: Spec, plan: Plan) -> Iterator[str]:
    keys = {name: parameter.key for name, parameter in spec.variable().items()}
    for index, figure in enumerate(spec.figures):
        at = f"figures[{index}]"
        if figure.point >= len(plan.design):
            last = len(plan.design) - 1
            reason = f"there is no point {figure.point}; points are 0 to {last}"
            yield f"{spec.where('figures', index, 'point')}: {at}.point: {reason}"
        if figure.by is None or figure.kind == "model":
            continue
        column = plan.factor_keys.index(keys[figure.by])
        count = len({row[column] for row in plan.design})
        if count > MOST_VALUES:
            reason = f"{figure.by} has {count} values; a figure shows {MOST_VALUES}"
            hint = "give a shorter list, or a criterion with batches"
            yield f"{spec.where('figures', index, 'by')}: {at}.by: {reason}; {hint}"


def _theory(spec: Spec, plan: Plan) -> Iterator[str]:
    """Figures whose models say nothing about the experiment."""
    if any(figure.theory for figure in spec.figures):
        yield from settings.faults(spec, plan)


def long_connection_faults(spec: Spec, plan: Plan) -> Iterator[str]:
    """Long connections for which a guest has not the memory, in a data centre.

    The run that needs most stands for all.
    """
    shortages = [
        (shortage, run)
        for run in plan.runs
        for shortage in long_connections.of(run.job)
    ]
    if not shortages:
        return
    worst, run = max(shortages, key=lambda each: each[0].needed_bytes)
    at = f"traffic[{worst.stream}]: {run.case}"
    at += f", point {run.point}" if len(plan.design) > 1 else ""
    yield f"{spec.where('traffic', worst.stream)}: {at}: {worst.words}"


def points(plan: Plan) -> Iterator[tuple[int, Mapping[str, float | None]]]:
    """The parameters of every point, once."""
    for run in plan.runs:
        if run.repetition == 0 and run.case == plan.runs[0].case:
            yield run.point, run.job.parameters


def place_of(spec: Spec, name: str, point: int | None) -> str:
    """`file:line: path` of a parameter, and at which point if it varies."""
    place = spec.place(name)
    at = f"{spec.where(*place)}: {dotted(place)}"
    varies = place[0] == "design" or name in spec.expressions
    return f"{at}, point {point}" if varies and point is not None else at
