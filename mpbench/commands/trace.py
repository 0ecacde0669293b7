"""``mpbench trace``: a trace of a radio link, from a model."""

import shlex
from pathlib import Path

import click

from analysis.words import many
from mpbench.errors import UserError


@click.command("trace")
@click.argument("kind", type=click.Choice(["lte", "wifi"]))
@click.option("--mean", default="20 Mbit/s", show_default=True, help="Mean capacity.")
@click.option("--duration", default="60 s", show_default=True, help="Up to 1 h.")
@click.option("--seed", default=1, show_default=True, help="Of all that is drawn.")
@click.option(
    "--variation",
    type=click.FloatRange(0, 3),
    help="Coefficient of variation.  [default: lte 0.5, wifi 0.3]",
)
@click.option(
    "--coherence",
    help="Time in which the correlation falls to 1/e.  [default: lte 1 s, wifi 100 ms]",
)
@click.option("--outage-every", help="Mean time between outages.  [default: never]")
@click.option(
    "--outage-length", default="1 s", show_default=True, help="Mean length of outages."
)
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    required=True,
    help="Where to write the trace; never over a file that is there.",
)
def command(
    kind: str,
    mean: str,
    duration: str,
    seed: int,
    variation: float | None,
    coherence: str | None,
    outage_every: str | None,
    outage_length: str,
    out: Path,
) -> None:
    """Write a trace of a link whose capacity varies, for `trace:` under `changes:`.

    The capacity follows a model with the statistics that you ask for: log-normal, with
    an autoregressive logarithm, and with outages of random lengths. The format is
    Mahimahi's: a line per packet that the link can deliver, with its time in ms.
    """
    from dataclasses import replace

    from mpbench import radio_traces

    model = radio_traces.KINDS[kind]
    if variation is not None:
        model = replace(model, variation=variation)
    if coherence is not None:
        model = replace(model, coherence_s=_time_s("--coherence", coherence, 1e-3))
    if outage_every is not None:
        every_s = _time_s("--outage-every", outage_every, 1e-3)
        model = replace(model, outage_every_s=every_s)
    model = replace(model, outage_s=_time_s("--outage-length", outage_length, 1e-3))
    mean_mbps = _quantity("--mean", mean, "Mbit/s", 0.02, 10_000)
    duration_s = _time_s("--duration", duration, 1.0)
    if (
        mean_mbps * duration_s * 1e6 / radio_traces.FRAME_BITS
        > radio_traces.MOST_PACKETS
    ):
        reason = f"{mean} for {duration} are more than {radio_traces.MOST_PACKETS}"
        raise UserError(f"{reason} packets; make the trace shorter, and repeat it")
    try:
        rates = radio_traces.rates_mbps(model, mean_mbps, duration_s, seed)
    except ValueError as error:
        raise UserError(f"{kind}: {error}") from None
    times = radio_traces.opportunities_ms(rates)
    try:
        with out.open("x") as file:
            file.write("".join(f"{time}\n" for time in times))
    except FileExistsError:
        raise UserError(f"{out}: is there already; give another name") from None
    except OSError as error:
        raise UserError(f"{out}: {error.strerror}; give another name") from None
    sent_mbps = len(times) * radio_traces.FRAME_BITS / duration_s / 1e6
    click.echo(
        f"Wrote {out}: {duration_s:g} s, {many(len(times), 'packet')}, a mean of"
        f" {sent_mbps:.4g} Mbit/s. In an experiment:"
        f" changes: {{LINK: {{trace: {shlex.quote(out.name)}, repeat: true}}}}"
    )


def _time_s(option: str, text: str, low: float) -> float:
    from mpbench import radio_traces

    return _quantity(option, text, "s", low, radio_traces.MOST_S)


def _quantity(option: str, text: str, unit: str, low: float, high: float) -> float:
    """An option with a unit, within bounds."""
    from mpbench import units

    try:
        number = units.parse(text, unit)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from None
    if not low <= number <= high:
        limits = f"{low:g} to {high:g} {unit}"
        raise UserError(f"{option}: {number:g} {unit} is out of range; it is {limits}")
    return number
