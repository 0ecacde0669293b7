"""The reference page of a campaign: figures, summaries, and ours beside theirs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from analysis import batches, table
from analysis.figures import boxes, histograms
from analysis.figures.labels import plain
from analysis.statements import Answer, Statement, answer
from analysis.tables import markdown

CAPACITY, DELAY = "capacity_difference_mbps", "delay_difference_ms"
A_B, E_AB = "aggregation_benefit", "experimental_aggregation_benefit"
PLOTS = (
    (A_B, CAPACITY, "aggregation-benefit-capacity", "after thesis Fig. 3.3a"),
    (E_AB, CAPACITY, "experimental-benefit-capacity", "after thesis Fig. 3.4a"),
    (E_AB, DELAY, "experimental-benefit-delay", "after thesis Fig. 3.5a"),
)
BOUND = "aggregation_benefit_bound"
VERDICTS = ("ok", "invalid", "failed", "timeout")


@dataclass(frozen=True)
class Report:
    """What a page is made from.

    runs : the tidy table (analysis.table)
    factors : columns that the design varies
    statements : published ones to set ours beside
    made : how the results came about, name to value, for the foot of the page
    notes : Markdown on where ours differs and why, in a person's words
    """

    title: str
    runs: pd.DataFrame
    factors: tuple[str, ...]
    statements: tuple[Statement, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)
    notes: str = ""

    @property
    def cases(self) -> dict[str, pd.DataFrame]:
        """The rows of each case of MPTCP that enter statistics."""
        good = table.ok(self.runs)
        if "protocol" not in good.columns:
            return {}
        rows = good[good["protocol"] == "mptcp"]
        return {str(name): rows[rows["case"] == name] for name in rows["case"].unique()}


def write(report: Report, folder: Path) -> Path:
    """Write README.md, summary.csv, points.csv and the figures; the page's path.

    The same table gives the same bytes. Raises ValueError if no run of MPTCP is ok.
    """
    if not report.cases:
        raise ValueError(f"{report.title}: no run of MPTCP is ok: nothing to report")
    folder.mkdir(parents=True, exist_ok=True)
    numeric = tuple(f for f in report.factors if _is_number(report.runs, f))
    summary = summarise(report)
    summary.to_csv(folder / "summary.csv", index=False, float_format="%.6g")
    points(report).to_csv(folder / "points.csv", index=False, float_format="%.6g")
    lines = [
        f"# {report.title}",
        "",
        *_counts(report),
        *_statements(report, numeric),
        *([report.notes.strip(), ""] if report.notes.strip() else []),
        *_figures(report, summary, numeric, folder),
        *_made(report),
    ]
    page = folder / "README.md"
    page.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return page


def summarise(report: Report) -> pd.DataFrame:
    """Quartiles of each metric by case and batch, one table for all figures."""
    parts = []
    for metric, criterion, _, _ in _plots(report):
        for case, rows in report.cases.items():
            part = batches.summary(
                rows[criterion].abs(), rows[metric], _bounds(report, criterion)
            )
            part.insert(0, "case", case)
            part.insert(0, "criterion", f"|{criterion}|")
            part.insert(0, "metric", metric)
            parts.append(part)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def points(report: Report) -> pd.DataFrame:
    """The ok rows of MPTCP with factors, goodputs and benefits: what is plotted."""
    names = ["point", "repetition", "case", *report.factors, CAPACITY, DELAY]
    names += ["goodput_mbps", "path1.tcp_goodput_mbps", "path2.tcp_goodput_mbps"]
    names += [A_B, BOUND, E_AB, "path1.share", "retransmission_ratio"]
    names += ["reinjection_ratio"]
    rows = pd.concat(report.cases.values())
    return rows[[name for name in dict.fromkeys(names) if name in rows.columns]]


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


def _statements(report: Report, factors: tuple[str, ...]) -> Iterator[str]:
    if not report.statements:
        return
    yield "## Ours beside the published"
    yield ""
    for case, rows in report.cases.items():
        if len(report.cases) > 1:
            yield f"### {case}"
            yield ""
        answers = [answer(each, rows, factors) for each in report.statements]
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
    where = f"sec. {each.section}, p. {each.page}"
    where += f", Fig. {each.figure}" if each.figure else ""
    verdict = {True: "yes", False: "**no**", None: "-"}[given.agrees]
    return [each.statement, where, given.ours, str(given.n or "-"), verdict]


def _figures(
    report: Report, summary: pd.DataFrame, factors: Sequence[str], folder: Path
) -> Iterator[str]:
    yield "## Figures"
    yield ""
    if factors:
        unique = report.runs.drop_duplicates("point")
        histograms.draw(unique, factors, folder)
        yield "### Factors of the design (after thesis Fig. 3.2)"
        yield ""
        yield "![Histograms of the factors](factors.png)"
        yield ""
    for metric, criterion, name, source in _plots(report):
        bound = BOUND if metric == A_B and BOUND in report.runs.columns else None
        bounds = _bounds(report, criterion)
        boxes.draw(report.cases, metric, criterion, bounds, (folder, name), bound)
        what = f"{plain(metric)} against the absolute {plain(criterion)}"
        yield f"### {what[0].upper()}{what[1:]} ({source})"
        yield ""
        yield f"![{what}]({name}.png)"
        yield ""
        mine = summary[summary["metric"] == metric]
        mine = mine[mine["criterion"] == f"|{criterion}|"]
        yield from _summary_table(mine, several=len(report.cases) > 1)
    yield (
        "Boxes reach from the first to the third quartile, with the median; whiskers"
        " to the last point within 1.5 interquartile ranges; every run is a faint"
        " point. Batches are open below and closed above, but for the first."
    )
    yield ""


def _summary_table(rows: pd.DataFrame, several: bool) -> Iterator[str]:
    numbers = ["minimum", "q1", "median", "q3", "maximum"]
    head = [*(["case"] if several else []), "batch", "n", *numbers]
    cells = []
    for _, row in rows.iterrows():
        values = [f"{row[n]:.3f}" if row["n"] else "-" for n in numbers]
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


def _plots(report: Report) -> list[tuple[str, str, str, str]]:
    """The plots whose columns the table has."""
    known = report.runs.columns
    return [p for p in PLOTS if p[0] in known and p[1] in known]


def _bounds(report: Report, criterion: str) -> tuple[float, ...]:
    rows = pd.concat(report.cases.values())
    return batches.edges(rows[criterion].abs().dropna())


def _is_number(frame: pd.DataFrame, name: str) -> bool:
    return name in frame.columns and pd.api.types.is_numeric_dtype(frame[name])
