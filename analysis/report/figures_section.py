"""Drawing the figures of a page, and the page's section that shows them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import paths
from analysis.campaign.figure_request import FigureRequest
from analysis.campaign.numbers import digits
from analysis.figures import drawing
from analysis.figures.drawn_figure import DrawnFigure, UndrawableError
from analysis.figures.style import Target
from analysis.figures.titles import title
from analysis.report.markdown import markdown

_RUN = re.compile(r"[0-9a-f]{8,64}")


@dataclass(frozen=True)
class Outcome:
    """A figure of a page: the drawn figure, or the reason why it was not drawn."""

    campaign: str
    request: FigureRequest
    title: str
    drawn: DrawnFigure | str


def draw(
    request: FigureRequest, campaign: Campaign, target: Target, name: str
) -> Outcome:
    """Draw one figure into the target's folder; `name` is its files' name."""
    words = title(request, paths(campaign.runs))
    try:
        drawn: DrawnFigure | str = drawing.draw(
            request, campaign, replace(target, name=name), words
        )
    except UndrawableError as error:
        drawn = str(error)
    return Outcome(campaign.name, request, words, drawn)


def free_name(stem: str, taken: set[str]) -> str:
    """`stem`, or `stem-2` and so on if it is taken."""
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(name for name in names if name not in taken)


def section(
    outcomes: Sequence[Outcome], suffix: str, dashboard: str = ""
) -> Iterator[str]:
    """The section with all figures of a page.

    suffix : suffix of the picture files
    dashboard : file beside the page, which shows single runs; empty for none
    """
    if not outcomes:
        return
    yield "## Figures"
    yield ""
    for outcome in outcomes:
        yield f"### {outcome.title}"
        yield ""
        yield from lines(outcome, suffix)
        yield from _links(outcome, dashboard)
    yield from readings(outcomes)


def lines(outcome: Outcome, suffix: str) -> Iterator[str]:
    """The lines below a figure's heading: picture or table, note, quartiles."""
    drawn = outcome.drawn
    if isinstance(drawn, str):
        yield f"Not drawn: {drawn}."
        yield ""
        return
    if drawn.name:
        for name in (drawn.name, *drawn.more):
            yield f"![{outcome.title}]({name}.{suffix})"
            yield ""
    if drawn.cells:
        yield from markdown(drawn.head, drawn.cells, numbers_from=1)
    if drawn.note:
        yield drawn.note
        yield ""
    if not drawn.summary.empty:
        yield from _summary_table(drawn)


def _links(outcome: Outcome, dashboard: str) -> Iterator[str]:
    """Links to the single runs of a figure, with all their events."""
    if not dashboard or isinstance(outcome.drawn, str):
        return
    links = [
        f"[{case}]({dashboard}#run={run})"
        for case, run in outcome.drawn.runs
        if _RUN.fullmatch(run)
    ]
    if links:
        yield f"These runs in the dashboard, with all events: {', '.join(links)}."
        yield ""


def readings(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Directions for reading the kinds of figures on the page, once per kind."""
    drawn = [o.drawn for o in outcomes if isinstance(o.drawn, DrawnFigure)]
    for reading in dict.fromkeys(figure.reading for figure in drawn if figure.reading):
        yield reading
        yield ""


def _summary_table(drawn: DrawnFigure) -> Iterator[str]:
    """One row per box or curve; the columns that tell them apart come first."""
    rows = drawn.summary
    place: dict[str, str] = {}
    if (rows["group"] != "").any():
        place["group"] = drawn.group_label
    if rows["case"].nunique() > 1:
        place["case"] = "case"
    if (rows["batch"] != "").any():
        place["batch"] = drawn.batch_label
    numbers = ["minimum", "q1", "median", "q3", "maximum"]
    cells = []
    for _, row in rows.iterrows():
        names = [f"`{row[n]}`" if n == "batch" else str(row[n]) for n in place]
        values = [digits(row[name]) if row["n"] else "-" for name in numbers]
        cells.append([*names, str(row["n"]), *values])
    head = [*place.values(), "n", *numbers]
    yield from markdown(head, cells, numbers_from=len(place))
