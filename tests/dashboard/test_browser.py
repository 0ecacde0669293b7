"""The dashboard of 1,000 runs in headless Chromium, opened from disk."""

import re
import statistics
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.dashboard.conftest import page
from tests.dashboard.looks import DOWN, ENTER, ESCAPE, RIGHT, Look

FIRST_PAINT_MS = 2000
FILTER_MS = 100
PLOT = "#scatter1 .area"


@pytest.fixture
def look(browser: Chrome, thousand: Path) -> Look:
    return Look(browser, thousand)


def test_a_thousand_runs_are_there_at_once(browser: Chrome, thousand: Path) -> None:
    times = []
    for _ in range(3):
        look = Look(browser, thousand)
        drawn = look.script("return performance.getEntriesByName('drawn')[0].startTime")
        times.append(max(drawn, look.until_painted()))
        assert look.counted == 1000
    assert min(times) < FIRST_PAINT_MS
    assert look.complaints() == []


def test_a_filter_is_felt_at_once(look: Look) -> None:
    """From the input to everything drawn anew; the code draws before it returns."""
    times, counts = [], []
    for value in range(20, 520, 20):
        begin = look.script("return performance.now()")
        look.slide(0, value)
        entries = "performance.getEntriesByName('filter')"
        times.append(look.script(f"return {entries}.at(-1).duration"))
        assert look.script(f"return {entries}.at(-1).startTime") >= begin
        counts.append(look.counted)
    assert statistics.median(times) < FILTER_MS
    assert counts == sorted(counts, reverse=True) and counts[-1] < 700


def test_nothing_is_fetched(look: Look) -> None:
    look.open(0)
    assert look.script("return performance.getEntriesByType('resource').length") == 0
    assert look.complaints() == []


def test_plots_and_boxes_are_drawn(look: Look) -> None:
    for selector in (f"{PLOT} canvas", "#scatter2 canvas", "#spread canvas"):
        assert look.colours(selector) > 20
    assert look.colours("#factors canvas") >= 2


def test_a_range_leaves_the_runs_within(look: Look) -> None:
    look.slide(0, 500)
    look.slide(1, 800)
    values = look.script(
        "return JSON.parse(document.getElementById('data').textContent).columns[0].v"
    )
    low, high = min(values), max(values)
    ends = [low + part * (high - low) for part in (0.5, 0.8)]
    within = [value for value in values if ends[0] <= value <= ends[1]]
    assert look.counted == len(within) and 100 < len(within) < 500
    shown = re.findall(r"[\d.]+", look.text("#factors .range"))
    assert [float(end) for end in shown] == pytest.approx(ends, rel=0.01)
    assert look.script("return document.querySelector('#reset').disabled") is False
    look.one("#reset").click()
    assert look.counted == 1000
    assert look.all("#factors input")[0].get_attribute("value") == "0"


def test_a_case_comes_and_goes(look: Look) -> None:
    buttons = look.all("#cases button")
    assert [b.text.split("\n")[0] for b in buttons] == ["lia", "cubic", "tcp1", "tcp2"]
    buttons[0].click()
    assert look.counted == 750
    assert buttons[0].get_attribute("aria-pressed") == "false"
    buttons[0].click()
    assert look.counted == 1000


def test_a_factor_of_few_values_has_buttons(look: Look) -> None:
    buttons = look.all("#factors button")
    assert [b.text.split("\n")[0] for b in buttons] == ["0 %", "1 %"]
    buttons[1].click()
    assert look.counted == 500


def test_a_brush_in_one_plot_is_seen_in_the_other(look: Look) -> None:
    before = look.colours("#scatter2 canvas")
    look.drag(PLOT, (0.3, 0.05), (0.5, 0.9))
    picked = look.counted
    assert 0 < picked < 500
    assert f"{picked} of 1000" in look.text("#runs .head")
    assert look.colours("#scatter2 canvas") != before
    look.one(PLOT).send_keys(ESCAPE)
    assert look.counted == 1000


def test_axes_can_be_chosen(look: Look) -> None:
    look.choose("#scatter1 .axis.x select", "path2.capacity_mbps")
    label = look.one(PLOT).get_attribute("aria-label")
    assert label.endswith("against path 2 capacity [Mbit/s]")
    assert look.colours(f"{PLOT} canvas") > 20


