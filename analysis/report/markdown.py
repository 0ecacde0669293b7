"""Tables in Markdown."""

from collections.abc import Iterator, Sequence


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
