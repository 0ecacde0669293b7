"""Requests of figures from plain values, without the checks of an experiment file."""

from collections.abc import Callable, Mapping
from typing import Any

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import (
    Criterion,
    FigureRequest,
    Labels,
    Span,
    Theory,
)
from analysis.figures import drawing
from analysis.figures.drawn_figure import DrawnFigure
from analysis.figures.registry import KINDS
from analysis.figures.style import Target

READ: Mapping[str, Callable[[Any], Any]] = {
    "criterion": lambda value: Criterion(**value),
    "span": lambda value: Span(*value),
    "labels": lambda value: Labels(**value),
    "theory": lambda value: tuple(Theory(**each) for each in value),
}


def asked(kind: str, **keys: Any) -> FigureRequest:
    """The record of a kind, its values as a file has them: lists and mappings."""
    values: dict[str, Any] = {}
    for key, value in keys.items():
        if key in READ and isinstance(value, dict | list | tuple):
            value = READ[key](value)
        values[key] = tuple(value) if isinstance(value, list) else value
    return KINDS[kind](**values)


def draw(figure: Mapping[str, Any], campaign: Campaign, target: Target) -> DrawnFigure:
    """Draw a figure that is given as plain values."""
    return drawing.draw(asked(**figure), campaign, target)