def test_the_distribution_says_its_medians(look: Look) -> None:
    said = look.one("#spread .area").get_attribute("aria-label")
    assert re.search(r"lia: median [\d.]+ Mbit/s of 250", said)
    look.choose("#spread select[aria-label='Batches of']", "path2.loss_percent")
    said = look.one("#spread .area").get_attribute("aria-label")
    assert re.search(r"tcp2, 1 %: median [\d.]+ Mbit/s of 125", said)
    boxes = look.colours("#spread canvas")
    look.all("#spread .modes button")[1].click()
    assert look.colours("#spread canvas") != boxes


def test_the_keyboard_goes_from_point_to_run_and_back(look: Look) -> None:
    plot = look.one(PLOT)
    plot.send_keys(RIGHT)
    plot.send_keys(RIGHT)
    assert look.one("#tip").is_displayed()
    plot.send_keys(ENTER)
    look.until(lambda: look.all("#run h3"))
    assert look.script("return document.activeElement.id") == "run"
    look.press(ESCAPE)
    assert not look.one("#run").is_displayed()
    assert look.script("return document.activeElement.className") == "area"


def test_the_table_is_gone_through_by_keyboard(look: Look) -> None:
    table = look.one("#runs .scroll")
    for _ in range(40):
        table.send_keys(DOWN)
    assert look.script("return document.querySelector('.scroll').scrollTop") > 300
    assert len(look.all("tr[data-row]")) < 60
    table.send_keys(ENTER)
    look.until(lambda: look.all("#run h3"))
    assert "design point" in look.text("#run")


def test_the_table_is_sorted_by_a_click(look: Look) -> None:
    look.all("#runs th button")[2].click()
    look.all("#runs th button")[2].click()
    cells = look.all("tr[data-row] td:nth-child(3)")[:8]
    values = [float(cell.text) for cell in cells]
    assert values == sorted(values, reverse=True) and values[0] > 95


def test_light_and_dark(look: Look) -> None:
    paper = "return getComputedStyle(document.documentElement).backgroundColor"
    light = look.script(paper)
    look.one("#theme").click()
    assert look.script(paper) != light
    assert look.colours(f"{PLOT} canvas") > 20


@pytest.mark.parametrize("width", [360, 700, 1100, 1900])
def test_no_width_needs_sideways_scrolling(
    width: int, browser: Chrome, thousand: Path
) -> None:
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        look = Look(browser, thousand)
        root = "return document.documentElement"
        assert look.script(f"{root}.scrollWidth") <= width
        look.open(1)
        assert look.script(f"{root}.scrollWidth") <= width
        panel = look.one("#run").rect
        assert panel["x"] + panel["width"] <= width + 1
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_failed_run_says_why(browser: Chrome, small: Path) -> None:
    look = Look(browser, page(small))
    assert "6 not ok" in look.text("#count")
    verdicts = look.all("#verdicts button")
    verdicts[0].click()
    assert look.counted == 6
    look.open(0)
    shown = look.text("#run")
    assert "Kernel panic - not syncing" in shown and "Call Trace" in shown
    assert look.complaints() == []


def test_a_run_is_shown_whole(browser: Chrome, small: Path) -> None:
    look = Look(browser, page(small))
    look.open(0)
    shown = look.text("#run")
    for part in ("Goodput over time", "Measured", "Asked", "Programs", "Again"):
        assert part in shown
    run = look.script("return location.hash").removeprefix("#run=")
    assert (small / "runs" / run).is_dir()
    assert f"mpbench verify {small} --run {run}" in shown
    assert f"mpbench shell {small}/experiment.yaml --run {run}" in shown
    assert f"{small}/runs/{run}/" in shown
    assert "iperf3 --client --json" in shown
    assert look.colours("#run canvas:not(.swatch)") > 10


def test_an_address_names_a_run(browser: Chrome, small: Path) -> None:
    run = sorted(path.name for path in (small / "runs").iterdir())[3]
    look = Look(browser, page(small), f"#run={run}")
    look.until(lambda: look.all("#run h3"))
    assert f"--run {run}" in look.text("#run")
