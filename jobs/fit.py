"""Checks of a job as a whole: its parts fit its network.

Each check raises ValueError, in one line.
"""

from collections.abc import Mapping

from jobs import capture
from jobs import changes as job_changes
from jobs.job import Job
from jobs.links import any_at_sender
from topologies import fabric, families, networks, templates
from topologies.description import User

ROUNDING = 1e-6
"""Values are rounded to so much, which may take one past the end of its range."""


def check(job: Job) -> None:
    """Raises ValueError for a job that does not fit its network.

    A job without a network, of a topology that no module has, comes from an earlier
    version of mpbench. Its parts are not compared: see `mpbench.plan.job_format`.
    """
    if job.topology is None and job.network is None:
        raise ValueError("neither a topology nor a network")
    names = job.report.names if job.report else None
    if names is not None and len(names) != len(job.traffic):
        raise ValueError("report.names: needs one name per traffic entry")
    if job.report and len(job.report.expect) not in (0, len(job.traffic)):
        raise ValueError("report.expect: needs one value per traffic entry")
    try:
        _ = job.description
    except KeyError:
        return
    _check_network(job)
    _check_parameters(job)
    _check_links(job)
    if job.fabric is None and job.description.mesh:
        raise ValueError(f"fabric: {job.topology} needs it")
    if job.fabric is not None:
        _check_fabric(job)
    _check_hosts(job)
    _check_proxies(job)
    _check_sockets(job)
    _check_settings(job)
    _check_boxes(job)
    if job.capture:
        _check_interfaces(job)


def _check_network(job: Job) -> None:
    if job.network is None:
        return
    links = [link.name for link in job.links]
    for place, reason in networks.faults(job.description.users, links):
        at = ".".join(str(part) for part in place)
        raise ValueError(f"network: {at}: {reason}")
    if job.network.wiring is not None:
        templates.check(job.network.wiring, job.description)


def _check_parameters(job: Job) -> None:
    known = {p.key: p for p in job.description.parameters}
    for key in job.parameters.keys() ^ known.keys():
        fault = "is missing" if key in known else "is unknown"
        raise ValueError(f"parameters: {key[:60]!r} {fault}")
    for key, value in job.parameters.items():
        parameter = known[key]
        if value is None:
            if parameter.default is not None:
                raise ValueError(f"parameters: {key} needs a number")
            continue
        low, high = parameter.minimum - ROUNDING, parameter.maximum + ROUNDING
        if not low <= value <= high:
            limits = f"{parameter.minimum:g} to {parameter.maximum:g}"
            raise ValueError(f"parameters: {key} is {value:g}, outside {limits}")
        if parameter.integer and value != int(value):
            raise ValueError(f"parameters: {key} is {value:g}, not a whole number")


def _check_links(job: Job) -> None:
    description = job.description
    wanted = description.all_links
    if sorted(link.name for link in job.links) != sorted(wanted):
        has = ", ".join(wanted)
        raise ValueError(f"links: {description.name} has the links {has}")
    if job.changes and any(link.tclink for link in job.links):
        raise ValueError("changes: links made as TCLink's cannot change")
    job_changes.check(job.changes, wanted, description.links)
    _check_senders(job)


def _check_senders(job: Job) -> None:
    own = {link.name: link for link in job.links if any_at_sender([link])}
    if not own:
        return
    if job.fabric is not None:
        raise ValueError("fabric: its links are on no sender's interface")
    _ = job.wiring  # raises ValueError where the link has no such sender
    for box in job.middleboxes:
        if box.link in own:
            raise ValueError(f"middleboxes: {box.link} is on its sender's interface")
    for one in job.changes:
        for forward in (True, False):
            if one.link not in own or not one.of(forward):
                continue
            way = own[one.link].direction(forward)
            if reason := job_changes.sender_change_fault(way, one):
                raise ValueError(f"changes: {one.link}: {reason}")


def _check_fabric(job: Job) -> None:
    assert job.fabric is not None
    if reason := fabric.fault(job.shapes):
        raise ValueError(f"fabric: {reason}")
    mesh = job.description.mesh
    if job.fabric.acks_first:
        if not mesh or job.fabric.burst_packets:
            reason = "acks_first is for data centres without buckets"
            raise ValueError(f"fabric: {reason}")
        _check_acks_first(job)
    if job.fabric.acks_direct and (not mesh or job.fabric.acks_first):
        raise ValueError("fabric: acks_direct is for data centres, alone")
    for one in job.changes:
        if one.quantity != "capacity_mbps":
            raise ValueError(f"fabric: {one.quantity} of its links cannot change")
        if not any(one.values) and one.at_s[0] == 0:
            raise ValueError("fabric: a link needs a capacity at some time")


