"""Choices in the dashboard that stand in the address of the page."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium.webdriver import Chrome

from tests.dashboard.conftest import EXPERIMENT, campaign, page
from tests.dashboard.looks import ESCAPE, Look, label_of

PLOT = "#scatter1 .area"


@pytest.fixture
def look(browser: Chrome, thousand: Path) -> Look:
    return Look(browser, thousand)


def pressed(look: Look, selector: str) -> list[str | None]:
    return [each.get_attribute("aria-pressed") for each in look.all(selector)]


def chosen(look: Look) -> dict[str, object]:
    """All that an address can bring back, as the reader sees it."""
    return {
        "runs": look.counted,
        "cases": [b.get_attribute("aria-pressed") for b in look.all("#cases button")],
        "factors": [
            b.get_attribute("aria-pressed") for b in look.all("#factors button")
        ],
        "ranges": [each.text for each in look.all("#factors .range")],
        "slid": [each.get_attribute("value") for each in look.all("#factors input")],
        "plots": [label_of(each) for each in look.all(".plot .area")],
        "log": pressed(look, ".log"),
        "spread": label_of(look.one("#spread .area")),
        "mode": pressed(look, ".modes button"),
        "table": [each.text for each in look.all("tr[data-row]")][:5],
        "picked": look.text("#runs .head"),
        "run": look.text("#run h2") if look.one("#run").is_displayed() else "",
    }


def test_an_untouched_page_has_a_plain_address(look: Look) -> None:
    look.script("window.dispatchEvent(new Event('resize'))")
    look.one("#reset")
    assert look.fragment == ""


def test_an_address_brings_everything_back(
    look: Look, browser: Chrome, thousand: Path
) -> None:
    look.all("#cases button")[1].click()
    look.slide(0, 250)
    look.slide(1, 900)
    look.all("#factors button")[0].click()
    look.choose("#scatter1 .axis.x select", "path2.capacity_mbps")
    look.choose("#scatter2 .axis.y select", "|capacity_difference_mbps|")
    look.choose("#spread select[aria-label='Metric']", "goodput_mbps")
    look.choose("#spread select[aria-label='Batches of']", "path1.capacity_mbps")
    look.all("#spread .modes button")[1].click()
    look.all("#runs th button")[2].click()
    look.all("#runs th button")[2].click()
    look.drag(PLOT, (0.2, 0.05), (0.9, 0.9))
    look.open(2)
    before = chosen(look)
    assert before["run"] and 0 < look.counted < 375
    look.until(lambda: "pick=1~" in look.fragment)
    fragment = look.script("return location.hash")
    again = Look(browser, thousand, fragment)
    again.until(lambda: again.all("#run h3"))
    assert chosen(again) == before
    again.script("window.dispatchEvent(new Event('resize'))")
    assert again.script("return location.hash") == fragment
    assert again.complaints() == []
    again.press(ESCAPE)
    again.one("#reset").click()
    assert again.counted == 1000


def test_back_and_forward(look: Look) -> None:
    first = chosen(look)
    look.all("#cases button")[0].click()
    look.until(lambda: "case=cubic&case=tcp1&case=tcp2" in look.fragment)
    second = chosen(look)
    look.slide(0, 500)
    look.until(lambda: "in=path1.capacity_mbps~" in look.fragment)
    third = chosen(look)
    look.open(0)
    run = look.fragment
    assert run.startswith("run=")
    look.open(1)
    assert look.fragment.startswith("run=") and look.fragment != run
    look.driver.back()
    look.until(lambda: look.fragment == run)
    assert look.one("#run").is_displayed()
    for wanted in (third, second, first):
        look.driver.back()
        look.until(lambda wanted=wanted: chosen(look) == wanted)
    assert look.fragment == ""
    look.driver.forward()
    look.until(lambda: chosen(look) == second)
    assert look.complaints() == []


def test_a_drag_is_one_step_of_the_history(look: Look) -> None:
    before = look.script("return history.length")
    for value in range(10, 400, 10):
        look.slide(0, value)
    look.until(lambda: look.fragment)
    assert look.script("return history.length") == before + 1


def test_hidden_cases_and_hidden_values(look: Look, thousand: Path) -> None:
    """No case and no value at all can be chosen too, and come back."""
    for button in look.all("#cases button"):
        button.click()
    for button in look.all("#factors button"):
        button.click()
    look.until(lambda: "of=path2.loss_percent" in look.fragment)
    assert look.counted == 0
    before = chosen(look)
    again = Look(look.driver, thousand, look.script("return location.hash"))
    assert chosen(again) == before


def test_a_range_keeps_its_value_when_the_ends_move(look: Look) -> None:
    """A value that no place of the slider has; the other end stays as it was."""
    look.script("location.hash = 'in=path1.capacity_mbps~12.3456~'")
    look.until(lambda: look.counted < 1000)
    counted = look.counted
    look.slide(1, 999)
    look.until(lambda: re.search(r"in=path1.capacity_mbps~12.3456~9", look.fragment))
    look.slide(1, 1000)
    assert look.counted == counted


@pytest.mark.parametrize(
    "fragment",
    [
        "run=0000000000000000",
        "run=../../etc/passwd",
        "x1=nothing&y1=__proto__&x2=constructor&log=x1&log=toString",
        "case=nobody&verdict=__proto__",
        "in=path1.capacity_mbps~a~b&in=path1.capacity_mbps",
        "in=path1.capacity_mbps~50~10",
        "in=path1.capacity_mbps~-1e308~1e308~7",
        "in=__proto__~1~2&of=__proto__~1",
        "of=path2.loss_percent~77&of=path2.loss_percent~NaN",
        "pick=1~0~Infinity~0~1&pick=3~1~2~3~4",
        "pick=1~9~1~9~1",
        "pick=1~~~~",
        "metric=nothing&by=goodput_mbps&draw=<b>",
        "sort=nothing",
        "sort=-",
        "%",
        "%E0%A4%A",
        "a" * 30_000,
        "&=&==&#?/" * 10,
        quote("<img src=x onerror=window.ran=1>"),
        "run=" + quote("<script>window.ran=1</script>"),
        "case=lia&" * 3000,
    ],
)
def test_strange_fragments_change_nothing(
    fragment: str, browser: Chrome, thousand: Path
) -> None:
    look = Look(browser, thousand, f"#{fragment}")
    assert look.counted == 1000
    assert not look.one("#run").is_displayed()
    assert not look.one("#reset").is_enabled()
    assert look.script("return window.ran === undefined")
    assert look.complaints() == []


def test_what_fits_of_a_strange_address_is_taken(
    browser: Chrome, thousand: Path
) -> None:
    look = Look(
        browser,
        thousand,
        "#case=lia&case=nobody&in=path1.delay_ms~-5~1e9&x1=path2.capacity_mbps&y1=no",
    )
    assert look.counted == 250
    assert label_of(look.one(PLOT)).endswith("against path 2 capacity [Mbit/s]")


def test_an_address_for_other_results(browser: Chrome, small: Path) -> None:
    """Of results that have other runs and other ranges, what is there is shown."""
    look = Look(browser, page(small), "#verdict=failed&in=path1.capacity_mbps~0~1000")
    assert look.counted == 6
    assert look.script(
        "return [...document.querySelectorAll('#factors input')][1].value"
    )
    look.script("location.hash = '#verdict=timeout'")
    look.until(lambda: look.counted == 24)


def test_a_factor_of_words_filters_and_has_batches(
    browser: Chrome, tmp_path: Path
) -> None:
    words = "path1.discipline: [drop_tail, codel, fq_codel]\n    path2.loss"
    text = EXPERIMENT.replace("path2.loss", words)
    look = Look(browser, page(campaign(tmp_path, 4, "[0 %]", text=text)))
    assert look.counted == 48
    buttons = {each.text.split("\n")[0]: each for each in look.all("#factors button")}
    assert list(buttons) == ["drop_tail", "codel", "fq_codel"]
    buttons["codel"].click()
    assert look.counted == 32
    look.choose("#spread select[aria-label='Batches of']", "path1.discipline")
    assert "lia, drop_tail: median" in label_of(look.one("#spread .area"))
    assert {cell.text for cell in look.all("tr[data-row] td:nth-child(6)")} <= {
        "drop_tail",
        "fq_codel",
    }
    look.until(lambda: "by=" in look.fragment)
    fragment = look.script("return location.hash")
    assert "drop_tail%7Efq_codel" in fragment
    again = Look(
        browser, look.script("return location.href").partition("#")[0], fragment
    )
    assert again.counted == 32 and chosen(again) == chosen(look)
    assert not again.complaints()


def test_a_factor_of_words_is_no_axis(browser: Chrome, tmp_path: Path) -> None:
    text = EXPERIMENT.replace(
        "path2.loss", "path1.discipline: [red, pie]\n    path2.loss"
    )
    made = page(campaign(tmp_path, 2, "[0 %]", text=text))
    look = Look(browser, made, "#x1=path1.discipline&metric=path1.discipline")
    offered = "#scatter1 .axis.x option[value='path1.discipline']"
    assert look.counted == 16 and not look.all(offered)
    assert not look.all(
        "#spread select[aria-label='Metric'] option[value='path1.discipline']"
    )
    assert not look.complaints()
