"""Judge which networks of studies/reach give the numbers of papers' tables.

    python -m studies.reachability [--check]

The rules are in studies/notes/reachability.md, and stood there before the first run.
The command reads the kept rows of the campaigns (studies/kept.py), writes a page per
paper in results/reference, and puts a paragraph on the page of each table. With --check
it writes nothing, and its exit status is 1 if a page differs.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os.path import relpath
from pathlib import Path

import numpy as np

from analysis.report.markdown import markdown
from mpbench.errors import UserError
from mpbench.store import atomic
from studies import kept
from studies.paragraphs import placed
from studies.unprinted_networks import (
    BEST,
    TABLES,
    Judged,
    configurations,
    everything,
)

PAGES = Path(__file__).parents[1] / "results/reference"
ARCHIVE = "reach"
"""The archive of the campaigns' kept rows."""
UNITS = {"mbps": "Mbit/s"}
"""Units whose names in columns are not those in words."""
LISTED = 6
"""The most networks that a sentence lists by their numbers."""
MARK = "**Networks that {} does not print.**"
PAPERS = {"thesis": "the thesis", "balia": "the paper", "nsdi11": "the paper"}
MARKS = [MARK.format(name) for name in PAPERS.values()]


def told(found: Judged) -> str:
    """The sentences about one configuration of a table."""
    total, (networks, sheet) = found.reached.all(axis=1), found.reached.shape
    points = found.points
    numbers = [str(points[i]) for i in np.flatnonzero(total)]
    most = int(found.reached.sum(axis=1).argmax())
    by = len(numbers) or "none"
    which = f" ({', '.join(numbers)})" if 0 < len(numbers) <= LISTED else ""
    never = int((~found.reached.any(axis=0)).sum())
    together = "the cell is" if sheet == 1 else f"all {sheet} cells together are"
    text = (
        f"Under `{found.configuration}`, {together} reached by {by} of {networks}"
        f" networks{which}."
    )
    if not numbers and sheet > 1:
        text += f" Network {points[most]} reaches most, {found.reached[most].sum()}; "
        text += {
            0: "each cell is reached by some network.",
            1: "1 cell is reached by no network.",
        }.get(never, f"{never} cells are reached by no network.")
    best = "best fit" if sheet == 1 else "best joint fit of the throughputs"
    return f"{text} The {best} is {100 * float(found.fits.min()):.1f} % from print."


def paragraph(found: Sequence[Judged]) -> str:
    """The paragraph on a table's page, from all its configurations."""
    said = " ".join(map(told, found))
    missing = [
        name
        for name in configurations(found[0].table).values()
        if name not in {one.configuration for one in found}
    ]
    if missing:
        said += f" Nothing was executed under `{'` and `'.join(missing)}` yet."
    ranges = ", ".join(spans(found[0].ranges))
    table = found[0].table
    anchor = "".join(x for x in table.label.lower() if x.isalnum() or x == " ")
    page = relpath(SHEETS[table.paper][0], Path(table.page).parent)
    name = PAPERS[table.paper]
    return (
        f"{MARK.format(name)} {name.capitalize()} gives {table.open}, and the"
        " verdicts below are about one network of ours. A design fills these ranges:"
        f" {ranges}. {said} [Cell by cell]({page}#{anchor.replace(' ', '-')})"
    )


def spans(
    ranges: Mapping[str, tuple[float, float]], every: Iterable[str] = ()
) -> Iterator[str]:
    """Each factor with its range, as words: `jitter 0 to 8 ms`.

    every : all factors, if `ranges` has some of them
    """
    words = named(every or ranges)
    for name, (low, high) in ranges.items():
        yield f"{words[name]} {low:.3g} to {high:.3g} {unit(name)}"


def named(columns: Iterable[str]) -> dict[str, str]:
    """Each factor's name in words, with its link where another link has one too."""
    parts = {name: name.partition(".")[::2] for name in columns}
    words = {name: last.rpartition("_")[0] for name, (_, last) in parts.items()}
    often = Counter(words.values())
    return {
        name: f"{word} of {parts[name][0]}"
        if word == "start" or often[word] > 1
        else word
        for name, word in words.items()
    }


def unit(column: str) -> str:
    word = column.rpartition("_")[2]
    return UNITS.get(word, word)


