"""`mpbench model`: what theory predicts, alone and against measured runs."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analysis.words import many
from mpbench.errors import UserError
from mpbench.theory import controllers, networks, nsdi11, scenarios
from mpbench.theory.options import MILLI, losses_option, rtts_option

if TYPE_CHECKING:
    from analysis.campaign.model_validation import Compared
    from analysis.models.throughput import Connection


@click.group("model")
def command() -> None:
    """Compute what theory predicts: throughput, fair rates, and equilibria."""


for below in (
    networks.max_min,
    networks.fluid,
    scenarios.scenario,
    controllers.rates,
    controllers.conditions,
    controllers.growth,
    nsdi11.nsdi11,
):
    command.add_command(below)


@command.command("throughput")
@losses_option
@rtts_option
@click.option(
    "-b",
    "packets_per_ack",
    type=float,
    default=1.0,
    show_default=True,
    help="Number of packets that one acknowledgement covers.",
)
@click.option(
    "-m",
    "segment_bytes",
    type=float,
    metavar="BYTES",
    help="Payload of a segment. With it, rates are printed in Mbit/s too.",
)
@click.option(
    "--timeout",
    "timeout_ms",
    type=float,
    metavar="MS",
    help="First retransmission timeout of TCP.  [default: 200 ms more than each path's"
    " round-trip time, as in Linux]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def throughput(
    losses: tuple[float, ...],
    rtts_ms: tuple[float, ...],
    packets_per_ack: float,
    segment_bytes: float | None,
    timeout_ms: float | None,
    as_json: bool,
) -> None:
    """Compute the throughput of MPTCP with LIA, and of TCP on each path, under loss.

    The first table is the model of Chauvenne and Libioulle (2017, eqs 6.1-6.6) for
    any number of paths. The second one adds LIA's bound on the increase, which
    matters if round-trip times differ. The third one is TCP by Padhye et al. (1998),
    with and without timeouts.
    """
    from analysis.models import check_positive
    from analysis.models import throughput as model

    rtts_s = [ms * MILLI for ms in rtts_ms]
    try:
        lia = model.predict(losses, rtts_s, packets_per_ack)
        bounded = model.predict(losses, rtts_s, packets_per_ack, bounded=True)
        tcp = [
            _tcp(loss, rtt_s, packets_per_ack, timeout_ms)
            for loss, rtt_s in zip(losses, rtts_s, strict=True)
        ]
        if segment_bytes is not None:
            check_positive("segment", segment_bytes)
    except ValueError as error:
        raise UserError(f"model throughput: {error}") from error
    if as_json:
        predictions: dict[str, Any] = {
            "lia": _plain(lia),
            "lia_bounded": _plain(bounded),
            "tcp_packets_per_s": tcp,
        }
        click.echo(json.dumps(predictions, indent=2))
        return
    _show(losses, rtts_ms, lia, bounded, tcp, segment_bytes)


def _tcp(
    loss: float, rtt_s: float, packets_per_ack: float, timeout_ms: float | None
) -> dict[str, float]:
    """TCP's throughput on one path by formula, in packets per second."""
    from analysis.models import padhye
    from analysis.models.throughput import timeout_s

    first_timeout_s = timeout_s(rtt_s) if timeout_ms is None else timeout_ms * MILLI
    return {
        "square_root": padhye.square_root(loss, rtt_s, packets_per_ack),
        "without_timeouts": padhye.without_timeouts(loss, rtt_s, packets_per_ack),
        "with_timeouts": padhye.with_timeouts(
            loss, rtt_s, first_timeout_s, packets_per_ack
        ),
    }


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
    """Print the three tables. Rates are in packets/s, and in Mbit/s if the size of a
    segment is known."""
    from rich.console import Console
    from rich.table import Table

    def rate(packets_per_s: float) -> str:
        return _rate(packets_per_s, segment_bytes)

    console = Console(highlight=False, soft_wrap=True)
    for title, connection in (
        ("MPTCP with LIA (thesis eq. 6.6)", lia),
        ("MPTCP with LIA, no window above TCP's", bounded),
    ):
        table = Table(title=title, title_justify="left", box=None, pad_edge=False)
        for head in (
            "path",
            "window",
            "packets/s",
            "share of losses",
            "sent per period",
        ):
            table.add_column(head, justify="left" if head == "path" else "right")
        for index, path in enumerate(connection.paths):
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
            rate(connection.packets_per_s),
            f"p = {connection.loss:.5f}",
            f"{connection.packets_per_period:.2f}",
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
    for index, rates in enumerate(tcp):
        best = " (best)" if index == lia.best and len(tcp) > 1 else ""
        table.add_row(f"{index + 1}{best}", *(rate(value) for value in rates.values()))
    console.print(table)


