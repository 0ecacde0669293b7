"""The title of a requested figure, and the name of its files."""

from collections.abc import Sequence

from analysis.campaign.columns import path_words
from analysis.campaign.figure_request import FigureRequest, Titled, case_of


def title(request: FigureRequest, paths: Sequence[str] = ()) -> str:
    """Title of the figure in words; it is known before the figure is drawn.

    paths : names of the paths, in the user's order, where these are not path1 and path2
    """
    if isinstance(request, Titled) and request.title:
        return request.title
    text = request.words
    text = text[0].upper() + text[1:]
    if request.after:
        text += f" (after {request.after})"
    if not paths or (paths[0] == "path1" and paths[1:2] == ("path2",)):
        return text
    words = [path_words(name) for name in paths]
    text = text.replace("hare of path 1", f"hare of {words[0]}")
    if len(words) > 1:
        text = text.replace("path 1 less path 2", f"{words[0]} less {words[1]}")
    return text


def within_sentence(text: str) -> str:
    """A title after a colon: small at its beginning, unless that is a symbol (R_N)."""
    return text if not text[1:2].islower() else text[0].lower() + text[1:]


def file_name(request: FigureRequest) -> str:
    """The name of the figure's files, without suffix."""
    text = "-".join(filter(None, [*request.name_parts, case_of(request)]))
    return text.replace("_", "-").replace(".", "-")
