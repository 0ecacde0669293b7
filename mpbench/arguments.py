"""Arguments that several commands take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

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


retry_failed_option = click.option(
    "--retry-failed",
    is_flag=True,
    help="Execute failed and timed-out runs once more, and runs that were interrupted "
    "too often. They are left alone otherwise.",
)
