"""All under results/reference comes from one kernel build and one commit."""

import json
import lzma
import re
from pathlib import Path

REFERENCE = Path(__file__).parents[1] / "results/reference"
ROW = re.compile(r"^\| (kernel|commit) \| (.+) \|$", re.MULTILINE)


def builds(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Pages by what they name: `kernel` or `commit`, then the value."""
    found: dict[str, dict[str, list[str]]] = {"kernel": {}, "commit": {}}
    for page in sorted(folder.rglob("*.md")):
        for name, cells in ROW.findall(page.read_text(encoding="utf-8")):
            for value in dict.fromkeys(cells.split(" | ")):
                pages = found[name].setdefault(value.strip("`"), [])
                pages.append(page.relative_to(folder).as_posix())
    return found


def faults(folder: Path) -> list[str]:
    """What keeps the pages from one build and one clean commit."""
    told = []
    for name, values in builds(folder).items():
        if len(values) != 1:
            one_of_each = ", ".join(f"{v} ({p[0]})" for v, p in values.items())
            told.append(f"{len(values)} values of {name}: {one_of_each}")
        told += [f"{v}: made from uncommitted files" for v in values if "-dirty" in v]
    return told


def test_every_page_names_the_same_build() -> None:
    assert not faults(REFERENCE)


def test_kept_rows_are_of_the_build_that_the_pages_name() -> None:
    """One recipe: a guided kernel's bytes also depend on where it was trained."""
    pages = builds(REFERENCE)
    for file in sorted(REFERENCE.glob("rows/*/rows.jsonl.xz")):
        with lzma.open(file, "rt", encoding="utf-8") as lines:
            made = json.loads(next(lines))["provenance"]
        assert made["backend"]["kernel"]["key"] in pages["kernel"], file.parent.name
        assert made["mpbench"]["commit"] in pages["commit"], file.parent.name


def page(folder: Path, name: str, kernel: str, commit: str) -> None:
    lines = ["|  |  |", "| --- | --- |", f"| kernel | {kernel} |"]
    (folder / name).write_text("\n".join([*lines, f"| commit | {commit} |", ""]))


def test_pages_of_two_builds_are_told_apart(tmp_path: Path) -> None:
    page(tmp_path, "a.md", "`1d`", "`ab`")
    page(tmp_path, "b.md", "`1d` | `1d`", "`ab` | `ab`")
    assert not faults(tmp_path)
    page(tmp_path, "c.md", "`1d` | `2e`", "`ab` | `cd-dirty`")
    assert faults(tmp_path) == [
        "2 values of kernel: 1d (a.md), 2e (c.md)",
        "2 values of commit: ab (a.md), cd-dirty (c.md)",
        "cd-dirty: made from uncommitted files",
    ]


def test_pages_without_a_build_are_a_fault(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Nothing\n")
    assert faults(tmp_path) == ["0 values of kernel: ", "0 values of commit: "]
