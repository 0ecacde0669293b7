"""Numbers that the documentation quotes from pages of results/reference."""

import re
from pathlib import Path

import pytest

from docs.builder import quoted
from docs.builder.claims import unsupported
from docs.builder.quoted import DOCS, Mark, quote
from mpbench.errors import UserError

PAGE = """\
# Fig. 1

## Goodput by queue

| queue [packets] | case | median |
| --- | --- | ---: |
| 2 | lia | 94.7 |
| `]2, 4]` | lia | 188 (180 to 190) |

## Ours beside the published

### lia

| published | ours | verdict |
| --- | --- | --- |
| MPTCP gets more, on average | means 1.06e+04 and 6000, p < 0.0001 | **agrees** |

### Table V

|  |  | ours |
| --- | --- | --- |
| time, s | lia | 2.22 ± 0.2 |
| time, s | olia | 8.3 ± 3 |
"""


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/f.md").write_text(PAGE)
    return tmp_path


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        ("a/f.md; Goodput; queue [packets]=2; case=lia; median", "94.7"),
        ("a/f.md; Goodput; queue [packets]=]2, 4]; median", "188"),
        ("a/f.md; queue [packets]=]2, 4]; median#3", "190"),
        ("a/f.md; lia; published=MPTCP gets...; ours#2", "6000"),
        ("a/f.md; lia; published=MPTCP gets...; ours as ,.0f", "10,600"),
        ("a/f.md; lia; published=MPTCP gets...; verdict", "agrees"),
        ("a/f.md; Table V; 1=time, s; 2=olia; ours#1", "8.3"),
    ],
)
def test_a_mark_names_one_cell(reference: Path, mark: str, text: str) -> None:
    assert quote(Mark.read(mark), reference) == text


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("a/f.md; median", "give PAGE; HEADING; COLUMN=VALUE; COLUMN"),
        ("a/f.md; Goodput; median", "give PAGE; HEADING; COLUMN=VALUE; COLUMN"),
        ("b.md; case=lia; median", "b.md: no page of results/reference"),
        ("a/f.md; case=lia; median", "2 rows have .* and one should; the columns are"),
        ("a/f.md; case=olia; median", "0 rows have"),
        ("a/f.md; Goodput; case=lia; mean", "0 rows have .* a column 'mean'"),
        ("a/f.md; Nothing; case=lia; median", "the columns are none"),
        ("a/f.md; Goodput; queue [packets]=2; median#2", "'94.7' has 1 numbers"),
    ],
)
def test_a_mark_without_a_cell_is_refused(
    reference: Path, mark: str, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        quote(Mark.read(mark), reference)


def test_a_page_is_filled_and_faults_have_their_line(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    cell = "a/f.md; queue [packets]=2;\n median"
    page.write_text(f"# A\n\nIt gets <!-- cell: {cell} -->1<!-- end --> Mbit/s.\n")
    new = quoted.filled(page, reference)
    assert new == page.read_text().replace(">1<", ">94.7<")
    page.write_text("\n\nIt <!-- cell: a/f.md; x=2; y -->1<!-- end -->.\n")
    with pytest.raises(UserError, match=r"page\.md:3: a/f\.md: 0 rows"):
        quoted.filled(page, reference)
    assert quoted.main([str(page)]) == 2
    assert "page.md:3: a/f.md: no page of" in capsys.readouterr().err


def test_a_check_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text("old")
    monkeypatch.setattr(quoted, "filled", lambda path: "new")
    assert quoted.main([str(page), "--check"]) == 1
    assert page.read_text() == "old"
    assert quoted.main([str(page)]) == 0
    assert page.read_text() == "new"
    assert quoted.main([str(page), "--check"]) == 0


def test_the_documentation_quotes_what_the_pages_say() -> None:
    assert quoted.main(["--check"]) == 0


def test_every_finding_has_a_number_a_page_and_its_limits() -> None:
    """And the findings are numbered without a gap."""
    text = (DOCS / "findings.md").read_text(encoding="utf-8")
    parts = re.split(r"^### (\d+)\. ", text.partition("\n## Open")[0], flags=re.M)
    numbers, bodies = parts[1::2], parts[2::2]
    assert [int(n) for n in numbers] == list(range(1, len(bodies) + 1))
    assert len(bodies) >= 20
    for body in bodies:
        assert "<!-- cell: " in body and "](../results/reference/" in body, body
        assert "*Limits: " in " ".join(body.split()), body
        cells = set(re.findall(r"<!-- cell: ([^;]+);", body))
        links = set(re.findall(r"\]\(\.\./results/reference/([^)]+\.md)\)", body))
        assert cells <= links, body
    assert unsupported([DOCS / "findings.md"]) == []
