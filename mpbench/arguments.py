"""Arguments that several commands take."""

from pathlib import Path

import click

results_folders = click.argument(
    "results",
    type=click.Path(path_type=Path, file_okay=False),
    nargs=-1,
    required=True,
)
"""RESULTS...: results folders, at least one."""

retry_failed_option = click.option(
    "--retry-failed",
    is_flag=True,
    help="Execute failed and timed-out runs once more, and runs that were interrupted "
    "too often. They are left alone otherwise.",
)
