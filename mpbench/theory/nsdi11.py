"""`mpbench model nsdi11`: the arithmetic of the NSDI 2011 paper beside its numbers."""

from collections.abc import Iterator

import click

from mpbench.theory.options import MBPS, json_option, show_json, show_table


@click.command("nsdi11")
@json_option
def nsdi11(as_json: bool) -> None:
    """Compute the numbers of Wischik et al. (2011) beside the printed ones.

    Numbers of secs 3 and 5 were printed from simulations; those of sec. 2 are
    arithmetic.
    """
    rows = list(_rows())
    if as_json:
        show_json(
            [
                {"of": of, "unit": unit, "printed": printed, "computed": computed}
                for of, unit, printed, computed in rows
            ]
        )
        return
    show_table(
        "Wischik et al. 2011",
        ("quantity", "unit", "printed", "computed"),
        [
            [of, unit, _text(printed), _text([round(x, 3) for x in computed])]
            for of, unit, printed, computed in rows
        ],
    )


def _text(values: list[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _rows() -> Iterator[tuple[str, str, list[float], list[float]]]:
    """Rows with the computed quantity, its unit, the printed numbers, and ours."""
    import numpy as np

    from analysis.models import fluid
    from analysis.models import nsdi11 as model
    from analysis.models.controllers import CONTROLLERS, tcp_rate

    yield "Fig. 1: uncoupled, a TCP is 1", "TCPs", [2], [model.shared_bottleneck(2, 1)]
    yield "Fig. 2: even split", "Mb/s", [8], [model.even_split(12)]
    packet_mbps = model.PACKETS_PER_S / MBPS
    ring = fluid.equilibrium(model.network_fig2(transport="ewtcp"))
    paths = [rate * packet_mbps for rate in ring.rates["A"]]
    yield "Fig. 2: EWTCP by path, sum", "Mb/s", [5, 3.5, 8.5], [*paths, sum(paths)]
    ring = fluid.equilibrium(model.network_fig2(transport="coupled"))
    yield "Fig. 2: COUPLED", "Mb/s", [12], [ring.bps("A") / MBPS]
    row = fluid.equilibrium(model.network_fig3("ewtcp"))
    paths = [rate * packet_mbps for rates in row.rates.values() for rate in rates]
    yield "Fig. 3: EWTCP, flows A, B, C", "Mb/s", [5, 6, 6, 5, 5, 3], paths
    row = fluid.equilibrium(model.network_fig3("coupled"))
    totals = [row.bps(name) / MBPS for name in row.rates]
    yield "Fig. 3: COUPLED", "Mb/s", [10, 10, 10], totals
    losses, rtts_s = np.array([0.04, 0.01]), np.array([0.01, 0.1])
    yield "Fig. 4: TCP", "pkt/s", [707, 141], tcp_rate(losses, rtts_s).tolist()
    for name, kind, printed in (
        ("EWTCP", "ewtcp_fair", 424),
        ("COUPLED", "coupled", 141),
    ):
        total = float(CONTROLLERS[kind].demand(losses, rtts_s).sum())
        yield f"Fig. 4: {name}", "pkt/s", [printed], [total]
    rates = CONTROLLERS["semicoupled"].demand(np.array([0.01, 0.01, 0.05]), np.ones(3))
    shares = (100 * rates / rates.sum()).tolist()
    yield "Sec. 2.4: SEMICOUPLED's weights", "%", [45, 45, 10], shares
    for name, kind, jain in (
        ("COUPLED", "coupled", 0.99),
        ("MPTCP", "lia", 0.986),
        ("EWTCP", "ewtcp", 0.92),
    ):
        torus = fluid.equilibrium(model.network_torus(100, transport=kind))
        flows = np.array([torus.total(user) for user in torus.rates])
        index = float(flows.sum() ** 2 / (len(flows) * (flows**2).sum()))
        yield f"Sec. 3: Jain's index, {name}", "", [jain], [index]
    wired = fluid.equilibrium(model.network_fig14((250, 500), (0.5, 0.05), "lia"))
    flows_m = [wired.total(name) for name in ("S1", "S2", "M")]
    yield "Sec. 5: S1, S2, M", "pkt/s", [130, 315, 305], flows_m
