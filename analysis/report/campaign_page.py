"""The page of a campaign: figures, summaries, and ours beside theirs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from matplotlib.backends.backend_pdf import PdfPages

from analysis.campaign import table
from analysis.figures import drawings, style
from analysis.figures.drawn import OF_MPTCP, Drawn, title
from analysis.figures.labels import label, without_mathematics
from analysis.figures.request import COLUMNS, DEFAULT, UndrawableError, Wanted
from analysis.figures.style import Look, Target
from analysis.published.cells import Cell
from analysis.published.statements import Answer, Statement, answer
from analysis.report import cells_section, users_section
from analysis.report.markdown import digits, markdown, quartiles

VERDICTS = ("ok", "invalid", "failed", "timeout")
OF_MPTCP_COLUMNS = {COLUMNS[metric] for metric in OF_MPTCP}
BOXES = (
    "Boxes reach from the first to the third quartile, with the median; whiskers to"
    " the last point within 1.5 interquartile ranges; every run is a faint point."
    " Batches are open below and closed above, but for the first."
)
MOST_VALUES = 12
"""Of a factor of the traffic that splits the table of metrics."""
POINT_COLUMNS = (
    *("capacity_difference_mbps", "delay_difference_ms", "goodput_mbps"),
    *("path1.tcp_goodput_mbps", "path2.tcp_goodput_mbps", "aggregation_benefit"),
    *("aggregation_benefit_bound", "experimental_aggregation_benefit"),
    *("path1.share", "retransmission_ratio", "reinjection_ratio"),
)


@dataclass(frozen=True)
class Report:
    """What a page is made from.

    runs : the tidy table (analysis.campaign.table)
    factors : columns that the design varies
    figures : what to draw; none for what can be drawn of wanted.DEFAULT, and with
        cells for the figures of these and what goes over time
    metrics : names as in an experiment file, for the table of metrics
    statements, cells : published ones to set ours beside
    made : how the results came about, name to value, for the foot of the page
    notes : Markdown on where ours differs and why, in a person's words
    state : what a reader of unfinished, mixed or damaged results must know
    look : of the figures
    folder : with a folder a run, by its id; None if there are none any more
    """

    title: str
    runs: pd.DataFrame
    factors: tuple[str, ...]
    figures: tuple[Wanted, ...] = ()
    metrics: tuple[str, ...] = ("goodput",)
    statements: tuple[Statement, ...] = ()
    cells: tuple[Cell, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)
    notes: str = ""
    state: tuple[str, ...] = ()
    look: Look = field(default_factory=Look)
    folder: Path | None = None

    @property
    def cases(self) -> dict[str, pd.DataFrame]:
        """The rows of each case of MPTCP that enter statistics."""
        good = table.ok(self.runs)
        if "protocol" not in good.columns:
            return {}
        rows = good[good["protocol"] == "mptcp"]
        return {str(name): rows[rows["case"] == name] for name in rows["case"].unique()}


@dataclass(frozen=True)
class Written:
    """page : its path, if there is one; undrawn : what could not be drawn, and why"""

    page: Path | None
    undrawn: tuple[str, ...]


def write(report: Report, folder: Path, page: bool = True) -> Written:
    """Write summary.csv, points.csv, the figures and, if wanted, the page README.md.

    With figures in PDF, figures.pdf has all of them. The same table gives the same
    bytes. Raises ValueError if there is no run.
    """
    if report.runs.empty:
        raise ValueError(f"{report.title}: no run: nothing to report")
    folder.mkdir(parents=True, exist_ok=True)
    pages = folder / "figures.pdf" if "pdf" in report.look.formats else None
    with style.album(pages) as album:
        beside = _draw_cells(report, folder, album)
        figures = _draw(report, folder, album)
    summary = [one.summary for _, one in figures if isinstance(one, Drawn)]
    frame = pd.concat([pd.DataFrame(), *summary], ignore_index=True)
    frame.to_csv(folder / "summary.csv", index=False, float_format="%.6g")
    points(report).to_csv(folder / "points.csv", index=False, float_format="%.6g")
    undrawn = tuple(
        f"{title(each)}: {one}" for each, one in figures if isinstance(one, str)
    )
    if not page:
        return Written(None, undrawn)
    numeric = tuple(f for f in report.factors if _is_number(report.runs, f))
    lines = [
        f"# {report.title}",
        "",
        *_counts(report),
        *_state(report),
        *_metrics(report),
        *users_section.lines(table.ok(report.runs)),
        *_statements(report, numeric),
        *cells_section.lines(report.cells, table.ok(report.runs), beside),
        *([report.notes.strip(), ""] if report.notes.strip() else []),
        *_figures(figures, report.look.formats[0]),
        *_made(report),
    ]
    path = folder / "README.md"
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return Written(path, undrawn)


def points(report: Report) -> pd.DataFrame:
    """The ok rows of MPTCP with factors, goodputs and benefits: what is plotted."""
    names = ["point", "repetition", "case", *report.factors, *POINT_COLUMNS]
    rows = pd.concat([report.runs.iloc[:0], *report.cases.values()])
    return rows[[name for name in dict.fromkeys(names) if name in rows.columns]]


def _draw_cells(report: Report, folder: Path, album: PdfPages | None) -> dict[str, str]:
    """The figure of each published table: source to file."""
    files = {}
    good = table.ok(report.runs)
    for source in dict.fromkeys(cell.source for cell in report.cells):
        target = Target(folder, cells_section.file_name(source), report.look, album)
        mine = [cell for cell in report.cells if cell.source == source]
        cells_section.draw(mine, good, target)
        files[source] = f"{target.name}.{report.look.formats[0]}"
    return files


def _draw(
    report: Report, folder: Path, album: PdfPages | None
) -> list[tuple[Wanted, Drawn | str]]:
    """Every figure that is wanted, or why it cannot be drawn."""
    done: list[tuple[Wanted, Drawn | str]] = []
    taken: set[str] = set()
    usual = [one for one in DEFAULT if one.kind == "over_time" or not report.cells]
    for wanted in report.figures or usual:
        name, number = wanted.name, 2
        while name in taken:
            name, number = f"{wanted.name}-{number}", number + 1
        try:
            target = Target(folder, name, report.look, album)
            one = drawings.draw(
                wanted, report.runs, report.factors, target, report.folder
            )
        except UndrawableError as error:
            if report.figures:
                done.append((wanted, str(error)))
            continue
        taken.add(name)
        done.append((wanted, one))
    return done


def _counts(report: Report) -> Iterator[str]:
    counted = report.runs.groupby(["case", "verdict"]).size()
    rows = []
    for case in report.runs["case"].unique():
        counts = [int(counted.get((case, verdict), 0)) for verdict in VERDICTS]
        rows.append([str(case), *map(str, counts)])
    yield from markdown(["case", *VERDICTS], rows, numbers_from=1)
    yield "Runs by verdict. Only runs that are ok enter what follows."
    yield ""
    bad = report.runs[report.runs["verdict"] != "ok"]
    for _, row in bad.iterrows():
        place = f"point {row['point']}, {row['case']}"
        yield f"- {place}: {row['verdict']}: {row['reason']}"
    if len(bad):
        yield ""


def _state(report: Report) -> Iterator[str]:
    for line in report.state:
        yield f"- {line}"
    if report.state:
        yield ""


def _metrics(report: Report) -> Iterator[str]:
    """The experiment's metrics by case, and by size and the like where the traffic
    takes a few values: median and quartiles over all runs."""
    good = table.ok(report.runs)
    columns = [COLUMNS.get(metric, metric) for metric in report.metrics]
    known = [n for n in columns if _is_number(good, n) and good[n].notna().any()]
    pairs = zip(report.metrics, columns, strict=True)
    unknown = [metric for metric, name in pairs if name not in known]
    columns = known
    if good.empty or not columns:
        return
    yield "## Metrics"
    yield ""
    split = [name for name in report.factors if _is_of_traffic(good, name)]
    rows = []
    for (case, *values), mine in good.groupby(["case", *split], sort=False):
        idle = set() if (mine["protocol"] == "mptcp").any() else OF_MPTCP_COLUMNS
        cells = ["-" if name in idle else quartiles(mine[name]) for name in columns]
        place = [str(case), *(f"{value:.12g}" for value in values)]
        rows.append([*place, str(len(mine)), *cells])
    names = [without_mathematics(label(name)) for name in (*split, "n", *columns)]
    yield from markdown(["case", *names], rows, numbers_from=1)
    yield (
        "Medians over the runs of a case, with the first and third quartile; every"
        " run's own numbers, and all other metrics, are in the table of runs."
    )
    yield ""
    if unknown:
        yield f"No run that is ok has these: {', '.join(unknown)}."
        yield ""


def _is_of_traffic(rows: pd.DataFrame, factor: str) -> bool:
    """Whether it is a factor of the traffic, a number that has a few values only."""
    few = _is_number(rows, factor) and rows[factor].nunique() <= MOST_VALUES
    return few and factor.startswith("traffic")


def _statements(report: Report, factors: tuple[str, ...]) -> Iterator[str]:
    if not report.statements or not report.cases:
        return
    yield "## Ours beside the published"
    yield ""
    good = pd.concat(report.cases.values())
    for case, rows in report.cases.items():
        if len(report.cases) > 1:
            yield f"### {case}"
            yield ""
        asked = [
            each
            for each in report.statements
            if each.of(report.title)
            and (not each.rows.cases or case in each.rows.cases)
        ]
        answers = [answer(each, rows, factors, good) for each in asked]
        cells = [_answer_cells(each) for each in answers]
        head = ["published", "where", "ours", "n", "agrees"]
        yield from markdown(head, cells)
    yield (
        'A trend is Spearman\'s rank correlation; "agrees" on a trend, or on its'
        " absence, goes by p < 0.05. How each statement is read as a number stands in"
        " the file of published statements."
    )
    yield ""


def _answer_cells(given: Answer) -> list[str]:
    each = given.statement
    where = f"sec. {each.section}" + (f", p. {each.page}" if each.page else "")
    where += f", Fig. {each.figure}" if each.figure else ""
    verdict = {True: "yes", False: "**no**", None: "-"}[given.agrees]
    return [each.statement, where, given.ours, str(given.n or "-"), verdict]


def _figures(figures: list[tuple[Wanted, Drawn | str]], suffix: str) -> Iterator[str]:
    if not figures:
        return
    yield "## Figures"
    yield ""
    boxes = False
    for wanted, one in figures:
        heading = title(wanted)
        yield f"### {heading}"
        yield ""
        if isinstance(one, str):
            yield f"Not drawn: {one}."
            yield ""
            continue
        yield from drawn_lines(one, heading, suffix)
        boxes = boxes or (wanted.kind == "box" and not one.summary.empty)
    if boxes:
        yield BOXES
        yield ""


def drawn_lines(one: Drawn, heading: str, suffix: str) -> Iterator[str]:
    """A figure below its heading: the picture or table, how to read it, quartiles."""
    if one.name:
        yield f"![{heading}]({one.name}.{suffix})"
        yield ""
    if one.cells:
        yield from markdown(one.head, one.cells, numbers_from=1)
    if one.note:
        yield one.note
        yield ""
    if not one.summary.empty:
        yield from _summary_table(one.summary)


def _summary_table(rows: pd.DataFrame) -> Iterator[str]:
    several = rows["case"].nunique() > 1
    numbers = ["minimum", "q1", "median", "q3", "maximum"]
    head = [*(["case"] if several else []), "batch", "n", *numbers]
    cells = []
    for _, row in rows.iterrows():
        values = [digits(row[n]) if row["n"] else "-" for n in numbers]
        first = [row["case"]] if several else []
        cells.append([*first, f"`{row['batch']}`", str(row["n"]), *values])
    yield from markdown(head, cells, numbers_from=len(head) - 6)


def _made(report: Report) -> Iterator[str]:
    if not report.made:
        return
    yield "## How this was made"
    yield ""
    rows = [[name, f"`{value}`"] for name, value in report.made.items()]
    yield from markdown(["", ""], rows)


def _is_number(frame: pd.DataFrame, name: str) -> bool:
    return name in frame.columns and pd.api.types.is_numeric_dtype(frame[name])
