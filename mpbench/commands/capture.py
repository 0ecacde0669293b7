"""`mpbench capture RESULTS RUN`: a finished run's packets."""

from collections.abc import Iterator
from pathlib import Path

import click

from analysis.words import many
from mpbench.errors import UserError


@click.command("capture")
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("run")
@click.option("--full", is_flag=True, help="Whole packets.  [default: headers only]")
@click.option(
    "--at",
    "interfaces",
    metavar="INTERFACE",
    multiple=True,
    help="Capture at this interface; may be given several times.  [default: the "
    "interfaces of the run's own capture, or all interfaces of the hosts]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for the captures.  [default: RESULTS/captures/RUN]",
)
@click.pass_context
def command(
    context: click.Context,
    results: Path,
    run: str,
    full: bool,
    interfaces: tuple[str, ...],
    out: Path | None,
) -> None:
    """Capture the packets of a finished run of the folder RESULTS.

    RUN is the id of the run, or the beginning of its id. The run is executed once
    more with a capture. A capture changes nothing in a guest, so everything else that
    the run leaves must be the same as before, byte for byte, and this is checked.
    Wireshark and `mpbench analyse` read the captures.

    Exit status: 0 when it is the same run, 1 when it is not.
    """
    from mpbench.backends import registry
    from mpbench.backends.virtual import VirtualBackend
    from mpbench.engine.recapture import recapture
    from mpbench.store import campaign
    from mpbench.store.folder import refuse_links_below
    from mpbench.store.layout import Results

    folder = Results(results)
    head = campaign.read(folder.campaign)
    name = head.backend
    if name in registry.REAL_TIME:
        raise UserError(
            f"{results}: measured by the {name} backend in real time, where no two "
            "executions are the same"
        )
    if out is None:
        refuse_links_below(results / "captures")
    target = out or results / "captures" / run
    backend = registry.create(name, registry.QEMU in head.build)
    if isinstance(backend, VirtualBackend):
        backend.may_compile = False
    made = recapture(folder, run, backend, target, full, interfaces)
    for file in made.files:
        click.echo(f"{file}: {', '.join(_contents(file))}")
    if made.dropped:
        click.echo(
            f"mpbench: packets missing: {made.dropped}, because the buffer was full"
        )
    if made.exit.status != "finished":
        raise UserError(f"{made.run}: {made.exit.status}: {made.exit.reason}")
    if made.differences:
        for difference in made.differences:
            line = f"mpbench: {difference.artefact} {difference.what}"
            click.echo(line, err=True)
        click.echo(f"{made.run} ({made.name}): NOT the same run", err=True)
        context.exit(1)
    click.echo(
        f"{made.run} ({made.name}): the same run; {made.compared} artefacts are alike, "
        "byte for byte"
    )


def _contents(file: Path) -> Iterator[str]:
    """The size of a capture, and what it lacks."""
    from analysis.capture.analyse import Settings, analyse
    from analysis.capture.faults import without_tcp
    from analysis.capture.library import MissingCoreError

    yield many(file.stat().st_size, "byte")
    try:
        lacking = without_tcp(analyse([file], [], Settings(events=())).inputs)
    except MissingCoreError:
        return  # the capture is there; only its reader is not
    if lacking:
        yield lacking
