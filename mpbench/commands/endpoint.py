"""``mpbench endpoint``: the programs in the box that speak multipath QUIC."""

import click


@click.group("endpoint")
def command() -> None:
    """Build the programs that speak multipath QUIC, and show them.

    Cases with `protocol: mpquic` or `quic` name one of them as their `program`. A wheel
    brings them. In a checkout, a build needs a compiler and a network.
    """


@command.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--force", is_flag=True, help="Build even if the program exists.")
@click.option(
    "--available",
    is_flag=True,
    help="Leave out endpoints whose build needs a program that is missing here.",
)
def build(names: tuple[str, ...], force: bool, available: bool) -> None:
    """Build endpoints, unless they exist already: those named, or all."""
    import signal

    from mpbench import endpoints
    from mpbench.endpoints import recipes
    from mpbench.errors import UserError
    from mpbench.spec.suggestions import nearest

    # SIGTERM then works like Ctrl-C: it ends the programs and removes what they made.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name in names:
        if name not in endpoints.NAMES:
            hint = nearest(name, endpoints.NAMES)
            raise UserError(f"no endpoint '{name[:40]}' in the box; {hint}")
    for name in names or endpoints.NAMES:
        try:
            if available:
                recipes.require(name)
        except UserError as error:
            click.echo(f"left out: {error}", err=True)
            continue
        click.echo(endpoints.build(name, force).path)


@command.command("list")
def list_() -> None:
    """List the endpoints, whether each is built, and the works of others in it."""
    from mpbench import endpoints

    for name in endpoints.NAMES:
        found = endpoints.lookup(name)
        if found is None:
            click.echo(f"{name:<10} not built; `mpbench endpoint build {name}`")
            continue
        click.echo(f"{name:<10} {found.info['sha256'][:16]} {found.path}")
        for work in found.info["works"]:
            click.echo(f"  {work['name']} {work['version']} ({work['license']})")


@command.command()
def clean() -> None:
    """Remove endpoints that are not of the present sources."""
    from mpbench.endpoints import cache as built
    from mpbench.kernel import cache
    from mpbench.kernel.lock import exclusive

    with exclusive(built.root(), click.echo):
        freed = cache.remove(built.unneeded())
    click.echo(f"{built.root()}: {freed / 1e6:.0f} MB freed")