def _rate(packets_per_s: float, segment_bytes: float | None) -> str:
    """A rate in packets/s, and in Mbit/s too if the size of a segment is known."""
    from analysis.models import mbps

    text = f"{packets_per_s:.1f}"
    if segment_bytes is None:
        return text
    return f"{text} ({mbps(packets_per_s, segment_bytes):.2f} Mbit/s)"


@command.command("validate")
@click.argument("results", type=click.Path(path_type=Path, file_okay=False))
def validate(results: Path) -> None:
    """Compare the model with the runs of RESULTS, path by path, and print the RMSE.

    The campaign must have runs of MPTCP with lia over paths with random loss, such as
    those of experiments/thesis/model-loss.yaml and model-rtt.yaml.
    """
    from mpbench.store import campaign, layout
    from mpbench.store.table import collect

    folder = layout.Results(results)
    head = campaign.read(folder.campaign)
    rows = [r for r in collect(folder, head.plan) if r["verdict"] == "ok"]
    if not rows:
        raise UserError(
            f"{results}: no run is ok; `mpbench run` continues the campaign"
        )
    compared: list[Compared] = []
    reason = ""
    for row in rows:
        try:
            compared.append(_compared(row, paths=_paths(compared)))
        except ValueError as error:
            reason = reason or f"point {row['point']} {row['case']}: {error}"
    if not compared:
        raise UserError(f"{results}: the model applies to none of the runs: {reason}")
    _show_validation(compared)
    if left_out := len(head.plan) - len(compared):
        click.echo(f"\n{left_out} of {many(len(head.plan), 'run')} not in the table")


def _paths(compared: "list[Compared]") -> int | None:
    return len(compared[0].observed) if compared else None


def _compared(row: Mapping[str, Any], paths: int | None) -> "Compared":
    """The run beside the model; raises ValueError if they cannot be compared.

    paths : the number of paths that the run must have; None for any
    """
    from analysis.campaign import model_validation

    try:
        result = model_validation.compare(row)
    except KeyError as error:
        raise ValueError(f"its row has no column {error.args[0]}") from error
    except (ArithmeticError, TypeError) as error:
        raise ValueError(" ".join(str(error).split())) from error
    if paths not in (None, len(result.observed)):
        raise ValueError(f"it has {len(result.observed)} paths in place of {paths}")
    return result


def _show_validation(runs: "list[Compared]") -> None:
    """Print one line per run, and the errors at the end, all in packets/s."""
    from rich.console import Console
    from rich.table import Table

    from analysis.campaign import model_validation

    paths = len(runs[0].observed)
    table = Table(box=None, pad_edge=False)
    for head in ("point", "case", "loss", "RTT"):
        table.add_column(head, justify="left" if head == "case" else "right")
    for path in range(1, paths + 1):
        for kind in ("observed", "eq. 6.6", "bounded"):
            table.add_column(f"path {path} {kind}", justify="right")
    for run in runs:
        cells = [str(run.point), run.case]
        cells.append(" ".join(f"{100 * loss:g}" for loss in run.losses) + " %")
        cells.append(" ".join(f"{rtt:g}" for rtt in run.rtts_ms) + " ms")
        for triple in zip(run.observed, run.predicted, run.bounded, strict=True):
            cells += [f"{value:.1f}" for value in triple]
        table.add_row(*cells)
    unbounded = model_validation.errors(runs)
    bounded = model_validation.errors(runs, bounded=True)
    last = ["", "RMSE", "", ""]
    for path in range(paths):
        last += ["", f"{unbounded[path]:.2f}", f"{bounded[path]:.2f}"]
    table.add_row(*last)
    Console(highlight=False, width=200).print(table)