HEAD = """\
# Networks that the thesis does not print

The thesis prints the capacity of the networks of Tables 5.3 to 5.5 (pp. 53 to 56), and
neither their delay, queue nor jitter. The pages of [Table 5.3](table-5.3.md),
[Table 5.4](table-5.4.md) and [Table 5.5](table-5.5.md) compare one network of ours
each. Here a space-filling design takes the place of that network, and each of its
networks is compared with the printed numbers. The networks of [Table C.1](table-c.1.md)
are printed in whole numbers, so a design fills what rounds to them.

[Ranges and rules](../../../studies/notes/reachability.md) were registered before the
first run. A network reaches a cell within 5 %, within 0.005 of Jain's index, within
two percentage points of the distribution of the traffic, or within 0.05 of R_N. The fit
is the root mean square of the relative differences of the throughputs, or that of R_N.
`python -m studies.reachability` writes this page from kept rows. [All pages](README.md)
"""
OTHERS = """\
# Networks that {paper} does not print

{leaves}
Our pages compare one network each. Here a space-filling design takes the place of that
network, and each of its networks is compared with the printed numbers.

[Ranges and rules](../../studies/notes/reachability.md) were registered before the
first run. A network reaches a cell within 5 %. The fit is the root mean square of the
relative differences of the rates. `python -m studies.reachability` writes this page
from kept rows. [All pages](README.md)
"""
BALIA = OTHERS.format(
    paper="Balia's paper",
    leaves="""\
The paper prints capacities and delays of the networks of its Tables III to V, and not
how long queues are, nor whether a delay is that of a link or of a round trip.""",
)
NSDI = OTHERS.format(
    paper="NSDI 2011",
    leaves="""\
The paper prints the capacities of its Figs 2 and 3, which it calculates, and neither
delays nor queues. Of Fig. 14 and of the arrivals in section 3 it leaves out queues.""",
)
SHEETS = {
    "thesis": ("thesis/reachability.md", HEAD),
    "balia": ("balia-reachability.md", BALIA),
    "nsdi11": ("nsdi11-reachability.md", NSDI),
}
"""Each paper's page below results/reference, and how it begins."""


def page(paper: str, found: Sequence[Judged]) -> str:
    """The page with every cell, the best networks and the statements."""
    lines = SHEETS[paper][1].splitlines()
    for table in TABLES:
        of_table = [one for one in found if one.table == table]
        if of_table:
            lines += ["", f"## {table.label}", ""][not lines[-1] :]
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
        which = "all cells" if len(found.table.cells) > 1 else "it"
        yield (
            f"Were these {count} networks drawn at random, fewer than {bound:.0f} %"
            f" of the networks in the ranges would reach {which}, with 95 %"
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
        span = "none has it"
        if not np.isnan(ours).all():
            span = f"{number(np.nanmin(ours))} to {number(np.nanmax(ours))}"
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
        both = " and ".join(f"the {text}" for text in spans(shared, found.ranges))
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
    words = named(found.ranges)
    units = [f"{words[name]}, {unit(name)}" for name in found.ranges]
    yield from markdown(["network", *units, "fit, %", "cells reached"], rows, 1)


def statement_rows(found: Judged) -> Iterator[str]:
    rows = [
        [one.statement, f"{found.held[:, i].sum()} of {len(found.networks)}"]
        for i, one in enumerate(found.table.statements)
    ]
    yield from markdown(["statement", "networks on its side"], rows)


def written(rows: Path, pages: Path = PAGES) -> dict[Path, str]:
    """The text of each page that this module writes or adds to."""
    found = list(everything(rows))
    if not found:
        raise UserError(f"{rows}: no rows of a campaign of studies/reach")
    texts = {}
    for paper, (name, _) in SHEETS.items():
        of_paper = [one for one in found if one.table.paper == paper]
        if of_paper:
            texts[pages / name] = page(paper, of_paper)
    shown: dict[Path, list[str]] = {}
    for table in TABLES:
        of_table = [one for one in found if one.table == table]
        if of_table:
            shown.setdefault(pages / table.page, []).append(paragraph(of_table))
    for path, paragraphs in shown.items():
        text = path.read_text(encoding="utf-8")
        texts[path] = placed(text, paragraphs, MARKS)
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
