"""Arguments that several commands take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from mpbench import carried

Command = TypeVar("Command", bound=Callable[..., Any])


def _experiment(
    context: click.Context, parameter: click.Parameter, value: Path
) -> Path:
    return carried.experiment(value)


experiment_file = click.argument(
    "file", type=click.Path(path_type=Path), callback=_experiment
)
"""FILE: an experiment file, or the name of an experiment that comes with mpbench."""

results_folders = click.argument(
    "results",
    type=click.Path(path_type=Path, file_okay=False),
    nargs=-1,
    required=True,
)
"""RESULTS...: results folders, at least one."""

_with_option = click.option(
    "--with",
    "configurations",
    type=click.Path(path_type=Path),
    metavar="CONFIGURATION",
    multiple=True,
    help="Change the experiment as this file of changes says, and add its suffix to "
    "the name; may be given several times.",
)
_without_option = click.option(
    "--without",
    metavar="PART",
    multiple=True,
    help="Leave this part of the configurations out; may be given several times.",
)


def configuration_options(command: Command) -> Command:
    """The options --with and --without."""
    return _with_option(_without_option(command))


points_option = click.option(
    "--points",
    metavar="+N",
    help="Add N points to a WSP design, or give the number of all points: the points "
    "of FILE stay, and so do their finished runs.",
)

trust_option = click.option(
    "--trust-plugins",
    "trusted",
    is_flag=True,
    help="Let code of plug-ins run or be compiled on this machine, and not only in a "
    "guest.",
)

retry_failed_option = click.option(
    "--retry-failed",
    is_flag=True,
    help="Execute failed and timed-out runs once more, and runs that were interrupted "
    "too often. They are left alone otherwise.",
)

_host_option = click.option(
    "--host",
    metavar="ADDRESS",
    help="Serve the live page here; only this machine's own 127.0.0.1 is accepted, "
    "and anything else is answered with how to read the page elsewhere.",
)
_port_option = click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Serve the live page on this port.  [default: a free one]",
)


def search_options(ending: str) -> Callable[[Command], Command]:
    """The options of a search by campaigns: --out, --jobs, --backend, --trust-plugins.

    ending : of the name of the folder that a search has by default
    """
    folder = click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help=f"Folder of the search.  [default: results/NAME-{ending}]",
    )
    jobs = click.option(
        "-j", "--jobs", type=click.IntRange(min=1), help="Runs at a time."
    )
    backend = click.option(
        "--backend",
        "backend_name",
        type=click.Choice(["virtual", "fake"]),
        default="virtual",
        show_default=True,
        help="Where runs are executed; `fake` is for tests of the search.",
    )

    def options(command: Command) -> Command:
        return folder(jobs(backend(trust_option(command))))

    return options


def live_options(command: Command) -> Command:
    """The options --host and --port of a live page."""
    return _host_option(_port_option(command))


def check_live_options(
    live: bool, flag: str, host: str | None, port: int | None
) -> None:
    """Raises UserError for a host that is not this machine, and without the flag."""
    from mpbench.errors import UserError

    if host is not None:
        from mpbench.live.server import check_host

        check_host(host, port)
    if not live and (host is not None or port is not None):
        raise UserError(f"--host and --port are of a live page; add {flag}")
