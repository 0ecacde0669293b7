"""Paragraphs that are put on a page after it was written."""

from collections.abc import Sequence


def placed(text: str, new: Sequence[str], marks: Sequence[str]) -> str:
    """The page with these paragraphs in place of earlier ones, or before its first
    section.

    marks : how earlier ones begin
    """
    earlier, parts = tuple(marks), text.split("\n\n")
    place = next(
        i for i, part in enumerate(parts) if part.startswith((*earlier, "## "))
    )
    after = [part for part in parts[place:] if not part.startswith(earlier)]
    return "\n\n".join([*parts[:place], *new, *after])
