"""``mpbench kernel``: the guest kernel, built once and cached by content."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

CONFIGS = ("guest", "debug")

_config: Callable[[Any], Any] = click.option(
    "--config",
    type=click.Choice(CONFIGS),
    default="guest",
    show_default=True,
    help="Which kernel: the one that experiments run in, or the same with the "
    "kernel's own checks (lockdep, KASAN and others; slow).",
)


@click.group("kernel")
def command() -> None:
    """Build the guest kernel, and say what is there.

    Kernels lie in the user's cache folder, each under a hash of what it was made
    of: Linux, configuration, overlay, patches, guest programs and compiler.
    """


@command.command()
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Linux as an unpacked tree or a tarball.  [default: Debian's source "
    "package; else the release of the kernel's own site]",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    help="Compilers at a time.  [default: as many as there are CPUs]",
)
@_config
@click.option(
    "--force",
    is_flag=True,
    help="Build although it is there, from a fresh work tree.",
)
def build(source: Path | None, jobs: int | None, config: str, force: bool) -> None:
    """Build the guest kernel, unless it is there already."""
    import signal

    from mpbench import kernel

    # As Ctrl-C: ends the compilers and says where the log is.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    made = kernel.build(config, source, jobs, force)
    click.echo(made.path)


@command.command()
@_config
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def info(config: str, as_json: bool) -> None:
    """Say what the kernel is made of and where it is.

    Exit status 2 if it is not built.
    """
    import json

    from mpbench import kernel

    found = kernel.find(config)
    facts = {**found.info, "path": str(found.path)}
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    for name in ("path", "key", "config", "version", "source", "compiler"):
        click.echo(f"{name:<12} {facts[name]}")
    click.echo(f"{'config hash':<12} {facts['config_hash']}")
    click.echo(f"{'kernel hash':<12} {facts['linux_hash']}")
    click.echo(f"{'size':<12} {facts['size_bytes'] / 1e6:.1f} MB")
    click.echo(f"{'built':<12} {facts['built']}, in {facts['build_s']} s")


@command.command()
@_config
def path(config: str) -> None:
    """Print where the kernel is. Exit status 2 if it is not built."""
    from mpbench import kernel

    click.echo(kernel.find(config).path)


@command.command()
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Remove the present kernels and the unpacked Linux too.",
)
def clean(everything: bool) -> None:
    """Remove kernels of other configurations and overlays than the present ones.

    Work trees and logs go too. Asks nothing.
    """
    from mpbench.kernel import cache
    from mpbench.kernel.lock import exclusive

    with exclusive(cache.root(), click.echo):
        cache.remove_leftovers()
        gone = cache.unneeded(everything)
        freed = cache.remove(gone)
    click.echo(f"{cache.root()}: {freed / 1e6:.0f} MB freed")
