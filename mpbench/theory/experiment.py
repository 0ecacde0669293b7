"""The network of an experiment's design point, as the models take it."""

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from mpbench.errors import UserError
from mpbench.plan.settings import MBPS, MILLI

if TYPE_CHECKING:
    from analysis.models.networks import Network


def network_of(file: Path, point: int) -> "Network":
    """The links and users of an experiment at one point of its design.

    point : number of the point, from 0

    A round-trip time is twice the sum of the delays of a path's links; queues add
    nothing. A link without a capacity never limits. Users that the point sets to none
    are left out, and links that only they use.

    Raises UserError for a file that cannot be read, for links that change during a run,
    and for a point that the design does not have. Raises ValueError if nobody uses the
    network.
    """
    from analysis.models.networks import Network, User
    from mpbench.experiment_files import load
    from mpbench.plan.parameters import parameter_values
    from mpbench.plan.points import points
    from topologies import resolve

    spec = load(file)
    if spec.changes:
        reason = "the models need links that stay as they are"
        hint = "give a copy of the file without changes"
        raise UserError(f"{spec.where('changes')}: changes: {reason}; {hint}")
    design = points(spec)
    if not 0 <= point < len(design):
        raise UserError(
            f"{file}: no point {point}; the design has points 0 to {len(design) - 1}"
        )
    description = spec.network_description
    if description.mesh:
        raise UserError(
            f"{file}: the models do not know the paths of {description.name}; describe"
            " a part of it with 'network:'"
        )
    values = parameter_values(spec, design[point], point)
    shapes = resolve(description, values)
    users = {}
    for user in description.users:
        parameter = description.parameter(user.count) if user.count else None
        count = 1 if parameter is None else int(values[parameter.key] or 0)
        rtts_s = [
            2 * MILLI * sum(shapes[link].delay_ms for link in path)
            for path in user.paths
        ]
        if count:
            known = tuple(rtts_s) if all(rtts_s) else ()
            users[user.host] = User(user.paths, count, known)
    used = {link for user in users.values() for path in user.paths for link in path}
    return Network({link: _bps(shapes[link].capacity_mbps) for link in used}, users)


def _bps(capacity_mbps: float | None) -> float:
    return inf if capacity_mbps is None else capacity_mbps * MBPS
