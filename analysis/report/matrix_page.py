"""The page that shows which part of a configuration explains which verdict."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.campaign.observations import CHANGED
from analysis.published.cell_changes import CellRows
from analysis.published.cells import Cell
from analysis.published.judging import Verdict
from analysis.published.matrix import REDRAWS, Change, Effect, Row, spared
from analysis.published.publication import Campaigns, Scored, Sheet
from analysis.published.statements import Statement
from analysis.report import answers_section, cells_section, seeds_note
from analysis.report.markdown import markdown


def lines(
    statements: Sequence[Statement],
    whole: Scored,
    baseline: Scored | None,
    rows: Mapping[str, Row],
    control: Mapping[str, Row],
    parts: Mapping[str, Campaigns],
    repeated: Campaigns,
) -> Iterator[str]:
    """Statements by parts, the control beside them, and what stays open.

    parts : the campaigns without each part
    repeated : those of the control
    """
    name = whole.configuration.name
    yield "# Which part explains what"
    yield ""
    yield (
        f"Each part was taken out of `{name}` by itself. The part **mended** a"
        " statement if the verdict agrees with the part and does not agree without it."
        " The part **broke** it if it is the other way round. Only changes of the"
        " statistic that are more than chance count: p < 0.05 after Holm's correction"
        f" over all statements and parts, with standard errors from {REDRAWS} redrawn"
        " designs in which both sides have the same networks. `(by chance)` marks a"
        f" verdict that changed by no more. The control is `{name}` with fresh seeds,"
        f" with Holm's correction over all statements.{_moved(repeated)} A part, or the"
        " control, may have been executed in every k-th network alone; both of its"
        " verdicts are then those in these networks. `-` means that the campaign was"
        " not executed without the part, `cannot matter` that the part changes nothing"
        " in the statement's campaigns, so that they were not executed without it, and"
        " `no test` that the verdict changed and nothing can test the change: there are"
        " too few networks, or the statistic is a maximum."
    )
    yield ""
    base = [baseline.configuration.name] if baseline else []
    head = ["statement", *base, name, *parts, "control"]
    table = []
    same = {part: spared(found, whole.campaigns) for part, found in parts.items()}
    for statement in statements:
        if statement.kind == "input":
            continue
        verdicts = [
            answers_section.verdict(one.answers[statement.id])
            for one in (baseline, whole)
            if one is not None
        ]
        row = rows.get(statement.id, {})
        named = statement.campaigns()
        cells = [
            _cell(row.get(part), bool(named) and named <= without)
            for part, without in same.items()
        ]
        again = _cell(control.get(statement.id, {}).get("control"))
        figure = answers_section.figure(statement.figure)
        table.append([f"`{statement.id}` ({figure})", *verdicts, *cells, again])
    yield from markdown(head, table)
    known = list(rows.values()), list(control.values())
    yield from _summary("statements", tuple(parts), *known)
    yield from _open(statements, whole, baseline, rows)


def _moved(control: Campaigns) -> str:
    """The sentence on campaigns of the control in which delays differ."""
    names = [
        one.name
        for one in control.values()
        if any(column.endswith(CHANGED) for column in one.ok_runs.columns)
    ]
    if not names:
        return ""
    return (
        f" In {seeds_note.named(names)} its delays differ a little too, because nothing"
        " there draws from a seed."
    )


def _cell(change: Change | None, unaffected: bool = False) -> str:
    if change is None:
        return "cannot matter" if unaffected else "-"
    if change.effect is not Effect.NONE:
        return f"**{change.effect.value}**"
    if change.p is None and change.with_part is not change.without:
        return "no test"
    return f"{change.effect.value}{' (by chance)' if change.by_chance else ''}"


def _summary(
    what: str, parts: Sequence[str], rows: Sequence[Row], control: Sequence[Row]
) -> Iterator[str]:
    """Number of statements or cells that each part, and the control, mended and
    broke."""
    table = []
    columns = [(part, rows) for part in parts] + [("control", control)]
    for part, of in columns:
        known = [row[part] for row in of if part in row]
        counts = [sum(one.effect is effect for one in known) for effect in Effect]
        flips = sum(one.by_chance for one in known)
        table.append([part, str(len(known)), *map(str, counts), str(flips)])
    head = ["part", what, *(effect.value for effect in Effect), "by chance"]
    yield from markdown(head, table, numbers_from=1)


def _open(
    statements: Sequence[Statement],
    whole: Scored,
    baseline: Scored | None,
    rows: Mapping[str, Row],
) -> Iterator[str]:
    """Statements that do not agree and that no part explains."""
    yield "## Open"
    yield ""
    name = whole.configuration.name
    for statement in statements:
        verdict = whole.answers[statement.id].verdict
        if statement.kind == "input" or verdict is None:
            continue
        before = baseline.answers[statement.id].verdict if baseline else None
        effects = {one.effect for one in rows.get(statement.id, {}).values()}
        if verdict is not Verdict.AGREES and Effect.BROKEN not in effects:
            told = "is undecided" if verdict is Verdict.UNDECIDED else "differs"
            yield (
                f"- `{statement.id}` {told} under {name}: no part that was left out"
                " explains it."
            )
        elif (
            verdict is Verdict.AGREES
            and before is not None
            and before is not Verdict.AGREES
            and Effect.MENDED not in effects
        ):
            yield (
                f"- `{statement.id}` agrees under {name} only: no part that was left"
                " out explains it."
            )
    yield ""


def cells(
    sheets: Sequence[Sheet],
    whole: Scored,
    baseline: Scored | None,
    rows: CellRows,
    control: CellRows,
    parts: Mapping[str, Campaigns],
) -> Iterator[str]:
    """The cells of tables by parts, with the control; nothing if there are no cells."""
    known = [(sheet.name, sheet.cells) for sheet in sheets if sheet.cells]
    if not known:
        return
    name = whole.configuration.name
    yield "## Cells of tables"
    yield ""
    yield (
        "A part mends or breaks a cell as it does a statement. The mean over the seeds"
        " must change by more than chance: p < 0.05 by Welch's test, after Holm's"
        " correction over all cells and parts; the control has a correction of its own."
    )
    yield ""
    base = [baseline] if baseline else []
    head = ["table", "cell", *(one.configuration.name for one in base), name]
    table = []
    same = {part: spared(found, whole.campaigns) for part, found in parts.items()}
    first = {sheet.name: sheet.campaigns[:1] for sheet in sheets}
    for sheet, group in known:
        for index, cell in enumerate(group):
            verdicts = [
                cells_section.verdict(one.cells[sheet][index]) for one in (*base, whole)
            ]
            row = rows.get((sheet, index), {})
            effects = [
                _cell(row.get(part), not without.isdisjoint(first[sheet]))
                for part, without in same.items()
            ]
            again = _cell(control.get((sheet, index), {}).get("control"))
            table.append([cell.source, _place(cell), *verdicts, *effects, again])
    yield from markdown([*head, *parts, "control"], table)
    known_rows = list(rows.values()), list(control.values())
    yield from _summary("cells", tuple(parts), *known_rows)
    unexplained = sum(
        compared.verdict not in (None, Verdict.AGREES)
        and all(
            one.effect is not Effect.BROKEN
            for one in rows.get((sheet, index), {}).values()
        )
        for sheet, group in whole.cells.items()
        for index, compared in enumerate(group)
    )
    yield (
        f"Cells that do not agree under {name}, and that no part explains that was"
        f" left out: {unexplained}."
    )
    yield ""


def _place(cell: Cell) -> str:
    """Place of the cell: row, column, and the point of a row with several."""
    point = " ".join(f"{name}={value:g}" for name, value in cell.point.items())
    told = ", ".join(part for part in (cell.row, cell.column) if part)
    return f"{told} ({point})" if point else told


def exploration(
    statements: Sequence[Statement], explored: Scored, baseline: Scored
) -> Iterator[str]:
    """A setting that nobody had, with everything that it mends and breaks.

    Statements about campaigns that both share are left out, and so is a setting
    without a campaign of its own.
    """
    rows = []
    for statement in statements:
        if not _explored(statement, explored, baseline):
            continue
        pair = [one.answers[statement.id] for one in (baseline, explored)]
        if statement.kind == "input" or any(one.verdict is None for one in pair):
            continue
        agree = [one.verdict is Verdict.AGREES for one in pair]
        effect = "no change"
        if agree[0] != agree[1]:
            effect = "**mended**" if agree[1] else "**broken**"
        told = [answers_section.verdict(one) for one in pair]
        rows.append([f"`{statement.id}`", *told, effect])
    if not rows:
        return
    configuration = explored.configuration
    yield f"## Exploration: {configuration.name}"
    yield ""
    if configuration.text.strip():
        yield " ".join(configuration.text.split())
        yield ""
    names = [one.configuration.name for one in (baseline, explored)]
    yield from markdown(["statement", *names, "effect"], rows)


def _explored(statement: Statement, explored: Scored, baseline: Scored) -> bool:
    """Whether a campaign of the statement is another one than the baseline's."""
    return any(
        explored.campaigns.get(name) is not baseline.campaigns.get(name)
        for name in statement.criterion.sets.campaigns()
    )
