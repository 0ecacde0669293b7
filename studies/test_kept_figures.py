"""Figures that kept rows cannot draw stay on their page."""

from pathlib import Path

from studies import kept_figures

OLD = """# a

old

## Figures

### Goodput over time

![Goodput](over-time.png)

![Rate](over-time-2.png)

### Goodput

![Goodput](bars.png)

## How this was made

old
"""
NEW = """# a

new

## Figures

### Goodput over time

Not drawn: the runs' own files are not there.

### Goodput

![Goodput](bars.png)

## How this was made

new
"""


def test_a_figure_that_is_not_drawn_again_stays(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(OLD)
    for name in ("over-time.png", "over-time-2.png", "bars.png"):
        (tmp_path / name).write_bytes(b"old")
    before = kept_figures.before(tmp_path)
    page.write_text(NEW)
    for name in ("over-time.png", "over-time-2.png"):
        (tmp_path / name).unlink()
    (tmp_path / "bars.png").write_bytes(b"new")
    assert kept_figures.keep(tmp_path, before) == ["over-time.png", "over-time-2.png"]
    text = page.read_text()
    assert "Not drawn" not in text and text.count(kept_figures.NOTE) == 1
    assert "\nnew\n" in text and "\nold\n" not in text
    assert (tmp_path / "over-time.png").read_bytes() == b"old"
    assert (tmp_path / "bars.png").read_bytes() == b"new"
    again = kept_figures.before(tmp_path)
    page.write_text(NEW)
    kept_figures.keep(tmp_path, again)
    assert page.read_text() == text


def test_what_has_no_old_picture_says_so() -> None:
    assert kept_figures.merge("# a\n", NEW) == NEW
    assert kept_figures.merge(OLD, "no heading\n") == "no heading\n"
    bare = OLD.replace("![Goodput](over-time.png)", "").replace(
        "![Rate](over-time-2.png)", ""
    )
    assert kept_figures.merge(bare, NEW) == NEW


def test_a_new_folder_has_nothing_to_keep(tmp_path: Path) -> None:
    assert kept_figures.keep(tmp_path, kept_figures.before(tmp_path / "none")) == []


def test_a_figure_over_time_without_a_section_comes_before_the_foot() -> None:
    old = OLD.partition("### Goodput\n")[0] + "## How this was made\n\nold\n"
    new = "# a\n\nnew\n\n## How this was made\n\nnew\n"
    merged = kept_figures.merge(old, new)
    assert merged == (
        "# a\n\nnew\n\n## Figures\n\n### Goodput over time\n\n"
        "![Goodput](over-time.png)\n\n![Rate](over-time-2.png)\n\n"
        f"{kept_figures.NOTE}\n\n## How this was made\n\nnew\n"
    )
    assert kept_figures.merge(merged, new) == merged