def _check_acks_first(job: Job) -> None:
    own = families.centre(job.description.name).host_classes
    for name in own:
        if job.shapes[name].jitter_ms:
            raise ValueError(
                f"fabric: acks: {name} has jitter; 'acks: first' works without it"
            )
    if changed := {one.link for one in job.changes} & {*own}:
        raise ValueError(
            f"fabric: acks: {min(changed)} changes; 'acks: first' works on links"
            " that stay as they are"
        )


def _check_hosts(job: Job) -> None:
    description = job.description
    users = {user.host: user for user in description.users}
    for index, entry in enumerate(job.traffic):
        for here, there in entry.between:
            if not _reaches(users, here, there, description.mesh):
                raise ValueError(
                    f"traffic[{index}]: {description.name} has no user"
                    f" {here!r} of a server {there!r}"
                )
        if description.mesh and entry.several_users:
            raise ValueError(f"traffic[{index}]: counts: its users have no server")
        path = entry.highest_path or job.transport_of(entry).path or 0
        for here in entry.sources:
            if path > len(users[here].paths):
                raise ValueError(f"traffic[{index}]: {here} has no path {path}")


def _check_proxies(job: Job) -> None:
    """Each proxy passes on the data of an entry that has come as far as its host."""
    reached = {n: (e.destination, e.port) for n, e in enumerate(job.traffic)}
    for index, entry in enumerate(job.traffic):
        served = entry.served
        if served is None:
            continue
        if job.fabric is not None:
            raise ValueError(f"traffic[{index}]: proxies need a network with routers")
        if served >= index or job.traffic[served].served is not None:
            raise ValueError(f"traffic[{index}]: serves no entry before it")
        if reached[served] != (entry.source, entry.inlet):
            raise ValueError(f"traffic[{index}]: its entry does not come to this proxy")
        reached[served] = (entry.destination, entry.port)


def _check_sockets(job: Job) -> None:
    """Entries that say what their programs speak have such programs."""
    for index, entry in enumerate(job.traffic):
        if entry.sockets is None:
            continue
        own = entry.own_control or entry.datagrams or entry.served is not None
        if own or not job.transport_of(entry).is_mptcp:
            raise ValueError(f"traffic[{index}]: sockets: of connections of MPTCP only")


def _check_settings(job: Job) -> None:
    """Settings of hosts fit the hosts of the network, and their addresses."""
    if not job.host_settings:
        return
    description = job.description
    if job.fabric is not None or description.mesh:
        raise ValueError("hosts: those of the fabric have no settings of their own")
    for host, settings in job.host_settings.items():
        if host not in description.hosts:
            raise ValueError(f"hosts: {description.name} has no host {host!r}")
        own = [u for u in description.users if u.host == host]
        own = own or [u for u in description.users if u.server == host]
        links = {link for user in own for path in user.paths for link in path}
        is_user = host in description.initiators
        further = set(settings.addresses or ())
        if further and (is_user or not further <= links):
            raise ValueError(f"hosts: {host} cannot have these addresses")
        known = (links if is_user else further) | {None}
        for endpoint in settings.endpoints or ():
            if endpoint.link not in known:
                raise ValueError(f"hosts: {host} has no address on {endpoint.link!r}")
        for change in settings.changes:
            if change.link not in known:
                raise ValueError(f"hosts: {host} has no address on {change.link!r}")


def _check_boxes(job: Job) -> None:
    """Middleboxes stand at links of a network with routers."""
    if not job.middleboxes:
        return
    if job.fabric is not None or any(link.tclink for link in job.links):
        raise ValueError("middleboxes: this network has no routers for them")
    names = {link.name for link in job.links}
    for box in job.middleboxes:
        if box.link not in names:
            raise ValueError(f"middleboxes: no link {box.link!r}")


def _reaches(users: Mapping[str, User], here: str, there: str, mesh: bool) -> bool:
    if here not in users:
        return False
    if mesh:
        return there in users and there != here
    return users[here].server == there


def _check_interfaces(job: Job) -> None:
    assert job.capture is not None
    on_fabric = job.fabric is not None
    whole = job.fabric is not None and job.fabric.gather_ms is not None
    present = capture.places(job.description, job.wiring, job.shapes, on_fabric, whole)
    for name in job.capture.interfaces:
        if name not in present:
            raise ValueError(f"capture: no interface {name!r}")
