"""Markdown: tables, and pages without anything that a browser would execute."""

import re
from collections.abc import Iterator, Sequence

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SCHEME = re.compile(r"\]([(:])(?=[\s>]*<?(?!https?:)[^\s/?#()]*[:&])")
"""The end of a link's text whose target has another scheme, or may have: an entity such
as `&#106;` stands for a letter."""


def inert(page: str) -> str:
    """A page in which no name, reason or note is HTML or a link that runs a script.

    Such texts may come from a stranger's results folder. What would begin a tag
    (CommonMark, sec. 6.6) is shown as it stands. Links of another scheme than http and
    https are no links, whether they name their target or refer to it (sec. 4.7).
    """
    return _SCHEME.sub(r"]\\\1", _TAG.sub("&lt;", page))


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
