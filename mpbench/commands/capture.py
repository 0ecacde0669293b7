"""`mpbench capture RESULTS RUN`: a finished run's packets."""

from pathlib import Path

import click

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
    help="Where to capture; may be given several times.  [default: where the run "
    "did, or all interfaces of the hosts]",
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
    """Make the capture of a finished run of the folder RESULTS again.

    RUN is its id, or how that begins. The run is executed once more, and everything
    else that it leaves is compared with what is kept: a capture changes nothing in
    a guest, so it must be the same, byte for byte. The captures are for Wireshark
    or `mpbench analyse`.

    Exit status: 0 when it is the same run, 1 when not.
    """
    from mpbench.backends import registry
    from mpbench.engine.recapture import recapture
    from mpbench.store import campaign
    from mpbench.store.layout import Results

    folder = Results(results)
    name = campaign.read(folder.campaign).backend
    if name in registry.REAL_TIME:
        raise UserError(
            f"{results}: measured by the {name} backend in real time, where no two "
            "executions are the same"
        )
    target = out or results / "captures" / run
    made = recapture(folder, run, registry.create(name), target, full, interfaces)
    for file in made.files:
        click.echo(f"{file}: {file.stat().st_size} bytes")
    if made.dropped:
        click.echo(f"mpbench: {made.dropped} packets did not fit and are missing")
    if made.exit.status != "finished":
        raise UserError(f"{made.run}: {made.exit.status}: {made.exit.reason}")
    if made.differences:
        for each in made.differences:
            click.echo(f"mpbench: {each.artefact} {each.what}", err=True)
        click.echo(f"{made.run} ({made.name}): NOT the same run", err=True)
        context.exit(1)
    click.echo(
        f"{made.run} ({made.name}): the same run; {made.compared} artefacts are alike, "
        "byte for byte"
    )
