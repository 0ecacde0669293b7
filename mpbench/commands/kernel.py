"""``mpbench kernel``: the guest kernel, built once and cached by content."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mpbench.arguments import trust_option
from mpbench.errors import UserError

if TYPE_CHECKING:
    from mpbench.kernel import Train

CONFIGS = ("guest", "debug", "selftests", "selftests-stock")

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
    """Build the guest kernel, and show the cache of kernels.

    Kernels lie in the user's cache folder. The name of each is a hash of its inputs:
    Linux, configuration, overlay, patches, guest programs and compiler.
    """


@command.command()
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Linux as an unpacked tree or a tarball.  [default: the pinned Linux, from "
    "MPBENCH_MIRROR or Debian's archive]",
)
@click.option(
    "--newest",
    is_flag=True,
    help="Take the newest Linux of the series in Debian's archive, or else on the "
    "kernel's own site, in place of the pinned one. Results have another identity.",
)
@click.option(
    "--or-newest",
    is_flag=True,
    help="Do as with --newest if no archive has the pinned Linux.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    help="Number of compilers that run at a time.  [default: the number of CPUs]",
)
@_config
@click.option(
    "--force",
    is_flag=True,
    help="Build even if the kernel exists, from a new work tree.",
)
@click.option(
    "--profile-guided",
    is_flag=True,
    help="Build it once more, so that it runs faster: GCC optimises it by counts of "
    "what traffic in guests executes. Results are the same. It needs the root image.",
)
def build(
    source: Path | None,
    newest: bool,
    or_newest: bool,
    jobs: int | None,
    config: str,
    force: bool,
    profile_guided: bool,
) -> None:
    """Build the guest kernel, unless it exists already."""
    import signal

    from mpbench import kernel
    from mpbench.kernel import Newest

    if source and (newest or or_newest):
        option = "--newest" if newest else "--or-newest"
        raise UserError(f"--source and {option}: give one of them")
    wish = Newest.ALWAYS if newest else Newest.OTHERWISE if or_newest else Newest.NEVER
    train = _training(config) if profile_guided else None

    # SIGTERM then works like Ctrl-C: it ends the compilers and names the log.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    made = kernel.build(config, source, jobs, force, train, wish)
    click.echo(made.path)


def _training(config: str) -> "Train":
    from mpbench import image
    from mpbench.engine import training

    if config != "guest":
        raise UserError(f"--profile-guided: not with --config {config}; leave it out")
    image.find()
    return training.train


@command.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@trust_option
def lock(file: Path, trusted: bool) -> None:
    """Write FILE.lock: what the kernels of an experiment file stand for.

    The lock has the version of each kernel's Linux, the SHA-256 of its source package
    and of each patch, and the kernel's key. What it has already is not looked up again,
    unless the file asks for another release. Remove it to take newer releases.
    """
    from mpbench.experiment_files import lock as lock_file

    click.echo(lock_file(file, trusted))


@command.command()
@_config
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def info(config: str, as_json: bool) -> None:
    """Show the inputs of the kernel and its path.

    The exit status is 2 if the kernel is not built.
    """
    import json

    from mpbench import kernel

    ready = kernel.find(config)
    facts = {**ready.info, "path": str(ready.path)}
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    for name in ("path", "key", "config", "version", "source", "compiler"):
        click.echo(f"{name:<12} {facts[name]}")
    click.echo(f"{'config hash':<12} {facts['config_hash']}")
    click.echo(f"{'kernel hash':<12} {facts['linux_hash']}")
    if ready.guided:
        click.echo(f"{'optimised':<12} guided by a profile")
    click.echo(f"{'size':<12} {facts['size_bytes'] / 1e6:.1f} MB")
    click.echo(f"{'built':<12} {facts['built']}, in {facts['build_s']} s")


@command.command()
@_config
def path(config: str) -> None:
    """Print the path of the kernel. The exit status is 2 if it is not built."""
    from mpbench import kernel

    click.echo(kernel.find(config).path)


@command.command()
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also remove the present kernels and the unpacked Linux.",
)
def clean(everything: bool) -> None:
    """Remove kernels that do not match the present configurations and overlay.

    It also removes work trees and logs, and does not ask for confirmation.
    """
    from mpbench.backends.qemu import pins
    from mpbench.kernel import cache, launcher
    from mpbench.kernel.lock import exclusive

    with exclusive(cache.root(), click.echo):
        cache.remove_leftovers()
        gone = [*cache.unneeded(everything), *launcher.unneeded()]
        gone += pins.unneeded(everything)
        freed = cache.remove(gone)
    click.echo(f"{cache.root()}: {freed / 1e6:.0f} MB freed")
