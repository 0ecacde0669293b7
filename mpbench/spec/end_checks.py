"""Whether the settings of hosts fit the network and the traffic."""

from collections.abc import Collection, Iterator

from jobs.ends import COMMANDS, CREATE, USERSPACE
from mpbench.spec.ends import Endpoint, HostSettings, HostStep, merged
from mpbench.spec.messages import shortened
from mpbench.spec.sections import Sections
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import Faults, Loc
from topologies import Description


def check(spec: Sections, topology: Description | None, faults: Faults) -> None:
    """Adds a fault for each setting that a host cannot have."""
    places: list[tuple[Loc, dict[str, HostSettings]]] = [(("hosts",), spec.hosts)]
    for index, entry in enumerate(spec.traffic):
        if entry.transport is not None and entry.transport.hosts:
            wrong = ("traffic", index, "transport", "hosts")
            faults.add(wrong, "of a case or of the whole file; write it there")
    for case, given in spec.cases.items():
        places.append((("cases", case, "hosts"), given.hosts))
    if topology is None or not any(own for _, own in places):
        return
    for at, own in places:
        whole = merged(spec.hosts, own)
        if own and (topology.mesh or spec.fabric is not None):
            hint = "" if topology.mesh else "; take it or 'fabric' away"
            faults.add(at, f"hosts of the fabric have no settings of their own{hint}")
            continue
        for host in own:
            if host not in topology.hosts:
                hint = nearest(shortened(host), topology.hosts)
                faults.add((*at, host), f"{topology.name} has no such host; {hint}")
                continue
            _check_host(spec, topology, host, whole[host], (*at, host), faults)


def _check_host(
    spec: Sections,
    topology: Description,
    host: str,
    settings: HostSettings,
    at: Loc,
    faults: Faults,
) -> None:
    is_user = host in topology.initiators
    if settings.addresses and is_user:
        reason = f"{host} has one address per path; only a server can have more"
        faults.add((*at, "addresses"), reason)
        return
    if settings.pm == USERSPACE:
        for unused in ("endpoints", "limits"):
            if getattr(settings, unused) is not None:
                reason = "'pm: userspace' does not use it; take it away"
                faults.add((*at, unused), reason)
    links = _links(topology, host)
    for link in settings.addresses or ():
        if link not in links:
            hint = nearest(shortened(link), tuple(links))
            reason = f"no path to {host} has a link '{shortened(link)}'; {hint}"
            faults.add((*at, "addresses", link), reason)
    own = links if is_user else tuple(settings.addresses or ())
    for text, at_s, step in settings.steps:
        if spec.known_end_s is not None and at_s >= spec.known_end_s:
            reason = f"not before the end of the traffic, at {spec.known_end_s:g} s"
            faults.add((*at, "at", text), f"{reason}; give an earlier time")
        named = [("endpoints", name) for name in step.endpoints]
        named += [("addresses", name) for name in step.addresses]
        named += step.commands
        for wrong, reason in _unfit_step(settings, step, is_user):
            faults.add((*at, "at", text, wrong), reason)
        for what, name in named:
            if name not in own:
                has = ", ".join(own) or "none that can change"
                reason = f"{host} has no address on '{shortened(name)}'; it has {has}"
                faults.add((*at, "at", text, what, name), reason)
    listens = any(
        entry.many or any(there == host for _, there in entry.ends(topology))
        for entry in spec.traffic
    )
    seen: set[str | None] = set()
    for index, endpoint in enumerate(settings.endpoints or ()):
        place = (*at, "endpoints", index)
        for key, reason in _unfit(settings, endpoint, host, own, listens):
            faults.add((*place, *key), reason)
        belongs = settings.link_of(endpoint)
        if belongs in seen:
            faults.add(place, "the address has an endpoint already; join their flags")
        seen.add(belongs)


def _unfit_step(
    settings: HostSettings, step: HostStep, is_user: bool
) -> Iterator[tuple[str, str]]:
    """Keys of a step that the host's path manager cannot do, and why."""
    in_userspace = settings.pm == USERSPACE
    commands = [name for name, _ in step.commands]
    if commands and not in_userspace:
        yield commands[0], "only a path manager in user space does; add 'pm: userspace'"
    if step.endpoints and in_userspace:
        reason = "endpoints are the kernel's, and 'pm: userspace' does not use them"
        yield "endpoints", f"{reason}; write {', '.join(COMMANDS[:-1])} or set_flags"
    if CREATE in commands and not is_user:
        reason = "nothing listens at the other end"
        yield CREATE, f"{reason}; write 'announce', and let the client create it"


def _unfit(
    settings: HostSettings,
    endpoint: Endpoint,
    host: str,
    links: Collection[str],
    listens: bool,
) -> Iterator[tuple[Loc, str]]:
    """Reasons why a host cannot have an endpoint.

    links : to which the host's addresses belong
    listens : whether traffic goes to the host
    """
    known = settings.addresses or {}
    has = ", ".join(links) or "its first address only, without 'link'"
    if endpoint.address is not None and endpoint.address not in known.values():
        there = ", ".join(known.values()) or "none under 'addresses'"
        reason = f"{host} does not have the address {shortened(endpoint.address)}"
        yield ("address",), f"{reason}; it has {there}; or write 'link'"
    if endpoint.link is not None and endpoint.link not in links:
        reason = f"{host} has no address on '{shortened(endpoint.link)}'"
        yield ("link",), f"{reason}; it has {has}"
    if "signal" in endpoint.flags and endpoint.port is None and not listens:
        reason = f"nothing listens on {host}, so nobody could join"
        yield ("flags",), f"{reason}; give a 'port', or write subflow"


def _links(topology: Description, host: str) -> tuple[str, ...]:
    """The links of all paths from a user's host, or else to a host."""
    from_it = [user for user in topology.users if user.host == host]
    users = from_it or [user for user in topology.users if user.server == host]
    found = (link for user in users for path in user.paths for link in path)
    return tuple(dict.fromkeys(found))
