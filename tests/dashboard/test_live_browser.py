"""The live page in headless Chromium, while a results folder fills."""

from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.dashboard.live_page import Filling, live
from tests.dashboard.looks import Look

FRAME = "document.querySelector('iframe:not(.coming)')"
COUNTED = f"return {FRAME}?.contentDocument.querySelector('#count')?.textContent"


def text_of(look: Look, selector: str) -> str:
    """Text of an element that the page may replace at any moment."""
    found: str | None = look.script(
        "return document.querySelector(arguments[0])?.textContent", selector
    )
    return found or ""


def counted(look: Look) -> str:
    """The dashboard's words in the frame about its runs."""
    found: str | None = look.script(COUNTED)
    return found or ""


def source(look: Look) -> str:
    """The address in the frame."""
    found: str = look.script(f"return {FRAME}?.src") or ""
    return found


@pytest.fixture
def filling(small: Path, tmp_path: Path) -> Filling:
    return Filling(small, tmp_path / "results")


def test_the_page_fills_while_the_campaign_runs(
    browser: Chrome, filling: Filling, tmp_path: Path
) -> None:
    arguments = ("dashboard", "--live", "results")
    with filling.working(), live(tmp_path, *arguments) as page:
        look = Look(browser, page.address)
        look.until(lambda: "0 of 24 runs" in text_of(look, "#campaigns"))
        look.until(lambda: text_of(look, "#note") == "No run is finished yet.")
        begun = filling.begin()
        look.until(lambda: "running" in text_of(look, f"tr[data-run='{begun}']"))
        filling.add(8)
        look.until(lambda: "8 of 24 runs" in text_of(look, "#campaigns"))
        look.until(lambda: counted(look).startswith("8 runs"))
        # What the reader has chosen in the dashboard outlives the next drawing.
        look.script(f"{FRAME}.contentWindow.location.hash = 'kept'")
        filling.add(16)
        look.until(lambda: counted(look).startswith("24 runs"))
        assert look.script(f"return {FRAME}.contentWindow.location.hash") == "#kept"
        assert "6 failed" in text_of(look, "#campaigns")
        assert len(look.all("#lines tr")) == 12
        assert "Kernel panic" in text_of(look, "#lines")
        assert look.complaints() == []
        assert page.stop()[0] == 130
        look.until(lambda: "has ended" in text_of(look, "#connection"))


def test_a_reader_who_holds_the_page(
    browser: Chrome, filling: Filling, tmp_path: Path
) -> None:
    """Without the tick nothing changes until the button is pressed."""
    filling.add(4)
    with filling.working(), live(tmp_path, "report", "--watch", "results") as page:
        look = Look(browser, page.address)
        look.until(lambda: source(look))
        look.one("#follow").click()
        shown = source(look)
        filling.add(4)
        look.until(lambda: look.one("#renew").is_displayed())
        assert source(look) == shown
        look.one("#renew").click()
        look.until(lambda: source(look) not in ("", shown))
        look.all("#tabs button")[1].click()
        look.until(lambda: counted(look).startswith("8 runs"))
        assert look.fragment == "Dashboard"
        assert look.complaints() == []


def test_workers_stand_beside_their_runs(
    browser: Chrome, filling: Filling, tmp_path: Path
) -> None:
    arguments = ("dashboard", "--live", "results")
    with filling.working(), live(tmp_path, *arguments) as page:
        look = Look(browser, page.address)
        filling.add(2)
        look.until(lambda: len(look.all("#lines tr")) == 2)
        assert not look.one("#worker").is_displayed()
        run = filling.begin("node7 (tcp://10.0.0.7:4000)")
        look.until(lambda: "node7" in text_of(look, f"tr[data-run='{run}']"))
        assert look.one("#worker").is_displayed()
        cells = {
            len(row.find_elements("css selector", "td"))
            for row in look.all("#lines tr")
        }
        assert cells == {6}
        assert look.complaints() == []


def test_names_of_a_stranger_stay_text(
    browser: Chrome, filling: Filling, tmp_path: Path
) -> None:
    evil = "<img src=x onerror='window.ran=1'>"
    head = filling.root.campaign
    head.write_text(head.read_text().replace('"thousand"', f'"{evil}"'))
    with live(tmp_path, "dashboard", "--live", "results") as page:
        look = Look(browser, page.address)
        label = "return document.querySelector('.bar')?.getAttribute('aria-label')"
        look.until(lambda: look.script(label) == evil)
        assert look.script("return window.ran === undefined && !document.images.length")
