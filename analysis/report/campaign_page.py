"""The page of a campaign: figures, summaries, and ours beside the published."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from analysis.campaign.answer import answer
from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import DESIGN_WEIGHT, column_of, links_named, paths
from analysis.campaign.figure_request import (
    ByCriterion,
    FigureRequest,
    OfMetric,
    case_of,
    part_of,
)
from analysis.figures import defaults, style
from analysis.figures.data import part_column
from analysis.figures.drawn_figure import DrawnFigure
from analysis.figures.style import Look, Target
from analysis.figures.titles import file_name
from analysis.published import sentences
from analysis.published.cells import Cell, Compared, compare
from analysis.published.statements import Statement
from analysis.report import (
    cells_section,
    compared_cases,
    compared_cases_picture,
    compared_cases_section,
    figures_section,
    metrics_section,
    outcomes_section,
    phases_section,
    question_section,
    seeds_note,
    spread_section,
    statements_section,
    users_section,
    verdicts_table,
)
from analysis.report.figures_section import Outcome
from analysis.report.markdown import inert, markdown

if TYPE_CHECKING:
    from matplotlib.backends.backend_pdf import PdfPages

NETWORK_FILE = "network.svg"
TRADE_OFF = "answer"
"""The name of the picture beside the answer."""
PICTURES = (".png", ".pdf", ".svg")
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
VERDICTS = ("ok", "invalid", "failed", "timeout", "interrupted")
POINT_COLUMNS = (
    "capacity_difference_mbps",
    "delay_difference_ms",
    "goodput_mbps",
    "path1.tcp_goodput_mbps",
    "path2.tcp_goodput_mbps",
    "aggregation_benefit",
    "aggregation_benefit_bound",
    "experimental_aggregation_benefit",
    "path1.share",
    "retransmission_ratio",
    "reinjection_ratio",
)


@dataclass(frozen=True)
class Contents:
    """Contents of a page beside the campaign itself.

    figures : what to draw; empty for the figures that analysis.figures.defaults choose
    statements, cells : published ones to set ours beside
    notes : Markdown on where ours differs and why, written by a person
    look : of the figures
    dashboard : name of the dashboard's file beside the page; empty if there is none
    """

    figures: tuple[FigureRequest, ...] = ()
    statements: tuple[Statement, ...] = ()
    cells: tuple[Cell, ...] = ()
    notes: str = ""
    look: Look = field(default_factory=Look)
    dashboard: str = ""


@dataclass(frozen=True)
class Written:
    """page : its path, if there is one; undrawn : what was not drawn, and why"""

    page: Path | None
    undrawn: tuple[str, ...]


def write(
    campaign: Campaign, contents: Contents, folder: Path, page: bool = True
) -> Written:
    """Write summary.csv, points.csv, the figures and, if wanted, the page README.md.

    With figures in PDF, figures.pdf holds all of them. The same table gives the same
    bytes. Raises ValueError if there is no run.
    """
    if campaign.runs.empty:
        raise ValueError(f"{campaign.name}: no run: nothing to report")
    with links_named(campaign.runs):
        return _written(campaign, contents, folder, page)


def _written(
    campaign: Campaign, contents: Contents, folder: Path, page: bool
) -> Written:
    folder.mkdir(parents=True, exist_ok=True)
    look = contents.look
    answered = answer(campaign)
    trade_off: list[str] = []
    with style.album(
        folder / "figures.pdf" if "pdf" in look.formats else None
    ) as album:
        if request := question_section.figure(answered):
            outcome = figures_section.draw(
                request, campaign, Target(folder, "", look, album), TRADE_OFF
            )
            trade_off += question_section.picture(outcome, look.formats[0])
        cell_figures = _draw_cells(campaign, contents, folder, album)
        compared = compared_cases.compared(campaign)
        target = Target(folder, "", look, album)
        compared_pictures = compared_cases_picture.draw(compared, campaign, target)
        figures = _draw(campaign, contents, Target(folder, "", look, album))
    summaries = [f.drawn.summary for f in figures if isinstance(f.drawn, DrawnFigure)]
    present = [one for one in summaries if not one.empty]
    summary = pd.concat(present, ignore_index=True) if present else pd.DataFrame()
    summary.to_csv(folder / "summary.csv", index=False, float_format="%.6g")
    points(campaign, contents.figures).to_csv(
        folder / "points.csv", index=False, float_format="%.6g"
    )
    undrawn = tuple(
        f"{figure.title}: {figure.drawn}"
        for figure in figures
        if isinstance(figure.drawn, str)
    )
    if not page:
        return Written(None, undrawn)
    answered_statements = statements_section.answers(contents.statements, campaign)
    compared_cells = [compare(cell, campaign.ok_runs) for cell in contents.cells]
    verdicts_table.write(folder, _verdict_rows(answered_statements, compared_cells))
    in_phases = phases_section.values(answered, campaign)
    lines = [
        f"# {campaign.name}",
        "",
        *question_section.lines(
            answered,
            campaign,
            [*phases_section.lines(in_phases, answered, campaign), *trade_off],
            phases_section.summary(in_phases, answered, campaign),
        ),
        *_description(campaign),
        *_verdicts(campaign),
        *_state(campaign),
        *seeds_note.lines([campaign]),
        *_network(campaign, folder),
        *metrics_section.lines(campaign),
        *spread_section.lines(campaign),
        *compared_cases_section.lines(compared, compared_pictures),
        *users_section.lines(campaign),
        *outcomes_section.lines(campaign.runs),
        *statements_section.lines(answered_statements),
        *cells_section.lines(compared_cells, cell_figures),
        *([contents.notes.strip(), ""] if contents.notes.strip() else []),
        *figures_section.section(figures, look.formats[0], contents.dashboard),
        *_made(campaign),
    ]
    path = folder / "README.md"
    before = _pictures(path)
    path.write_text(inert("\n".join(lines).rstrip() + "\n"), encoding="utf-8")
    for name in before - _pictures(path):
        (folder / name).unlink(missing_ok=True)
    return Written(path, undrawn)


def _verdict_rows(
    answers: statements_section.ByCase, compared: Sequence[Compared]
) -> Iterator[verdicts_table.Row]:
    """Every verdict of the page. A statement without a case has one per case."""
    for given in answers.values():
        for one in given:
            if sentences.counted(one.statement):
                yield verdicts_table.of_answer(one)
    for cell in compared:
        yield verdicts_table.of_cell(_table(cell.cell.source), cell)


def _table(source: str) -> str:
    """The figure or table at the end of a source: `Table IV` of `balia Table IV`."""
    found = re.search(r"\b(Fig|Table)\b.*", source)
    return found[0] if found else source


def _pictures(page: Path) -> set[str]:
    """The pictures that a page shows and that lie beside it; none without a page."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    names = {name for name in _PICTURE.findall(text) if "/" not in name}
    return {name for name in names if Path(name).suffix in PICTURES}


