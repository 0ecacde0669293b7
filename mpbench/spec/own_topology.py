"""Topologies of users as data: from what their file described to a description.

The file's code ran elsewhere, see `mpbench.plugins.topology`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mpbench.spec.values import Mark
from topologies import Description, Parameter, User, networks, templates
from topologies.parameters import delay_parameter, link_parameters

MOST_NUMBER = 1e9


def description(name: str, found: Mapping[str, Any]) -> Description:
    """The description of a topology, from what its file described.

    Raises ValueError, in one line, for values that describe no network.
    """
    try:
        return _description(name, found)
    except (KeyError, TypeError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"[:200]
        raise ValueError(f"not a topology ({reason})") from None


def _description(name: str, found: Mapping[str, Any]) -> Description:
    if set(found) != {"links", "defaults", "users", "wiring"}:
        raise ValueError("not a topology: needs links, defaults, users and wiring")
    users = tuple(
        User(
            str(user["host"]),
            str(user["server"]),
            tuple(tuple(map(str, path)) for path in user["paths"]),
            user["count"],
        )
        for user in found["users"]
    )
    for user in users:
        if user.count not in (None, f"{user.host}.users"):
            raise ValueError(f"the users of {user.host} are not '{user.host}.users'")
    links = dict(found["links"])
    for _, fault in networks.faults(users, list(links)):
        raise ValueError(fault)
    parameters: list[Parameter] = []
    for link, kind in links.items():
        if kind["delays"]:
            parameters.append(delay_parameter(link, 0.0))
        else:
            parameters += link_parameters(link, shared=True)
    made = networks.describe(name, parameters, users)
    known = {parameter.name for parameter in made.parameters}
    if set(found["defaults"]) != known:
        odd = sorted(set(found["defaults"]) ^ known)[0]
        raise ValueError(
            f"parameter '{odd}': a topology has those of link_parameters,"
            " delay_parameter and users_parameter, and no others"
        )
    defaults = {key: _default(key, value) for key, value in found["defaults"].items()}
    made = replace(
        made,
        parameters=tuple(
            replace(parameter, default=defaults[parameter.name])
            for parameter in made.parameters
        ),
        wiring=found["wiring"],
    )
    if made.wiring is not None:
        templates.check(made.wiring, made)
    return made


def _default(name: str, value: object) -> float | int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name}: its default is no number")
    if not 0 <= value <= MOST_NUMBER:
        raise ValueError(f"{name}: its default is out of range")
    return value


@dataclass(frozen=True)
class Checked(Mark):
    """Marks a stored topology, checked when a file is read."""

    def check(self, value: object) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError("expected what `mpbench run` stored")
        description("stored", value)
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "object"}
