"""From a request to a drawn figure: its values, its picture, its files."""

import importlib
from dataclasses import replace
from typing import Any

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import FigureRequest
from analysis.figures import style
from analysis.figures.drawn_figure import DrawnFigure, PageText
from analysis.figures.style import Target
from analysis.figures.titles import title


def draw(
    request: FigureRequest, campaign: Campaign, target: Target, words: str = ""
) -> DrawnFigure:
    """Draw a figure of any kind from the campaign's runs and save it at the target.

    words : the figure's title; empty for the request's own

    A kind whose panels would be taller than a page gives several pictures.

    Raises UndrawableError if the campaign lacks what the figure needs.
    """
    values: PageText = _part(request, "data").data(request, campaign)
    formats = target.look.formats
    if request.formats is not None:
        formats = tuple(each for each in formats if each in request.formats)
    more: list[str] = []
    if formats:
        look = replace(target.look, formats=formats)
        with style.styled(look):
            drawn = _part(request, "drawing").draw(values, look)
            first, *others = drawn if isinstance(drawn, list) else [drawn]
            style.save(first, replace(target, look=look))
            for number, picture in enumerate(others, start=2):
                more.append(f"{target.name}-page-{number}")
                style.save(picture, replace(target, look=look, name=more[-1]))
    named = request.formats is None
    return DrawnFigure.of(
        words or title(request),
        target.name if named else "",
        values,
        tuple(more) if named else (),
    )


def _part(request: FigureRequest, part: str) -> Any:
    """A file of the kind's folder, which loads what only this kind needs."""
    return importlib.import_module(f"analysis.figures.kinds.{request.kind}.{part}")