def _description(campaign: Campaign) -> Iterator[str]:
    """Purpose of the experiment, in one paragraph."""
    words = " ".join(campaign.description.split())
    if words:
        yield from (words.lstrip("#>-+*=| "), "")


def points(campaign: Campaign, figures: Sequence[FigureRequest] = ()) -> pd.DataFrame:
    """The rows that are ok, with the factors and every metric that is plotted.

    Without a run of MPTCP, all cases; otherwise those of MPTCP, which have the goodput
    of TCP alone in columns of their own.
    """
    plotted = [column_of(metric, campaign.runs) for metric in campaign.metrics]
    for request in figures:
        if isinstance(request, OfMetric):
            part = part_of(request)
            plotted.append(part_column(request.metric, part, campaign.runs))
        if isinstance(request, ByCriterion) and request.criterion:
            plotted.append(request.criterion.factor)
    shown = _by_name(POINT_COLUMNS, paths(campaign.runs) or ("path1", "path2"))
    names = ["point", "repetition", "case", *campaign.factors, *shown, *plotted]
    names.append(DESIGN_WEIGHT)
    rows = campaign.mptcp_runs
    if rows.empty or any(
        case_of(request) not in (None, *campaign.mptcp_cases) for request in figures
    ):
        rows = campaign.ok_runs
    return rows[[name for name in dict.fromkeys(names) if name in rows.columns]]


