"""Judge which networks of studies/reach give the numbers of the thesis's tables.

    python -m studies.reachability [--check]

The rules are in studies/notes/reachability.md, and stood there before the first run.
The command reads the kept rows of the campaigns (studies/kept.py), writes
results/reference/thesis/reachability.md, and puts a paragraph on the page of each
table. With --check it writes nothing, and its exit status is 1 if a page differs.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from analysis.report.markdown import markdown
from mpbench.errors import UserError
from mpbench.store import atomic
from studies import kept
from studies.unprinted_networks import (
    BEST,
    CONFIGURATIONS,
    TABLES,
    Judged,
    everything,
)

PAGES = Path(__file__).parents[1] / "results/reference/thesis"
PAGE = "reachability.md"
ARCHIVE = "reach"
"""The archive of the campaigns' kept rows."""
MARK = "**Networks that the thesis does not print.**"


def told(found: Judged) -> str:
    """The sentences about one configuration of a table."""
    total, (networks, sheet) = found.reached.all(axis=1), found.reached.shape
    points = found.points
    numbers = [str(points[i]) for i in np.flatnonzero(total)]
    most = int(found.reached.sum(axis=1).argmax())
    by = f"the networks {', '.join(numbers)}" if numbers else "none"
    never = int((~found.reached.any(axis=0)).sum())
    text = (
        f"Under `{found.configuration}`, all {sheet} cells together are reached by {by}"
        f" of {networks} networks."
    )
    if not numbers:
        text += (
            f" Network {points[most]} reaches most, {found.reached[most].sum()};"
            f" {never} cells are reached by no network."
        )
    fit = 100 * float(found.fits.min())
    return f"{text} The best joint fit of the throughputs is {fit:.0f} % from print."


def paragraph(found: Sequence[Judged]) -> str:
    """The paragraph on a table's page, from all its configurations."""
    said = " ".join(map(told, found))
    missing = [
        name
        for name in CONFIGURATIONS.values()
        if name not in {one.configuration for one in found}
    ]
    if missing:
        said += f" Nothing was executed under `{'` and `'.join(missing)}` yet."
    ranges = ", ".join(spans(found[0].ranges))
    link = f"{PAGE}#table-{found[0].table.number.replace('.', '')}"
    return (
        f"{MARK} The thesis gives neither delay, queue nor jitter here, and the"
        " verdicts below are about one network of ours. A design fills these ranges:"
        f" {ranges}. {said} [Cell by cell]({link})"
    )


