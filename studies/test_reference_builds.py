"""Each publication under results/reference comes from one kernel build and one commit.

The publications are those of `studies.publications.publication`: the thesis, the
OLIA, NSDI 2011 and Balia papers together, NSDI 2011's BCube, and MPCC. Each may have a
build of its own.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from studies import kept
from studies.publications import kept_with, publication

REFERENCE = Path(__file__).parents[1] / "results/reference"
ROW = re.compile(r"^\| (experiment|source|kernel|commit) \| (.+) \|$", re.MULTILINE)
TABLE = re.compile(r"(?:^\|.*\n?)+", re.MULTILINE)

Builds = dict[str, dict[str, dict[str, list[str]]]]
"""Pages by their publication, then by `kernel` or `commit`, then by the value."""


def tables(text: str) -> Iterator[dict[str, list[str]]]:
    """The tables of a page that say what its campaigns were made from: cells by the
    name of their row. The campaigns stand in the head, or in the row `experiment`."""
    for table in TABLE.findall(text):
        rows = {
            name: [cell.strip("`") for cell in cells.split(" | ")]
            for name, cells in ROW.findall(table)
        }
        if rows:
            head = [cell.strip(" `") for cell in table.split("\n")[0].split("|")[2:-1]]
            yield {"experiment": head, **rows}


def builds(folder: Path) -> Builds:
    found: Builds = {}
    for page in sorted(folder.rglob("*.md")):
        for rows in tables(page.read_text(encoding="utf-8")):
            experiments = rows.pop("experiment")
            sources = rows.pop("source", [])
            for column, source in enumerate(sources):
                whole = publication(source, experiments[column])
                of = found.setdefault(whole, {"kernel": {}, "commit": {}})
                for name, cells in rows.items():
                    pages = of[name].setdefault(cells[column], [])
                    if (place := page.relative_to(folder).as_posix()) not in pages:
                        pages.append(place)
    return found


def faults(folder: Path) -> list[str]:
    """Reasons why the pages of a publication are not of one build and one clean
    commit."""
    told = []
    for source, names in builds(folder).items():
        for name, values in names.items():
            if len(values) != 1:
                one_of_each = ", ".join(f"{v} ({p[0]})" for v, p in values.items())
                told.append(f"{source}: {len(values)} values of {name}: {one_of_each}")
            told += [
                f"{source}: {value}: made from uncommitted files"
                for value in values
                if "-dirty" in value
            ]
    return told


def unnamed(folder: Path) -> list[str]:
    """Pages that name a kernel and no source, so that no publication has them."""
    return [
        page.relative_to(folder).as_posix()
        for page in sorted(folder.rglob("*.md"))
        if {name for name, _ in ROW.findall(page.read_text(encoding="utf-8"))}
        - {"experiment"}
        in ({"kernel"}, {"commit"}, {"kernel", "commit"})
    ]


def test_every_page_of_a_publication_names_the_same_build() -> None:
    assert not unnamed(REFERENCE)
    assert not faults(REFERENCE)
    assert {"thesis", "papers"} <= builds(REFERENCE).keys()


def test_kept_rows_are_of_the_build_that_the_pages_name() -> None:
    """One recipe: a guided kernel's bytes also depend on where it was trained."""
    pages = builds(REFERENCE)
    for campaign in kept.everything():
        made = json.loads(campaign.rows.partition(b"\n")[0])["provenance"]
        text, name = campaign.experiment.decode(), campaign.name
        source = re.search(r"^source: *['\"]?(.*)", text, re.MULTILINE)
        assert source, name
        of = pages.get(kept_with(name, source[1]))
        if of is not None:  # A publication without pages yet has only rows.
            assert made["backend"]["kernel"]["key"] in of["kernel"], name
            # What studies.patched_kernel executes is no checkout, and has no commit.
            assert (made["mpbench"]["commit"] or "-") in of["commit"], name


def page(folder: Path, name: str, source: str, kernel: str, commit: str) -> None:
    lines = ["|  |" + "  |" * len(source.split(" | ")), "| --- | --- |"]
    lines += [f"| source | {source} |"]
    lines += [f"| kernel | {kernel} |", f"| commit | {commit} |", ""]
    (folder / name).write_text("\n".join(lines))


def test_pages_of_two_builds_are_told_apart(tmp_path: Path) -> None:
    page(tmp_path, "a.md", "`thesis 3.3`", "`1d`", "`ab`")
    page(tmp_path, "b.md", "`thesis 4` | `thesis 5`", "`1d` | `1d`", "`ab` | `ab`")
    page(tmp_path, "m.md", "`mpcc Fig. 5`", "`3f`", "`ef`")
    page(tmp_path, "n.md", "`nsdi11 Fig. 9`", "`2e`", "`cd`")
    page(tmp_path, "o.md", "`olia Fig. 13`", "`2e`", "`cd`")
    page(tmp_path, "q.md", "`nsdi11 sec. 4, TP1, the table of BCube`", "`4d`", "`01`")
    assert not faults(tmp_path)
    two = ("`thesis 6` | `thesis 7`", "`1d` | `2e`", "`ab` | `cd-dirty`")
    page(tmp_path, "c.md", *two)
    page(tmp_path, "p.md", "`balia Fig. 3`", "`1d`", "`cd`")
    assert faults(tmp_path) == [
        "thesis: 2 values of kernel: 1d (a.md), 2e (c.md)",
        "thesis: 2 values of commit: ab (a.md), cd-dirty (c.md)",
        "thesis: cd-dirty: made from uncommitted files",
        "papers: 2 values of kernel: 2e (n.md), 1d (p.md)",
    ]


def test_a_page_without_its_publication_or_build_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Nothing\n")
    assert not unnamed(tmp_path)
    (tmp_path / "b.md").write_text("| kernel | `1d` |\n")
    assert unnamed(tmp_path) == ["b.md"]
    (tmp_path / "c.md").write_text("| source | `mpcc Fig. 5` |\n")
    assert faults(tmp_path) == [
        "mpcc: 0 values of kernel: ",
        "mpcc: 0 values of commit: ",
    ]
