"""The title of a requested figure, and the name of its files."""

from collections.abc import Sequence

from analysis.campaign.columns import path_words, plain
from analysis.campaign.figure_request import Criterion, FigureRequest
from analysis.figures.registry import KINDS
from analysis.run.quantities import QUANTITIES

MEASURED_CRITERIA = {
    "first_path_quality": "the quality of the first path",
    "first_path_use": "what the first path carried",
    "mean_loss": "the mean loss probability",
}
"""Criteria that are measured, in words."""


def title(request: FigureRequest) -> str:
    """Title of the figure in words; it is known before the figure is drawn."""
    if request.title:
        return request.title
    metric = {"traffic_split": "share of path 1"}.get(request.metric or "")
    quantities = [QUANTITIES[name].words for name in request.quantities or ()]
    kind = KINDS[request.kind]
    text = kind.title.format(
        metric=metric or plain(request.metric or ""), quantities=_list(quantities)
    )
    text = text[0].upper() + text[1:]
    text += f" {request.over}" if request.over else ""
    text += f", {_words(request.part)}" if request.part else ""
    if request.users:
        text += f" of {_list(request.users)}"
    if request.kind == "over_time" and request.point:
        text += f", point {request.point}"
    if request.repetition:
        text += f", repetition {request.repetition}"
    if request.criterion:
        text += f" {kind.against} {_criterion(request.criterion)}"
    if request.by:
        text += f" by {_words(request.by)}"
    if request.panels:
        text += f" and {_words(request.panels)}"
    text += f", {request.case}" if request.case else ""
    return f"{text} (after {request.after})" if request.after else text


def named(request: FigureRequest, names: Sequence[str]) -> FigureRequest:
    """The request with a title that has the user's names of the paths.

    names : of the paths, in the user's order
    """
    if request.title or not names or (names[0] == "path1" and names[1:2] == ("path2",)):
        return request
    words = [path_words(name) for name in names]
    text = title(request).replace("hare of path 1", f"hare of {words[0]}")
    if len(words) > 1:
        text = text.replace("path 1 less path 2", f"{words[0]} less {words[1]}")
    return request.model_copy(update={"title": text})


def within_sentence(text: str) -> str:
    """A title after a colon: small at its beginning, unless that is a symbol (R_N)."""
    return text if not text[1:2].islower() else text[0].lower() + text[1:]


def file_name(request: FigureRequest) -> str:
    """The name of the figure's files, without suffix."""
    parts = [KINDS[request.kind].prefix, *(request.quantities or ())]
    parts += [*(request.users or ()), request.part or "", *(request.parts or ())]
    parts += [request.metric or ""]
    parts += ["over", request.over] if request.over else []
    parts += [request.criterion.factor if request.criterion else "", request.by or ""]
    parts += ["panels", request.panels] if request.panels else []
    parts += [f"point-{request.point}"] if request.point else []
    parts += [f"repetition-{request.repetition}"] if request.repetition else []
    parts += ["log", request.log] if request.log else []
    parts += ["signed"] if request.signed else []
    text = "-".join([*filter(None, parts), *([request.case] if request.case else [])])
    return text.replace("_", "-").replace(".", "-")


def _criterion(criterion: Criterion) -> str:
    if criterion.factor in MEASURED_CRITERIA:
        return MEASURED_CRITERIA[criterion.factor]
    factor = criterion.factor.replace("_", " ").replace(".", " ")
    return {
        "absolute": f"the absolute {factor} difference",
        "signed": f"the {factor} difference (path 1 less path 2)",
        "none": factor.replace("path", "path "),
    }[criterion.difference]


def _list(words: Sequence[str]) -> str:
    *most, last = words or ("",)
    return f"{', '.join(most)} and {last}" if most else last


def _words(name: str) -> str:
    return name.replace("_", " ").replace(".", " ").replace("path", "path ")
