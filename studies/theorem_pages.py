"""The command of a page about theorems: write it, or compare."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from mpbench.store import atomic


def page_command(
    about: str, target: Path, page: Callable[[], str], words: Sequence[str] | None
) -> int:
    """The exit status of the command that writes a page.

    about : text whose first line describes it
    words : its arguments; None for those of the process
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(words)
    try:
        text = page()
        if options.check:
            return int(target.read_text(encoding="utf-8") != text)
        atomic.write_bytes(target, text.encode())
    except (OSError, ValueError) as error:
        print(f"{target.stem}: {error}", file=sys.stderr)
        return 2
    return 0


def holds(true: bool) -> str:
    """The outcome of a criterion, for a page."""
    return "holds" if true else "**fails**"


def percent(part: float) -> str:
    """A part in per cent; what depends on a machine's rounding is not told."""
    return "below 0.1 %" if abs(part) < 1e-3 else f"{100 * part:.2g} %"
