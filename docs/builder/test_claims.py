"""Measured numbers of pages: written by runs, linked to a study, or refused."""

from pathlib import Path

import pytest

from docs.builder import claims
from docs.builder.measured import DOCS

PAGES = sorted(DOCS.glob("*.md"))


def test_no_page_states_a_measured_number_by_hand() -> None:
    found = claims.unsupported(PAGES)
    assert not found, "\n".join(map(str, found))


def test_every_statement_of_the_list_is_on_its_page() -> None:
    """A sentence that has gone leaves no permission behind."""
    for page, beginnings in claims.stated().items():
        texts = [claim.text for claim in claims.claims(DOCS / page)]
        for said in beginnings:
            assert any(text.startswith(said) for text in texts), (page, said)


@pytest.mark.parametrize(
    "text",
    [
        "MPTCP used 90.0 % of the WiFi.\n",
        "| fabric | takes 0.9 s of CPU time |\n",
        "- A build takes about 15 seconds.\n",
        "| means over 5 seeds | 0.581 | 0.020 |\n",
        "First sentence. LIA\ngets 12 Mbit/s more.\n",
        "Run it:\n\n    mpbench run FILE\n\nIt costs 3 GiB.\n",
    ],
)
def test_a_measured_number_is_found(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    assert len(list(claims.claims(page))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "The link has 10 Mbit/s.\n",
        "It used <!-- value: goodput_mbps as .0% -->90%<!-- end --> of the WiFi.\n",
        "<!-- table: a by case -->\n\n| lia | took 3 s |\n\n<!-- end -->\n",
        "It took 3 s ([the notes](../studies/notes/speed.md)).\n",
        "    it takes 3 s\n",
        "```\nit takes 3 s\n```\n",
        "The option `takes 3 s` exists.\n",
    ],
)
def test_what_is_no_claim(text: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    assert not list(claims.claims(page))


def test_a_claim_names_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\nText.\n\nA word. It takes\n3 s.\n")
    (claim,) = claims.claims(page)
    assert (claim.line, claim.text) == (5, "It takes 3 s.")
