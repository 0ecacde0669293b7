"""The report as HTML: what it shows, and what it never runs."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.report import html_page
from mpbench import cli
from mpbench.commands import report as report_file
from mpbench.commands import run as run_file
from mpbench.errors import UserError


def test_tables_pictures_and_headings_are_shown() -> None:
    text = "# A\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n![Fig](x.png)\n"
    page = html_page.render(text, "A & B")
    assert "<title>A &amp; B</title>" in page
    assert "<h1>A</h1>" in page and "<td>1</td>" in page
    assert '<img src="x.png" alt="Fig" />' in page


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)>",
        "[click](javascript:alert(1))",
        "[click](data:text/html,<script>alert(1)</script>)",
        "![x](javascript:alert(1))",
        '<div onclick="alert(1)">x</div>',
    ],
)
def test_nothing_in_the_text_becomes_a_tag_or_runs(hostile: str) -> None:
    page = html_page.render(f"# x\n\n{hostile}\n\n| a |\n|---|\n| {hostile} |\n", "x")
    body = page.partition("<body>")[2]
    for tag in ("<script", "<img", "<div", 'href="javascript', 'href="data'):
        assert tag not in body
    assert "script-src" not in page and "default-src 'none'" in page


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("html")
    file = Path(cli.__file__).parent / "templates/phone.yaml"
    out = home / "phone"
    words = [str(file), "--backend", "fake", "--out", str(out)]
    assert CliRunner().invoke(run_file.command, words).exit_code == 0
    return out


def test_the_report_has_a_page_in_html_with_every_picture(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_in_browser(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", open_in_browser)
    done = CliRunner().invoke(report_file.command, [str(results), "--open"])
    assert done.exit_code == 0, done.output
    page = results / "report/index.html"
    assert opened == [page.resolve().as_uri()]
    text = page.read_text()
    pictures = list((results / "report").glob("*.png"))
    assert pictures
    assert all(f'src="{picture.name}"' in text for picture in pictures)


def test_without_a_browser_the_page_is_named(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: False)
    words = [str(results), "--open", "--format", "html"]
    done = CliRunner().invoke(report_file.command, words)
    assert isinstance(done.exception, UserError)
    assert "dashboard.html" in str(done.exception)


def test_opening_needs_html(results: Path) -> None:
    words = [str(results), "--open", "--format", "md"]
    done = CliRunner().invoke(report_file.command, words)
    assert isinstance(done.exception, UserError)
    assert "add html" in str(done.exception)
