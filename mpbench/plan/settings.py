"""The network of a run's job, as the models take it: links, users and controllers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import jobs
from analysis.campaign.figure_request import (
    FLUID_CONTROLLERS,
    FigureRequest,
    OverTime,
    Theory,
    WithTheory,
    case_of,
    parts_of,
)
from analysis.models.networks import Network, User
from analysis.models.setting import Sender, Setting, Stretch
from analysis.run import path_names, traffic
from analysis.run.traffic import Traffic
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from topologies import Description

Entries = Sequence[Traffic[Any]]

MBPS = 1e6
MILLI = 1e-3
BALIA_FORMS = "net.mptcp.coupled_balia_forms"
EWTCP_WEIGHT = "net.mptcp.ewtcp_a_permille"
ROUNDING = 0.001
"""The kernel's weight of EWTCP is in parts of a thousand."""
HALF = 0.5
"""The part of the time in which an entry must be active to count."""
MOST_STRETCHES = 500
"""The most times at which entries start and end."""


def setting_of(job: jobs.Job, part: str | None = None) -> Setting:
    """The network of a job in one of its phases, or over the whole run.

    part : the part of a run that a figure shows; only its phase matters

    A user is a traffic entry with its number of connections. A round-trip time is the
    sum of the delays there and back; queues add nothing. Raises ValueError, one line,
    for what the models do not know: links that change, data centres, short transfers,
    data that flow both ways, and entries that come and go within the time.
    """
    entries = traffic.of_job(job)
    description = _description(job, entries)
    active = [_active(job, entries, entry, part) for entry in entries]
    return _setting(job, entries, description, active)


def stretches_of(job: jobs.Job) -> list[Stretch]:
    """The stretches of a job in which the same entries send, in order of time.

    Stretches in which nobody sends are left out. Raises ValueError as `setting_of`,
    but for entries that come and go, and for a job with too many stretches.
    """
    entries = traffic.of_job(job)
    description = _description(job, entries)
    spans = [_span(entry) for entry in entries]
    edges = sorted({edge for span in spans for edge in span})
    if len(edges) > MOST_STRETCHES:
        reason = f"entries start and end at {len(edges)} times"
        raise ValueError(f"{reason}; theory over time has up to {MOST_STRETCHES}")
    found: dict[tuple[bool, ...], Setting] = {}
    stretches = []
    for start_s, end_s in pairwise(edges):
        active = tuple(first <= start_s and end_s <= last for first, last in spans)
        if any(active):
            if active not in found:
                found[active] = _setting(job, entries, description, active)
            stretches.append(Stretch(start_s, end_s, found[active]))
    return stretches


def _description(job: jobs.Job, entries: Entries) -> Description:
    """The job's network. Raises ValueError for a job that the models do not know."""
    description = job.description
    if job.changes:
        raise ValueError("the models need links that stay as they are")
    if description.mesh:
        raise ValueError(f"the models do not know the paths of {description.name}")
    if description.relays:
        raise ValueError(
            f"the models do not know a proxy, as on {description.relays[0]}"
        )
    for entry in entries:
        if len(entry.sources) > 1:
            reason = f"and {_name_of(entry)} has {len(entry.sources)} hosts"
            raise ValueError(f"the models need a traffic entry per host, {reason}")
    if len({entry.forward for entry in entries}) > 1:
        raise ValueError("the models need data that flow one way")
    return description


def _setting(
    job: jobs.Job, entries: Entries, description: Description, active: Sequence[bool]
) -> Setting:
    """The network with those entries that are active."""
    users, protocols, senders = {}, {}, {}
    for entry, sends in zip(entries, active, strict=True):
        if sends:
            name = _name_of(entry)
            paths = _paths(job, description, entry)
            users[name] = _user(job, entry, paths)
            protocols[name] = entry.transport.protocol
            sends_from = entry.sending_host
            senders[name] = Sender(
                entry.title,
                sends_from,
                tuple(paths),
                entry.flows is not None,
                tuple(path_names.words(job, sends_from, number) for number in paths),
            )
    used = {link for user in users.values() for path in user.paths for link in path}
    forward = entries[0].forward
    links = {link.name: link.direction(forward) for link in job.links}
    return Setting(
        network=Network(
            {
                name: (link.capacity_mbps or float("inf") / MBPS) * MBPS
                for name, link in links.items()
                if name in used
            },
            users,
        ),
        protocols=protocols,
        lossy=any(links[name].loss_percent for name in used),
        senders=senders,
    )


def _name_of(entry: Traffic[Any]) -> str:
    return entry.name or entry.source


def _span(entry: Traffic[Any]) -> tuple[float, float]:
    """When an entry sends, in s. Raises ValueError for one that no model knows."""
    if not entry.bulk or entry.duration_s is None:
        name = _name_of(entry)
        raise ValueError(f"the models need transfers for a time, and {name} is none")
    return entry.start_s, entry.start_s + entry.duration_s


