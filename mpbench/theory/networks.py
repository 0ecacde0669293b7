"""`mpbench model max-min` and `mpbench model fluid`: rates in a network."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mpbench.theory.options import (
    MBPS,
    json_option,
    network,
    network_options,
    packet_option,
    show_json,
    show_table,
    user_error,
)

if TYPE_CHECKING:
    from analysis.models.fluid import Equilibrium


@click.command("max-min")
@network_options
@json_option
def max_min(
    links: tuple[str, ...],
    users: tuple[str, ...],
    experiment: Path | None,
    point: int,
    as_json: bool,
) -> None:
    """Compute the lexicographic max-min fair rates of a network.

    The worst-off user gets as much as possible; given that, the second worst-off does;
    and so on. For example, scenario B of the OLIA paper:

    \b
      mpbench model max-min -l X=27 -l T=36 -u 'blue*15=X, T' -u 'red*15=T, X T'
    """
    from analysis.models import max_min as model

    try:
        asked = network(links, users, experiment, point)
        rates = model.rates(asked)
    except ValueError as error:
        raise user_error("max-min", error) from error
    if as_json:
        show_json({name: rate / MBPS for name, rate in rates.items()})
        return
    rows = [
        [name, str(user.count), f"{rates[name] / MBPS:.4f}"]
        for name, user in asked.users.items()
    ]
    show_table("Max-min fair rates", ("user", "users", "Mbit/s each"), rows)


@click.command("fluid")
@network_options
@click.option(
    "-c",
    "--congestion-control",
    "transport",
    default="lia",
    show_default=True,
    help="Congestion control of users that name none.",
)
@packet_option
@click.option(
    "--integrate",
    "duration_s",
    type=float,
    metavar="S",
    help="Follow the motion for so many seconds, instead of finding the root.",
)
@json_option
def fluid(
    links: tuple[str, ...],
    users: tuple[str, ...],
    experiment: Path | None,
    point: int,
    transport: str,
    segment_bytes: float,
    duration_s: float | None,
    as_json: bool,
) -> None:
    """Compute the equilibrium of a network's users and its links' losses.

    This is the fluid model of Peng et al. (2016, eqs 3-7), for every controller of the
    papers; max-min fair rates stand beside it. For example, the WiFi and 3G of a phone
    beside a TCP on each:

    \b
      mpbench model fluid -l wifi=8 -l 3g=2 -u 'phone:lia=wifi, 3g @ 20, 200' \\
        -u 'other:reno=wifi @ 20' -u 'third:reno=3g @ 200'
    """
    from analysis.models import fluid as model
    from analysis.models import max_min

    try:
        asked = network(links, users, experiment, point)
        fair = max_min.rates(asked)
        if duration_s is None:
            result = model.equilibrium(asked, transport, segment_bytes)
        else:
            result = model.integrate(asked, transport, segment_bytes, duration_s)
    except ValueError as error:
        raise user_error("fluid", error) from error
    if as_json:
        show_json(_plain(result, fair))
        return
    _show(result, fair, transport)


def _plain(result: "Equilibrium", fair: dict[str, float]) -> dict[str, object]:
    from analysis.models.conditions import full_row_rank

    unit = result.segment_bytes * 8 / MBPS
    return {
        "users": {
            name: {
                "paths_mbps": [rate * unit for rate in rates],
                "mbps": result.bps(name) / MBPS,
                "max_min_mbps": fair[name] / MBPS,
            }
            for name, rates in result.rates.items()
        },
        "links": {
            name: {"loss": loss, "load_mbps": result.loads_bps[name] / MBPS}
            for name, loss in result.loss.items()
        },
        "max_min_distance": _distance(result),
        "link_losses_unique": full_row_rank(result.network),
        "relative_error": result.error,
    }


def _show(result: "Equilibrium", fair: dict[str, float], transport: str) -> None:
    from analysis.models.conditions import full_row_rank

    unit = result.segment_bytes * 8 / MBPS
    rows = []
    for name, user in result.network.users.items():
        paths = " + ".join(f"{rate * unit:.4f}" for rate in result.rates[name])
        kind = user.transport or transport
        total = f"{result.bps(name) / MBPS:.4f}"
        rows.append([name, kind, str(user.count), paths, total, _mbps(fair[name])])
    heads = ("user", "control", "users", "by path", "Mbit/s each", "max-min fair")
    show_table("Equilibrium", heads, rows)
    click.echo()
    rows = [
        [
            name,
            _mbps(result.loads_bps[name]),
            _mbps(result.network.links[name]),
            f"{p:.3g}",
        ]
        for name, p in result.loss.items()
    ]
    show_table("Links", ("link", "load", "capacity", "loss probability"), rows)
    click.echo(f"distance to max-min fair rates: {100 * _distance(result):.1f} %")
    if not full_row_rank(result.network):
        click.echo("the links' losses are not unique: only their sums along paths are")
    if result.error > 1e-3:
        click.echo(f"not at rest: a load or a loss is off by {result.error:.1g}")


def _distance(result: "Equilibrium") -> float:
    from analysis.models import max_min

    rates = {name: result.bps(name) for name in result.rates}
    return max_min.distance(result.network, rates)


def _mbps(rate_bps: float) -> str:
    return f"{rate_bps / MBPS:.4f}"
