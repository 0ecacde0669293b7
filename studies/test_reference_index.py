"""The index of results/reference, and the verdicts that it reads from the pages."""

import re
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.report.pages_file import Pages
from studies import reference_index as index
from studies import reference_verdicts as verdicts
from studies.reference_verdicts import CELLS, STATEMENTS, Entry, Tally

README = index.REFERENCE / "README.md"
OF = re.compile(
    r"^- (\d+) of \d+ (sentences|statements|cells) agree, (\d+) differ and (\d+) are"
    r" undecided(?:; (\d+) were not measured)?",
    re.MULTILINE,
)
CAMPAIGN = """\
# two-links

A phone that moves (here: 38 m), see Fig. 2 of the paper. It downloads.

| published | where | ours | 95 % interval | n | verdict | chance |
| --- | --- | --- | --- | --- | --- | --- |
| more | sec. 2, Fig. 7a | 1 | - | 9 | agrees | 99% |
| less | sec. 2, Fig. 7b | 1 | - | 9 | agrees, fragile, depends on the reading | 99% |
| equal | sec. 2, Fig. 7b | 1 | - | 9 | **differs**, fragile | 60% |
| none | sec. 2, Fig. 7 | 1 | - | 9 | not judged | - |
| a \\| b | sec. 2 | 1 | - | 9 | undecided | 60% |
| far | sec. 9 | 1 | - | 9 | agrees | 60% |

### olia Table II

3 of 6 cells agree, 2 differ and 1 are undecided. Fragile: 0 of the agreements.

| experiment | `two-links` |
| source | `olia secs 2, IV, Figs 6, 7; nsdi11 Fig. 1` |
"""


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    (tmp_path / "two-links").mkdir()
    (tmp_path / "two-links/README.md").write_text(CAMPAIGN)
    return tmp_path


def test_the_committed_index_is_what_its_pages_say() -> None:
    assert index.main(["--check"]) == 0


def test_totals_are_those_of_the_publications_own_indices() -> None:
    """The thesis's and MPCC's pages count their verdicts themselves."""
    found = index.papers(index.PUBLISHED, index.REFERENCE)
    for key in ("thesis", "mpcc"):
        text = (index.REFERENCE / key / "README.md").read_text(encoding="utf-8")
        wanted = [
            (kind, Tally(int(agree), int(differ), int(undecided), int(left or 0)))
            for agree, kind, differ, undecided, left in OF.findall(text)
        ]
        totals = [
            (kind, tally)
            for name in index.settings(found[key].main)
            for kind, tally in index.counted(found[key].rows(index.REFERENCE, name))
            if tally
        ]
        assert totals == wanted


def test_data_centres_and_the_rest_make_the_whole() -> None:
    """But for sentences that have statements in both."""
    found = index.papers(index.PUBLISHED, index.REFERENCE)
    for key in ("olia", "nsdi11"):
        whole = found[key].rows(index.REFERENCE, "")
        within, outside = (
            found[key].rows(index.REFERENCE, "", x) for x in (True, False)
        )
        assert within and outside
        assert sorted(map(repr, within + outside)) == sorted(map(repr, whole))


def test_every_page_and_experiment_has_a_link_that_leads_there() -> None:
    text = README.read_text(encoding="utf-8")
    links = set(re.findall(r"\]\(([^)#]+)\)", text))
    for link in links:
        assert (README.parent / link).resolve().is_file(), link
    pages = {p.relative_to(README.parent).as_posix() for p in README.parent.glob("*/*")}
    figures = {p for p in pages if re.search(r"/(figure|table|theorem)-.*\.md$", p)}
    campaigns = {
        p.relative_to(README.parent).as_posix()
        for p in README.parent.glob("*/README.md")
        if index.SOURCE.search(p.read_text(encoding="utf-8"))
    }
    # A figure's page of the thesis shows what these campaigns' own pages show.
    shown = {f"{name}/README.md" for name in OWN_PAGES}
    assert figures | campaigns - shown <= links


OWN_PAGES = ("fairness-steady", "fairness-phases", "path-choice", "fattree-subflows")


def test_narrow_intervals_are_named(reference: Path) -> None:
    """No committed page has any: all networks have a seed of their own."""
    assert "too narrow" not in README.read_text(encoding="utf-8")
    page = reference / "two-links/README.md"
    page.write_text(f"{CAMPAIGN}\n{index.SEED} here.\n")
    (said, _) = index.caveats(reference)
    assert said.endswith("These pages name them: [two-links](two-links/README.md).")


def test_verdicts_of_a_campaign_by_figure(reference: Path) -> None:
    """Verdicts that depend on the reading are undecided; `not judged` has no count."""
    entries = verdicts.campaign(reference / "two-links/README.md")
    assert {one.label: one.tallies for one in entries} == {
        "Fig. 7": {(STATEMENTS, ""): Tally(1, 1, 1)},
        "secs 2, IV": {(STATEMENTS, ""): Tally(0, 0, 1)},
        "sec. 9": {(STATEMENTS, ""): Tally(1, 0, 0)},
        "Table II": {(CELLS, ""): Tally(3, 2, 1)},
        "Fig. 6": {},
    }
    first = entries[0]
    assert first.shows == "A phone that moves (here: 38 m), see Fig. 2 of the paper"
    assert (first.page, first.campaigns) == ("two-links/README.md", ("two-links",))