def spans(ranges: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    """Each factor with its range, as words: `jitter 0 to 8 ms`."""
    for name, (low, high) in ranges.items():
        yield f"{named(name)} {low:.3g} to {high:.3g} {unit(name)}"


def named(column: str) -> str:
    """A factor's name in words."""
    owner, _, last = column.partition(".")
    word = last.rpartition("_")[0]
    return f"{word} of {owner}" if word == "start" else word


def unit(column: str) -> str:
    return column.rpartition("_")[2]


HEAD = """\
# Networks that the thesis does not print

The thesis prints the capacity of the networks of Tables 5.3 to 5.5 (pp. 53 to 56), and
neither their delay, queue nor jitter. The pages of [Table 5.3](table-5.3.md),
[Table 5.4](table-5.4.md) and [Table 5.5](table-5.5.md) compare one network of ours
each. Here a space-filling design takes the place of that network, and each of its
networks is compared with the printed numbers.

[Ranges and rules](../../../studies/notes/reachability.md) were registered before the
first run. A network reaches a cell within 5 %, within 0.005 of Jain's index, or within
two percentage points of the distribution of the traffic. The fit is the root mean
square of the relative differences of the throughputs. `python -m studies.reachability`
writes this page from kept rows. [All pages](README.md)
"""


def page(found: Sequence[Judged]) -> str:
    """The page with every cell, the best networks and the statements."""
    lines = HEAD.splitlines()
    for table in TABLES:
        of_table = [one for one in found if one.table == table]
        if of_table:
            lines += ["", f"## Table {table.number}", ""][not lines[-1] :]
            for one in of_table:
                lines += section(one)
    return "\n".join(lines).rstrip() + "\n"


def section(found: Judged) -> Iterator[str]:
    """The lines about one configuration of a table."""
    yield f"### `{found.table.campaign}`, {found.configuration}"
    yield ""
    count = len(found.networks)
    left = f" {found.not_ok} runs are not ok and left out." if found.not_ok else ""
    yield f"{told(found)} Ranges: {', '.join(spans(found.ranges))}.{left}"
    yield ""
    if not found.reached.all(axis=1).any():
        bound = 100 * (1 - 0.05 ** (1 / count))
        yield (
            f"Were these {count} networks drawn at random, fewer than {bound:.0f} %"
            " of the networks in the ranges would reach all cells, with 95 %"
            " confidence."
        )
        yield ""
    yield from cell_rows(found)
    yield from best_rows(found)
    if found.table.statements:
        yield from statement_rows(found)


def cell_rows(found: Judged) -> Iterator[str]:
    rows = []
    for i, cell in enumerate(found.table.cells):
        ours, here = found.values[:, i], found.reached[:, i]
        span = f"{number(ours.min())} to {number(ours.max())}"
        by = f"{here.sum()}" if here.any() else "**none**"
        shown = f"{cell.row}{f', {cell.unit}' if cell.unit else ''}"
        rows.append([shown, cell.column, number(cell.value), span, by])
    head = ["cell", "case", "published", "ours, over the networks"]
    yield from markdown([*head, "reached by"], rows, 2)


def number(value: float) -> str:
    """A number of a table: four digits, and thousands whole."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def best_rows(found: Judged) -> Iterator[str]:
    shared = found.shared()
    if shared:
        both = " and ".join(f"the {text}" for text in spans(shared))
        yield f"The {BEST} networks that fit best share {both}."
    else:
        yield f"The {BEST} networks that fit best share no factor."
    yield ""
    rows = []
    place = {point: i for i, point in enumerate(found.points)}
    for point in found.best:
        i = place[point]
        factors = [f"{float(x):.3g}" for x in found.networks.loc[point].to_numpy()]
        reached = f"{found.reached[i].sum()} of {found.reached.shape[1]}"
        rows.append([str(point), *factors, f"{100 * found.fits[i]:.1f}", reached])
    units = [f"{named(name)}, {unit(name)}" for name in found.ranges]
    yield from markdown(["network", *units, "fit, %", "cells reached"], rows, 1)


def statement_rows(found: Judged) -> Iterator[str]:
    rows = [
        [one.statement, f"{found.held[:, i].sum()} of {len(found.networks)}"]
        for i, one in enumerate(found.table.statements)
    ]
    yield from markdown(["statement", "networks on its side"], rows)


def with_paragraph(text: str, new: str) -> str:
    """The page of a table with this paragraph, and without an earlier one."""
    parts = [part for part in text.split("\n\n") if not part.startswith(MARK)]
    place = next(i for i, part in enumerate(parts) if part.startswith("## "))
    return "\n\n".join([*parts[:place], new, *parts[place:]])


def written(rows: Path, pages: Path = PAGES) -> dict[Path, str]:
    """The text of each page that this module writes or adds to."""
    found = list(everything(rows))
    if not found:
        raise UserError(f"{rows}: no rows of reach-steady, reach-phases or reach-paths")
    texts = {pages / PAGE: page(found)}
    for table in TABLES:
        of_table = [one for one in found if one.table == table]
        path = pages / f"table-{table.number}.md"
        if of_table:
            text = path.read_text(encoding="utf-8")
            texts[path] = with_paragraph(text, paragraph(of_table))
    return texts


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(words)
    try:
        with tempfile.TemporaryDirectory() as folder:
            kept.unpack_one(ARCHIVE, Path(folder))
            texts = written(Path(folder))
        if options.check:
            return int(any(p.read_text("utf-8") != t for p, t in texts.items()))
        for path, text in texts.items():
            atomic.write_bytes(path, text.encode())
    except (OSError, ValueError, UserError) as error:
        print(f"reachability: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
