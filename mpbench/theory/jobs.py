"""The network of a run's job, as the models take it: links, users and controllers."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from analysis.figures.request import FLUID_CONTROLLERS, FigureRequest, Theory
from analysis.models.networks import Network, User
from analysis.models.setting import Setting
from analysis.run.job import Job, Traffic, parse_job
from mpbench.errors import UserError
from mpbench.theory.experiment import MBPS, MILLI
from topologies import Description, describe_job

if TYPE_CHECKING:
    from mpbench.plan.runs import Plan
    from mpbench.spec import Spec

BALIA_FORMS = "net.mptcp.coupled_balia_forms"
EWTCP_WEIGHT = "net.mptcp.ewtcp_a_permille"
ROUNDING = 0.001
"""The kernel's weight of EWTCP is in parts of a thousand."""
HALF = 0.5
"""The part of the time in which an entry must be active to count."""


def setting_of(job: Mapping[str, Any], part: str | None = None) -> Setting:
    """The network of a job in one of its phases, or over the whole run.

    job : as `mpbench plan` gives it
    part : the part of a run that a figure shows; only its phase matters

    A user is a traffic entry with its number of connections. A round-trip time is the
    sum of the delays there and back; queues add nothing. Raises ValueError, one line,
    for what the models do not know: links that change, data centres, short transfers,
    data that flow both ways, and entries that come and go within the time.
    """
    run = parse_job(job, "the job")
    description = describe_job(job)
    if run.changes:
        raise ValueError("the models need links that stay as they are")
    if description.mesh:
        raise ValueError(f"the models do not know the paths of {description.name}")
    if len({entry.forward for entry in run.traffic}) > 1:
        raise ValueError("the models need data that flow one way")
    transports = [
        entry.get("transport") or job["transport"] for entry in job["traffic"]
    ]
    users, protocols = {}, {}
    for entry, transport in zip(run.traffic, transports, strict=True):
        if _active(run, entry, part):
            name = entry.name or entry.source
            users[name] = _user(run, description, entry, transport)
            protocols[name] = entry.transport.protocol
    used = {link for user in users.values() for path in user.paths for link in path}
    forward = run.traffic[0].forward
    links = {link.name: link.direction(forward) for link in run.links}
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
    )


def _active(run: Job, entry: Traffic, part: str | None) -> bool:
    """Whether an entry sends in the time that is looked at.

    Raises ValueError for an entry that the models do not know.
    """
    name = entry.name or entry.source
    if not entry.bulk or entry.duration_s is None:
        raise ValueError(f"the models need transfers for a time, and {name} is none")
    ends = [e.start_s + (e.duration_s or 0.0) for e in run.traffic]
    phase = next((p for p in (part or "").split(".") if p in run.phases), None)
    start_s, end_s = run.phases[phase] if phase else (0.0, max(ends))
    last_s = min(end_s, entry.start_s + entry.duration_s)
    share = max(0.0, last_s - max(start_s, entry.start_s)) / (end_s - start_s)
    if phase is None and share < HALF:
        raise ValueError(f"{name} comes and goes; name a phase in part")
    return share >= HALF


def _user(
    run: Job, description: Description, entry: Traffic, transport: Mapping[str, Any]
) -> User:
    paths = dict(enumerate(description.user(entry.source).paths, start=1))
    if entry.transport.protocol == "tcp" or entry.transport.same_pair is not None:
        paths = {
            n: path for n, path in paths.items() if n == (entry.transport.path or 1)
        }
    else:
        paths = {n: p for n, p in paths.items() if not run.is_backup(entry, n)}
    delays_ms = {
        link.name: link.delay_ms + link.direction(False).delay_ms for link in run.links
    }
    rtts_s = tuple(sum(delays_ms[k] for k in path) * MILLI for path in paths.values())
    count = entry.parallel if entry.flows is None else entry.flows
    known = rtts_s if all(rtts_s) else ()
    return User(tuple(paths.values()), count, known, _name(transport, len(paths)))


def _name(transport: Mapping[str, Any], paths: int) -> str:
    """The name of a controller in the models, or else one that they do not know."""
    name, sysctls = str(transport["congestion_control"]), transport.get("sysctls") or {}
    weight = int(sysctls.get(EWTCP_WEIGHT, 0)) / 1000
    if name == "ewtcp" and weight:
        fair = abs(weight - 1 / paths**2) < ROUNDING
        return "ewtcp_fair" if fair else f"ewtcp with a = {weight:g}"
    if name in ("coupled", "semicoupled") and int(sysctls.get(BALIA_FORMS, 0)):
        return f"{name}_balia"
    return {"lia_rfc6356": "lia"}.get(name, name)


def settings_of(spec: "Spec") -> Callable[[int, str, str | None], Setting]:
    """The setting of a point, case and part of an experiment's runs.

    The plan is made when the first one is asked for. The function raises ValueError as
    `setting_of`, and for a point or case that the plan does not have.
    """
    jobs: dict[tuple[int, str], Mapping[str, Any]] = {}

    def setting(point: int, case: str, part: str | None) -> Setting:
        from mpbench.plan import make_plan

        if not jobs:
            try:
                plan = make_plan(spec, {})
            except UserError as error:
                raise ValueError(f"the experiment has no plan: {error}") from error
            for run in reversed(plan.runs):
                jobs[run.point, run.case] = run.job
        if (point, case) not in jobs:
            raise ValueError(f"the experiment has no point {point} of {case}")
        return setting_of(jobs[point, case], part)

    return setting


def faults(spec: "Spec", plan: "Plan") -> Iterator[str]:
    """The lines of figures whose theory knows none of the experiment's cases."""
    jobs = {run.case: run.job for run in reversed(plan.runs)}
    for index, figure in enumerate(spec.figures):
        for number, theory in enumerate(figure.theory or ()):
            reasons = [_reason(job, figure, theory) for job in jobs.values()]
            if all(reasons):
                where = spec.where("figures", index, "theory", number)
                yield f"{where}: figures[{index}].theory[{number}]: {reasons[0]}"


def _reason(job: Mapping[str, Any], figure: FigureRequest, theory: Theory) -> str:
    """Why a model says nothing about a run; empty if it says something."""
    try:
        found = setting_of(job, figure.part or (figure.parts or (None,))[0])
        found.network.check_bounded()
    except ValueError as error:
        return str(error)
    users = found.network.users
    if theory.model != "max_min" and theory.rtt is None:
        for name, user in users.items():
            if not user.rtts_s and (len(user.paths) > 1 or theory.model == "fluid"):
                return f"{name} has a round-trip time of 0; give its links a delay"
    if theory.model != "fluid":
        return ""
    if found.lossy:
        return "the fluid model knows no random loss; leave loss out, or use max_min"
    asked = theory.controller
    for user in users.values():
        name = asked if asked and len(user.paths) > 1 else user.transport
        if name not in (*FLUID_CONTROLLERS, "reno"):
            known = ", ".join(FLUID_CONTROLLERS)
            return f"the fluid model does not know {name}; it knows {known}"
    return ""
