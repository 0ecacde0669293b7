"""``mpbench image``: the guests' root image, built once and cached by content."""

from pathlib import Path

import click

from analysis.words import many


@click.group("image")
def command() -> None:
    """Build the root image of guests, and show it.

    The image holds the programs that guests run: Debian packages of pinned versions.
    It lies in the user's cache folder, under a hash of its inputs.
    """


@command.command()
@click.option(
    "--debs",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Take packages from this folder if it has them.  [default: all come from the "
    "Debian mirror that the machine's apt uses]",
)
@click.option("--force", is_flag=True, help="Build even if the image exists.")
def build(debs: Path | None, force: bool) -> None:
    """Build the root image, unless it exists already."""
    import signal

    from mpbench import image

    # SIGTERM then works like Ctrl-C: it ends the programs and removes what they made.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    click.echo(image.build(debs, force).path)


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def info(as_json: bool) -> None:
    """Show the image's path, its hash, and the packages in it.

    The exit status is 2 if the image is not built.
    """
    import json

    from mpbench import image

    ready = image.find()
    if as_json:
        facts = {**ready.info, "path": str(ready.path), "manifest": ready.manifest}
        click.echo(json.dumps(facts, indent=2))
        return
    click.echo(f"{'path':<12} {ready.path}")
    click.echo(f"{'key':<12} {ready.key}")
    click.echo(f"{'SHA-256':<12} {ready.sha256}")
    click.echo(f"{'size':<12} {ready.path.stat().st_size / 1e6:.1f} MB")
    built, took = (ready.info.get(name, "?") for name in ("built", "build_s"))
    click.echo(f"{'built':<12} {built}, in {took} s")
    click.echo(f"{'packages':<12} {len(ready.manifest)}")
    for name, version in ready.manifest.items():
        click.echo(f"  {name} {version}")


@command.command()
def path() -> None:
    """Print the path of the image. The exit status is 2 if it is not built."""
    from mpbench import image

    click.echo(image.find().path)


@command.command()
@click.option(
    "--add",
    "added",
    metavar="PACKAGE",
    multiple=True,
    help="Add this Debian package and all that it needs; may be given several times.",
)
def lock(added: tuple[str, ...]) -> None:
    """Pin the versions that the mirror has now, in the repository's lock file.

    The next build then makes another image, and results get another identity.
    """
    import tempfile

    from mpbench.image import lock as locking
    from mpbench.image import resolve
    from mpbench.kernel.shell import Shell

    with tempfile.TemporaryDirectory(prefix="mpbench-") as folder:
        apt = Path(folder) / "apt"
        apt.mkdir()
        shell = Shell(Path(folder) / "log")
        try:
            pinned = resolve.resolve(shell, apt, added)
        finally:
            shell.close()
    locking.write(pinned)
    click.echo(f"{locking.FILE}: {many(len(pinned), 'package')}")


@command.command()
def clean() -> None:
    """Remove images that are not of the present lock file."""
    from mpbench.image import cache as images
    from mpbench.kernel import cache
    from mpbench.kernel.lock import exclusive

    with exclusive(images.folder(), click.echo):
        freed = cache.remove(images.unneeded())
    click.echo(f"{images.folder()}: {freed / 1e6:.0f} MB freed")
