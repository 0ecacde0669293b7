"""Pages of users: no dates, and numbers that a formula gives."""

import re
from math import ceil

from statsmodels.stats.power import TTestPower

from docs.builder.measured import DOCS


def test_the_numbers_of_networks() -> None:
    text = (DOCS / "how-many-runs.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) == 5
    for effect, *numbers in rows:
        for number, power in zip(numbers, (0.8, 0.9), strict=True):
            needed = TTestPower().solve_power(float(effect), alpha=0.05, power=power)
            assert int(number) == ceil(needed), effect


def test_no_page_of_a_user_has_a_date() -> None:
    """History belongs to the changelog, and what was tried to studies/notes."""
    clock = "2026-01-01"  # The guest's, at its boot.
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8").replace(clock, "")
        found = re.findall(r"20\d\d-\d\d-\d\d|[A-Z][a-z]+ber 20\d\d", text)
        assert not found, page.name


def test_every_page_is_in_the_navigation_and_in_the_readme() -> None:
    """The home page stands for itself in the readme."""
    navigation = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    for page in sorted(DOCS.glob("*.md")):
        assert f"- {page.name}\n" in navigation, page.name
        assert page.name == "index.md" or f"](docs/{page.name})" in readme, page.name
    for note in sorted((DOCS.parent / "studies/notes").glob("*.md")):
        assert f"- study-{note.name}\n" in navigation, note.name


def test_no_page_names_a_machine_of_ours() -> None:
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"EPYC|Xeon|Ryzen|\bAMD\b|\bIntel\b", text), page.name
