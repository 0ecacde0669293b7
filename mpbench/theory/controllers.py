"""`mpbench model rates` and `mpbench model conditions`: one user's controller."""

import click

from mpbench.theory.options import (
    MILLI,
    json_option,
    numbers,
    show_json,
    show_table,
    user_error,
)


@click.command("rates")
@click.option(
    "-p",
    "--loss",
    "losses",
    callback=numbers,
    required=True,
    metavar="P,P...",
    help="Loss probability of each path, above 0 and below 1.",
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
@json_option
def rates(losses: tuple[float, ...], rtts_ms: tuple[float, ...], as_json: bool) -> None:
    """Compute what every controller of the papers sends on paths with fixed losses.

    For example, the WiFi and 3G paths of Wischik et al. (2011), Fig. 4:

    \b
      mpbench model rates -p 0.04,0.01 -r 10,100
    """
    import numpy as np

    from analysis.models import check_paths
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
    heads = ("controller", *(f"path {i + 1}" for i in range(len(losses))), "sum")
    rows = [
        [name, *(f"{rate:.1f}" for rate in path), f"{sum(path):.1f}"]
        for name, path in rates_by_name.items()
    ]
    show_table("Rates in packets/s", heads, rows)


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
