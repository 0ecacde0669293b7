"""Paragraphs that are put on a page after it was written."""

from collections.abc import Sequence


def placed(text: str, new: Sequence[str], marks: Sequence[str]) -> str:
    """The page with these paragraphs before its first section, and without earlier
    ones.

    marks : how earlier ones begin
    """
    parts = [part for part in text.split("\n\n") if not part.startswith(tuple(marks))]
    place = next(i for i, part in enumerate(parts) if part.startswith("## "))
    return "\n\n".join([*parts[:place], *new, *parts[place:]])
