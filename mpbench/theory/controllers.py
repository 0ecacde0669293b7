"""`mpbench model rates` and `mpbench model conditions`: one user's controller."""

import click

from mpbench.theory.options import (
    MILLI,
    json_option,
    losses_option,
    numbers,
    rtts_option,
    show_json,
    show_table,
    user_error,
)


@click.command("rates")
@losses_option
@rtts_option
@json_option
def rates(losses: tuple[float, ...], rtts_ms: tuple[float, ...], as_json: bool) -> None:
    """Compute what every controller of the papers sends on paths with fixed losses.

    For example, the WiFi and 3G paths of Wischik et al. (2011), Fig. 4:

    \b
      mpbench model rates -p 0.04,0.01 -r 10,100
    """
    import numpy as np

    from analysis.models import check_paths, nsdi11
    from analysis.models.controllers import CONTROLLERS

    rtts_s = [ms * MILLI for ms in rtts_ms]
    try:
        check_paths(losses, rtts_s, 1)
    except ValueError as error:
        raise user_error("rates", error) from error
    rates_by_name = {
        name: law.demand(np.array(losses), np.array(rtts_s)).tolist()
        for name, law in CONTROLLERS.items()
    }
    if as_json:
        show_json(rates_by_name)
        return
    rows = []
    for name, path in rates_by_name.items():
        windows = [rate * rtt for rate, rtt in zip(path, rtts_s, strict=True)]
        lacks = 100 * nsdi11.shortfall(windows, losses, rtts_s)
        takes = 100 * nsdi11.excess(windows, losses, rtts_s)
        rows.append(
            [
                name,
                *(f"{rate:.1f}" for rate in path),
                f"{sum(path):.1f}",
                f"{max(lacks, 0):.1f}",
                f"{max(takes, 0):.1f}",
            ]
        )
    paths = (f"path {i + 1}" for i in range(len(losses)))
    heads = ("controller", *paths, "sum", "below TCP [%]", "above TCP [%]")
    show_table("Rates in packets/s", heads, rows)
    click.echo(
        "below TCP: what the sum lacks of TCP's rate on the best path; above TCP: what"
        " the worst set of paths carries beyond one TCP on the best of the set"
    )


@click.command("conditions")
@click.option(
    "-r",
    "--rtt",
    "rtts_ms",
    callback=numbers,
    default="100,100",
    show_default=True,
    metavar="MS,MS...",
    help="Round-trip time of each path, in ms.",
)
@click.option(
    "--samples",
    type=int,
    default=100,
    show_default=True,
    help="How many rates are drawn.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of the draw.")
@json_option
def conditions(
    rtts_ms: tuple[float, ...], samples: int, seed: int, as_json: bool
) -> None:
    """Check conditions C0 to C5 of Peng et al. (2016) for every controller.

    A "no" is a counterexample. A "yes" says that none was found among the drawn rates.
    """
    import numpy as np

    from analysis.models.conditions import NAMES, check
    from analysis.models.controllers import CONTROLLERS

    rtts_s = np.array(rtts_ms) * MILLI
    try:
        if seed < 0:
            raise ValueError(f"seed {seed} is below 0; give 0 or more")
        verdicts = {
            name: check(law, rtts_s, np.random.default_rng(seed), samples)
            for name, law in CONTROLLERS.items()
        }
    except ValueError as error:
        raise user_error("conditions", error) from error
    if as_json:
        show_json(
            {
                name: {c: {"holds": v.holds, "rates": v.rates} for c, v in row.items()}
                for name, row in verdicts.items()
            }
        )
        return
    rows = [
        [name, *("yes" if row[condition].holds else "no" for condition in NAMES)]
        for name, row in verdicts.items()
    ]
    show_table("Conditions C0 to C5", ("controller", *NAMES), rows)


@click.command("growth")
@click.option(
    "-w",
    "--window",
    "windows",
    callback=numbers,
    required=True,
    metavar="W,W...",
    help="Congestion window of each path, in packets.",
)
@click.option(
    "-r",
    "--rtt",
    "rtts_ms",
    callback=numbers,
    required=True,
    metavar="MS,MS...",
    help="Round-trip time of each path, in ms.",
)
@click.option(
    "-d",
    "--delivered",
    "between_losses",
    callback=numbers,
    required=True,
    metavar="N,N...",
    help="What each path delivered between its last two losses, or since the last one"
    " if that is more (l of OLIA), in any unit.",
)
@json_option
def growth(
    windows: tuple[float, ...],
    rtts_ms: tuple[float, ...],
    between_losses: tuple[float, ...],
    as_json: bool,
) -> None:
    """Compute what an acknowledgement adds to each window under LIA and OLIA.

    These are eq. 1 and eqs 3 to 6 of Khalili et al. (2013), and eq. 1 of Wischik et al.
    (2011), which takes the least over all sets of paths.
    """
    from analysis.models import increases

    rtts_s = [ms * MILLI for ms in rtts_ms]
    try:
        columns = {
            "LIA": increases.lia(windows, rtts_s),
            "LIA, least over sets": increases.lia_of_subsets(windows, rtts_s),
            "OLIA": increases.olia(windows, rtts_s, between_losses),
            "OLIA's alpha": increases.olia_alpha(windows, rtts_s, between_losses),
        }
    except ValueError as error:
        raise user_error("growth", error) from error
    if as_json:
        show_json(columns)
        return
    rows = [
        [str(path + 1), *(f"{values[path]:.6f}" for values in columns.values())]
        for path in range(len(windows))
    ]
    show_table("Packets per acknowledgement", ("path", *columns), rows)
