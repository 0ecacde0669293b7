"""`mpbench model`: what closed forms say, without running anything."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.campaign.model_validation import Compared
    from analysis.models.throughput import Connection

MILLI = 1e-3


def _numbers(_context: click.Context, _name: object, text: str) -> tuple[float, ...]:
    """`0.01,0.02` to numbers."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(
            f"'{text}' is not a list of numbers; write e.g. 0.01,0.02"
        ) from None


@click.group("model")
def command() -> None:
    """What closed forms say, by themselves and beside runs."""


@command.command("throughput")
@click.option(
    "-p",
    "--loss",
    "losses",
    callback=_numbers,
    required=True,
    metavar="P,P...",
    help="Probability of loss on each path, above 0 and below 1.",
)
@click.option(
    "-r",
    "--rtt",
    "rtts_ms",
    callback=_numbers,
    required=True,
    metavar="MS,MS...",
    help="Round-trip time of each path, ms.",
)
@click.option(
    "-b",
    "packets_per_ack",
    type=float,
    default=1.0,
    show_default=True,
    help="Packets that one acknowledgement stands for.",
)
@click.option(
    "-m",
    "segment_bytes",
    type=float,
    metavar="BYTES",
    help="Payload of a segment; rates are in Mbit/s too then.",
)
@click.option(
    "--timeout",
    "timeout_ms",
    type=float,
    metavar="MS",
    help="First retransmission timeout of TCP.  [default: each path's round-trip"
    " time and 200 ms, as Linux has it]",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def throughput(
    losses: tuple[float, ...],
    rtts_ms: tuple[float, ...],
    packets_per_ack: float,
    segment_bytes: float | None,
    timeout_ms: float | None,
    as_json: bool,
) -> None:
    """Steady throughput of MPTCP with LIA, and of TCP on each path, under loss.

    The model of Chauvenne and Libioulle (2017, eqs 6.1-6.6) for any number of
    paths; the same fixed point with LIA's bound on the increase, which matters
    where round-trip times differ; and beside them TCP by Padhye et al. (1998)
    with and without timeouts.
    """
    from analysis.models import mbps, padhye
    from analysis.models import throughput as model

    rtts_s = [ms * MILLI for ms in rtts_ms]
    try:
        lia = model.predict(losses, rtts_s, packets_per_ack)
        bounded = model.predict(losses, rtts_s, packets_per_ack, bounded=True)
        tcp = [
            {
                "square_root": padhye.square_root(p, rtt, packets_per_ack),
                "without_timeouts": padhye.without_timeouts(p, rtt, packets_per_ack),
                "with_timeouts": padhye.with_timeouts(
                    p,
                    rtt,
                    model.timeout_s(rtt) if timeout_ms is None else timeout_ms * MILLI,
                    packets_per_ack,
                ),
            }
            for p, rtt in zip(losses, rtts_s, strict=True)
        ]
        if segment_bytes is not None:
            mbps(0.0, segment_bytes)
    except ValueError as error:
        raise UserError(f"model throughput: {error}") from error
    if as_json:
        found: dict[str, Any] = {
            "lia": _plain(lia),
            "lia_bounded": _plain(bounded),
            "tcp_packets_per_s": tcp,
        }
        click.echo(json.dumps(found, indent=2))
        return
    _show(losses, rtts_ms, lia, bounded, tcp, segment_bytes)


def _plain(connection: "Connection") -> dict[str, Any]:
    return {
        "packets_per_s": connection.packets_per_s,
        "packets_per_period": connection.packets_per_period,
        **asdict(connection),
    }


def _show(
    losses: tuple[float, ...],
    rtts_ms: tuple[float, ...],
    lia: "Connection",
    bounded: "Connection",
    tcp: list[dict[str, float]],
    segment_bytes: float | None,
) -> None:
    """Tables on the terminal; rates in packets/s, and Mbit/s if that is known."""
    from rich.console import Console
    from rich.table import Table

    from analysis.models import mbps

    def rate(packets_per_s: float) -> str:
        text = f"{packets_per_s:.1f}"
        if segment_bytes is None:
            return text
        return f"{text} ({mbps(packets_per_s, segment_bytes):.2f} Mbit/s)"

    console = Console(highlight=False, soft_wrap=True)
    for title, found in (
        ("MPTCP with LIA (thesis eq. 6.6)", lia),
        ("MPTCP with LIA, no window above TCP's", bounded),
    ):
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        for head in ("path", "window", "packets/s", "of losses", "sent per period"):
            table.add_column(head, justify="left" if head == "path" else "right")
        for index, path in enumerate(found.paths):
            table.add_row(
                f"{index + 1}: {losses[index]:g}, {rtts_ms[index]:g} ms",
                f"{path.window:.2f}",
                rate(path.packets_per_s),
                f"{path.loss_share:.3f}",
                f"{path.packets_per_period:.2f}",
            )
        table.add_row(
            "all",
            "",
            rate(found.packets_per_s),
            f"p = {found.loss:.5f}",
            f"{found.packets_per_period:.2f}",
        )
        console.print(table)
        console.print()
    table = Table(
        title="TCP by itself (Padhye et al.), packets/s",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    heads = ("path", "sqrt(3/2bp)/RTT", "without timeouts", "with timeouts")
    for head in heads:
        table.add_column(head, justify="left" if head == "path" else "right")
    for index, each in enumerate(tcp):
        best = " (best)" if index == lia.best and len(tcp) > 1 else ""
        table.add_row(f"{index + 1}{best}", *(rate(value) for value in each.values()))
    console.print(table)


@command.command("validate")
@click.argument("results", type=click.Path(path_type=Path, file_okay=False))
def validate(results: Path) -> None:
    """Set the model beside the runs of RESULTS, path by path, with the RMSE.

    For campaigns of MPTCP with lia over paths with random loss, such as
    experiments/thesis/model-loss.yaml and model-rtt.yaml.
    """
    from analysis.campaign import model_validation
    from mpbench.store import campaign, layout
    from mpbench.store.table import collect

    folder = layout.Results(results)
    head = campaign.read(folder.campaign)
    rows = [r for r in collect(folder, head.plan) if r["verdict"] == "ok"]
    if not rows:
        raise UserError(f"{results}: no run is ok; `mpbench run` goes on with it")
    found, reason = [], ""
    for row in rows:
        try:
            found.append(model_validation.compare(row))
        except ValueError as error:
            reason = reason or f"point {row['point']} {row['case']}: {error}"
    if not found:
        raise UserError(f"{results}: the model says nothing of its runs: {reason}")
    _show_validation(found)
    if left := len(head.plan) - len(found):
        click.echo(f"\n{left} of {len(head.plan)} runs are not in it")


def _show_validation(found: "list[Compared]") -> None:
    """A line a run, and the errors at the end; packets/s throughout."""
    from rich.console import Console
    from rich.table import Table

    from analysis.campaign import model_validation

    count = len(found[0].observed)
    table = Table(box=None, pad_edge=False)
    for head in ("point", "case", "loss", "RTT"):
        table.add_column(head, justify="left" if head == "case" else "right")
    for path in range(1, count + 1):
        for what in ("observed", "eq. 6.6", "bounded"):
            table.add_column(f"path {path} {what}", justify="right")
    for run in found:
        cells = [str(run.point), run.case]
        cells.append(" ".join(f"{100 * loss:g}" for loss in run.losses) + " %")
        cells.append(" ".join(f"{rtt:g}" for rtt in run.rtts_ms) + " ms")
        for triple in zip(run.observed, run.predicted, run.bounded, strict=True):
            cells += [f"{value:.1f}" for value in triple]
        table.add_row(*cells)
    free, bounded = (
        model_validation.errors(found),
        model_validation.errors(found, bounded=True),
    )
    last = ["", "RMSE", "", ""]
    for path in range(count):
        last += ["", f"{free[path]:.2f}", f"{bounded[path]:.2f}"]
    table.add_row(*last)
    Console(highlight=False, width=200).print(table)
