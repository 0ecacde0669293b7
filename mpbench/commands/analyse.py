"""`mpbench analyse`: results from what the runs left, or from any packet capture."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mpbench.errors import UserError

if TYPE_CHECKING:
    from mpbench.store import campaign, layout

OF_CAPTURES = (
    "far",
    "interval",
    "as_json",
    "csv",
    "parquet",
    "plot",
    "plots",
    "connection",
)


MIN_MEMORY = 8 << 20


def _memory(context: click.Context, parameter: click.Parameter, value: str) -> int:
    """The option --memory in bytes."""
    from mpbench import units

    try:
        size = units.parse(value, "bytes")
    except ValueError as error:
        raise click.BadParameter(str(error)) from error
    if not MIN_MEMORY <= size <= 1 << 50:
        raise click.BadParameter(f"{value!r}: at least {MIN_MEMORY >> 20} MiB")
    return round(size)


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="RESULTS | FILE...")
@click.option(
    "--dry-run", is_flag=True, help="RESULTS: say what would change, and write nothing."
)
@click.option(
    "--far",
    multiple=True,
    metavar="FILE",
    help="A capture of the same traffic at another point, such as the receiver: adds "
    "one-way delay and loss. May be given several times.",
)
@click.option(
    "--interval",
    type=click.FloatRange(min=1e-6),
    metavar="S",
    help="Length of the time series' intervals.  [default: no series]",
)
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON.")
@click.option(
    "--csv",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the tables as CSV.",
)
@click.option(
    "--parquet",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the tables as Parquet.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw data over time, subflows in colour; the suffix (.png, .svg, .pdf) "
    "says the format.",
)
@click.option(
    "--plots",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Draw every plot of a connection: data, the time-sequence graph of each "
    "subflow, round-trip time, flight size, goodput and one-way delay.",
)
@click.option(
    "--connection",
    type=click.IntRange(min=0),
    metavar="N",
    help="Which connection to draw.  [default: the one with the most data]",
)
@click.option(
    "--memory",
    callback=_memory,
    default="400 MiB",
    show_default=True,
    metavar="SIZE",
    help="What the analyser may use, besides some 150 MiB for the program itself. When "
    "it is used up, the connections that have been silent the longest end early.",
)
@click.pass_context
def command(context: click.Context, /, paths: tuple[str, ...], **options: Any) -> None:
    """Analyse packet captures, or compute a results folder's metrics again.

    FILE is a capture (pcap or pcapng, plain or packed with gzip or zstd; `-` for
    standard input) from anywhere. Several are one capture point, such as a host's
    interfaces, and are read together in the order of their times. What can be read
    of a damaged file counts, and the fault is told.

    With the folder RESULTS, every run's row and the table are computed from its
    artefacts. Nothing is executed. For results of an earlier mpbench whose metrics
    or checks have changed since. How an execution ended stays as it was.

    Exit status: 0, or 2 if a file has nothing that can be read.
    """
    first = Path(paths[0])
    if not first.exists() and paths[0] != "-":
        raise UserError(f"{first}: no such capture or results folder")
    if len(paths) > 1 or not first.is_dir():
        if options["dry_run"]:
            raise UserError("--dry-run is for a results folder; a capture is only read")
        from mpbench.capture_files import report

        report(paths, options)
        return
    given = [name for name in OF_CAPTURES if options[name] not in (None, False, ())]
    if given:
        flag = given[0].removeprefix("as_")
        raise UserError(f"{first}: --{flag} is for captures, and this is no file")
    _results(first, options["dry_run"])


def _results(results: Path, dry_run: bool) -> None:
    from mpbench.store import campaign, layout
    from mpbench.store.folder import working

    head = campaign.read(layout.Results(results).campaign)
    if not head.plan:
        raise UserError(f"{results}: its plan has no runs; make it with `mpbench run`")
    if dry_run:
        _analyse(layout.Results(results), head, write=False)
        return
    with working(results, head.name) as folder:
        _analyse(folder, head, write=True)


def _analyse(results: "layout.Results", head: "campaign.Campaign", write: bool) -> None:
    from analysis.campaign.table import build
    from analysis.run.row import row
    from analysis.words import many
    from mpbench.backends.base import Exit
    from mpbench.engine.verdict import make_row
    from mpbench.store import atomic, manifest, root, runs, table
    from mpbench.store.places import Places

    rows, changed, damaged, rows_alone = {}, 0, 0, 0
    own = Places(head.plan)
    stored_runs = runs.read_all(results, (entry.id for entry in head.plan))
    for entry in {entry.id: entry for entry in head.plan}.values():
        if entry.id not in stored_runs:
            continue
        stored, folder = stored_runs[entry.id], results.run(entry.id)
        old = stored.row or runs.changed_row(results, entry.id)
        if old is None or stored.host is None:
            damaged += 1
            click.echo(f"{entry.id} {entry.case}: left out: {stored.fault}")
            continue
        if stored.host.has_row_alone:
            rows[entry.id] = old
            rows_alone += 1
            continue
        if fault := own.fault(entry, old):
            click.echo(fault)
        entry = own.of(entry, old)
        new = make_row(entry, folder, Exit(**stored.host.exit.model_dump()), row)
        rows[entry.id] = new
        if write and (new != old or not stored.covered or stored.row is None):
            manifest.rewrite(folder, {"row.json": atomic.encode(new)})
        if new != old or stored.row is None:
            changed += 1
            before = (
                f"was {old['verdict']}, " if old["verdict"] != new["verdict"] else ""
            )
            reason = f": {new['reason']}" if new["reason"] else ""
            note = f" ({stored.fault})" if stored.fault else ""
            click.echo(
                f"{entry.id} {entry.case}: {before}is {new['verdict']}{reason}{note}"
            )
    if write:
        tabled = table.collect(results, head.plan, rows)
        covered = {key: root.manifest_hash(results, key) for key in rows}
        value = root.value(results, head, covered)
        table.write(results, tabled, build, head.spec_hash, value)
        root.write(results, head, covered)
    verb = "changed" if write else "would change"
    analysed = len(rows) - rows_alone
    counted = f"{analysed} of {many(len(head.plan), 'run')} analysed, {changed} {verb}"
    counted += f", {rows_alone} left as kept" if rows_alone else ""
    click.echo(counted + (f", {damaged} damaged and left out" if damaged else ""))
