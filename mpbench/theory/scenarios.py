"""`mpbench model scenario`: scenarios A, B and C of the OLIA paper."""

from typing import TYPE_CHECKING

import click

from mpbench.theory.options import (
    MBPS,
    MILLI,
    json_option,
    packet_option,
    show_json,
    show_table,
    user_error,
)

if TYPE_CHECKING:
    from analysis.models.scenarios import Rates

USERS = {
    "a": ("type1", "type2"),
    "b": ("Blue", "Red"),
    "c": ("multipath", "single-path"),
}


@click.command("scenario")
@click.argument("name", type=click.Choice(["a", "b", "c"]))
@click.option(
    "--n1",
    type=int,
    default=10,
    show_default=True,
    help="Number of type1, Blue or multipath users.",
)
@click.option(
    "--n2",
    type=int,
    default=10,
    show_default=True,
    help="Number of type2 or single-path users; b has as many Red as Blue users.",
)
@click.option(
    "--c1",
    type=float,
    default=1.0,
    show_default=True,
    metavar="MBPS",
    help="Capacity per type1 or multipath user (a, c), or of the link X (b).",
)
@click.option(
    "--c2",
    type=float,
    default=1.0,
    show_default=True,
    metavar="MBPS",
    help="Capacity per type2 or single-path user (a, c), or of the link T (b).",
)
@click.option(
    "-r",
    "--rtt",
    "rtt_ms",
    type=float,
    default=150.0,
    show_default=True,
    metavar="MS",
    help="Round-trip time of all paths.",
)
@packet_option
@json_option
def scenario(
    name: str,
    n1: int,
    n2: int,
    c1: float,
    c2: float,
    rtt_ms: float,
    segment_bytes: float,
    as_json: bool,
) -> None:
    """Compute scenario A, B or C of Khalili et al. (2013) under LIA and at its optimum.

    The optimum carries at least one packet per round-trip time on every path. OLIA's
    equilibrium, which has no such least rate, is that of the fluid model.
    """
    from analysis.models import fluid
    from analysis.models import scenarios as model

    rtt_s = rtt_ms * MILLI
    try:
        if name == "b":
            network = model.network_b(n1, c1, c2, rtt_s, True, "olia")
            rates = {
                "LIA, Red single-path": model.lia_b_single(n1, c1, c2),
                "LIA, Red multipath": model.lia_b(n1, c1, c2),
                "optimum, Red single-path": model.probing_b(
                    n1, c1, c2, rtt_s, False, segment_bytes
                ),
                "optimum, Red multipath": model.probing_b(
                    n1, c1, c2, rtt_s, True, segment_bytes
                ),
            }
        else:
            make, lia, probing = (
                (model.network_a, model.lia_a, model.probing_a)
                if name == "a"
                else (model.network_c, model.lia_c, model.probing_c)
            )
            network = make(n1, n2, c1, c2, rtt_s, "olia")
            rates = {
                "LIA": lia(n1, n2, c1, c2),
                "optimum with probing": probing(n1, n2, c1, c2, rtt_s, segment_bytes),
            }
        equilibrium = fluid.equilibrium(network, segment_bytes=segment_bytes)
        parts = zip(equilibrium.rates.values(), strict=True)
        unit = segment_bytes * 8 / MBPS
        first, second = (tuple(x * unit for x in paths) for (paths,) in parts)
        rates["OLIA"] = model.Rates(first, second)
    except ValueError as error:
        raise user_error(f"scenario {name}", error) from error
    counts = (n1, n1 if name == "b" else n2)
    if as_json:
        show_json({kind: _plain(rate, counts) for kind, rate in rates.items()})
        return
    heads = ("", *(f"{user}, Mbit/s" for user in USERS[name]), "all users, Mbit/s")
    rows = [
        [kind, f"{rate.first:.4f}", f"{rate.second:.4f}", f"{_sum(rate, counts):.3f}"]
        for kind, rate in rates.items()
    ]
    show_table(f"Scenario {name.upper()}: rate of each user", heads, rows)


def _plain(rates: "Rates", counts: tuple[int, int]) -> dict[str, object]:
    return {
        "first_paths_mbps": list(rates.first_paths),
        "first_mbps": rates.first,
        "second_paths_mbps": list(rates.second_paths),
        "second_mbps": rates.second,
        "all_users_mbps": _sum(rates, counts),
    }


def _sum(rates: "Rates", counts: tuple[int, int]) -> float:
    return counts[0] * rates.first + counts[1] * rates.second
