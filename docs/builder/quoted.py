"""Numbers of the documentation that stand in a table of a page of results/reference.

    python -m docs.builder.quoted [--check] [PAGE...]

writes them between the marks of the pages of docs/, without a run. With --check it
writes nothing, and its exit status is 1 if a number differs. A test runs the check.

    <!-- cell: PAGE; HEADING; COLUMN=VALUE...; COLUMN -->0.942<!-- end -->

PAGE is below results/reference, and HEADING is the beginning of a heading there;
without it, the whole page is searched. The conditions, of which there can be several
between semicolons, choose one row. A column without a name goes by its number from 1,
and a value that ends in `...` is the beginning of a cell. The text is the cell without
what it has in parentheses. `COLUMN#2` is the second number of the cell, and
`COLUMN as .0f` gives the cell's number in another format.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mpbench.errors import UserError

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = ROOT / "results/reference"
MARK = re.compile(r"<!-- cell: (?P<what>[^>]+?) -->(?P<old>.*?)<!-- end -->", re.DOTALL)
NUMBER = re.compile(r"[-+]?\d[\d.]*(?:e[-+]?\d+)?")
SEPARATED = re.compile(r"(?<!\\)\|")
PARTS = 3
"""A mark has at least a page, a condition and a column."""

Row = dict[str, str]


@dataclass(frozen=True)
class Mark:
    """The cell that a mark names.

    heading : the beginning of a heading, empty for any
    conditions : by column, the wanted value
    number : which number of the cell, from 1; 0 is the whole cell
    form : a format of the number, empty for none
    """

    page: str
    heading: str
    conditions: dict[str, str]
    column: str
    number: int
    form: str

    @classmethod
    def read(cls, text: str) -> "Mark":
        """The parts of a mark. Raises UserError for one that lacks some."""
        page, *middle, last = [
            part.strip() for part in " ".join(text.split()).split(";")
        ]
        if not middle or len(middle) + 2 < PARTS or "=" not in middle[-1]:
            raise UserError(f"{text}: give PAGE; HEADING; COLUMN=VALUE; COLUMN")
        heading = "" if "=" in middle[0] else middle.pop(0)
        column, _, form = last.partition(" as ")
        column, _, number = column.partition("#")
        conditions = dict(one.split("=", 1) for one in middle)
        return cls(page, heading, conditions, column, int(number or 0), form)

    def fits(self, row: Row) -> bool:
        """Whether a row has what the conditions name."""
        return all(
            key in row and same(row[key], wanted)
            for key, wanted in self.conditions.items()
        )


def same(cell: str, wanted: str) -> bool:
    """Whether a cell has the wanted text, or begins with it before `...`."""
    if wanted.endswith("..."):
        return cell.startswith(wanted.removesuffix("..."))
    return cell == wanted


def rows(text: str, heading: str) -> Iterator[Row]:
    """The rows of all tables below headings that begin with `heading`."""
    below, head = not heading, list[str]()
    for line in text.splitlines():
        if line.startswith("#"):
            below = line.lstrip("# ").startswith(heading)
        if not line.startswith("|"):
            head = []
        elif below:
            cells = [plain(cell) for cell in SEPARATED.split(line.strip()[1:-1])]
            if not head:
                head = [name or str(n) for n, name in enumerate(cells, start=1)]
            elif not set(line) <= set("|-: "):
                yield dict(zip(head, cells, strict=True))


def plain(cell: str) -> str:
    """The text of a cell without its marks of Markdown."""
    return cell.strip().strip("`*").replace("\\|", "|")


def quote(mark: Mark, reference: Path = REFERENCE) -> str:
    """The text that a mark asks for.

    Raises UserError if the page has no such cell, or several.
    """
    path = reference / mark.page
    if not path.is_file():
        raise UserError(f"{mark.page}: no page of results/reference")
    found = list(rows(path.read_text(encoding="utf-8"), mark.heading))
    chosen = [row for row in found if mark.fits(row) and mark.column in row]
    if len(chosen) != 1:
        columns = ", ".join(dict.fromkeys(key for row in found for key in row))
        raise UserError(
            f"{mark.page}: {len(chosen)} rows have {mark.conditions} and a column"
            f" {mark.column!r}, and one should; the columns are {columns or 'none'}"
        )
    text = chosen[0][mark.column].partition(" (")[0]
    if not mark.number and not mark.form:
        return text
    numbers = NUMBER.findall(chosen[0][mark.column])
    place = max(mark.number, 1)
    if len(numbers) < place:
        raise UserError(f"{mark.page}: {text!r} has {len(numbers)} numbers")
    chosen_number = numbers[place - 1].rstrip(".")
    return format(float(chosen_number), mark.form) if mark.form else chosen_number


def filled(path: Path, reference: Path = REFERENCE) -> str:
    """A page's text with all quoted cells as they stand in the reference pages.

    Raises UserError, with file and line, for a mark that names no cell.
    """
    text = path.read_text(encoding="utf-8")
    parts, at = [], 0
    for mark in MARK.finditer(text):
        try:
            new = quote(Mark.read(mark["what"]), reference)
        except (UserError, ValueError) as error:
            line = text.count("\n", 0, mark.start()) + 1
            raise UserError(f"{path}:{line}: {error}") from error
        parts += [text[at : mark.start("old")], new]
        at = mark.end("old")
    return "".join([*parts, text[at:]])


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", type=Path, nargs="*", metavar="PAGE")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(words)
    differ = False
    try:
        for path in options.pages or sorted(DOCS.glob("*.md")):
            new = filled(path)
            if new != path.read_text(encoding="utf-8"):
                print(f"{path}: quoted numbers differ")
                differ = True
                if not options.check:
                    path.write_text(new, encoding="utf-8")
    except (OSError, UserError) as error:
        print(f"quoted: {error}", file=sys.stderr)
        return 2
    return 1 if differ and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