def _by_name(columns: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Columns of `path1` and `path2` as columns of all paths, by their names."""
    for column in columns:
        head, dot, rest = column.partition(".")
        if head == "path1":
            tcp_alone = rest.startswith("tcp")
            yield from (
                f"{name}{dot}{rest}" for name in (names if tcp_alone else names[:1])
            )
        elif head != "path2":
            yield column


def _draw_cells(
    campaign: Campaign, contents: Contents, folder: Path, album: "PdfPages | None"
) -> dict[str, str]:
    """Draw each published table; returns the file's name by the table's source."""
    files = {}
    for source in dict.fromkeys(cell.source for cell in contents.cells):
        name = cells_section.file_name(source)
        target = Target(folder, name, contents.look, album)
        of_source = [cell for cell in contents.cells if cell.source == source]
        cells_section.draw(of_source, campaign.ok_runs, target)
        files[source] = f"{name}.{contents.look.formats[0]}"
    return files


def _draw(campaign: Campaign, contents: Contents, target: Target) -> list[Outcome]:
    """Draw every figure. A default figure is left out if it cannot be drawn or tells
    little."""
    requests = contents.figures or defaults.requests(campaign)
    if contents.cells and not contents.figures:
        # The cells have their own figures; only those over time tell more.
        requests = tuple(r for r in requests if r.kind == "over_time")
    outcomes: list[Outcome] = []
    taken: set[str] = set()
    for request in requests:
        name = figures_section.free_name(file_name(request), taken)
        outcome = figures_section.draw(request, campaign, target, name)
        if isinstance(outcome.drawn, DrawnFigure):
            taken.add(name)
        elif not contents.figures:
            continue
        outcomes.append(outcome)
    return outcomes


def _verdicts(campaign: Campaign) -> Iterator[str]:
    counted = campaign.runs.groupby(["case", "verdict"]).size()
    rows = []
    for case in campaign.runs["case"].unique():
        counts = [int(counted.get((case, verdict), 0)) for verdict in VERDICTS]
        rows.append([str(case), *map(str, counts)])
    yield from markdown(["case", *VERDICTS], rows, numbers_from=1)
    yield (
        "The table counts the runs by verdict. The rest of this page uses only runs"
        " with the verdict ok."
    )
    yield ""
    bad = campaign.runs[campaign.runs["verdict"] != "ok"]
    for _, row in bad.iterrows():
        place = f"point {row['point']}, {row['case']}"
        yield f"- {place}: {row['verdict']}: {row['reason']}"
    if len(bad):
        yield ""


def _state(campaign: Campaign) -> Iterator[str]:
    for line in campaign.state:
        yield f"- {line}"
    if campaign.state:
        yield ""


def _network(campaign: Campaign, folder: Path) -> Iterator[str]:
    """The section with the drawing of the network, which is written beside the page."""
    if not campaign.network:
        return
    (folder / NETWORK_FILE).write_text(campaign.network, encoding="utf-8")
    yield "## Network"
    yield ""
    yield f"![The paths of every user, and the links]({NETWORK_FILE})"
    yield ""


def _made(campaign: Campaign) -> Iterator[str]:
    if not campaign.made:
        return
    yield "## How this was made"
    yield ""
    rows = [[name, f"`{value}`"] for name, value in campaign.made.items()]
    yield from markdown(["", ""], rows)