def test_a_page_without_a_description_has_its_campaign() -> None:
    """The answer stands before the runs, and is no description."""
    answer = "**Which?**\n\nEach difference is one of two cases in the same network."
    runs = "| case | ok |\n| --- | --- |"
    assert verdicts.description(f"# a\n\n{answer}\n\n{runs}") == ""
    told = f"# a\n\n{answer}\n\nA phone moves. It downloads.\n\n{runs}"
    assert verdicts.description(told) == "A phone moves"


def test_figures_that_a_text_names() -> None:
    assert verdicts.figures("secs II, III-A, Figs 1, 12a, 9b, Tables I, IV") == [
        "Fig. 1",
        "Fig. 12",
        "Fig. 9",
        "Table I",
        "Table IV",
    ]
    assert verdicts.figures("thesis sec. 5.3, Table 5.4") == ["Table 5.4"]
    assert verdicts.figures("Figuratively") == []


def test_one_figure_of_a_source_has_what_names_none() -> None:
    assert verdicts.section("section 5, RTT mismatch", "sec. 5, Fig. 14") == "Fig. 14"
    whole = "sec. 4, TP1, the table of FatTree, Fig. 13"
    assert verdicts.section("section 4", whole) == "sec. 4, TP1, the table of FatTree"
    assert verdicts.section("sec. I", "sec. IV-C, Figs 6, 7") == "sec. I"
    numbered = verdicts.section("sec. I, sentence 1", "sec. IV-C, Figs 6, 7")
    assert numbered == "sec. I"


def test_an_index_and_a_campaign_share_a_row() -> None:
    """The campaign's page adds the kind of verdicts that the index lacks."""
    one = Entry("Table III", "x", "a/t.md", ("c",), {(STATEMENTS, "up"): Tally(1)})
    main = [one]
    again = Entry("Table III", "y", "c/README.md", ("c",))
    again.add(STATEMENTS, Tally(1))
    again.add(CELLS, Tally(0, 6))
    index.join(main, [again, Entry("Table III", "y", "c/README.md", ("c",))])
    assert main == [one]
    assert index.verdict(one, STATEMENTS, "") == "1 / 0 / 0"
    assert index.verdict(one, CELLS, "") == "[0 / 6 / 0](c/README.md)"


def test_figures_of_a_campaign_keep_their_verdicts(reference: Path) -> None:
    """Also where the campaign's figures have verdicts of one kind."""
    main = [Entry("Fig. 6", "", "a/f.md", ("other",))]
    entries = verdicts.campaign(reference / "two-links/README.md")
    index.join(main, entries)
    assert [one.label for one in main] == [
        "Fig. 6",
        "Fig. 7",
        "secs 2, IV",
        "sec. 9",
        "Table II",
    ]
    assert sum((one.of(STATEMENTS) for one in main), Tally()) == Tally(2, 1, 2)


def test_order_of_figures_and_tables() -> None:
    labels = ("sec. 4", "Table II", "Fig. 10", "Table I", "Fig. 2")
    entries = [Entry(label, "", "", ()) for label in labels]
    ordered = [one.label for one in sorted(entries, key=index.order)]
    assert ordered == ["Fig. 2", "Fig. 10", "Table I", "Table II", "sec. 4"]


def test_an_index_of_other_pages_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "nsdi11-bcube"
    folder.mkdir()
    pages = Pages(index.PUBLISHED / "nsdi11-bcube-pages.yaml")
    (folder / "README.md").write_text("# Nothing\n")
    with pytest.raises(UserError, match="no table below 'By page'; make the pages"):
        verdicts.publication(pages, tmp_path)
    table = "| page | shows | a: statements |\n| --- | --- | --- |\n| [Fig. 1](f.md) |"
    (folder / "README.md").write_text(f"## By page\n\n{table} x | 1 / 2 / 3 |\n\n")
    with pytest.raises(UserError, match="other pages than nsdi11-bcube-pages"):
        verdicts.publication(pages, tmp_path)
    with pytest.raises(UserError, match="lost: no experiment file of this name"):
        index.file_of("lost")


def test_a_page_that_cannot_be_read_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(index, "page", lambda: index.file_of("lost"))
    assert index.main([]) == 2
    assert capsys.readouterr().err == (
        "reference_index: lost: no experiment file of this name\n"
    )
    monkeypatch.setattr(index, "page", lambda: "other\n")
    assert index.main(["--check"]) == 1
    monkeypatch.setattr(index, "REFERENCE", tmp_path)
    assert index.main([]) == 0
    assert (tmp_path / "README.md").read_text() == "other\n"
