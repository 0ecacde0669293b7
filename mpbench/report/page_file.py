"""A page that a command writes where it was told to."""

from pathlib import Path

import click

from mpbench.errors import UserError
from mpbench.store import atomic


def write(out: Path, text: str) -> None:
    """Write the page whole or not at all, and say so. Raises UserError if it cannot."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_out(out, (text.rstrip() + "\n").encode())
    except OSError as error:
        raise UserError(f"{out}: {error.strerror}; give another --out") from error
    click.echo(f"wrote {out}")
