"""Markdown: tables, and pages without anything that a browser would execute."""

import re
from collections.abc import Iterator, Sequence

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SCHEME = re.compile(r"\]\((?=\s*<?(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:)")


def inert(page: str) -> str:
    """A page in which no name, reason or note is HTML or a link that runs a script.

    Such texts may come from a stranger's results folder. What would begin a tag
    (CommonMark, sec. 6.6) is shown as it stands, and links of another scheme than
    http and https are no links.
    """
    return _SCHEME.sub(r"]\(", _TAG.sub("&lt;", page))


def markdown(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int | None = None
) -> Iterator[str]:
    """The lines of a table, and the empty line after it.

    numbers_from : index of the first column that is aligned to the right; None to
        align all columns to the left
    """
    right = len(head) if numbers_from is None else numbers_from
    rule = ["---" if i < right else "---:" for i in range(len(head))]
    for cells in (head, rule, *rows):
        yield "| " + " | ".join(_cell(cell) for cell in cells) + " |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
