"""The pages of results/reference in the site, as they stand in the repository.

They are plain pages without the site's menu, as `mpbench report` writes them for a
browser. Only their links are changed.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from analysis.report import html_page

FOLDER = "results/reference"
SITE = "reference"
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")
SHOWN = {".png", ".svg", ".csv"}
HEADING = re.compile(r"^# (.+)$", re.MULTILINE)

Lookup = Callable[[Path], str | None]
"""The path in the site of a file of the repository; None if the site lacks it."""


def path_in_site(path: Path, root: Path) -> str | None:
    """The path in the site of a page or picture of results/reference, if it is one."""
    folder = root / FOLDER
    if not path.is_relative_to(folder) or path == folder / "README.md":
        return None
    if not path.is_file() or path.suffix not in {".md", *SHOWN}:
        return None
    inner = PurePosixPath(SITE, path.relative_to(folder).as_posix())
    return str(inner.with_suffix(".html") if path.suffix == ".md" else inner)


def files(root: Path, lookup: Lookup) -> Iterator[tuple[str, str | Path]]:
    """Each file's path in the site, and its text or the file that it is copied from.

    lookup : where links to files outside of results/reference lead
    """
    for path in sorted((root / FOLDER).rglob("*.*")):
        place = path_in_site(path, root)
        if place is not None:
            yield place, html(path, place, lookup) if path.suffix == ".md" else path


def html(path: Path, place: str, lookup: Lookup) -> str:
    """A page as HTML, with links to what the site has.

    place : the page's path in the site
    """
    text = path.read_text(encoding="utf-8")

    def moved(link: re.Match[str]) -> str:
        if "://" in link[2]:
            return link[0]
        target = (path.parent / link[2]).resolve()
        there = lookup(target)
        if there is None:
            return f"{link[1]} (`{link[2].lstrip('./')}` in the repository)"
        return (
            f"[{link[1]}]({os.path.relpath(there, Path(place).parent)}{link[3] or ''})"
        )

    title = HEADING.search(text)
    return html_page.render(LINK.sub(moved, text), title[1] if title else path.stem)
