"""Keep the figures of a page that its kept rows cannot draw again.

Rows have no series over time. A page that was written from whole results shows figures
of them; when it is written again from the rows of the same runs, these figures stay.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HEADING = re.compile(r"^(#{2,3}) .+$", re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)/\s]+)\)")
NOT_DRAWN = "Not drawn: "
PICTURES = (".png", ".svg")
FIGURES = "## Figures"
FOOT = "## How this was made"
OVER_TIME = " over time"
"""In the title of a figure that only whole runs can give."""
NOTE = "This figure was drawn from the whole runs, of which the rows were kept."


@dataclass(frozen=True)
class Before:
    """Pages and pictures of a folder, by the name of the file."""

    pages: Mapping[str, str]
    pictures: Mapping[str, bytes]


def before(folder: Path) -> Before:
    """The pages and pictures in a folder; nothing if there is none."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return Before(
        {p.name: p.read_text(encoding="utf-8") for p in files if p.suffix == ".md"},
        {p.name: p.read_bytes() for p in files if p.suffix in PICTURES},
    )


def keep(folder: Path, old: Before) -> list[str]:
    """Put figures back that were drawn before and are not now; their pictures' names.

    A picture that is there again is left as it is.
    """
    kept = []
    for name, text in old.pages.items():
        path = folder / name
        if not path.is_file():
            continue
        now = path.read_text(encoding="utf-8")
        merged = merge(text, now)
        if merged == now:
            continue
        path.write_text(merged, encoding="utf-8")
        for picture in PICTURE.findall(merged):
            if picture in old.pictures and not (folder / picture).exists():
                (folder / picture).write_bytes(old.pictures[picture])
                kept.append(picture)
    return kept


def merge(old: str, new: str) -> str:
    """The new page, with the old section of each figure that was not drawn again.

    A figure over time that nobody asked for has no section at all on the new page.
    """
    drawn = {
        heading: noted(body) for heading, body in sections(old) if PICTURE.search(body)
    }
    parts = [new[: first.start()] if (first := HEADING.search(new)) else new]
    there = [heading for heading, _ in sections(new)]
    more = [
        heading + body
        for heading, body in drawn.items()
        if OVER_TIME in heading and heading not in there
    ]
    for heading, body in sections(new):
        if heading == FOOT and more:
            parts += [] if FIGURES in there else [f"{FIGURES}\n\n"]
            parts += more
        if body.strip().startswith(NOT_DRAWN):
            body = drawn.get(heading, body)
        parts.append(heading + body)
    return "".join(parts)


def noted(body: str) -> str:
    """A figure's section with the note on where it is from."""
    return body if NOTE in body else f"{body.rstrip()}\n\n{NOTE}\n\n"


def sections(page: str) -> list[tuple[str, str]]:
    """Each heading of a page, and the text up to the next one."""
    found = list(HEADING.finditer(page))
    ends = [match.start() for match in found[1:]] + [len(page)] * bool(found)
    return [
        (match[0], page[match.end() : end])
        for match, end in zip(found, ends, strict=True)
    ]