def _active(
    job: jobs.Job, entries: Entries, entry: Traffic[Any], part: str | None
) -> bool:
    """Whether an entry sends in the time that is looked at.

    Raises ValueError for an entry that the models do not know.
    """
    first_s, last_s = _span(entry)
    ends = [e.start_s + (e.duration_s or 0.0) for e in entries]
    phase = next((p for p in (part or "").split(".") if p in job.phases), None)
    start_s, end_s = job.phases[phase] if phase else (0.0, max(ends))
    within_s = min(end_s, last_s) - max(start_s, first_s)
    share = max(0.0, within_s) / (end_s - start_s)
    if phase is None and share < HALF:
        raise ValueError(f"{_name_of(entry)} comes and goes; name a phase in part")
    return share >= HALF


def _paths(
    job: jobs.Job, description: Description, entry: Traffic[Any]
) -> dict[int, tuple[str, ...]]:
    """The links of each path that an entry uses, by the path's number."""
    paths = dict(enumerate(description.user(entry.source).paths, start=1))
    if entry.transport.one_path or entry.transport.same_pair is not None:
        only = entry.transport.path or 1
        return {n: path for n, path in paths.items() if n == only}
    backups = {n for n in paths if traffic.is_backup(job, entry, n)}
    return {n: path for n, path in paths.items() if n not in backups}


def _user(
    job: jobs.Job,
    entry: Traffic[Any],
    paths: Mapping[int, tuple[str, ...]],
) -> User:
    delays_ms = {
        link.name: link.delay_ms + link.direction(False).delay_ms for link in job.links
    }
    rtts_s = tuple(sum(delays_ms[k] for k in path) * MILLI for path in paths.values())
    count = entry.parallel if entry.flows is None else entry.flows
    known = rtts_s if all(rtts_s) else ()
    return User(tuple(paths.values()), count, known, _name(entry.transport, len(paths)))


def _name(transport: jobs.Transport, paths: int) -> str:
    """The name of a controller in the models, or else one that they do not know."""
    name, sysctls = transport.congestion_control, transport.sysctls
    weight = int(sysctls.get(EWTCP_WEIGHT, 0)) / 1000
    if name == "ewtcp" and weight:
        fair = abs(weight - 1 / paths**2) < ROUNDING
        return "ewtcp_fair" if fair else f"ewtcp with a = {weight:g}"
    if name in ("coupled", "semicoupled") and int(sysctls.get(BALIA_FORMS, 0)):
        return f"{name}_balia"
    return {"lia_rfc6356": "lia"}.get(name, name)


def faults(spec: Spec, plan: Plan) -> Iterator[str]:
    """The lines of figures whose theory knows none of the cases that they show."""
    for index, figure in enumerate(spec.requests):
        if not isinstance(figure, WithTheory):
            continue
        shown = _shown_jobs(plan, figure)
        for number, theory in enumerate(figure.theory or ()):
            reasons = [_reason(job, figure, theory) for job in shown]
            if reasons and all(reasons):
                where = spec.where("figures", index, "theory", number)
                yield f"{where}: figures[{index}].theory[{number}]: {reasons[0]}"


def _shown_jobs(plan: Plan, figure: FigureRequest) -> list[jobs.Job]:
    """One job of each case that a figure shows."""
    point = figure.point if isinstance(figure, OverTime) else None
    shown = {
        run.case: run.job
        for run in reversed(plan.runs)
        if case_of(figure) in (None, run.case) and point in (None, run.point)
    }
    return list(shown.values())


def _reason(job: jobs.Job, figure: FigureRequest, theory: Theory) -> str:
    """Reason why a model says nothing about a run; empty if it says something."""
    try:
        if isinstance(figure, OverTime):
            settings = [stretch.setting for stretch in stretches_of(job)]
        else:
            settings = [setting_of(job, parts_of(figure)[0])]
        for setting in settings:
            setting.network.check_bounded()
    except ValueError as error:
        return str(error)
    return next(filter(None, (_unknown(each, theory) for each in settings)), "")


def _unknown(setting: Setting, theory: Theory) -> str:
    """Features of a setting that a model does not know; empty if it knows all."""
    users = setting.network.users
    if theory.model != "max_min" and theory.rtt is None:
        for name, user in users.items():
            if not user.rtts_s and (len(user.paths) > 1 or theory.model == "fluid"):
                return f"{name} has a round-trip time of 0; give its links a delay"
    if theory.model != "fluid":
        return ""
    if setting.lossy:
        return "the fluid model knows no random loss; leave loss out, or use max_min"
    asked = theory.controller
    for user in users.values():
        name = asked if asked and len(user.paths) > 1 else user.transport
        if name not in (*FLUID_CONTROLLERS, "reno"):
            known = ", ".join(FLUID_CONTROLLERS)
            return f"the fluid model does not know {name}; it knows {known}"
    return ""
